#include "testing.h"

#include "base/timed_queue.h"

TEST(entries_leave_in_order_each_with_the_cycle_it_was_given)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct timed_queue q;
    timed_init(&q, &arena, 3);
    for (u32 round = 0; round < 20; round++) { /* 4 slots: positions wrap */
        cycle_t now = 100 * (cycle_t)round;
        assert_true(timed_is_empty(&q));
        for (u32 i = 0; i < 3; i++)
            timed_push(&q, 10 * round + i, now + 5 * i);
        assert_true(timed_is_full(&q));
        assert_int_equal(timed_peek(&q, 2), 10 * round + 2);
        for (u32 i = 0; i < 3; i++) {
            assert_int_equal(timed_due(&q, 2 - i), now + 10);
            assert_int_equal(timed_next(&q), now + 5 * i);
            assert_int_equal(timed_pop(&q), 10 * round + i);
        }
    }
    arena_fini(&arena);
}

TEST(a_queue_without_entries_is_never_due)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct timed_queue q;
    timed_init(&q, &arena, 4); /* a power of two needs one slot more than that */
    for (u32 n = 0; n <= 4; n++) {
        assert_true(timed_next(&q) == CYCLE_NEVER);
        for (u32 i = 0; i < n; i++)
            timed_push(&q, i, 7);
        assert_int_equal(timed_count(&q), n);
        assert_true(timed_due(&q, n) == CYCLE_NEVER); /* behind the last, full or not */
        for (u32 i = 0; i < n; i++)
            timed_pop(&q);
    }
    arena_fini(&arena);
}

TEST(an_entry_that_is_due_earlier_waits_for_the_one_in_front)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct timed_queue q;
    timed_init(&q, &arena, 2);
    timed_push(&q, 1, 50);
    timed_push(&q, 2, 20);
    assert_int_equal(timed_next(&q), 50);
    assert_int_equal(timed_pop(&q), 1);
    assert_int_equal(timed_next(&q), 20);
    arena_fini(&arena);
}

RUN_TESTS(T(entries_leave_in_order_each_with_the_cycle_it_was_given),
          T(a_queue_without_entries_is_never_due),
          T(an_entry_that_is_due_earlier_waits_for_the_one_in_front))
