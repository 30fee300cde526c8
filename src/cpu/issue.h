/*
 * The issue queue (scheduler): instructions of the window that wait for sources, for a time, for a
 * unit, or to try an access again.
 *
 * An instruction that waits for a result hangs on its producer's list. One that will be ready at a
 * known time lies on a wheel of cycles. One that can issue is a bit per unit. Each cycle issues the
 * oldest ready instructions, up to issue_width and the pipes of their units; with in_order, none
 * before all older ones have issued.
 */
#ifndef CPU_ISSUE_H
#define CPU_ISSUE_H

#include "base/wheel.h"
#include "cpu/config.h"
#include "cpu/rob.h"

#include <assert.h>

#define WHEEL 512u

struct lsq;

struct issue_queue {
    const struct core_window_config *config;
    struct rob *rob;
    struct lsq *lsq;
    u16 *node_next; /* OP_NODES of each slot */
    u64 oldest;     /* position: the oldest that has not been issued; for in_order */
    /* Of 64 slots, a bit each: by unit, and of all units together. */
    struct ready_word {
        u64 of[CPU_CLASS_COUNT], any, spare; /* 128 bytes */
    } * ready;
    u64 ready_words; /* bit per word in which something is ready */
    u32 ready_count[CPU_CLASS_COUNT], ready_units;
    struct blocked {
        u64 *slots; /* bit each */
        u32 count;
    } by_stores, by_mshrs;
    struct wheel wheel;
    u32 due[WHEEL]; /* by spoke: slot + 1 of the first */
    cycle_t *pipe_free[CPU_CLASS_COUNT];
    struct unit_row units[CPU_CLASS_COUNT];
    u32 unissued; /* instructions that hold an entry of the scheduler */
    /* A branch that was predicted wrong will have its result at done_at. */
    void (*resolved)(void *context, cycle_t done_at);
    void *context;
};

/* `resolved` and `context` are for the caller to set. */
void issue_init(struct issue_queue *q, struct arena *arena, const struct core_config *config,
                struct rob *rob, struct lsq *lsq);

/* ---- sources ---- */

/* In the list of those who wait for a result, or a base. */
static inline void issue_wait_for(struct issue_queue *q, u32 slot, u32 node, u16 *waiters)
{
    u32 id = slot * OP_NODES + node;
    q->node_next[id] = *waiters;
    *waiters = (u16)id;
}

/* The source `node` of an instruction is there at a time, or waits in a list until that is known.
 */
static inline void issue_depend(struct issue_queue *q, u32 slot, u32 node, cycle_t at, u16 *waiters)
{
    struct rob_entry *op = &q->rob->entries[slot];
    if (at != CYCLE_NEVER) {
        op->ready_at = max_u64(op->ready_at, at);
        return;
    }
    issue_wait_for(q, slot, node, waiters);
    op->sources_left++;
}

/* It is the result of another instruction, as soon as that is known. */
void issue_depend_on(struct issue_queue *q, u32 slot, u32 node, u64 producer);
/* The base that an instruction updates is worked out from a register. */
void issue_base(struct issue_queue *q, u32 slot, u8 from, cycle_t now);
/* All sources are known: it can issue from then on. */
void issue_at_once(struct issue_queue *q, u32 slot);
static inline void issue_schedule(struct issue_queue *q, u32 slot, cycle_t at, cycle_t now)
{
    if (at <= now) {
        issue_at_once(q, slot);
        return;
    }
    assert(at - now < WHEEL); /* latencies are checked to be shorter */
    struct rob_entry *op = &q->rob->entries[slot];
    u32 spoke = wheel_spoke(&q->wheel, at);
    op->stage = OP_WAITS;
    op->next = q->due[spoke];
    q->due[spoke] = slot + 1;
    wheel_use(&q->wheel, spoke);
}

/* Its result is known to be there at done_at. */
void issue_complete(struct issue_queue *q, u32 slot, cycle_t done_at, cycle_t now);
/* All that an instruction reads is there, at ready_at. */
void issue_data_came(struct issue_queue *q, u32 slot, cycle_t now);

/* ---- accesses that are tried again ---- */

/* CORE_MSHR: when an MSHR is free; otherwise when a store has moved. */
void issue_block(struct issue_queue *q, u32 slot, enum core_slot why);
void issue_stores_moved(struct issue_queue *q);
/* So many MSHRs of the L1D are free. */
void issue_mshrs_free(struct issue_queue *q, u32 mshrs);

/* ---- a cycle ---- */

/* Those whose time has come can issue. */
void issue_turn(struct issue_queue *q, cycle_t now);
void issue_ready(struct issue_queue *q, cycle_t now);
/* A pipe that is free: the cycle from which it is again is to be set. NULL: none. */
cycle_t *issue_free_pipe(struct issue_queue *q, u32 unit, cycle_t now);
/* The next cycle in which something on the wheel is due. */
cycle_t issue_next(const struct issue_queue *q, cycle_t now);

static inline bool issue_is_full(const struct issue_queue *q)
{
    return q->unissued == q->config->scheduler_entries;
}

#endif
