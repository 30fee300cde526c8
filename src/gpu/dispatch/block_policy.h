/*
 * Which SM gets the next thread block of a grid, and which running block is stopped.
 *
 * One instance per dispatcher. A policy that stops blocks is asked the same question again when a
 * stopped block is to continue.
 *
 * Contract: the dispatcher calls choose_sm() for one block at a time and expects an SM between
 * ask.first and ask.end - 1 that has room (ask.fits), or NO_SM for now. An SM takes at most one
 * block in a cycle. Stopped blocks come before blocks that have never run, the newest first.
 * stop() may be called only by a policy that sets stops_blocks; it may refuse, and a stop with
 * STOP_FLUSH may become a STOP_SWITCH or be dropped. ring() is called once, in the cycle that the
 * policy set as its alarm; without a new alarm it is not called again.
 */
#ifndef GPU_DISPATCH_BLOCK_POLICY_H
#define GPU_DISPATCH_BLOCK_POLICY_H

#include "gpu/observe/block_use.h"
#include "source/warp_instruction.h"
#include "sim/policy.h"

#define NO_SM UINT32_MAX

/* How a block leaves its SM before it has ended. */
enum block_stop {
    BLOCK_RUNS,   /* it does not */
    STOP_SWITCH,  /* its registers and shared memory are saved, and restored later */
    STOP_FLUSH,   /* it is dropped and starts again; refused where that can be seen */
    STOP_SHUFFLE, /* as switch, through a buffer on the chip if there is one for it */
    STOP_DRAIN,   /* its SM gets no block until all that it has have ended */
    BLOCK_STOPS,
};
static const char *const block_stop_names[BLOCK_STOPS + 1] = {"off",     "switch", "flush",
                                                              "shuffle", "drain",  NULL};

/* Why it was stopped, for the timeline. */
enum stop_reason { STOPPED_AT_RANDOM, STOPPED_FOR_MEMORY, STOPPED_FOR_FPU, STOP_REASONS };
extern const char *const stop_reason_names[STOP_REASONS];

/* What an SM has left. */
struct sm_room {
    u32 warps, registers, shared;
    u64 free_blocks; /* slots */
};

/* A block that has started and has not ended. */
struct block_view {
    const struct grid_source *grid;
    u64 launch, block;
    u64 stops;                   /* how often it was stopped */
    u32 restarts;                /* how often it was dropped and started again */
    u32 sm;                      /* where it runs or was stopped */
    cycle_t since;               /* cycle of its arrival there, or of its stop */
    bool is_stopping, is_coming; /* its context is being moved: it cannot be stopped */
    bool has_code;               /* code is valid: predicted or polled */
    u8 code[USE_METRICS];        /* its use of each resource, as a code */
};

struct block_ask {
    const struct grid_source *grid;
    u64 launch;     /* number of the grid's launch, from 1 */
    u64 block;      /* the block to place */
    u32 first, end; /* the SMs that the grid may use: first to end - 1 */
    u32 next;       /* the SM after that of the last block */
    const struct sm_room *rooms;
    const u64 *given;                 /* bit per SM: it got a block this cycle */
    const struct block_view *stopped; /* the block to continue; NULL: it has never run */
    bool is_overdue;                  /* it has waited too long: any SM with room will do */
    const void *dispatcher;
    bool (*fits)(const struct block_ask *a, u32 sm); /* is there room for the block? */
};

struct block_policy {
    const struct block_policy_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    const struct block_machine *machine;
    void *dispatcher;
    cycle_t alarm; /* ring() is called in that cycle; CYCLE_NEVER */
    bool flushes;  /* init() sets it: the policy may stop blocks with STOP_FLUSH */
};

/* The machine as a policy sees it, and what the policy may do. */
struct block_machine {
    u32 sms, blocks_per_sm, schedulers;
    u64 clock_hz, seed;
    /* A block slot of an SM; NULL: there is none. */
    const struct block_view *(*running)(const struct block_policy *p, u32 sm, u32 slot);
    /* Asks the SM to stop a block, for this reason; false: the queue of victims is full, or the
     * block is stopping or coming. STOP_FLUSH may turn out to be illegal: then it runs on; one that
     * was dropped often enough is switched instead (context.most_restarts). */
    bool (*stop)(struct block_policy *p, u32 sm, u32 slot, enum block_stop how,
                 enum stop_reason why);
};

struct block_policy_ops {
    POLICY_HEAD;
    u32 (*choose_sm)(struct block_policy *p, const struct block_ask *a);
    /* All optional. */
    bool (*init)(struct block_policy *p, struct arena *arena, struct err *err);
    /* A block was sent to an SM; a block has ended. */
    void (*sent)(struct block_policy *p, const struct block_ask *a, u32 sm);
    void (*ended)(struct block_policy *p, const struct block_view *block);
    /* How blocks of the grid are polled. Leave *out as it is for no polling. */
    void (*poll)(struct block_policy *p, const struct grid_source *g, struct block_poll *out);
    /* The codes assumed for a block when it is sent to an SM; false: none. */
    bool (*predict)(struct block_policy *p, const struct grid_source *g, u64 block, u8 *code);
    /* A poll found other codes than were assumed. old: those assumed; NULL: none were. */
    void (*polled)(struct block_policy *p, const struct block_view *block, u32 slot, const u8 *old,
                   cycle_t now);
    /* At the cycle of the alarm. */
    void (*ring)(struct block_policy *p, cycle_t now);
    bool stops_blocks; /* it may call stop() */
    /* With these parameters, does it stop blocks by STOP_SHUFFLE? The buffers are then ways of the
     * L2. */
    bool (*shuffles)(const void *config);
};

/* Has it what it cannot do without? */
static inline bool block_policy_is_whole(const struct block_policy_ops *p)
{
    return p->choose_sm != NULL;
}

#define BLOCK_POLICY(id) POLICY(block_policy, id)

/* Bytes of a block's registers and shared memory. */
static inline u64 block_context_bytes(const struct grid_source *g)
{
    return (u64)g->threads_per_block * g->registers_per_thread * 4 + g->shared_bytes_per_block;
}

static inline bool block_was_given(const struct block_ask *a, u32 sm)
{
    return a->given[sm / 64] >> (sm % 64) & 1;
}

/* The k-th SM from `next` on, wrapping around. */
static inline u32 block_sm_after(const struct block_ask *a, u32 k)
{
    u32 count = a->end - a->first;
    u32 from = a->next >= a->first && a->next < a->end ? a->next - a->first : 0;
    return a->first + (from + k) % count;
}

/* Rank of an SM, more is better: free warps first, then no block this cycle. */
static inline u32 block_rank(const struct block_ask *a, u32 sm)
{
    return 2 * a->rooms[sm].warps + !block_was_given(a, sm);
}

/* The next SM with room after that of the last block. */
static inline u32 block_next_sm(const struct block_ask *a)
{
    for (u32 k = 0; k < a->end - a->first; k++) {
        u32 sm = block_sm_after(a, k);
        if (!block_was_given(a, sm) && a->fits(a, sm))
            return sm;
    }
    return NO_SM;
}

#endif
