/* The reorder buffer alone, with a window of 4 instructions. */
#include "testing.h"

#include "cpu/rob.h"

static u32 take(struct rob *r, u8 destination)
{
    struct cpu_instruction i = {.class = CPU_ALU, .destination_count = 1};
    i.destinations[0] = destination;
    return rob_take(r, &i, CORE_RETIRED);
}

TEST(the_window_is_full_at_its_entries_and_has_room_after_a_retirement)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct rob r;
    rob_init(&r, &a, 4);
    for (u32 i = 0; i < 5; i++)
        take(&r, 3);
    assert_true(rob_is_empty(&r));
    for (u32 i = 0; i < 4; i++) {
        assert_false(rob_is_full(&r));
        rob_dispatch(&r);
    }
    assert_true(rob_is_full(&r));
    rob_retire(&r);
    assert_false(rob_is_full(&r));
    arena_fini(&a);
}

TEST(a_younger_instruction_that_is_done_waits_for_the_oldest)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct rob r;
    rob_init(&r, &a, 4);
    u32 first = take(&r, 3), second = take(&r, 4);
    rob_dispatch(&r);
    rob_dispatch(&r);
    r.entries[second].done_at = 5;
    assert_false(rob_can_retire(&r, 9));
    r.entries[first].done_at = 10;
    assert_false(rob_can_retire(&r, 9));
    assert_true(rob_can_retire(&r, 10));
    assert_ptr_equal(rob_retire(&r), &r.instructions[first]);
    assert_true(rob_can_retire(&r, 10));
    arena_fini(&a);
}

TEST(a_register_is_the_result_of_its_youngest_writer_until_that_retires)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct rob r;
    u16 *waiters = NULL;
    rob_init(&r, &a, 4);
    assert_int_equal(rob_register_at(&r, 3, &waiters), 0);
    u32 first = take(&r, 3), second = take(&r, 3);
    rob_dispatch(&r);
    rob_dispatch(&r);
    r.entries[first].done_at = 7;
    assert_true(rob_register_at(&r, 3, &waiters) == CYCLE_NEVER);
    assert_ptr_equal(waiters, &r.entries[second].waiters);
    r.entries[second].done_at = 12;
    assert_int_equal(rob_register_at(&r, 3, &waiters), 12);
    rob_retire(&r);
    rob_retire(&r);
    assert_int_equal(rob_register_at(&r, 3, &waiters), 0);
    arena_fini(&a);
}

TEST(the_front_end_holds_so_many_instructions_and_no_more)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct rob r;
    rob_init(&r, &a, 4);
    for (u32 i = 0; i < FRONT_MOST; i++) {
        assert_true(rob_can_take(&r));
        take(&r, 3);
    }
    assert_false(rob_can_take(&r));
    rob_dispatch(&r);
    assert_true(rob_can_take(&r));
    arena_fini(&a);
}

RUN_TESTS(T(the_window_is_full_at_its_entries_and_has_room_after_a_retirement),
          T(a_younger_instruction_that_is_done_waits_for_the_oldest),
          T(a_register_is_the_result_of_its_youngest_writer_until_that_retires),
          T(the_front_end_holds_so_many_instructions_and_no_more))
