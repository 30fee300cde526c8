#include "policy/registry.h"

#include <string.h>

#define DECLARE_REPLACEMENT(name) extern const struct replacement_ops replacement_##name;
REPLACEMENT_POLICIES(DECLARE_REPLACEMENT)
#define DECLARE_WARP(name) extern const struct warp_policy_ops warp_policy_##name;
WARP_POLICIES(DECLARE_WARP)

#define REPLACEMENT(name) &replacement_##name,
const struct replacement_ops *const replacement_policies[] = {REPLACEMENT_POLICIES(REPLACEMENT)
                                                                  NULL};
#define WARP(name) &warp_policy_##name,
const struct warp_policy_ops *const warp_policies[] = {WARP_POLICIES(WARP) NULL};

const struct replacement_ops *replacement_find(const char *name)
{
    for (const struct replacement_ops *const *p = replacement_policies; *p; p++) {
        if (strcmp((*p)->name, name) == 0)
            return *p;
    }
    return NULL;
}

const struct warp_policy_ops *warp_policy_find(const char *name)
{
    for (const struct warp_policy_ops *const *p = warp_policies; *p; p++) {
        if (strcmp((*p)->name, name) == 0)
            return *p;
    }
    return NULL;
}
