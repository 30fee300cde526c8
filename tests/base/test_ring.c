#include "testing.h"

#include "base/ring.h"

TEST(ring_keeps_order_and_exact_capacity)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct ring r;
    ring_init(&r, &arena, 5);
    for (u32 round = 0; round < 20; round++) {
        for (u32 i = 0; i < 5; i++) {
            assert_false(ring_is_full(&r));
            ring_push(&r, round * 5 + i);
        }
        assert_true(ring_is_full(&r));
        assert_int_equal(ring_peek(&r, 4), round * 5 + 4);
        for (u32 i = 0; i < 5; i++)
            assert_int_equal(ring_pop(&r), round * 5 + i);
        assert_true(ring_is_empty(&r));
    }
    arena_fini(&arena);
}

TEST(an_entry_taken_from_the_middle_leaves_the_others_in_order)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct ring r;
    ring_init(&r, &arena, 5); /* 8 slots: positions wrap from the second round on */
    for (u32 round = 0; round < 8; round++) {
        for (u32 i = 0; i < 5; i++)
            ring_push(&r, i);
        assert_int_equal(ring_remove(&r, 2), 2);
        assert_int_equal(ring_remove(&r, 3), 4);
        assert_int_equal(ring_count(&r), 3);
        assert_int_equal(ring_pop(&r), 0);
        assert_int_equal(ring_pop(&r), 1);
        assert_int_equal(ring_remove(&r, 0), 3);
        assert_true(ring_is_empty(&r));
    }
    arena_fini(&arena);
}

RUN_TESTS(T(ring_keeps_order_and_exact_capacity),
          T(an_entry_taken_from_the_middle_leaves_the_others_in_order))
