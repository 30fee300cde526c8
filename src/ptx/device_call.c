#include "ptx/device_call.h"

#include <string.h>

static const struct {
    const char *name;
    u32 arguments;
} calls[] = {
#define DEVICE_CALL_ROW(id, name, arguments) {name, arguments},
    DEVICE_CALLS(DEVICE_CALL_ROW)
#undef DEVICE_CALL_ROW
};

enum device_call_number device_call_find(const char *name)
{
    static const char twin[] = "_ptsz";
    size_t length = strlen(name), end = sizeof twin - 1;
    if (length > end && strcmp(name + length - end, twin) == 0)
        length -= end;
    for (u32 i = 0; i < DEVICE_CALL_COUNT; i++) {
        if (strlen(calls[i].name) == length && strncmp(calls[i].name, name, length) == 0)
            return (enum device_call_number)i;
    }
    return DEVICE_CALL_COUNT;
}

u32 device_call_arguments(enum device_call_number number)
{
    return calls[number].arguments;
}
