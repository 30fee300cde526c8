/* Targets: the branch target buffer and the return stack. */
#include "cpu/branch_bed.h"

static void open_btb(struct branch_bed *b, u32 entries, u32 ways)
{
    branch_bed_open(b, (struct sizing){"bimodal", {12, 2, 1}}, 0);
    address_table_init(&b->unit.btb, &b->arena, entries, ways);
}

static enum branch_verdict branch(struct branch_bed *b, enum cpu_branch kind, u64 pc, u64 target)
{
    struct cpu_instruction i = {.pc = pc,
                                .target = target,
                                .length = 4,
                                .class = CPU_BRANCH,
                                .branch = (u8)kind,
                                .taken = true};
    return branch_predict(&b->unit, &i);
}

TEST(as_many_taken_branches_as_entries_miss_once_each)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_btb(&b, 64, 64);
    for (u32 round = 0; round < 10; round++) {
        for (u64 i = 0; i < 64; i++)
            branch(&b, CPU_JUMP, 0x1000 + 4 * i, 0x9000);
    }
    assert_int_equal(b.unit.counts.btb_misses, 64);
    assert_int_equal(b.unit.counts.btb_lookups, 640);
    branch_bed_close(&b);
}

TEST(a_branch_that_is_not_taken_has_no_entry)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_btb(&b, 16, 4);
    for (u64 i = 0; i < 100; i++)
        conditional(&b, 0x1000 + 4 * i, false);
    assert_int_equal(b.unit.counts.btb_lookups, 0);
    for (u64 i = 0; i < 16; i++)
        assert_int_equal(b.unit.btb.entries[i].used, 0);
    branch_bed_close(&b);
}

TEST(two_branches_of_a_set_evict_each_other_unless_there_are_two_ways)
{
    UNUSED_STATE;
    struct branch_bed direct, two;
    open_btb(&direct, 16, 1);
    open_btb(&two, 32, 2);
    for (u32 round = 0; round < 50; round++) {
        for (u64 i = 0; i < 2; i++) {
            branch(&direct, CPU_JUMP, 0x1000 + 16 * i, 0x9000);
            branch(&two, CPU_JUMP, 0x1000 + 16 * i, 0x9000);
        }
    }
    assert_int_equal(direct.unit.counts.btb_misses, 100);
    assert_int_equal(two.unit.counts.btb_misses, 2);
    branch_bed_close(&direct);
    branch_bed_close(&two);
}

TEST(a_direct_target_is_late_and_an_indirect_one_wrong_when_it_is_not_known)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_btb(&b, 16, 4);
    assert_int_equal(branch(&b, CPU_JUMP, 0x1000, 0x2000), BRANCH_LATE);
    assert_int_equal(branch(&b, CPU_JUMP, 0x1000, 0x2000), BRANCH_RIGHT);
    assert_int_equal(branch(&b, CPU_INDIRECT_JUMP, 0x1004, 0x2000), BRANCH_WRONG);
    assert_int_equal(branch(&b, CPU_INDIRECT_JUMP, 0x1004, 0x2000), BRANCH_RIGHT);
    assert_int_equal(branch(&b, CPU_INDIRECT_JUMP, 0x1004, 0x3000), BRANCH_WRONG);
    assert_int_equal(b.unit.counts.btb_wrong, 1);
    assert_int_equal(b.unit.counts.mispredicted, 2);
    branch_bed_close(&b);
}

TEST(returns_go_where_calls_came_from_as_deep_as_the_stack)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_btb(&b, 4096, 4);
    for (u64 depth = 0; depth < 17; depth++) /* one more than there is room for */
        branch(&b, CPU_CALL, 0x1000 + 0x100 * depth, 0x1100 + 0x100 * depth);
    for (u64 depth = 17; depth-- > 0;) {
        enum branch_verdict v = branch(&b, CPU_RETURN, 0x5000, 0x1004 + 0x100 * depth);
        assert_int_equal(v, depth ? BRANCH_RIGHT : BRANCH_WRONG);
    }
    assert_int_equal(b.unit.counts.return_misses, 1);
    branch_bed_close(&b);
}

TEST(a_return_behind_a_call_of_unknown_length_is_right)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_btb(&b, 16, 4);
    for (u64 behind = 0; behind <= 16; behind++) {
        struct cpu_instruction call = {
            .pc = 0x1000, .target = 0x2000, .branch = CPU_CALL, .class = CPU_BRANCH, .taken = true};
        branch_predict(&b.unit, &call);
        enum branch_verdict v = branch(&b, CPU_RETURN, 0x2004, 0x1000 + behind);
        assert_int_equal(v, behind >= 1 && behind <= 15 ? BRANCH_RIGHT : BRANCH_WRONG);
    }
    branch_bed_close(&b);
}

TEST(a_perfect_front_end_is_never_wrong)
{
    UNUSED_STATE;
    struct branch_bed b;
    open_btb(&b, 16, 4);
    b.config.perfect = true;
    struct rng rng;
    rng_init(&rng, 1, "coin");
    for (u32 i = 0; i < 1000; i++) {
        assert_int_equal(conditional(&b, 0x1000, rng_u64(&rng) & 1), BRANCH_RIGHT);
        assert_int_equal(branch(&b, CPU_INDIRECT_JUMP, 0x2000, rng_u64(&rng)), BRANCH_RIGHT);
    }
    assert_int_equal(b.unit.counts.mispredicted, 0);
    branch_bed_close(&b);
}

RUN_TESTS(T(as_many_taken_branches_as_entries_miss_once_each),
          T(a_branch_that_is_not_taken_has_no_entry),
          T(two_branches_of_a_set_evict_each_other_unless_there_are_two_ways),
          T(a_direct_target_is_late_and_an_indirect_one_wrong_when_it_is_not_known),
          T(returns_go_where_calls_came_from_as_deep_as_the_stack),
          T(a_return_behind_a_call_of_unknown_length_is_right),
          T(a_perfect_front_end_is_never_wrong))
