/* A time stamp per way, in events of the cache: what lru and fifo are made of. */
#ifndef POLICY_REPLACEMENT_STAMP_H
#define POLICY_REPLACEMENT_STAMP_H

#include "cache/replacement.h"

struct stamps {
    u64 clock;
    u64 at[]; /* set-major */
};

static inline size_t stamps_bytes(u32 sets, u32 ways)
{
    return sizeof(struct stamps) + (size_t)sets * ways * sizeof(u64);
}

static inline void stamps_set(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    (void)access;
    struct stamps *s = r->table;
    s->at[(size_t)set * r->ways + way] = ++s->clock;
}

/* The candidate with the smallest stamp; the lowest way wins among those without one. */
static inline u32 stamps_oldest(struct replacement *r, u32 set, u64 candidates,
                                const struct request *access)
{
    (void)access;
    const struct stamps *s = r->table;
    const u64 *at = s->at + (size_t)set * r->ways;
    u32 oldest = (u32)__builtin_ctzll(candidates);
    for (u64 left = candidates; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (at[way] < at[oldest])
            oldest = way;
    }
    return oldest;
}

#endif
