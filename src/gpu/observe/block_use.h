/*
 * Resource use of the blocks on an SM: how often the LSU refuses their warps, how much they use the
 * floating-point units, how irregular they are.
 *
 * Kept only on request (sm.block_use, or a block policy that polls). Counts are of a
 * block since it came to the SM, and of the SM. Every scheduler-cycle in which the LSU refuses the
 * warp that a greedy-then-oldest scheduler chooses among those that are ready is charged to that
 * warp's block, whether or not another warp then issues.
 *
 * Polled, a block's shares of an interval become codes of a few bits; the dispatcher is told when
 * one is not what it takes it to be: what it said when the block came, or was told since. Where it
 * has said nothing the first poll is told.
 */
#ifndef GPU_OBSERVE_BLOCK_USE_H
#define GPU_OBSERVE_BLOCK_USE_H

#include "base/types.h"
#include "source/warp_instruction.h"
#include "stats/def.h"

struct arena;
struct sm;
struct sm_block;

enum block_metric { USE_MEMORY, USE_FPU, USE_METRICS };

struct use_counts {
    u64 cycles; /* of blocks on the SM */
    u64 warp_instructions, thread_instructions;
    u64 branches, divergent_branches; /* of warps */
    u64 accesses, replays;            /* lines beyond those that its bytes need */
    u64 refused;                      /* scheduler-cycles */
    u64 fp_lanes;                     /* of instructions for the fp32, fp16 and tensor units */
    u64 refusable, lane_cycles;       /* what refused and fp_lanes could be at most */
    u64 polls, updates;
};
extern const struct stat_def use_stats[];

/* How a block is to be polled: the dispatcher's words. */
struct block_poll {
    cycle_t cycles; /* 0: not at all */
    double scale;   /* the share that the highest code stands for */
    u8 bits;        /* of a code */
    bool always;    /* tell of every poll */
    bool has_code;  /* the dispatcher takes the block to have these codes: */
    u8 code[USE_METRICS];
};

struct block_use {
    struct use_counts now, then; /* since it came; at the last poll */
    struct use_counts sample;    /* of the last interval: the dispatcher reads it when told */
    cycle_t polled_at, poll_next;
    u8 code[USE_METRICS];
    bool has_code; /* it was polled */
    bool is_known; /* the dispatcher takes it to have these codes */
};

struct sm_uses {
    struct block_use *of;  /* by block slot */
    struct use_counts all; /* of intervals that are over */
    u32 fp_lanes;          /* that the SM has */
    cycle_t next;          /* the first poll; CYCLE_NEVER */
    u64 last_age[4];       /* by scheduler: of the warp that issued last, */
    u8 last_slot[4];       /* and where it is */
};

/* The share of a metric in some counts, of 1. */
double use_share(const struct use_counts *c, enum block_metric m);
u8 use_code(double share, const struct block_poll *p);

/* Both codes, as messages carry them. */
static inline u32 use_codes(const u8 code[USE_METRICS])
{
    return code[USE_MEMORY] | (u32)code[USE_FPU] << 8;
}

void uses_init(struct sm *sm, struct arena *arena);
void uses_start(struct sm *sm, struct sm_block *b, cycle_t now);
/* It ends or stops: its last code, or that of all its time if it was never polled. */
void uses_end(struct sm *sm, struct sm_block *b, cycle_t now);
/* On the way of every instruction: only what must be counted there. */
static inline void use_issued(struct block_use *u, const struct winst *x, u32 lanes)
{
    const struct instruction *i = x->instruction;
    u->now.warp_instructions++;
    u->now.thread_instructions += lanes;
    if (i->unit == UNIT_FP32 || i->unit == UNIT_FP16 || i->unit == UNIT_TENSOR)
        u->now.fp_lanes += lanes;
    if (i->kind == WINST_CONTROL) {
        u->now.branches++;
        u->now.divergent_branches += x->diverged;
    }
}
void uses_accessed(struct sm *sm, const struct sm_block *b, const struct winst *x, u32 lines);
/* A scheduler has these ready warps for so many cycles, of which units take some: is the one that
 * it would choose refused by the LSU? */
void uses_select(struct sm *sm, u32 scheduler, u64 ready, u64 accepted, u64 cycles);
void uses_picked(struct sm *sm, u32 scheduler, u32 slot);
void uses_poll(struct sm *sm, cycle_t now);

#endif
