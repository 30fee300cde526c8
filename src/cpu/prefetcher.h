/*
 * Which lines a cache fetches before they are asked for.
 *
 * One instance per cache.
 *
 * Contract: the cache calls access() once for every load and store that it accepts, never for a
 * prefetch. access() adds line addresses with prefetches_add(); the first MOST_PREFETCHES count.
 * The cache ignores lines that it holds or has requested, and drops those that it has no room for,
 * so the policy must not rely on a prefetch being made.
 */
#ifndef CPU_PREFETCHER_H
#define CPU_PREFETCHER_H

#include "sim/policy.h"

#define MOST_PREFETCHES 16u

struct prefetch_access {
    u64 address, pc;
    u64 line; /* of the address */
    u32 line_bytes;
    bool hit;
};

struct prefetches {
    u64 lines[MOST_PREFETCHES];
    u32 count;
};

static inline void prefetches_add(struct prefetches *out, u64 line)
{
    if (out->count < MOST_PREFETCHES)
        out->lines[out->count++] = line;
}

struct prefetcher_ops;

struct prefetcher {
    const struct prefetcher_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    void *table;        /* ops->table_bytes of zeros */
};

struct prefetcher_ops {
    POLICY_HEAD;
    size_t (*table_bytes)(const void *config); /* optional */
    /* NULL: it never prefetches. */
    void (*access)(struct prefetcher *p, const struct prefetch_access *a, struct prefetches *out);
};

/* Has it what it cannot do without? One without access() prefetches nothing. */
static inline bool prefetcher_is_whole(const struct prefetcher_ops *p)
{
    return p->name != NULL;
}

#define PREFETCHER(id) POLICY(prefetcher, id)

void prefetcher_init(struct prefetcher *p, struct arena *arena, struct policy_choice choice);

#endif
