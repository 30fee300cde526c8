/*
 * What every step of a block does to registers and memory, for observers: contexts that
 * leave out what need not be saved (gpu/preempt/reduction.h).
 *
 * Steps are told as they execute, which for machine code may be a few instructions before they are
 * issued: it is what a stopped block goes on from.
 */
#ifndef SOURCE_STEP_WATCH_H
#define SOURCE_STEP_WATCH_H

#include "base/types.h"

enum step_kind {
    STEP_OTHER,
    STEP_LOAD,
    STEP_STORE,
    STEP_ATOMIC,
    STEP_FENCE,
    STEP_UNTOLD, /* it may write memory of any kind, and does not say where: copies, matrices */
};

#define STEP_REGISTERS 16u

/* A register: `name` tells it from the others of its warp. */
struct step_register {
    u32 name, bytes; /* of one lane; 0: a predicate */
    const void *lanes;
};

struct step_view {
    void *block; /* the source's */
    u32 warp;    /* of the block */
    enum step_kind kind;
    u32 mask;
    u32 in_global, in_shared; /* lanes of a load, store or atomic, and */
    const u64 *address;       /* where; of shared memory from its start on */
    u32 bytes;                /* of one lane */
    bool is_strong;           /* volatile, relaxed and stronger */
    /* A load or store moves words of memory to or from these registers as they are, in this order;
     * none: parts of words, or of registers. */
    struct step_register moved[STEP_REGISTERS];
    u32 moved_count;
    struct step_register written[STEP_REGISTERS];
    u32 written_count;
    bool is_put_off; /* what is written comes later */
};

struct step_watch {
    void (*stepped)(struct step_watch *w, const struct step_view *v);
};

/* The 32-bit words of a register have numbers of their own. */
static inline u32 register_word(u32 name, u32 part)
{
    return name / 32 + part;
}

#endif
