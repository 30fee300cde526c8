/* The compressed register cache by hand: spec 5, check F2. */
#include "testing.h"

#include "gpu/preempt/register_cache.h"

/* 2048 x 8 / 67. */
TEST(two_kilobytes_are_244_registers_and_never_more)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct register_cache c;
    register_cache_init(&c, &arena, 2048, 64);
    assert_int_equal(c.entries, 244);
    for (u32 i = 0; i < 300; i++) {
        register_cache_write(&c, i % 64, 7 * i, true);
        assert_int_equal(c.used, i < 244 ? i + 1 : 244);
    }
    assert_int_equal(c.full, 56);
    assert_int_equal(c.most, 244);
    for (u32 i = 0; i < 300; i++)
        assert_int_equal(register_cache_has(&c, i % 64, 7 * i), i < 244);
    arena_fini(&arena);
}

TEST(a_write_that_fits_no_pattern_gives_its_entry_to_the_next)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct register_cache c;
    register_cache_init(&c, &arena, 9, 2); /* one entry */
    assert_int_equal(c.entries, 1);
    register_cache_write(&c, 0, 5, true);
    register_cache_write(&c, 0, 5, true); /* again: the same entry */
    register_cache_write(&c, 1, 5, true);
    assert_true(register_cache_has(&c, 0, 5));
    assert_false(register_cache_has(&c, 1, 5)); /* another warp's, and no room */
    register_cache_write(&c, 0, 5, false);
    assert_false(register_cache_has(&c, 0, 5));
    assert_int_equal(c.used, 0);
    register_cache_write(&c, 1, 5, true);
    assert_true(register_cache_has(&c, 1, 5));
    arena_fini(&arena);
}

TEST(a_warp_that_leaves_gives_up_its_entries)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct register_cache c;
    register_cache_init(&c, &arena, 2048, 4);
    for (u32 i = 0; i < 30; i++)
        register_cache_write(&c, i % 3, i, true);
    register_cache_forget(&c, 1);
    assert_int_equal(c.used, 20);
    assert_false(register_cache_has(&c, 1, 1));
    assert_true(register_cache_has(&c, 2, 2));
    register_cache_write(&c, 0, CACHED_NAMES, true); /* beyond: never cached */
    assert_int_equal(c.used, 20);
    arena_fini(&arena);
}

RUN_TESTS(T(two_kilobytes_are_244_registers_and_never_more),
          T(a_write_that_fits_no_pattern_gives_its_entry_to_the_next),
          T(a_warp_that_leaves_gives_up_its_entries))
