/* arena and pool */
#include "testing.h"

#include "base/arena.h"
#include "base/pool.h"

#include <sys/mman.h>

#define PLACE 0x680000000000u
#define PLACE_END (PLACE + (64u << 20))

/* Small, large and sparse requests, all of them in one range of addresses. */
static void take_some(struct arena *a, u8 *taken[3])
{
    taken[0] = arena_alloc(a, 100);
    taken[1] = arena_alloc_sparse(a, (size_t)5 << 20);
    taken[2] = arena_alloc_aligned(a, (size_t)3 << 20, 64);
}

TEST(a_placed_arena_gives_the_same_addresses_again_and_can_be_as_long_as_another)
{
    UNUSED_STATE;
    struct arena a = {0};
    u8 *first[3], *again[3];
    arena_place(&a, PLACE, PLACE_END);
    take_some(&a, first);
    u64 next = a.next;
    arena_fini(&a);
    arena_place(&a, PLACE, PLACE_END);
    take_some(&a, again);
    for (u32 i = 0; i < 3; i++) {
        assert_ptr_equal(first[i], again[i]);
        assert_in_range((uintptr_t)first[i], PLACE, next - 1);
    }
    arena_fini(&a);

    arena_place(&a, PLACE, PLACE_END);
    u8 *small = arena_alloc(&a, 100);
    assert_ptr_equal(small, first[0]);
    assert_false(arena_extend(&a, PLACE));                  /* it is longer */
    assert_false(arena_extend(&a, PLACE_END + (2u << 20))); /* past the end */
    assert_true(arena_extend(&a, next));
    assert_int_equal(first[2][0], 0);
    first[2][0] = 1;
    munmap((void *)(uintptr_t)PLACE, (size_t)(next - PLACE)); /* no block knows of the rest */
}

TEST(arena_memory_is_zeroed_and_aligned)
{
    UNUSED_STATE;
    struct arena a = {0};
    for (size_t align = 1; align <= 4096; align *= 2) {
        u8 *p = arena_alloc_aligned(&a, 100, align);
        assert_int_equal((uintptr_t)p % align, 0);
        for (int i = 0; i < 100; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, 100);
    }
    assert_int_equal(a.used_bytes, 13 * 100);
    arena_fini(&a);
}

TEST(arena_text_is_that_of_printf)
{
    UNUSED_STATE;
    struct arena a = {0};
    assert_string_equal(arena_printf(&a, "%s%u.%s", "sm", 79u, "miss"), "sm79.miss");
    assert_string_equal(arena_printf(&a, "%u %u", 0u, UINT32_MAX), "0 4294967295");
    assert_string_equal(arena_printf(&a, "%s", ""), "");
    assert_string_equal(arena_printf(&a, "%u%% of %.2f", 7u, 0.5), "7% of 0.50");
    char longer[301] = {0};
    memset(longer, 'x', 300);
    assert_string_equal(arena_printf(&a, "%s", longer), longer);
    assert_int_equal(strlen(arena_printf(&a, "%s%u", longer, 12u)), 302);
    arena_fini(&a);
}

TEST(a_large_arena_is_zeroed_and_aligned_too)
{
    UNUSED_STATE;
    struct arena a = {0};
    for (u32 i = 0; i < 400; i++) { /* 12 MB, in blocks of all kinds */
        size_t bytes = i % 100 == 99 ? (size_t)2 << 20 : 10000;
        u8 *p = arena_alloc_aligned(&a, bytes, 4096);
        assert_int_equal((uintptr_t)p % 4096, 0);
        assert_int_equal(p[0] | p[bytes / 2] | p[bytes - 1], 0);
        memset(p, 0xff, bytes);
    }
    assert_int_equal(a.used_bytes, 396 * 10000 + 4 * (2 << 20));
    arena_fini(&a);
    assert_null(a.blocks);
}

TEST(memory_of_which_little_is_touched_leaves_the_rest_of_the_arena_alone)
{
    UNUSED_STATE;
    struct arena a = {0};
    u8 *first = arena_alloc(&a, 16), *small = arena_alloc_sparse(&a, 1000);
    u8 *large = arena_alloc_sparse(&a, (size_t)1 << 30), *next = arena_alloc(&a, 16);
    assert_int_equal(((uintptr_t)small | (uintptr_t)large) % 64, 0);
    assert_int_equal(large[0] | large[((size_t)1 << 30) - 1], 0);
    large[((size_t)1 << 30) - 1] = 1;
    assert_in_range(next - first, 16, 4096); /* of the same block */
    assert_int_equal(a.used_bytes, 32 + 1000 + ((size_t)1 << 30));
    arena_fini(&a);
    large = arena_alloc_sparse(&a, (size_t)4 << 20); /* the first of all */
    large[0] = 1;
    assert_non_null(arena_alloc(&a, 16));
    arena_fini(&a);
}

TEST(arena_serves_a_request_larger_than_a_block)
{
    UNUSED_STATE;
    struct arena a = {0};
    u8 *big = arena_alloc(&a, 1 << 20);
    big[(1 << 20) - 1] = 1;
    assert_string_equal(arena_printf(&a, "%s%u", "sm", 3u), "sm3");
    arena_fini(&a);
    arena_fini(&a); /* of an empty arena: nothing happens */
}

TEST(pool_hands_out_every_handle_once_and_never_zero)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct pool p;
    pool_init(&p, &a, 100, 12);
    bool seen[101] = {false};
    for (int i = 0; i < 100; i++) {
        handle_t h = pool_alloc(&p);
        assert_in_range(h, 1, 100);
        assert_false(seen[h]);
        seen[h] = true;
        memset(pool_get(&p, h), i, 12);
    }
    assert_int_equal(pool_in_use(&p), 100);
    assert_int_equal(p.most_in_use, 100);
    arena_fini(&a);
}

TEST(pool_reuses_the_object_freed_last)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct pool p;
    pool_init(&p, &a, 4, 8);
    handle_t first = pool_alloc(&p), second = pool_alloc(&p);
    pool_free(&p, first);
    pool_free(&p, second);
    assert_int_equal(pool_alloc(&p), second);
    arena_fini(&a);
}

RUN_TESTS(T(a_placed_arena_gives_the_same_addresses_again_and_can_be_as_long_as_another),
          T(arena_memory_is_zeroed_and_aligned), T(arena_text_is_that_of_printf),
          T(a_large_arena_is_zeroed_and_aligned_too),
          T(memory_of_which_little_is_touched_leaves_the_rest_of_the_arena_alone),
          T(arena_serves_a_request_larger_than_a_block),
          T(pool_hands_out_every_handle_once_and_never_zero), T(pool_reuses_the_object_freed_last))
