/*
 * Which SM gets the next thread block of a grid: the question of block dispatch.
 *
 * One instance per dispatcher. It is asked for one block after the other; the answer is an SM with
 * room, or none for now. An SM takes one block per cycle at the most.
 */
#ifndef GPU_BLOCK_POLICY_H
#define GPU_BLOCK_POLICY_H

#include "isa/winst.h"
#include "sim/policy.h"

#define NO_SM UINT32_MAX

/* What an SM has left. */
struct sm_room {
    u32 warps, registers, shared;
    u64 free_blocks; /* slots */
};

struct block_ask {
    const struct grid_source *grid;
    u64 launch;     /* number of the grid's launch, from 1 */
    u64 block;      /* which is to go */
    u32 first, end; /* the SMs that the grid may use: first to end - 1 */
    u32 next;       /* the one after that of the last block */
    const struct sm_room *rooms;
    const u64 *given; /* bit per SM: it got a block this cycle */
    const void *dispatcher;
    bool (*fits)(const struct block_ask *a, u32 sm); /* is there room for the block? */
};

struct block_policy {
    const struct block_policy_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
};

struct block_policy_ops {
    POLICY_HEAD;
    u32 (*choose_sm)(struct block_policy *p, const struct block_ask *a);
    /* Optional: a block has gone to an SM, has ended there. */
    void (*sent)(struct block_policy *p, const struct block_ask *a, u32 sm);
    void (*ended)(struct block_policy *p, const struct grid_source *grid, u32 sm);
};

#define BLOCK_POLICY(id) POLICY(block_policy, id)

static inline bool block_was_given(const struct block_ask *a, u32 sm)
{
    return a->given[sm / 64] >> (sm % 64) & 1;
}

/* The k-th SM from `next` on, around. */
static inline u32 block_sm_after(const struct block_ask *a, u32 k)
{
    u32 count = a->end - a->first;
    u32 from = a->next >= a->first && a->next < a->end ? a->next - a->first : 0;
    return a->first + (from + k) % count;
}

/* The emptier of two SMs, of equals one that got none this cycle: more is better. */
static inline u32 block_rank(const struct block_ask *a, u32 sm)
{
    return 2 * a->rooms[sm].warps + !block_was_given(a, sm);
}

#endif
