#include "testing.h"

#include "base/arena.h"
#include "source/warp_stream.h"

static const struct barrier_arrival sync_all = {0, 0, true};

static struct arena arena;
static struct warp_stream s;

static void start(u32 warps)
{
    arena_fini(&arena);
    warp_stream_init(&s, &arena, warps);
}

TEST(warps_at_a_barrier_wait_for_all_that_have_not_ended)
{
    UNUSED_STATE;
    start(3);
    assert_false(warp_stream_arrive(&s, 0, &sync_all));
    assert_false(warp_stream_arrive(&s, 2, &sync_all));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_WAITS);
    assert_int_equal(warp_stream_next(&s, 1), NEXT_READY);
    assert_true(warp_stream_arrive(&s, 1, &sync_all));
    for (u32 w = 0; w < 3; w++)
        assert_int_equal(warp_stream_next(&s, w), NEXT_READY);
}

TEST(a_lone_warp_passes_its_barrier_and_wakes_nobody)
{
    UNUSED_STATE;
    start(1);
    assert_false(warp_stream_arrive(&s, 0, &sync_all));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_READY);
}

TEST(the_last_missing_warp_opens_the_barrier_by_ending)
{
    UNUSED_STATE;
    start(2);
    warp_stream_arrive(&s, 0, &sync_all);
    assert_true(warp_stream_end(&s, 1));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_READY);
    assert_int_equal(warp_stream_next(&s, 1), NEXT_ENDED);
}

TEST(a_warp_that_ends_at_its_barrier_does_not_hold_the_others)
{
    UNUSED_STATE;
    start(3);
    warp_stream_arrive(&s, 0, &sync_all);
    assert_false(warp_stream_end(&s, 0));
    assert_false(warp_stream_arrive(&s, 1, &sync_all));
    assert_true(warp_stream_arrive(&s, 2, &sync_all));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_ENDED);
    assert_int_equal(warp_stream_next(&s, 1), NEXT_READY);
}

TEST(a_barrier_can_be_used_again_at_once)
{
    UNUSED_STATE;
    start(2);
    for (u32 phase = 0; phase < 3; phase++) {
        assert_false(warp_stream_arrive(&s, phase % 2, &sync_all));
        assert_true(warp_stream_arrive(&s, 1 - phase % 2, &sync_all));
    }
}

TEST(a_counted_barrier_opens_at_its_count_and_ignores_the_rest)
{
    UNUSED_STATE;
    start(4);
    const struct barrier_arrival two = {3, 2, true};
    assert_false(warp_stream_arrive(&s, 0, &two));
    assert_true(warp_stream_arrive(&s, 1, &two));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_READY);
}

TEST(a_producer_arrives_without_waiting_and_may_end)
{
    UNUSED_STATE;
    start(2);
    const struct barrier_arrival arrive = {1, 2, false}, sync = {1, 2, true};
    assert_false(warp_stream_arrive(&s, 0, &arrive));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_READY);
    assert_false(warp_stream_end(&s, 0));
    assert_false(warp_stream_arrive(&s, 1, &sync));
    assert_int_equal(warp_stream_next(&s, 1), NEXT_READY);
}

TEST(an_uncounted_arrival_leaves_with_a_warp_that_ends)
{
    UNUSED_STATE;
    start(3);
    const struct barrier_arrival arrive = {0, 0, false};
    warp_stream_arrive(&s, 0, &arrive);
    warp_stream_end(&s, 0);
    warp_stream_arrive(&s, 1, &sync_all);
    assert_int_equal(warp_stream_next(&s, 1), NEXT_WAITS);
    assert_true(warp_stream_arrive(&s, 2, &sync_all));
}

TEST(barriers_of_different_names_do_not_meet)
{
    UNUSED_STATE;
    start(2);
    const struct barrier_arrival one = {1, 0, true}, two = {2, 0, true};
    assert_false(warp_stream_arrive(&s, 0, &one));
    assert_false(warp_stream_arrive(&s, 1, &two));
    assert_int_equal(warp_stream_next(&s, 0), NEXT_WAITS);
    assert_int_equal(warp_stream_next(&s, 1), NEXT_WAITS);
}

TEST(a_reset_starts_over)
{
    UNUSED_STATE;
    start(2);
    warp_stream_arrive(&s, 0, &sync_all);
    warp_stream_end(&s, 1);
    warp_stream_reset(&s);
    assert_int_equal(s.live, 2);
    assert_false(warp_stream_arrive(&s, 1, &sync_all));
    assert_int_equal(warp_stream_next(&s, 1), NEXT_WAITS);
}

TEST(the_last_warp_has_the_lanes_that_are_left)
{
    UNUSED_STATE;
    assert_int_equal(warps_of_threads(33), 2);
    assert_int_equal(warp_lanes(64, 1), UINT32_MAX);
    assert_int_equal(warp_lanes(33, 1), 1);
    arena_fini(&arena);
}

RUN_TESTS(T(warps_at_a_barrier_wait_for_all_that_have_not_ended),
          T(a_lone_warp_passes_its_barrier_and_wakes_nobody),
          T(the_last_missing_warp_opens_the_barrier_by_ending),
          T(a_warp_that_ends_at_its_barrier_does_not_hold_the_others),
          T(a_barrier_can_be_used_again_at_once),
          T(a_counted_barrier_opens_at_its_count_and_ignores_the_rest),
          T(a_producer_arrives_without_waiting_and_may_end),
          T(an_uncounted_arrival_leaves_with_a_warp_that_ends),
          T(barriers_of_different_names_do_not_meet), T(a_reset_starts_over),
          T(the_last_warp_has_the_lanes_that_are_left))
