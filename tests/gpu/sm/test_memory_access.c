/*
 * Memory instructions of one SM over a memory that answers every miss after 100 cycles. L1 hits
 * take 20.
 *
 * A load that issues in cycle n puts its first request into the buffer; L1 takes it in n + 1. A hit
 * can be used from n + 1 + 20 on, a line that misses comes in n + 101 and can be used from n + 102
 * on. One request goes into L1 a cycle, so with k of them the last is k - 1 cycles later.
 */
#include "gpu/script.h"
#include "gpu/spy.h"

#define HIT 21u
#define MISS 102u

static const char *const usual[] = {"sm.count=1", "ideal.model=fixed", "ideal.fixed_cycles=100",
                                    NULL};

/* Cycles from an instruction to another of a warp's second turn, when its code is there. */
static cycle_t gap(const char *const *sets, const struct scripted_instruction *code, u32 count,
                   u32 from, u32 to)
{
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = {
        .code = code, .count = count, .threads_per_block = 32, .blocks = 1, .iterations = 2};
    spy_run(&s, &b, &k);
    cycle_t cycles = spy_cycle(&s, 0, to, 1) - spy_cycle(&s, 0, from, 1);
    bed_close(&b);
    return cycles;
}

#define GAP(code, from, to) gap(usual, code, ARRAY_LEN(code), from, to)

TEST(a_load_that_hits_can_be_used_after_the_latency_of_l1)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB), ALU(2, 1)};
    assert_int_equal(GAP(code, 0, 1), HIT);
}

TEST(a_load_that_misses_can_be_used_a_cycle_after_its_line_has_come)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .iteration_stride = 4096),
                                                       ALU(2, 1)};
    assert_int_equal(GAP(code, 0, 1), MISS);
}

TEST(each_further_line_of_a_load_takes_a_cycle_more)
{
    UNUSED_STATE;
    static const struct scripted_instruction two[] = {
        LOAD_APART(1, 8, MIB, .iteration_stride = 4096), ALU(2, 1)};
    static const struct scripted_instruction eight[] = {
        LOAD_APART(1, 32, MIB, .iteration_stride = 4096), ALU(2, 1)};
    static const struct scripted_instruction hits[] = {LOAD_APART(1, 32, MIB), ALU(2, 1)};
    assert_int_equal(GAP(two, 0, 1), MISS + 1);
    assert_int_equal(GAP(eight, 0, 1), MISS + 7);
    assert_int_equal(GAP(hits, 0, 1), HIT + 7);
}

TEST(a_load_of_more_lines_than_the_buffer_holds_feeds_the_rest_as_room_comes)
{
    UNUSED_STATE;
    /* 32 lines through a buffer of 10: still one a cycle, and nothing else goes in meanwhile */
    static const struct scripted_instruction code[] = {
        LOAD_APART(1, 128, MIB, .iteration_stride = 8192), LOAD(2, 16 * MIB), ALU(3, 1), ALU(4, 2)};
    assert_int_equal(GAP(code, 0, 2), MISS + 31);
    /* all are in the buffer when 22 have left it: the next load issues at 22 or just after */
    assert_in_range(GAP(code, 0, 1), 22, 24);
}

TEST(a_buffer_of_instructions_takes_as_many_whatever_their_lines)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD_APART(1, 128, MIB, .iteration_stride = 8192), LOAD(2, 16 * MIB), ALU(3, 1), ALU(4, 2)};
    const char *sets[] = {"sm.count=1", "ideal.model=fixed", "ideal.fixed_cycles=100",
                          "sm.lsu.buffer_unit=instructions", NULL};
    assert_in_range(gap(sets, code, 4, 0, 1), 1, 3);
}

TEST(a_second_load_does_not_wait_for_the_first)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .iteration_stride = 4096),
                                                       LOAD(2, 2 * MIB, .iteration_stride = 4096),
                                                       ALU(3, 2)};
    cycle_t between = GAP(code, 0, 1);
    assert_in_range(between, 1, 2);
    assert_int_equal(GAP(code, 1, 2), MISS);
}

TEST(a_store_holds_its_warp_up_for_nothing)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {STORE(MIB), ALU(1, 0), ALU(2, 1)};
    assert_in_range(GAP(code, 0, 1), 1, 2);
}

TEST(a_load_behind_a_store_of_the_same_line_misses_where_stores_evict)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {STORE(MIB), LOAD(1, MIB), ALU(2, 1)};
    assert_int_equal(GAP(code, 1, 2), MISS); /* fermi15: a store takes the line away */
}

TEST(a_shared_access_is_busy_for_its_passes)
{
    UNUSED_STATE;
    static const struct scripted_instruction one[] = {{.kind = WINST_LOAD,
                                                       .unit = UNIT_MEMORY,
                                                       .dst = 1,
                                                       .space = SPACE_SHARED,
                                                       .bytes = 4,
                                                       .lane_stride = 4},
                                                      ALU(2, 1)};
    static const struct scripted_instruction many[] = {{.kind = WINST_LOAD,
                                                        .unit = UNIT_MEMORY,
                                                        .dst = 1,
                                                        .space = SPACE_SHARED,
                                                        .bytes = 4,
                                                        .lane_stride = 128},
                                                       ALU(2, 1)};
    cycle_t plain = GAP(one, 0, 1), conflicts = GAP(many, 0, 1);
    assert_int_equal(conflicts - plain, 31); /* 32 passes instead of 1 */
}

TEST(with_no_room_for_another_instruction_that_waits_the_next_load_waits)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .iteration_stride = 4096),
                                                       LOAD(2, 2 * MIB, .iteration_stride = 4096),
                                                       ALU(3, 1)};
    const char *sets[] = {"sm.count=1", "ideal.model=fixed", "ideal.fixed_cycles=100",
                          "sm.lsu.pending_instructions=1", NULL};
    /* the line comes in 101; the entry is free when the SM issues in that cycle */
    assert_in_range(gap(sets, code, 3, 0, 1), 101, 102);
}

TEST(a_store_takes_its_passes_of_the_l1_from_the_load_behind_it)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {STORE(MIB), LOAD(1, 2 * MIB), ALU(2, 1)};
    static const struct scripted_instruction local[] = {
        {.kind = WINST_STORE, .unit = UNIT_MEMORY, .space = SPACE_LOCAL, .bytes = 4},
        LOAD(1, 2 * MIB),
        ALU(2, 1)};
    const char *one[] = {"sm.count=1", "ideal.model=fixed", "ideal.fixed_cycles=100",
                         "sm.l1.banks=32", NULL};
    const char *four[] = {"sm.count=1",     "ideal.model=fixed",    "ideal.fixed_cycles=100",
                          "sm.l1.banks=32", "sm.l1.store_passes=4", NULL};
    assert_int_equal(gap(one, code, 3, 1, 2), HIT);
    assert_int_equal(gap(four, code, 3, 1, 2), HIT + 3);
    assert_int_equal(gap(four, local, 3, 1, 2), HIT + 3);
}

#define ATOMIC(how)                                                                                \
    {                                                                                              \
        .kind = WINST_ATOMIC, .unit = UNIT_MEMORY, .cost = (enum op_cost)(how), .dst = 1,          \
        .space = SPACE_SHARED, .bytes = 4, .lane_stride = 0                                        \
    }

TEST(a_compare_and_swap_takes_twice_the_passes_of_an_addition)
{
    UNUSED_STATE;
    static const struct scripted_instruction add[] = {ATOMIC(SHARED_ATOMIC_EACH), ALU(2, 1)};
    static const struct scripted_instruction swap[] = {ATOMIC(SHARED_ATOMIC_SWAP), ALU(2, 1)};
    static const struct scripted_instruction try[] = {ATOMIC(SHARED_ATOMIC_TRY), ALU(2, 1)};
    const char *sets[] = {"sm.count=1",
                          "ideal.model=fixed",
                          "ideal.fixed_cycles=100",
                          "sm.shared.cycles=23",
                          "sm.shared.conflict_cycles=2",
                          "sm.shared.atomic_cycles=3",
                          "sm.shared.swap_passes=2",
                          "sm.shared.swap_cycles=2",
                          "sm.shared.try_cycles=15",
                          NULL};
    /* the figures of an H200: micro.csv, group atomics, 32 lanes at a word */
    assert_int_equal(gap(sets, add, 2, 0, 1), 88);
    assert_int_equal(gap(sets, swap, 2, 0, 1), 154);
    assert_int_equal(gap(sets, try, 2, 0, 1), 23 + 1 + 1 + 3 + 2 + 15);
}

TEST(a_shuffle_takes_a_pass_of_shared_memory_where_the_chip_says_so)
{
    UNUSED_STATE;
    static const struct scripted_instruction one[] = {
        {.kind = WINST_ARITHMETIC, .unit = UNIT_INT, .cost = COST_SHUFFLE, .dst = 1}, ALU(2, 1)};
    static const struct scripted_instruction behind[] = {
        {.kind = WINST_LOAD,
         .unit = UNIT_MEMORY,
         .dst = 3,
         .space = SPACE_SHARED,
         .bytes = 4,
         .lane_stride = 128},
        {.kind = WINST_ARITHMETIC, .unit = UNIT_INT, .cost = COST_SHUFFLE, .dst = 1},
        ALU(2, 1)};
    static const struct scripted_instruction plain[] = {ALU(1, 0), ALU(2, 1)};
    const char *sets[] = {"sm.count=1", "ideal.model=fixed", "ideal.fixed_cycles=100",
                          "sm.shared.shuffle_cycles=24", NULL};
    assert_int_equal(GAP(one, 0, 1), GAP(plain, 0, 1));
    assert_int_equal(gap(sets, one, 2, 0, 1), 24);
    assert_int_equal(gap(sets, behind, 3, 0, 2), 32 + 24); /* its 32 passes first */
}

#define CONSTANT(d, apart)                                                                         \
    {                                                                                              \
        .kind = WINST_LOAD, .unit = UNIT_MEMORY, .dst = (d), .space = SPACE_CONST, .bytes = 2,     \
        .lane_stride = (apart)                                                                     \
    }

TEST(constants_at_different_addresses_come_one_after_the_other)
{
    UNUSED_STATE;
    static const struct scripted_instruction one[] = {CONSTANT(1, 0), ALU(2, 1)};
    static const struct scripted_instruction many[] = {CONSTANT(1, 2), ALU(2, 1)};
    static const struct scripted_instruction two_loads[] = {CONSTANT(1, 2), CONSTANT(3, 0),
                                                            ALU(2, 1)};
    static const struct scripted_instruction wide[] = {{.kind = WINST_LOAD,
                                                        .unit = UNIT_MEMORY,
                                                        .dst = 1,
                                                        .space = SPACE_CONST,
                                                        .bytes = 16,
                                                        .mask = 0xff,
                                                        .lane_stride = 8},
                                                       ALU(2, 1)};
    const char *sets[] = {"sm.count=1",
                          "ideal.model=fixed",
                          "ideal.fixed_cycles=100",
                          "sm.constant.word_cycles=2",
                          NULL,
                          NULL};
    assert_int_equal(GAP(one, 0, 1), 8);
    assert_int_equal(GAP(many, 0, 1), 8); /* one line, all at once */
    assert_int_equal(gap(sets, one, 2, 0, 1), 8);
    assert_int_equal(gap(sets, many, 2, 0, 1), 8 + 31 * 2);
    assert_int_equal(gap(sets, two_loads, 3, 0, 1), 32 * 2);
    sets[4] = "sm.constant.word_latency=11"; /* micro.csv, group constant */
    assert_int_equal(gap(sets, many, 2, 0, 1), 8 + 31 * 11);
    assert_int_equal(gap(sets, two_loads, 3, 0, 1), 32 * 2); /* others come in between */
    assert_int_equal(gap(sets, wide, 2, 0, 1), 8 + 8 * 11);
}

RUN_TESTS(T(a_load_that_hits_can_be_used_after_the_latency_of_l1),
          T(a_load_that_misses_can_be_used_a_cycle_after_its_line_has_come),
          T(each_further_line_of_a_load_takes_a_cycle_more),
          T(a_load_of_more_lines_than_the_buffer_holds_feeds_the_rest_as_room_comes),
          T(a_buffer_of_instructions_takes_as_many_whatever_their_lines),
          T(a_second_load_does_not_wait_for_the_first), T(a_store_holds_its_warp_up_for_nothing),
          T(a_load_behind_a_store_of_the_same_line_misses_where_stores_evict),
          T(a_shared_access_is_busy_for_its_passes),
          T(a_store_takes_its_passes_of_the_l1_from_the_load_behind_it),
          T(a_compare_and_swap_takes_twice_the_passes_of_an_addition),
          T(a_shuffle_takes_a_pass_of_shared_memory_where_the_chip_says_so),
          T(constants_at_different_addresses_come_one_after_the_other),
          T(with_no_room_for_another_instruction_that_waits_the_next_load_waits))
