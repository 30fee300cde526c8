/*
 * The scoreboard of an SM: from which cycle on each register of each warp can be used.
 *
 * An instruction that issues marks its destinations, with a cycle where that is known (arithmetic,
 * shared memory, a hit), or as pending until the last answer of a load has come. An instruction can
 * issue when all its registers can be used, destinations (WAW) as well as sources (RAW). Predicates
 * are registers like any other: the guard of an instruction is one of its sources.
 *
 * It knows neither warps nor instructions under way: a slot is a row, and rows are cleared when a
 * warp starts.
 *
 * Rows hold 32 bits for a register, so that few lines of the host's caches are read for an
 * instruction: cycles count from `start`, which follows the cycles that are marked in large steps.
 */
#ifndef GPU_SM_SCOREBOARD_H
#define GPU_SM_SCOREBOARD_H

#include "base/arena.h"
#include "source/warp_instruction.h"

/* When a register can be used: twice the cycle, and 1 if a load makes it. */
#define READY(cycle, is_load) ((cycle)*2 + (is_load))
#define READY_PENDING UINT64_MAX /* a load makes it, and its data has not come */
/* Cycles that rows have room for; half of it is how much later than now a result may come. */
#define SCOREBOARD_CYCLES ((cycle_t)1 << 30)

struct scoreboard {
    u32 *ready;    /* slots x registers: READY from `start` on; 0: long ago; UINT32_MAX: pending */
    cycle_t start; /* a multiple of half of SCOREBOARD_CYCLES */
    u32 slots;     /* rows */
    u32 registers; /* that a row has room for */
};

/* What the registers of an instruction say. */
struct scoreboard_answer {
    u64 ready;    /* the latest: READY, or READY_PENDING */
    bool on_load; /* one of those that cannot be used yet comes from memory */
};

/* Without room for registers. */
void scoreboard_init(struct scoreboard *s, u32 slots);
/* A kernel names so many registers: rows grow and keep what they hold. */
void scoreboard_reserve(struct scoreboard *s, struct arena *arena, u32 registers);
/* A warp starts: it waits for nothing. */
void scoreboard_clear(struct scoreboard *s, u32 slot);
/* A cycle that rows have no room for is about to be marked. */
void scoreboard_move_start(struct scoreboard *s, cycle_t ready);

/* The cycle from which on an instruction's registers can be used, seen from cycle `at`. */
static inline struct scoreboard_answer scoreboard_ask(const struct scoreboard *s, u32 slot,
                                                      const struct instruction *i, cycle_t at)
{
    const u32 *row = s->ready + (size_t)slot * s->registers;
    u32 latest = 0, late_load = 0;
    u64 limit = READY(at - s->start, 1);
    u32 count = (u32)i->dst_count + i->src_count;
    for (u32 k = 0; k < count; k++) {
        u32 r = row[i->regs[k]];
        latest = r > latest ? r : latest;
    }
    for (u32 k = 0; latest > limit && k < count; k++) {
        u32 r = row[i->regs[k]];
        late_load |= (r > limit) & r;
    }
    u64 ready = latest == UINT32_MAX ? READY_PENDING : latest + READY(s->start, 0);
    return (struct scoreboard_answer){ready, late_load & 1};
}

static inline void scoreboard_mark(struct scoreboard *s, u32 slot, const struct instruction *i,
                                   u32 ready)
{
    u32 *row = s->ready + (size_t)slot * s->registers;
    for (u32 k = 0; k < i->dst_count; k++)
        row[i->regs[k]] = ready;
}

/* The instruction's destinations can be used from `ready` on. */
static inline void scoreboard_set(struct scoreboard *s, u32 slot, const struct instruction *i,
                                  cycle_t ready, bool is_load)
{
    if (UNLIKELY(ready - s->start >= SCOREBOARD_CYCLES))
        scoreboard_move_start(s, ready);
    scoreboard_mark(s, slot, i, (u32)READY(ready - s->start, is_load));
}

/* Nobody knows yet when a load's data comes: scoreboard_set says so later. */
static inline void scoreboard_pend(struct scoreboard *s, u32 slot, const struct instruction *i)
{
    scoreboard_mark(s, slot, i, UINT32_MAX);
}

#endif
