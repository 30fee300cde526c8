/*
 * Which way of a full set gives up its line.
 *
 * One instance per cache, owned by it; every byte comes from the chip's arena when
 * the chip is built. A policy is told the whole access: address, pc, agent,
 * application and kind are the request's. victim() may only name ways of the mask
 * it is given: reserved lines are not among them, nor ways kept for others.
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
    void *table;        /* ops->table_bytes of zeros, for what grows with sets and ways */
    u32 sets, ways;
    u32 banks;                  /* of the cache that this is one of */
    u64 seed;                   /* two caches differ */
    const struct llc_view *llc; /* one that came with an LLC policy (l2/llc_policy.h) */
};

struct replacement_ops {
    POLICY_HEAD;
    /* Both optional. */
    size_t (*table_bytes)(u32 sets, u32 ways);
    void (*init)(struct replacement *r);
    /* The access found its line; a line comes for the access. Each may be NULL. */
    void (*hit)(struct replacement *r, u32 set, u32 way, const struct request *access);
    void (*fill)(struct replacement *r, u32 set, u32 way, const struct request *access);
    /* candidates: a bit per way, never empty. Asking changes nothing: a miss that has to
     * wait asks again. */
    u32 (*victim)(struct replacement *r, u32 set, u64 candidates, const struct request *access);
};

#define REPLACEMENT(id) POLICY(replacement, id)

void replacement_init(struct replacement *r, struct arena *arena, struct policy_choice choice,
                      u32 sets, u32 ways, u64 seed);

#endif
