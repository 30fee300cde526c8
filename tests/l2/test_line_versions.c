/* The checker of stale reads: what kernels and fences order, and what nobody does. */
#include "testing.h"

#include "l2/line_versions.h"

#define LINE 0x1000u
enum { WRITER = 3, READER = 70 }; /* warp slots */

static struct sim sim;
static struct versions v;

static void open_checker(void)
{
    static const struct engine_options plain = {0};
    memset(&sim, 0, sizeof sim);
    engine_init(&sim.engine, &sim.arena, &plain);
    stats_init(&sim.stats, &sim.arena);
    struct build_site site = site_of(&sim);
    versions_init(&v, &site);
    versions_next(&v);
}

static void fence(u32 warp, cycle_t now)
{
    versions_fence_begins(&v, warp);
    versions_fence_ends(&v, warp, now);
}

/* Is a read of the first version, asked for in that cycle, stale? */
static bool is_stale(u32 version, cycle_t issued)
{
    u64 before = v.counts.stale;
    versions_check(&v, LINE, version, READER, issued);
    return v.counts.stale > before;
}

TEST(a_read_must_see_what_earlier_kernels_wrote_and_nothing_of_its_own)
{
    UNUSED_STATE;
    open_checker();
    u32 first = versions_wrote(&v, LINE, WRITER);
    assert_false(is_stale(0, 10));
    versions_next(&v);
    assert_true(is_stale(0, 20));
    assert_false(is_stale(first, 20));
    versions_wrote(&v, LINE, WRITER);
    assert_false(is_stale(first, 30));
    arena_fini(&sim.arena);
}

TEST(a_read_after_a_fence_must_see_what_was_released_before_it_began)
{
    UNUSED_STATE;
    open_checker();
    u32 first = versions_wrote(&v, LINE, WRITER);
    fence(READER, 10);
    assert_false(is_stale(0, 11)); /* written, not released */
    fence(WRITER, 20);
    assert_false(is_stale(0, 21)); /* released, but the reader had its fence before */
    fence(READER, 30);
    assert_true(is_stale(0, 31));
    assert_false(is_stale(first, 31));
    assert_false(is_stale(0, 29)); /* asked for before the fence */
    arena_fini(&sim.arena);
}

TEST(a_fence_that_began_before_the_release_acquires_nothing_of_it)
{
    UNUSED_STATE;
    open_checker();
    versions_wrote(&v, LINE, WRITER);
    versions_fence_begins(&v, READER);
    fence(WRITER, 20);
    versions_fence_ends(&v, READER, 30);
    assert_false(is_stale(0, 31));
    arena_fini(&sim.arena);
}

TEST(a_later_write_that_nobody_released_does_not_hide_an_earlier_one)
{
    UNUSED_STATE;
    open_checker();
    u32 first = versions_wrote(&v, LINE, WRITER);
    fence(WRITER, 10);
    versions_wrote(&v, LINE, WRITER + 1);
    fence(READER, 20);
    assert_true(is_stale(0, 21));
    assert_false(is_stale(first, 21));
    arena_fini(&sim.arena);
}

TEST(a_write_after_the_stores_of_a_fence_were_done_is_not_released_by_it)
{
    UNUSED_STATE;
    open_checker();
    versions_fence_begins(&v, WRITER);
    versions_wrote(&v, LINE, WRITER);
    versions_fence_ends(&v, WRITER, 10);
    fence(READER, 20);
    assert_false(is_stale(0, 21));
    arena_fini(&sim.arena);
}

RUN_TESTS(T(a_read_must_see_what_earlier_kernels_wrote_and_nothing_of_its_own),
          T(a_read_after_a_fence_must_see_what_was_released_before_it_began),
          T(a_fence_that_began_before_the_release_acquires_nothing_of_it),
          T(a_later_write_that_nobody_released_does_not_hide_an_earlier_one),
          T(a_write_after_the_stores_of_a_fence_were_done_is_not_released_by_it))
