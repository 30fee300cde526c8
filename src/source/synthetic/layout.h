/*
 * The loop of a synthetic phase, laid out: one slot per instruction.
 */
#ifndef SOURCE_SYNTHETIC_LAYOUT_H
#define SOURCE_SYNTHETIC_LAYOUT_H

#include "source/synthetic/kernel.h"

/* Registers of the loop: one for each result until they run out, and one that the loads of
 * a pointer chase have to themselves. */
#define SYNTHETIC_RESULTS 255u
#define SYNTHETIC_CHASE_REGISTER 255u
#define SYNTHETIC_REGISTERS 256u
/* Half of the registers at least are left in a row, however many results a loop has. */
#define SYNTHETIC_MOST_DISTANCE 127u

enum pattern {
    PATTERN_STREAM,
    PATTERN_PRIVATE,
    PATTERN_SHARED,
    PATTERN_RANDOM,
    PATTERN_CHASE,
    PATTERN_COUNT,
    PATTERN_SHARED_MEMORY = PATTERN_COUNT, /* of the block, not global */
    PATTERN_NONE,
};

struct slot {
    struct instruction instruction;
    u32 rank;    /* accesses of its pattern that come before it in a turn */
    u32 branch;  /* of the last branch before it in the turn; NO_BRANCH: none */
    u8 pattern;  /* enum pattern */
    bool second; /* in the second half of what follows the branch */
};

#define NO_BRANCH UINT32_MAX

struct layout {
    struct slot *slots;
    u32 count;
    u64 turns;                       /* of each warp */
    u32 per_turn[PATTERN_COUNT + 1]; /* accesses of each pattern */
};

/* From code address `pc`; the last slot is the loop's branch. */
void layout_make(struct layout *l, const struct synthetic_phase *p, u64 pc, struct arena *arena);

/* Instructions with a result in one turn, those of a pointer chase not counted. */
u32 synthetic_results(const struct synthetic_phase *p);

#endif
