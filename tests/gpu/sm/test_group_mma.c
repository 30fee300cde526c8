/*
 * Warp-group products alone, with the times of the H200 (silicon/h200/hopper.csv).
 *
 * Four cycles per eight columns, 128 bytes of operands a cycle, sums 51 cycles after the last
 * column and 10 later if A is in shared memory. An H200 takes 63 + N/2 cycles for a product of N
 * columns and a wait, 53 + N/2 with A in registers; 2 of them are the instructions around it here.
 */
#include "testing.h"

#include "gpu/sm/sm.h"

enum { GROUP_0 = 0, GROUP_1 = 4, SCHEDULER = 0, START = 1000 };

struct bed {
    struct gpu_config config;
    struct group_mma groups[8];
    struct arena arena;
    struct sm *sm;
    struct sm_block block;
};

static void bed_open(struct bed *b)
{
    *b = (struct bed){.config.sm.group = {
                          .cycles = 51, .interval = 4, .operand_cycles = 10, .operand_bytes = 128}};
    b->sm = ARENA_NEW(&b->arena, struct sm);
    b->sm->config = &b->config;
    b->sm->groups = b->groups;
    b->block.started = START - 100;
    for (u32 i = 0; i < ARRAY_LEN(b->groups); i++)
        b->sm->warps[i].block = &b->block;
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

static void issue(struct bed *b, u32 slot, u8 kind, u32 bytes, u32 operands)
{
    struct instruction i = {
        .kind = kind, .bytes = (u8)bytes, .cache_operator = (u8)operands, .unit = UNIT_TENSOR};
    group_mma_issue(b->sm, slot, SCHEDULER, &i, START);
}

static void multiply(struct bed *b, u32 slot, u32 columns, u32 operands, u32 count)
{
    for (u32 k = 0; k < count; k++)
        issue(b, slot, WINST_GROUP_MMA, columns / 8, operands);
    issue(b, slot, WINST_GROUP_COMMIT, 0, 0);
}

/* Cycles until the warp goes on. */
static cycle_t wait(struct bed *b, u32 slot, u32 left)
{
    issue(b, slot, WINST_GROUP_WAIT, left, 0);
    return b->sm->warps[slot].not_before - START;
}

static cycle_t alone(u32 columns, u32 operands, u32 count)
{
    struct bed b;
    bed_open(&b);
    multiply(&b, GROUP_0, columns, operands, count);
    cycle_t cycles = wait(&b, GROUP_0, 0);
    bed_close(&b);
    return cycles;
}

TEST(sums_are_ready_51_cycles_after_the_columns_and_10_later_with_a_in_shared_memory)
{
    UNUSED_STATE;
    assert_int_equal(alone(8, GROUP_A_SHARED, 1), 4 + 61);
    assert_int_equal(alone(128, GROUP_A_SHARED, 1), 64 + 61);
    assert_int_equal(alone(8, 0, 1), 4 + 51);
    assert_int_equal(alone(128, 0, 1), 64 + 51);
}

/* A is 64 rows of 32 bytes, 16 cycles; B is N / 4 cycles. 64 products: 63 intervals and one. */
TEST(narrow_products_take_as_long_as_shared_memory_needs_for_their_operands)
{
    UNUSED_STATE;
    assert_int_equal(alone(8, GROUP_A_SHARED, 64), 63 * 18 + 4 + 61);
    assert_int_equal(alone(16, GROUP_A_SHARED, 64), 63 * 20 + 8 + 61);
    assert_int_equal(alone(32, GROUP_A_SHARED, 64), 63 * 24 + 16 + 61);
    assert_int_equal(alone(64, GROUP_A_SHARED, 64), 63 * 32 + 32 + 61);
}

TEST(wide_products_take_half_a_cycle_a_column)
{
    UNUSED_STATE;
    assert_int_equal(alone(96, GROUP_A_SHARED, 64), 64 * 48 + 61);
    assert_int_equal(alone(256, GROUP_A_SHARED, 64), 64 * 128 + 61);
}

/* B is 64 bytes a column: 16 + 256 * 64 / 128 = 144 cycles instead of 128. */
TEST(a_sparse_product_needs_twice_as_much_of_b)
{
    UNUSED_STATE;
    assert_int_equal(alone(256, GROUP_A_SHARED | GROUP_SPARSE, 2), 144 + 128 + 61);
}

/* An H200 takes 127 cycles for two warp groups with a product of 64 columns each. */
TEST(two_warp_groups_share_a_tensor_core)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    multiply(&b, GROUP_0, 64, GROUP_A_SHARED, 1);
    multiply(&b, GROUP_1, 64, GROUP_A_SHARED, 1);
    assert_int_equal(wait(&b, GROUP_0, 0), 32 + 61);
    assert_int_equal(wait(&b, GROUP_1, 0), 32 + 32 + 61);
    bed_close(&b);
}

TEST(a_wait_for_all_but_one_group_does_not_wait_for_the_newest)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    multiply(&b, GROUP_0, 128, GROUP_A_SHARED, 1);
    multiply(&b, GROUP_0, 128, GROUP_A_SHARED, 4);
    assert_int_equal(wait(&b, GROUP_0, 1), 64 + 61);
    assert_int_equal(wait(&b, GROUP_0, 0), 5 * 64 + 61);
    bed_close(&b);
}

/* As traces have them: what has come since the last group is one, and an empty one is none. */
TEST(a_wait_of_a_trace_makes_a_group_of_what_is_pending)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    issue(&b, GROUP_0, WINST_GROUP_COMMIT, 0, GROUP_PENDING);
    issue(&b, GROUP_0, WINST_GROUP_MMA, 16, GROUP_A_SHARED);
    issue(&b, GROUP_0, WINST_GROUP_WAIT, 0, GROUP_PENDING);
    assert_int_equal(b.groups[GROUP_0].groups, 1);
    assert_int_equal(b.sm->warps[GROUP_0].not_before - START, 64 + 61);
    issue(&b, GROUP_0, WINST_GROUP_WAIT, 0, GROUP_PENDING);
    assert_int_equal(b.groups[GROUP_0].groups, 1);
    bed_close(&b);
}

static void issue_at(struct bed *b, u32 slot, u8 kind, u32 bytes, cycle_t at)
{
    struct instruction i = {.kind = kind, .bytes = (u8)bytes, .unit = UNIT_TENSOR};
    group_mma_issue(b->sm, slot, SCHEDULER, &i, at);
}

static void expect_shares(const struct bed *b, u64 busy, u64 copies, u64 products, u64 warps,
                          u64 other)
{
    const u64 expected[] = {busy, copies, products, warps, other};
    for (u32 i = 0; i < TENSOR_SHARES; i++)
        assert_int_equal(b->sm->counts.tensor_cycles[i], expected[i]);
}

/* The block came at 900, the warp to its mbarrier at 910, a copy completed the phase at 980 and the
 * product came at 1000: of 100 cycles 70 were for the copy. A product of 128 columns takes 64. */
TEST(idle_cycles_before_a_product_are_charged_to_the_copy_that_its_warp_waited_for)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    group_mma_awaits(&b.groups[GROUP_0], 910);
    group_mma_awaits(&b.groups[GROUP_0], 940); /* it was woken, and suspended again */
    group_mma_phase_began(&b.groups[GROUP_0], true, 980);
    issue_at(&b, GROUP_0, WINST_GROUP_MMA, 16, 1000);
    expect_shares(&b, 64, 70, 0, 0, 30);
    assert_int_equal(group_mma_role(&b.groups[GROUP_0]), ROLE_CONSUMER);
    bed_close(&b);
}

/* The product is done at 1000 + 64 + 51; the tensor core was free from 1064 on. From 1120 to 1150
 * the warp was at an mbarrier that another warp's arrival completed. */
TEST(idle_cycles_are_told_apart_by_products_and_other_warps)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    issue_at(&b, GROUP_0, WINST_GROUP_MMA, 16, 1000);
    issue_at(&b, GROUP_0, WINST_GROUP_COMMIT, 0, 1000);
    issue_at(&b, GROUP_0, WINST_GROUP_WAIT, 0, 1001);
    issue_at(&b, GROUP_0, WINST_GROUP_WAIT, 0, 1118); /* nothing is left to wait for */
    group_mma_awaits(&b.groups[GROUP_0], 1120);
    group_mma_phase_began(&b.groups[GROUP_0], false, 1150);
    issue_at(&b, GROUP_0, WINST_GROUP_MMA, 16, 1160);
    expect_shares(&b, 128, 0, 1115 - 1064, 30, 100 + (1160 - 1064) - 51 - 30);
    bed_close(&b);
}

/* While one group waits for its copy, from 1010 to 1130, the other's product, of 128 cycles, keeps
 * the tensor core until 1128. */
TEST(a_wait_costs_nothing_while_another_group_multiplies)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    issue_at(&b, GROUP_1, WINST_GROUP_MMA, 32, 1000);
    group_mma_awaits(&b.groups[GROUP_0], 1010);
    group_mma_phase_began(&b.groups[GROUP_0], true, 1130);
    issue_at(&b, GROUP_0, WINST_GROUP_MMA, 32, 1131);
    expect_shares(&b, 256, 2, 0, 0, 100 + 1);
    bed_close(&b);
}

TEST(a_fence_waits_for_the_products_of_its_warp_and_takes_them_for_loads)
{
    UNUSED_STATE;
    struct bed b;
    struct sm_warp_rare rare = {0};
    struct instruction fence = {.kind = WINST_FENCE, .unit = UNIT_MEMORY, .bytes = 4};
    bed_open(&b);
    b.config.sm.fence_cycles = 250;
    b.config.sm.fence_load_cycles = 40;
    struct sm_warp *w = &b.sm->warps[GROUP_0];
    w->rare = &rare;
    fence_begin_timed(b.sm, GROUP_0, &fence, START);
    assert_int_equal(w->not_before, START + 1 + 250);
    multiply(&b, GROUP_0, 128, GROUP_A_SHARED, 1); /* until 64 + 61 */
    fence_begin_timed(b.sm, GROUP_0, &fence, START);
    assert_int_equal(w->not_before, START + 64 + 61 + 40 + 250);
    bed_close(&b);
}

RUN_TESTS(T(a_fence_waits_for_the_products_of_its_warp_and_takes_them_for_loads),
          T(sums_are_ready_51_cycles_after_the_columns_and_10_later_with_a_in_shared_memory),
          T(narrow_products_take_as_long_as_shared_memory_needs_for_their_operands),
          T(wide_products_take_half_a_cycle_a_column), T(a_sparse_product_needs_twice_as_much_of_b),
          T(two_warp_groups_share_a_tensor_core),
          T(a_wait_for_all_but_one_group_does_not_wait_for_the_newest),
          T(a_wait_of_a_trace_makes_a_group_of_what_is_pending),
          T(idle_cycles_before_a_product_are_charged_to_the_copy_that_its_warp_waited_for),
          T(idle_cycles_are_told_apart_by_products_and_other_warps),
          T(a_wait_costs_nothing_while_another_group_multiplies))
