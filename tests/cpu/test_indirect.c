/* Where indirect jumps and calls go: what each predictor can learn, and what it takes. */
#include "cpu/branch_bed.h"

#define SOURCE 0x1000u

static void open_with(struct branch_bed *b, struct sizing indirect)
{
    branch_bed_open(b, (struct sizing){"bimodal", {12, 2, 1}}, 0);
    branch_init(&b->unit, &b->arena, &b->config,
                policy_of(&b->arena, QUESTION_BRANCH, (struct sizing){"bimodal", {12, 2, 1}}),
                policy_of(&b->arena, QUESTION_INDIRECT, indirect));
}

static enum branch_verdict jump_from(struct branch_bed *b, u64 pc, u64 target)
{
    struct cpu_instruction i = {.pc = pc,
                                .target = target,
                                .length = 4,
                                .class = CPU_BRANCH,
                                .branch = CPU_INDIRECT_JUMP,
                                .taken = true};
    return branch_predict(&b->unit, &i);
}

static void jump(struct branch_bed *b, u64 target)
{
    jump_from(b, SOURCE, target);
}

static u64 wrong(const struct branch_bed *b)
{
    assert_int_equal(b->unit.counts.mispredicted,
                     b->unit.counts.indirect_misses + b->unit.counts.direction_misses);
    return b->unit.counts.indirect_misses;
}

static const struct sizing btb = {"btb", {0}};
/* 4,096 entries, the last four targets. */
static const struct sizing targets = {"target_cache", {12, 1, 4}};
static const struct sizing ittage = {"ittage", {6, 9, 11, 8, 256}};

TEST(a_branch_with_one_target_is_wrong_once)
{
    UNUSED_STATE;
    const struct sizing all[] = {btb, targets, ittage};
    for (u32 k = 0; k < ARRAY_LEN(all); k++) {
        struct branch_bed b;
        open_with(&b, all[k]);
        for (u32 i = 0; i < 100; i++)
            jump(&b, 0x2000);
        assert_int_equal(wrong(&b), 1);
        assert_int_equal(b.unit.counts.indirect, 100);
        branch_bed_close(&b);
    }
}

TEST(two_targets_in_turn_are_always_wrong_in_the_buffer_and_learnt_with_a_history)
{
    UNUSED_STATE;
    struct branch_bed last, history, tage;
    open_with(&last, btb);
    open_with(&history, targets);
    open_with(&tage, ittage);
    for (u32 i = 0; i < 1000; i++) {
        jump(&last, 0x2000 + 0x100 * (i % 2));
        jump(&history, 0x2000 + 0x100 * (i % 2));
        jump(&tage, 0x2000 + 0x100 * (i % 2));
    }
    assert_int_equal(wrong(&last), 1000);
    /* four targets fill the history, and then it has two values, each of which is new once */
    assert_in_range(wrong(&history), 2, 6);
    assert_in_range(wrong(&tage), 2, 20);
    branch_bed_close(&last);
    branch_bed_close(&history);
    branch_bed_close(&tage);
}

/* Eleven times one target, then another: the last four do not tell when. */
TEST(a_long_history_tells_what_a_short_one_does_not)
{
    UNUSED_STATE;
    struct branch_bed history, tage;
    open_with(&history, targets);
    open_with(&tage, ittage);
    u64 before = 0;
    for (u32 i = 0; i < 1200; i++) {
        if (i == 600)
            before = wrong(&tage);
        jump(&history, i % 12 ? 0x2000 : 0x3000);
        jump(&tage, i % 12 ? 0x2000 : 0x3000);
    }
    assert_true(wrong(&history) >= 100); /* one of each twelve at least */
    assert_int_equal(wrong(&tage), before);
    branch_bed_close(&history);
    branch_bed_close(&tage);
}

/* One bit of history and of the number of an entry: an entry for each outcome. */
TEST(a_target_that_follows_the_last_outcome_is_learnt_from_outcomes)
{
    UNUSED_STATE;
    struct branch_bed b;
    struct rng rng;
    open_with(&b, (struct sizing){"target_cache", {1, 0, 1}});
    rng_init(&rng, 1, "coin");
    for (u32 i = 0; i < 500; i++) {
        bool taken = i < 2 ? i : rng_u64(&rng) & 1;
        conditional(&b, 0x4000, taken);
        jump(&b, taken ? 0x2000 : 0x3000);
    }
    /* both are new once */
    assert_int_equal(wrong(&b), 2);
    branch_bed_close(&b);
}

TEST(a_target_that_is_predicted_comes_late_where_the_buffer_does_not_know_the_branch)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_with(&b, (struct sizing){"target_cache", {12, 0, 1}});
    address_table_init(&b.unit.btb, &b.arena, 1, 1);
    assert_int_equal(jump_from(&b, 0x1000, 0x2000), BRANCH_WRONG);
    assert_int_equal(jump_from(&b, 0x1000, 0x2000), BRANCH_RIGHT);
    assert_int_equal(jump_from(&b, 0x1004, 0x5000), BRANCH_WRONG); /* takes the entry */
    assert_int_equal(jump_from(&b, 0x1000, 0x2000), BRANCH_LATE);
    branch_bed_close(&b);
}

TEST(storage_is_what_the_tables_take)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_with(&b, btb);
    assert_int_equal(b.unit.counts.indirect_bits, 0);
    branch_bed_close(&b);
    open_with(&b, targets);
    assert_int_equal(b.unit.counts.indirect_bits, 4096 * 48);
    branch_bed_close(&b);
    open_with(&b, ittage);
    /* target 48, tag 11, counter 2, useful 1; without tags: target and counter */
    assert_int_equal(b.unit.counts.indirect_bits, 512 * (6 * 62 + 50));
    branch_bed_close(&b);
}

/* Whatever a program does, a predictor answers, and twice the same. */
TEST(every_predictor_repeats_itself)
{
    UNUSED_STATE;
    for (const struct policy_ops *const *p = questions[QUESTION_INDIRECT].built_in; *p; p++) {
        u64 misses_of[2];
        for (u32 run = 0; run < 2; run++) {
            struct branch_bed b;
            struct rng rng;
            struct policy_choice choice;
            struct err err = ERR_INIT;
            branch_bed_open(&b, (struct sizing){"bimodal", {12, 2, 1}}, 0);
            assert_true(policy_choose(QUESTION_INDIRECT, (*p)->name, "indirect", NULL, &b.arena,
                                      &choice, &err));
            branch_init(
                &b.unit, &b.arena, &b.config,
                policy_of(&b.arena, QUESTION_BRANCH, (struct sizing){"bimodal", {12, 2, 1}}),
                choice);
            rng_init(&rng, 7, "program");
            for (u32 i = 0; i < 20000; i++) {
                u64 x = rng_u64(&rng);
                if (x & 1)
                    conditional(&b, 0x4000 + (x >> 8 & 0xff), x & 2);
                else
                    jump_from(&b, 0x1000 + (x >> 8 & 0xff), 0x8000 + (x >> 16 & 0xff));
            }
            misses_of[run] = wrong(&b);
            branch_bed_close(&b);
        }
        assert_int_equal(misses_of[0], misses_of[1]);
        assert_true(misses_of[0] > 0);
    }
}

RUN_TESTS(T(a_branch_with_one_target_is_wrong_once),
          T(two_targets_in_turn_are_always_wrong_in_the_buffer_and_learnt_with_a_history),
          T(a_long_history_tells_what_a_short_one_does_not),
          T(a_target_that_follows_the_last_outcome_is_learnt_from_outcomes),
          T(a_target_that_is_predicted_comes_late_where_the_buffer_does_not_know_the_branch),
          T(storage_is_what_the_tables_take), T(every_predictor_repeats_itself))
