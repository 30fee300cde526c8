/* Branch predictors: the checks of the hpc-cores spec, section 5. */
#include "cpu/branch_bed.h"

static const struct sizing small[] = {
    {"gshare", {13, 0}}, {"tournament", {10, 8}}, {"tage", {0, 0}}};
static const struct sizing big[] = {
    {"gshare", {16, 0}}, {"tournament", {12, 14}}, {"tage", {1, 0}}};
static const struct sizing others[] = {{"bimodal", {12, 2, 1}}, {"perceptron", {9, 31}}};
static const u32 history_small[] = {13, 8, 32}, history_big[] = {16, 14, 640};

static u64 bits(struct sizing s)
{
    struct branch_bed b;
    branch_bed_open(&b, s, 0);
    u64 n = b.unit.counts.storage_bits;
    branch_bed_close(&b);
    return n;
}

TEST(storage_is_what_the_formulas_say)
{
    UNUSED_STATE;
    assert_int_equal(bits(small[0]), 16384);
    assert_int_equal(bits(big[0]), 131072);
    assert_int_equal(bits(small[1]), 11264);
    assert_int_equal(bits(big[1]), 131072);
    assert_int_equal(bits(small[2]), 15872);
    assert_int_equal(bits(big[2]), 123648);
    assert_int_equal(bits(others[0]), 8192);                /* 2 x 2^12 */
    assert_int_equal(bits(others[1]), 8 * 512 * 32);        /* 2^9 rows of 31 weights and a bias */
    assert_int_equal(bits((struct sizing){"tage", {2, 0}}), /* L-TAGE: twice the big one */
                     2 * 123648);
}

TEST(a_loop_predictor_adds_64_bits_an_entry)
{
    UNUSED_STATE;
    struct branch_bed b;
    branch_bed_open(&b, small[0], 64);
    assert_int_equal(b.unit.counts.storage_bits, 16384 + 4096);
    branch_bed_close(&b);
}

static void check_always_taken(struct sizing s, u32 history)
{
    struct branch_bed b;
    branch_bed_open(&b, s, 0);
    for (u32 i = 0; i < 2000; i++)
        conditional(&b, 0x4000, true);
    u64 warm = misses(&b);
    assert_in_range(warm, 0, history + 2);
    for (u32 i = 0; i < 10000; i++)
        conditional(&b, 0x4000, true);
    assert_int_equal(misses(&b), warm);
    branch_bed_close(&b);
}

TEST(a_branch_that_is_always_taken_misses_while_the_history_warms_up)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 3; i++) {
        check_always_taken(small[i], history_small[i]);
        check_always_taken(big[i], history_big[i]);
    }
    check_always_taken(others[0], 0);
    check_always_taken(others[1], 31);
}

static void check_coin(struct sizing s)
{
    struct branch_bed b;
    struct rng rng;
    rng_init(&rng, 1, "coin");
    branch_bed_open(&b, s, 0);
    for (u32 i = 0; i < 40000; i++)
        conditional(&b, 0x4000, rng_u64(&rng) & 1);
    assert_in_range(misses(&b), 40000 * 48 / 100, 40000 * 52 / 100);
    branch_bed_close(&b);
}

TEST(nobody_predicts_a_fair_coin)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 3; i++) {
        check_coin(small[i]);
        check_coin(big[i]);
    }
    check_coin(others[0]);
    check_coin(others[1]);
}

static void check_alternating(struct sizing s)
{
    struct branch_bed b;
    branch_bed_open(&b, s, 0);
    for (u32 i = 0; i < 2000; i++)
        conditional(&b, 0x4000, i & 1);
    u64 warm = misses(&b);
    for (u32 i = 0; i < 10000; i++)
        conditional(&b, 0x4000, i & 1);
    assert_int_equal(misses(&b), warm);
    branch_bed_close(&b);
}

TEST(what_has_a_history_predicts_an_alternating_branch)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 3; i++) {
        check_alternating(small[i]);
        check_alternating(big[i]);
    }
    check_alternating(others[1]);
}

/* A loop of `rounds` rounds, so many times: its last branch is not taken. */
static void loop(struct branch_bed *b, u32 times, u32 rounds)
{
    for (u32 t = 0; t < times; t++) {
        for (u32 i = 0; i < rounds; i++)
            conditional(b, 0x4000, i + 1 < rounds);
    }
}

TEST(a_loop_longer_than_the_history_misses_once_a_round_without_a_loop_predictor)
{
    UNUSED_STATE;
    struct branch_bed b;
    branch_bed_open(&b, big[0], 0);
    loop(&b, 20, 100);
    u64 warm = misses(&b);
    loop(&b, 100, 100);
    assert_int_equal(misses(&b) - warm, 100);
    branch_bed_close(&b);
}

TEST(a_loop_predictor_learns_a_constant_count_in_eight_loops)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 3; i++) {
        struct branch_bed b;
        branch_bed_open(&b, small[i], 64);
        loop(&b, 8, 100);
        u64 warm = misses(&b);
        loop(&b, 100, 100);
        assert_int_equal(misses(&b), warm);
        branch_bed_close(&b);
    }
}

TEST(a_loop_predictor_leaves_loops_of_varying_count_alone)
{
    UNUSED_STATE;
    u64 with[2];
    for (u32 k = 0; k < 2; k++) {
        struct branch_bed b;
        struct rng rng;
        rng_init(&rng, 3, "rounds");
        branch_bed_open(&b, small[0], k ? 64 : 0);
        for (u32 t = 0; t < 2000; t++)
            loop(&b, 1, 20 + (u32)rng_below(&rng, 60));
        with[k] = misses(&b);
        branch_bed_close(&b);
    }
    assert_in_range(with[1] * 100, with[0] * 99, with[0] * 101);
}

/* Two branches that meet in one counter of gshare with 13 bits: their addresses differ in the bit
 * in which the histories before them do. One is always taken, the other never. */
static u64 aliased(struct sizing s)
{
    struct branch_bed b;
    branch_bed_open(&b, s, 0);
    u64 taken = 0x1000, other = taken ^ 1;
    for (u32 i = 0; i < 4000; i++) {
        for (u32 k = 0; k < 13; k++)
            conditional(&b, 0x100000 + 0x2000 * (u64)k, true);
        conditional(&b, taken, true);
        for (u32 k = 0; k < 12; k++)
            conditional(&b, 0x200000 + 0x2000 * (u64)k, true);
        conditional(&b, 0x300000, false); /* the history ends with a 0 */
        conditional(&b, other, false);
    }
    u64 n = misses(&b);
    branch_bed_close(&b);
    return n;
}

TEST(opposite_branches_in_one_counter_hurt_gshare_ten_times_as_much_as_tage)
{
    UNUSED_STATE;
    u64 gshare = aliased(small[0]), tage = aliased(small[2]);
    assert_true(gshare > 3000); /* one or the other is wrong nearly every time */
    assert_true(tage * 10 <= gshare);
}

TEST(wrong_directions_are_split_by_outcome)
{
    UNUSED_STATE;
    struct branch_bed b;
    branch_bed_open(&b, small[1], 0);
    struct rng rng;
    rng_init(&rng, 5, "mix");
    for (u32 i = 0; i < 20000; i++) {
        bool taken = rng_below(&rng, 3) == 0;
        u64 pc = 0x4000 + 16 * rng_below(&rng, 50);
        struct cpu_instruction in = {.pc = pc,
                                     .target = pc + (i & 1 ? 100 : (u64)-100),
                                     .length = 4,
                                     .branch = CPU_CONDITIONAL,
                                     .taken = taken};
        branch_predict(&b.unit, &in);
    }
    const struct branch_counts *n = &b.unit.counts;
    assert_true(n->not_taken_misses && n->backward_misses && n->forward_misses);
    assert_int_equal(n->not_taken_misses + n->backward_misses + n->forward_misses,
                     n->direction_misses);
    branch_bed_close(&b);
}

/* Branches with a pattern of their own each, one after the other; wrong ones of the second half. */
static u64 patterned(struct sizing s, u32 branches)
{
    struct branch_bed b;
    u64 before = 0;
    branch_bed_open(&b, s, 0);
    for (u32 i = 0; i < 2000; i++) {
        if (i == 1000)
            before = misses(&b);
        for (u32 k = 0; k < branches; k++)
            conditional(&b, 0x5000 + 12 * (u64)k, i % (2 + k % 5) == 0);
    }
    u64 n = misses(&b) - before;
    branch_bed_close(&b);
    return n;
}

TEST(a_history_predicts_what_a_counter_does_not)
{
    UNUSED_STATE;
    u64 bimodal = patterned(others[0], 4), gshare = patterned(big[0], 4),
        tage = patterned(big[2], 4);
    /* one branch each of period 2, 3, 4 and 5: a counter is wrong at least once in a period */
    assert_true(bimodal >= 1000 / 2 + 1000 / 3 + 1000 / 4 + 1000 / 5 - 4);
    assert_true(gshare < bimodal / 20);
    assert_true(tage < bimodal / 20);
}

TEST(more_storage_predicts_more_branches)
{
    UNUSED_STATE;
    assert_true(patterned(big[0], 300) < patterned(small[0], 300));
    assert_true(patterned(big[2], 300) < patterned(small[2], 300));
    assert_true(patterned(big[2], 300) < patterned(big[0], 300));
}

/* Taken and not taken in turn, from a counter of 0. From 2 on taken: 0 1 0 1 ..., always not taken,
 * and wrong every other time. From 1 on taken, as ChampSim has it: not taken at 0, taken at 1,
 * always wrong. */
TEST(where_a_counter_of_bimodal_says_taken_can_be_chosen)
{
    UNUSED_STATE;
    for (u32 from = 1; from <= 2; from++) {
        struct branch_bed b;
        branch_bed_open(&b, (struct sizing){"bimodal", {12, from, 0}}, 0);
        for (u32 i = 0; i < 1000; i++)
            conditional(&b, 0x1000, i % 2 == 0);
        assert_int_equal(misses(&b), from == 1 ? 1000 : 500);
        branch_bed_close(&b);
    }
}

RUN_TESTS(T(where_a_counter_of_bimodal_says_taken_can_be_chosen),
          T(storage_is_what_the_formulas_say), T(a_loop_predictor_adds_64_bits_an_entry),
          T(a_branch_that_is_always_taken_misses_while_the_history_warms_up),
          T(nobody_predicts_a_fair_coin), T(what_has_a_history_predicts_an_alternating_branch),
          T(a_loop_longer_than_the_history_misses_once_a_round_without_a_loop_predictor),
          T(a_loop_predictor_learns_a_constant_count_in_eight_loops),
          T(a_loop_predictor_leaves_loops_of_varying_count_alone),
          T(opposite_branches_in_one_counter_hurt_gshare_ten_times_as_much_as_tage),
          T(wrong_directions_are_split_by_outcome), T(a_history_predicts_what_a_counter_does_not),
          T(more_storage_predicts_more_branches))
