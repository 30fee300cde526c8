/* A branch unit with a chosen predictor, and patterns of outcomes for it. */
#ifndef TESTS_CPU_BRANCH_BED_H
#define TESTS_CPU_BRANCH_BED_H

#include "testing.h"

#include "base/rng.h"
#include "cpu/branch.h"
#include "policy/registry.h"

struct branch_bed {
    struct arena arena;
    struct branch_config config;
    struct branch_unit unit;
};

/* Small and big as in Milic 2017; the parameters are 32-bit fields in the order of their table. */
struct sizing {
    const char *name;
    u32 values[5];
};

static inline struct policy_choice policy_of(struct arena *arena, enum question_id question,
                                             struct sizing s)
{
    struct policy_choice choice;
    struct err err = ERR_INIT;
    assert_true(policy_choose(question, s.name, "predictor", NULL, arena, &choice, &err));
    u32 *fields = arena_alloc(arena, choice.ops->config_bytes);
    if (choice.ops->config_bytes) /* some have no parameters */
        memcpy(fields, choice.config, choice.ops->config_bytes);
    for (u32 i = 0; i < choice.ops->config_bytes / sizeof(u32); i++)
        fields[i] = s.values[i];
    choice.config = fields;
    return choice;
}

static inline void branch_bed_open(struct branch_bed *b, struct sizing s, u32 loop_entries)
{
    *b = (struct branch_bed){.config = {.btb_entries = 4096,
                                        .btb_ways = 4,
                                        .return_entries = 16,
                                        .loop_entries = loop_entries}};
    branch_init(&b->unit, &b->arena, &b->config, policy_of(&b->arena, QUESTION_BRANCH, s),
                policy_of(&b->arena, QUESTION_INDIRECT, (struct sizing){"btb", {0}}));
}

static inline void branch_bed_close(struct branch_bed *b)
{
    arena_fini(&b->arena);
}

static inline enum branch_verdict conditional(struct branch_bed *b, u64 pc, bool taken)
{
    struct cpu_instruction i = {.pc = pc,
                                .target = taken ? pc - 64 : 0,
                                .length = 4,
                                .class = CPU_BRANCH,
                                .branch = CPU_CONDITIONAL,
                                .taken = taken};
    return branch_predict(&b->unit, &i);
}

/* Wrong directions so far. */
static inline u64 misses(const struct branch_bed *b)
{
    return b->unit.counts.direction_misses;
}

#endif
