#include "policy/registry.h"

#include <string.h>

#define DECLARE(name) extern const struct replacement_ops replacement_##name;
REPLACEMENT_POLICIES(DECLARE)

#define POINTER(name) &replacement_##name,
const struct replacement_ops *const replacement_policies[] = {REPLACEMENT_POLICIES(POINTER) NULL};

const struct replacement_ops *replacement_find(const char *name)
{
    for (const struct replacement_ops *const *p = replacement_policies; *p; p++) {
        if (strcmp((*p)->name, name) == 0)
            return *p;
    }
    return NULL;
}
