/* A branch target buffer over the taken branches of a trace, without returns. */
#ifndef FRONT_END_BTB_RUN_H
#define FRONT_END_BTB_RUN_H

#include "config/param.h"
#include "cpu/address_table.h"
#include "front_end/batch.h"
#include "stats/def.h"

struct btb_run_config {
    u32 entries, ways;
};

extern const struct param btb_run_params[];
bool btb_run_check(const struct btb_run_config *c, const struct config *config, struct err *err);

struct btb_run_counts {
    u64 lookups[CPU_SECTIONS], misses[CPU_SECTIONS], wrong_targets[CPU_SECTIONS];
    u64 all_lookups, all_misses;
    u64 storage_bits;
};

extern const struct stat_def btb_run_stats[];

struct btb_run {
    const struct btb_run_config *config;
    struct address_table table;
    struct btb_run_counts counts;
};

void btb_run_begin(struct btb_run *r, const struct btb_run_config *c, struct arena *arena);
void btb_run_batch(struct btb_run *r, const struct front_batch *b);
void btb_run_settle(struct btb_run *r);

#endif
