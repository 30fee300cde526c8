/*
 * The direction of conditional branches: a predictor, and a loop predictor that overrides it where
 * it is confident.
 *
 * The core's branch unit (cpu/branch.h) and the pass over a trace without a core
 * (front_end/pass.h) ask the same code, so both count the same mispredictions.
 */
#ifndef CPU_DIRECTION_H
#define CPU_DIRECTION_H

#include "cpu/branch_predictor.h"
#include "cpu/loop_predictor.h"

struct direction_predictor {
    struct branch_predictor base;
    struct loop_predictor loop;
};

struct direction_answer {
    bool taken;
    bool is_loops; /* the loop predictor decided */
};

/* loop_entries: a multiple of LOOP_WAYS, or 0. */
void direction_init(struct direction_predictor *d, struct arena *arena, struct policy_choice base,
                    u32 loop_entries);
u64 direction_storage_bits(const struct direction_predictor *d);

/* Predicts, then trains both with what the branch did. */
static inline struct direction_answer direction_predict(struct direction_predictor *d, u64 pc,
                                                        bool taken)
{
    bool base = d->base.ops->predict(&d->base, pc);
    struct direction_answer a = {.taken = base};
    a.is_loops = loop_predictor_predict(&d->loop, pc, &a.taken);
    d->base.ops->train(&d->base, pc, taken);
    loop_predictor_train(&d->loop, pc, taken, base != taken);
    return a;
}

#endif
