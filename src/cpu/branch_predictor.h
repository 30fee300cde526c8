/*
 * The direction of a conditional branch.
 *
 * One instance per core. All its memory comes from the chip's arena when the chip is built.
 *
 * Contract: branches arrive in program order. For each one the core calls predict(), and train()
 * with the outcome directly after, so predict() may leave in the state what train() needs. No
 * other branch of the core comes between the two.
 */
#ifndef CPU_BRANCH_PREDICTOR_H
#define CPU_BRANCH_PREDICTOR_H

#include "sim/policy.h"

struct branch_predictor_ops;

struct branch_predictor {
    const struct branch_predictor_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    void *table;        /* ops->table_bytes of zeros, for what grows with the configuration */
};

struct branch_predictor_ops {
    POLICY_HEAD;
    /* Bits that the tables take in hardware, history registers not included. */
    u64 (*storage_bits)(const void *config);
    /* Both optional. */
    size_t (*table_bytes)(const void *config);
    void (*init)(struct branch_predictor *p);
    /* True: taken. `pc` comes without the low bits that all instructions share. */
    bool (*predict)(struct branch_predictor *p, u64 pc);
    void (*train)(struct branch_predictor *p, u64 pc, bool taken);
};

/* Has it what it cannot do without? */
static inline bool branch_predictor_is_whole(const struct branch_predictor_ops *p)
{
    return p->storage_bits && p->predict && p->train;
}

#define BRANCH_PREDICTOR(id) POLICY(branch_predictor, id)

void branch_predictor_init(struct branch_predictor *p, struct arena *arena,
                           struct policy_choice choice);

#endif
