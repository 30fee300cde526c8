/*
 * The machine instructions that stand for the ops of a function: what the timing model sees
 * of it with sm.machine_code: lowered. Execution stays that of the ops.
 *
 * An op without instructions is folded: it executes as soon as it is reached. One with several
 * executes with the last of them. docs/mechanisms/lowering.md says which is which.
 */
#ifndef PTX_LOWER_MACHINE_H
#define PTX_LOWER_MACHINE_H

#include "base/types.h"

struct instruction;
struct program;

/* Subroutines for operands that a short sequence of instructions gets wrong. */
enum lower_slow { SLOW_NONE, SLOW_DIVIDE, SLOW_ROOT, SLOW_COUNT };

/* How an atomic is made. */
enum lower_atomic {
    ATOMIC_ONCE,     /* in one instruction of all lanes */
    ATOMIC_GATHERED, /* one lane does it for all */
    ATOMIC_LOOP,     /* a loop around a compare-and-swap: one turn for each lane at a word */
};

/* Of a stretch, one instruction. */
struct machine_issue {
    u32 instruction; /* in code */
    u16 op;          /* from the stretch's first */
    u8 turn;
    bool executes;    /* it is the last of its op's: what the op did is told with it */
    u8 piece, pieces; /* of an access in several: it has this part of the lanes */
};

/*
 * Ops with one way in and one out that touch nothing another thread could be waiting for. They
 * execute together, in their order, when a warp comes to the first; their instructions are
 * issued in the order that ptxas would give them. An unrolled loop is one, with all its turns.
 */
struct machine_stretch {
    u32 first, end; /* ops */
    u32 turns;      /* of the loop that `all` is for; 1: it is none */
    const struct machine_issue *once, *all;
    u32 once_count, all_count;
};

struct machine {
    const struct instruction *code; /* in the order of the ops */
    const u32 *first;               /* of each op in code; one more: where the last ends */
    const u8 *turns;                /* of each op: it is there once in so many turns; 0: always */
    const u32 *walk_end; /* of each branch: a warp that takes it walks up to there, with no
                          * lanes; 0: nowhere */
    const u32 *joins;    /* of each branch: what lanes that part execute once more to
                          * come together, in code; UINT32_MAX: nothing */
    const u8 *slow;      /* of each op: enum lower_slow */
    const u8 *atomics;   /* of each op: enum lower_atomic */
    u32 slow_first[SLOW_COUNT + 1]; /* by that, the subroutine in code, and where the last ends */
    const struct machine_stretch *const *stretch; /* of each op: that which starts with it */
    u32 most_ops, most_accesses; /* of a stretch with all its turns: ops, memory accesses */
    u32 registers;               /* numbers in the instructions are below this */
    u32 live;                    /* registers that a thread needs at once */
    u64 code_start, code_bytes;  /* where all of its code lies */
};

/* Makes the machine of every function, once; what it needs is the program's. */
void program_lower(struct program *p);

struct function;
/* Registers of a thread as ptxas would give them, near enough; after program_lower. */
u32 machine_thread_registers(const struct function *kernel);

/* Where a warp is between two ops. */
struct machine_place {
    u32 phase;          /* instructions of the current op that have been issued */
    u32 turn;           /* of the unrolled loop it is in */
    u32 walk, walk_end; /* ops that it walks with no lanes; none: equal */
    u32 side, side_end; /* instructions beside its ops, in code; none: equal */
    u32 side_lanes;
    u32 side_loop; /* where those start that turn until no lane is left; 0: they do not */
    const struct machine *walked, *sided;
};

#endif
