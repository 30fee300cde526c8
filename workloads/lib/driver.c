#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

#define SPELL_EXPANDED(name) #name
#define SPELL(name) SPELL_EXPANDED(name) /* expands cuMemAlloc to cuMemAlloc_v2 first */

bool driver_open(struct driver *d, char *why, size_t why_bytes)
{
    *d = (struct driver){.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    if (!d->library) {
        snprintf(why, why_bytes,
                 "%s, expected an NVIDIA driver, or heddle's library put in front by `heddle run`",
                 dlerror());
        return false;
    }
    struct {
        const char *name;
        void *slot;
    } calls[] = {
#define DRIVER_ROW(call) {SPELL(call), &d->call},
        DRIVER_CALLS(DRIVER_ROW)
#undef DRIVER_ROW
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *symbol = dlsym(d->library, calls[i].name);
        if (!symbol) {
            snprintf(why, why_bytes, LIBRARY " has no %s", calls[i].name);
            driver_close(d);
            return false;
        }
        /* ISO C has no cast from object to function pointer; POSIX promises equal sizes. */
        memcpy(calls[i].slot, &symbol, sizeof symbol);
    }
    return true;
}

void driver_close(struct driver *d)
{
    if (d->library)
        dlclose(d->library);
    *d = (struct driver){0};
}
