/*
 * The last accesses to global memory of what is executed without timing: what warms a cache before
 * something is timed.
 *
 * A ring of sectors, each with the SM that named it and a bit for a store. The newest entry is
 * number `count` - 1; entries that were overwritten are gone.
 */
#ifndef DEVICE_RECENT_LINES_H
#define DEVICE_RECENT_LINES_H

#include "base/types.h"

#define RECENT_SECTOR_BYTES 32u
#define RECENT_STORE 1u
#define RECENT_SM_SHIFT 48 /* addresses are below */

struct recent_lines {
    u64 *entries; /* mask + 1 of them, a power of two */
    u64 mask, count;
};

static inline void recent_add(struct recent_lines *r, u64 sector, u32 sm, bool is_store)
{
    r->entries[r->count++ & r->mask] =
        (u64)sm << RECENT_SM_SHIFT | sector * RECENT_SECTOR_BYTES | (is_store ? RECENT_STORE : 0);
}

static inline u64 recent_oldest(const struct recent_lines *r)
{
    return r->count > r->mask + 1 ? r->count - (r->mask + 1) : 0;
}

#endif
