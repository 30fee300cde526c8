/*
 * Which line of a full set is evicted.
 *
 * One instance per cache, owned by it and allocated when the chip is built. Hooks see the whole
 * access: address, pc, agent, application and kind.
 *
 * Contract: victim() returns one of `candidates`, which excludes reserved lines and ways of other
 * programs. It has no side effects, because a miss that has to wait asks again.
 */
#ifndef CACHE_REPLACEMENT_H
#define CACHE_REPLACEMENT_H

#include "mem/request.h"
#include "sim/policy.h"

struct llc_view;
struct replacement_ops;

struct replacement {
    const struct replacement_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    void *table;        /* ops->table_bytes of zeros, for state per set and way */
    u32 sets, ways;
    u32 banks;                  /* of the cache that this instance is a bank of */
    u64 seed;                   /* differs between caches */
    const struct llc_view *llc; /* set if an LLC policy named this policy (l2/llc_policy.h) */
};

struct replacement_ops {
    POLICY_HEAD;
    /* Both optional. */
    size_t (*table_bytes)(u32 sets, u32 ways);
    void (*init)(struct replacement *r);
    /* The access hit; a line was filled for the access. Each may be NULL. */
    void (*hit)(struct replacement *r, u32 set, u32 way, const struct request *access);
    void (*fill)(struct replacement *r, u32 set, u32 way, const struct request *access);
    /* candidates: a bit per way, never empty. */
    u32 (*victim)(struct replacement *r, u32 set, u64 candidates, const struct request *access);
};

/* Has it what it cannot do without? */
static inline bool replacement_is_whole(const struct replacement_ops *p)
{
    return p->victim != NULL;
}

#define REPLACEMENT(id) POLICY(replacement, id)

void replacement_init(struct replacement *r, struct arena *arena, struct policy_choice choice,
                      u32 sets, u32 ways, u64 seed);

#endif
