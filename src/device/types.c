#include "device/types.h"

#include <string.h>

const struct type_info type_info[TYPE_COUNT] = {[TYPE_NONE] = {"none", 0, CLASS_NONE},
#define X(id, name, bytes, kind) [TYPE_##id] = {name, bytes, CLASS_##kind},
                                                PTX_TYPES(X)
#undef X
};

const char *const space_names[SPACE_COUNT] = {"generic", "global", "const", "shared",
                                              "local",   "param",  "reg"};

enum type type_find(const char *name, size_t length)
{
    for (int i = TYPE_NONE + 1; i < TYPE_COUNT; i++) {
        if (strlen(type_info[i].name) == length && memcmp(type_info[i].name, name, length) == 0)
            return (enum type)i;
    }
    return TYPE_NONE;
}
