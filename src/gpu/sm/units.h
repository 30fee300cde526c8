/*
 * The execution units of an SM: pipes of each kind, their latencies and how often they take an
 * instruction, and the register banks and collectors that bring them operands.
 *
 * With sub-cores each scheduler has pipes of its own; else all share one set.
 *
 * Contract: units_issue only after units_accept has said yes for its pipe in the same cycle.
 */
#ifndef GPU_SM_UNITS_H
#define GPU_SM_UNITS_H

#include "base/arena.h"
#include "gpu/config.h"
#include "source/warp_instruction.h"

#define MOST_PIPES 16u /* of a kind */

/* Where an instruction goes. */
enum pipe {
    PIPE_INT,
    PIPE_FP32,
    PIPE_FP64,
    PIPE_FP16,
    PIPE_SFU,
    PIPE_TENSOR,
    PIPE_GLOBAL, /* global, local and generic memory: LSU buffer and L1 */
    PIPE_SHARED,
    PIPE_READ_ONLY, /* constant and texture caches */
    PIPE_FREE,      /* needs no unit: barriers, fences, exits */
    PIPE_COUNT,
};

struct units {
    bool sub_cores, collects; /* collects: operands go through collectors */
    u8 pipe_of[UNIT_COUNT], pipes[PIPE_COUNT];
    u16 latency[UNIT_COUNT][COST_COUNT], interval[UNIT_COUNT][COST_COUNT];
    const struct operand_config *operands;
    cycle_t *bank_free, *collector_free[MOST_SCHEDULERS];
    _Alignas(64) cycle_t pipe_free[MOST_SCHEDULERS][MOST_PIPES][8]; /* by number, then by pipe */
};

void units_init(struct units *u, struct arena *arena, const struct sm_config *c);
/* Is there a collector for the operands of an instruction of that scheduler? */
bool units_collect(const struct units *u, u32 scheduler, cycle_t now);
/* The cycle from which on the result of an arithmetic instruction can be used. *conflicts: cycles
 * that it waits for register banks. */
cycle_t units_issue(struct units *u, u32 scheduler, const struct instruction *i, cycle_t now,
                    u32 *conflicts);

/* A pipe of a kind that is free; its number, or how many there are. */
static inline u32 units_free_pipe(const struct units *u, u32 pipe, u32 set, cycle_t now)
{
    u32 k = 0;
    while (k < u->pipes[pipe] && u->pipe_free[set][k][pipe] > now)
        k++;
    return k;
}

/* Does a pipe up to PIPE_TENSOR take an instruction of that scheduler in that cycle? */
static inline bool units_accept(const struct units *u, u32 pipe, u32 scheduler, cycle_t now)
{
    return units_free_pipe(u, pipe, u->sub_cores ? scheduler : 0, now) < u->pipes[pipe];
}

#endif
