/* The issue queue: sources, pipes, order. Two ALUs of one cycle, a multiplier of three, a divider
 * that is busy for ten. */
#include "cpu/window_bed.h"

TEST(what_waits_for_a_result_issues_in_the_cycle_in_which_it_is_there)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    u32 first = put(&b, work_of(CPU_MUL, 0, 3));
    u32 second = put(&b, work_of(CPU_ALU, 3, 4));
    u32 third = put(&b, work_of(CPU_ALU, 4, 5));
    run_to(&b, 10);
    assert_int_equal(done_at(&b, first), 4);
    assert_int_equal(done_at(&b, second), 5);
    assert_int_equal(done_at(&b, third), 6);
    window_close(&b);
}

TEST(several_that_wait_for_one_result_go_together_as_far_as_pipes_go)
{
    UNUSED_STATE;
    struct window_bed b;
    u32 slots[3];
    window_open(&b, window_config());
    put(&b, work_of(CPU_MUL, 0, 3));
    for (u32 i = 0; i < 3; i++)
        slots[i] = put(&b, work_of(CPU_ALU, 3, 0));
    run_to(&b, 10);
    assert_int_equal(done_at(&b, slots[0]), 5); /* the oldest first */
    assert_int_equal(done_at(&b, slots[1]), 5);
    assert_int_equal(done_at(&b, slots[2]), 6);
    window_close(&b);
}

TEST(a_pipe_that_is_not_pipelined_takes_the_next_when_it_has_ended)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    u32 first = put(&b, work_of(CPU_DIV, 0, 3)), second = put(&b, work_of(CPU_DIV, 0, 4));
    u32 other = put(&b, work_of(CPU_ALU, 0, 5));
    run_to(&b, 30);
    assert_int_equal(done_at(&b, first), 11);
    assert_int_equal(done_at(&b, second), 21);
    assert_int_equal(done_at(&b, other), 2); /* younger, and another unit */
    window_close(&b);
}

TEST(no_more_issue_in_a_cycle_than_the_width)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.window.issue_width = 1;
    window_open(&b, c);
    u32 a = put(&b, work_of(CPU_ALU, 0, 3)), d = put(&b, work_of(CPU_MUL, 0, 4));
    run_to(&b, 5);
    assert_int_equal(done_at(&b, a), 2);
    assert_int_equal(done_at(&b, d), 5);
    window_close(&b);
}

TEST(in_order_none_issues_before_all_older_ones_have)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.window.in_order = true;
    window_open(&b, c);
    put(&b, work_of(CPU_MUL, 0, 3));
    u32 waits = put(&b, work_of(CPU_ALU, 3, 4)); /* 4 */
    u32 free = put(&b, work_of(CPU_ALU, 0, 5));
    run_to(&b, 10);
    assert_int_equal(done_at(&b, waits), 5);
    assert_int_equal(done_at(&b, free), 5); /* in the same cycle, not before */
    window_close(&b);
}

TEST(an_entry_of_the_scheduler_is_held_until_the_instruction_issues)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.window.scheduler_entries = 2;
    window_open(&b, c);
    put(&b, work_of(CPU_MUL, 0, 3));
    put(&b, work_of(CPU_ALU, 3, 4));
    assert_true(issue_is_full(&b.issue));
    run_to(&b, 1);
    assert_false(issue_is_full(&b.issue));
    assert_int_equal(b.issue.unissued, 1);
    run_to(&b, 4);
    assert_int_equal(b.issue.unissued, 0);
    window_close(&b);
}

TEST(a_result_that_comes_almost_a_turn_of_the_wheel_later_is_not_lost)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.units.div = (struct unit_row){1, WHEEL - 1, 1};
    window_open(&b, c);
    put(&b, work_of(CPU_DIV, 0, 3));
    u32 after = put(&b, work_of(CPU_ALU, 3, 4));
    run_to(&b, 2 * WHEEL);
    assert_int_equal(done_at(&b, after), 1 + WHEEL - 1 + 1);
    window_close(&b);
}

RUN_TESTS(T(what_waits_for_a_result_issues_in_the_cycle_in_which_it_is_there),
          T(several_that_wait_for_one_result_go_together_as_far_as_pipes_go),
          T(a_pipe_that_is_not_pipelined_takes_the_next_when_it_has_ended),
          T(no_more_issue_in_a_cycle_than_the_width),
          T(in_order_none_issues_before_all_older_ones_have),
          T(an_entry_of_the_scheduler_is_held_until_the_instruction_issues),
          T(a_result_that_comes_almost_a_turn_of_the_wheel_later_is_not_lost))
