#include "device/kernel_regions.h"

#include <string.h>

static bool is_known(const struct region_list *l, u64 start)
{
    for (u32 i = 0; i < l->count; i++) {
        if (l->at[i].start == start)
            return true;
    }
    return false;
}

/* Starts of allocations beyond the last id, so that each counts once. */
#define MOST_BEYOND 512u

void regions_find(const struct device_memory *m, const void *params, u32 bytes,
                  struct region_list *out)
{
    u64 beyond[MOST_BEYOND];
    *out = (struct region_list){0};
    for (u32 at = 0; at + 8 <= bytes; at += 8) {
        u64 value;
        memcpy(&value, (const u8 *)params + at, sizeof value);
        const struct allocation *a = memory_find(m, value);
        if (!a || is_known(out, a->start))
            continue;
        if (out->count < MOST_REGIONS) {
            out->at[out->count++] = (struct region){a->start, a->bytes};
            continue;
        }
        u32 i = 0;
        while (i < out->beyond && beyond[i] != a->start)
            i++;
        if (i < out->beyond || i == MOST_BEYOND)
            continue;
        beyond[out->beyond++] = a->start;
        out->beyond_bytes += a->bytes;
    }
}
