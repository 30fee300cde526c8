/* A direction predictor over the conditional branches of a trace: how often it is wrong. */
#ifndef FRONT_END_PREDICTOR_RUN_H
#define FRONT_END_PREDICTOR_RUN_H

#include "cpu/direction.h"
#include "front_end/batch.h"
#include "stats/def.h"

struct predictor_run_config {
    const char *predictor; /* NAME,PARAMETER=VALUE,... of the question `branch` */
    u32 loop_entries;
    u32 pc_shift;
};

extern const struct param predictor_run_params[];
bool predictor_run_check(const struct predictor_run_config *c, const struct config *config,
                         struct err *err);

struct predictor_run_counts {
    u64 conditional[CPU_SECTIONS];
    u64 misses[CPU_SECTIONS];
    u64 not_taken_misses[CPU_SECTIONS], backward_misses[CPU_SECTIONS], forward_misses[CPU_SECTIONS];
    u64 all_conditional, all_misses; /* as the laws know them */
    u64 loop_overrides, loop_right;
    u64 storage_bits;
};

extern const struct stat_def predictor_run_stats[];

struct predictor_run {
    const struct predictor_run_config *config;
    struct direction_predictor direction;
    struct predictor_run_counts counts;
};

/* Finds the policy; also of an earlier run, whose counts stay: a new thread begins. */
bool predictor_run_begin(struct predictor_run *r, const struct predictor_run_config *c,
                         struct arena *arena, struct err *err);
void predictor_run_batch(struct predictor_run *r, const struct front_batch *b);
void predictor_run_settle(struct predictor_run *r);

#endif
