/*
 * A core's branch unit: predicts direction, target and return address.
 *
 * Asked once for each branch, in program order; outcomes are those of the program, so that each
 * branch trains the parts directly after it was predicted.
 */
#ifndef CPU_BRANCH_H
#define CPU_BRANCH_H

#include "config/param.h"
#include "cpu/address_table.h"
#include "cpu/direction.h"
#include "cpu/indirect_predictor.h"
#include "cpu_trace/instruction.h"

struct branch_config {
    const char *predictor, *indirect;
    bool perfect;
    u32 pc_shift;
    u32 loop_entries;
    u32 btb_entries, btb_ways, btb_miss_cycles;
    u32 return_entries;
    u32 redirect_cycles;
};

extern const struct param branch_params[];
bool branch_check(const void *group, const struct config *config, struct err *err);

struct branch_counts {
    u64 branches, conditional, taken;
    u64 mispredicted; /* all that send the front end the wrong way until they are executed */
    u64 direction_misses, not_taken_misses, backward_misses, forward_misses;
    u64 loop_overrides, loop_right;
    u64 btb_lookups, btb_misses, btb_wrong;
    u64 indirect, indirect_misses;
    u64 returns, return_misses;
    u64 storage_bits, indirect_bits;
};

extern const struct stat_def branch_stats[];

struct branch_unit {
    const struct branch_config *config;
    struct direction_predictor direction;
    struct indirect_predictor indirect;
    struct address_table btb;
    struct call {
        u64 pc;
        u8 length; /* 0: not known */
    } * returns;   /* a ring: deeper calls overwrite the oldest */
    u32 return_top;
    struct branch_counts counts;
};

enum branch_verdict {
    BRANCH_RIGHT,
    BRANCH_LATE,  /* the target is known once the branch is decoded */
    BRANCH_WRONG, /* and only its execution shows it */
};

void branch_init(struct branch_unit *u, struct arena *arena, const struct branch_config *c,
                 struct policy_choice predictor, struct policy_choice indirect);
enum branch_verdict branch_predict(struct branch_unit *u, const struct cpu_instruction *i);

#endif
