#include "testing.h"

#include "base/rng.h"
#include "cache/mshr.h"

struct bed {
    struct arena arena;
    struct pool pool;
    struct mshr mshr;
};

static void bed_init(struct bed *b, u32 entries, u32 merge_limit)
{
    *b = (struct bed){0};
    pool_init(&b->pool, &b->arena, 4096, sizeof(struct request));
    mshr_init(&b->mshr, &b->arena, &b->pool, entries, merge_limit);
}

#define ALL_SECTORS 0xfu

static handle_t new_request(struct bed *b, u32 sectors)
{
    handle_t h = pool_alloc(&b->pool);
    *(struct request *)pool_get(&b->pool, h) = (struct request){.sectors = sectors};
    return h;
}

static enum mshr_answer add(struct bed *b, u64 line, handle_t h)
{
    u32 to_ask;
    return mshr_add(&b->mshr, line, h, &to_ask);
}

static handle_t take(struct bed *b, u64 line)
{
    return mshr_arrive(&b->mshr, line, ALL_SECTORS);
}

static handle_t after(const struct bed *b, handle_t h)
{
    return ((struct request *)pool_get(&b->pool, h))->next;
}

TEST(mshr_merges_a_second_miss_to_the_same_line)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b, 2, 8);
    handle_t x = new_request(&b, ALL_SECTORS), y = new_request(&b, ALL_SECTORS),
             z = new_request(&b, ALL_SECTORS);
    assert_int_equal(add(&b, 0x1000, x), MSHR_NEW);
    assert_int_equal(add(&b, 0x1000, y), MSHR_MERGED);
    assert_int_equal(add(&b, 0x1000, z), MSHR_MERGED);
    assert_int_equal(b.mshr.in_use, 1);
    /* all are served by one fill, oldest first */
    handle_t h = take(&b, 0x1000);
    assert_int_equal(h, x);
    h = after(&b, h);
    assert_int_equal(h, y);
    h = after(&b, h);
    assert_int_equal(h, z);
    assert_int_equal(after(&b, h), HANDLE_NONE);
    assert_int_equal(b.mshr.in_use, 0);
    assert_int_equal(take(&b, 0x1000), HANDLE_NONE);
    arena_fini(&b.arena);
}

TEST(mshr_refuses_when_full_and_when_an_entry_has_enough)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b, 2, 2);
    add(&b, 0x80, new_request(&b, ALL_SECTORS));
    assert_int_equal(mshr_probe(&b.mshr, 0x80), MSHR_MERGED);
    add(&b, 0x80, new_request(&b, ALL_SECTORS));
    assert_int_equal(mshr_probe(&b.mshr, 0x80), MSHR_MERGE_LIMIT);
    assert_int_equal(mshr_probe(&b.mshr, 0x100), MSHR_NEW);
    add(&b, 0x100, new_request(&b, ALL_SECTORS));
    assert_true(mshr_is_full(&b.mshr));
    assert_int_equal(mshr_probe(&b.mshr, 0x180), MSHR_FULL);
    assert_int_equal(mshr_probe(&b.mshr, 0x100), MSHR_MERGED); /* full does not stop a merge */
    take(&b, 0x80);
    assert_int_equal(mshr_probe(&b.mshr, 0x180), MSHR_NEW);
    arena_fini(&b.arena);
}

/* Against a plain array: every line added is found once, in any order. */
static void expect_agreement(u32 entries)
{
    struct bed b;
    u32 lines = 2 * entries - 2;
    bed_init(&b, entries, 4);
    struct rng rng;
    rng_init(&rng, 1, "mshr");
    u32 count[256] = {0}, in_use = 0;
    for (int i = 0; i < 100000; i++) {
        u64 k = rng_below(&rng, lines), line = k << 40 | k * 128;
        if (rng_below(&rng, 2)) {
            enum mshr_answer want = count[k] == 4       ? MSHR_MERGE_LIMIT
                                    : count[k]          ? MSHR_MERGED
                                    : in_use == entries ? MSHR_FULL
                                                        : MSHR_NEW;
            assert_int_equal(mshr_probe(&b.mshr, line), want);
            if (want == MSHR_NEW || want == MSHR_MERGED) {
                in_use += want == MSHR_NEW;
                count[k]++;
                add(&b, line, new_request(&b, ALL_SECTORS));
            }
        } else {
            u32 got = 0;
            for (handle_t h = take(&b, line), next; h != HANDLE_NONE; h = next, got++) {
                next = after(&b, h);
                pool_free(&b.pool, h);
            }
            assert_int_equal(got, count[k]);
            in_use -= count[k] > 0;
            count[k] = 0;
        }
        assert_int_equal(b.mshr.in_use, in_use);
    }
    arena_fini(&b.arena);
}

/* 33 entries are scanned, 65 found in buckets. */
TEST(mshr_agrees_with_an_array_under_random_traffic)
{
    UNUSED_STATE;
    expect_agreement(33);
    expect_agreement(65);
}

TEST(mshr_lets_a_request_go_when_its_own_sectors_have_come)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b, 2, 8);
    handle_t low = new_request(&b, 1), both = new_request(&b, 3), again = new_request(&b, 1);
    u32 to_ask;
    assert_int_equal(mshr_add(&b.mshr, 0x80, low, &to_ask), MSHR_NEW);
    assert_int_equal(to_ask, 1);
    assert_int_equal(mshr_add(&b.mshr, 0x80, both, &to_ask), MSHR_MERGED);
    assert_int_equal(to_ask, 2); /* the first sector was asked for already */
    assert_int_equal(mshr_add(&b.mshr, 0x80, again, &to_ask), MSHR_MERGED);
    assert_int_equal(to_ask, 0);
    handle_t h = mshr_arrive(&b.mshr, 0x80, 1);
    assert_int_equal(h, low);
    assert_int_equal(after(&b, h), again);
    assert_int_equal(b.mshr.in_use, 1);
    assert_int_equal(mshr_arrive(&b.mshr, 0x80, 2), both);
    assert_int_equal(b.mshr.in_use, 0);
    arena_fini(&b.arena);
}

RUN_TESTS(T(mshr_merges_a_second_miss_to_the_same_line),
          T(mshr_refuses_when_full_and_when_an_entry_has_enough),
          T(mshr_lets_a_request_go_when_its_own_sectors_have_come),
          T(mshr_agrees_with_an_array_under_random_traffic))
