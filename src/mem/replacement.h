/*
 * Which way of a full set gives up its line.
 *
 * One instance per cache bank, owned by the bank; every byte comes from the
 * chip's arena when the chip is built. victim() may only name ways of the mask
 * it is given: reserved lines are not among them.
 */
#ifndef MEM_REPLACEMENT_H
#define MEM_REPLACEMENT_H

#include "base/arena.h"
#include "base/types.h"

struct replacement_ops;

struct replacement {
    const struct replacement_ops *ops;
    void *state;
    u32 sets, ways;
};

struct replacement_ops {
    const char *name;   /* as written in a chip file */
    const char *source; /* where the mechanism was published */
    /* seed: of this bank; two banks differ */
    void (*init)(struct replacement *r, struct arena *arena, u64 seed);
    void (*hit)(struct replacement *r, u32 set, u32 way);
    void (*fill)(struct replacement *r, u32 set, u32 way);
    /* candidates: a bit per way, never empty. Asking changes nothing: a miss that has to
     * wait asks again. */
    u32 (*victim)(struct replacement *r, u32 set, u64 candidates);
};

#endif
