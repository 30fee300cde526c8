/*
 * The target of an indirect jump or call.
 *
 * One instance per core. All its memory comes from the chip's arena when the chip is built. The
 * branch target buffer knows the last target of each branch; this predictor is asked beside it,
 * and never for returns.
 *
 * Contract: branches arrive in program order. For an indirect one the core calls predict(), and
 * train() with its target directly after, so predict() may leave in the state what train() needs.
 * branch() comes last, for every branch of the program, indirect ones included.
 */
#ifndef CPU_INDIRECT_PREDICTOR_H
#define CPU_INDIRECT_PREDICTOR_H

#include "sim/policy.h"

struct indirect_predictor_ops;

struct indirect_predictor {
    const struct indirect_predictor_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    void *table;        /* ops->table_bytes of zeros, for what grows with the configuration */
};

/* Kinds of branches, for the history. */
enum indirect_history {
    INDIRECT_CONDITIONAL, /* a conditional branch, taken or not */
    INDIRECT_TARGET,      /* an indirect jump or call */
    INDIRECT_OTHER,       /* a direct jump or call, or a return */
};

struct indirect_branch {
    u64 pc; /* without the bits that are the same in all instructions */
    u64 target;
    bool taken;
    u8 kind; /* enum indirect_history */
};

/* Bits of a target in hardware: addresses of x86-64 and AArch64. */
#define INDIRECT_TARGET_BITS 48u

struct indirect_predictor_ops {
    POLICY_HEAD;
    /* Bits that the tables take in hardware, history registers not included. */
    u64 (*storage_bits)(const void *config);
    /* Both optional. */
    size_t (*table_bytes)(const void *config);
    void (*init)(struct indirect_predictor *p);
    /* The target; 0 if it has none: the branch target buffer's is used. NULL: it never has one. */
    u64 (*predict)(struct indirect_predictor *p, u64 pc);
    void (*train)(struct indirect_predictor *p, u64 pc, u64 target);
    /* Optional. */
    void (*branch)(struct indirect_predictor *p, const struct indirect_branch *b);
};

/* Has it what it cannot do without? */
static inline bool indirect_predictor_is_whole(const struct indirect_predictor_ops *p)
{
    return p->storage_bits && !p->predict == !p->train;
}

#define INDIRECT_PREDICTOR(id) POLICY(indirect_predictor, id)

void indirect_predictor_init(struct indirect_predictor *p, struct arena *arena,
                             struct policy_choice choice);

#endif
