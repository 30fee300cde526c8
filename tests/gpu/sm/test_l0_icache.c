/*
 * The L0 instruction cache on a larger one that holds what the test puts there.
 *
 * Four lines of 64 bytes, one set. A line takes 5 cycles from the larger cache, and one leaves it
 * every 3rd.
 */
#include "testing.h"

#include "gpu/sm/l0_icache.h"
#include "gpu/sm/ticket.h"
#include "policy/registry.h"

struct bed {
    struct arena arena;
    struct pool pool;
    struct fetch_config fetch;
    struct ro_cache_config config;
    struct ro_cache larger;
    struct l0_icache cache;
    u64 sent[8];
    u32 sent_count;
};

static bool can_send(void *sm)
{
    (void)sm;
    return true;
}

static void send(void *sm, handle_t h, cycle_t now)
{
    struct bed *b = sm;
    b->sent[b->sent_count++] = ((struct request *)pool_get(&b->pool, h))->line;
    ro_cache_reply(&b->larger, h, now);
}

static void came(void *sm, const struct ro_cache *s, const struct request *r, cycle_t now)
{
    (void)sm, (void)s, (void)r, (void)now;
}

static void bed_open(struct bed *b, u32 ahead, u32 launch_bytes)
{
    static const struct ro_cache_client_ops ops = {can_send, send, came};
    struct policy_choice lru;
    struct err err = ERR_INIT;
    *b = (struct bed){.fetch = {.l0_bytes = 256,
                                .l0_ways = 4,
                                .l0_cycles = 5,
                                .l0_line_cycles = 3,
                                .l0_ahead = ahead,
                                .launch_bytes = launch_bytes},
                      .config = {.size_bytes = 4096,
                                 .ways = 4,
                                 .line_bytes = 64,
                                 .mshrs = 8,
                                 .merge_limit = 2,
                                 .prefetch_lines = 3}};
    pool_init(&b->pool, &b->arena, 32, sizeof(struct request));
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, "lru", "replacement", NULL, &b->arena, &lru, &err));
    ro_cache_init(&b->larger, &b->arena,
                  &(struct ro_cache_parts){.config = &b->config,
                                           .client = CLIENT_INSTRUCTION,
                                           .requests = &b->pool,
                                           .lru = lru,
                                           .ops = &ops,
                                           .sm = b});
    l0_icache_init(
        &b->cache, &b->arena,
        &(struct l0_icache_parts){.config = &b->fetch, .larger = &b->larger, .lru = lru});
}

static void bed_close(struct bed *b)
{
    assert_int_equal(pool_in_use(&b->pool), 0);
    arena_fini(&b->arena);
}

static void put(struct bed *b, u64 line, u32 lines)
{
    for (u32 i = 0; i < lines; i++)
        assert_true(ro_cache_put(&b->larger, line + i * 64));
}

TEST(a_line_comes_from_the_larger_cache_and_is_then_fetched_at_once)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0, 0);
    put(&b, 0x1000, 1);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 10), 15);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 12), 15); /* it is on its way */
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 20), 20);
    assert_true(l0_icache_fetch(&b.cache, 0x2000, 20) == CYCLE_NEVER);
    bed_close(&b);
}

TEST(lines_leave_the_larger_cache_one_after_the_other)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0, 0);
    put(&b, 0x1000, 3);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 10), 15);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1040, 11), 18);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1080, 30), 35);
    bed_close(&b);
}

TEST(lines_ahead_come_behind_the_one_that_was_asked_for)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 2, 0);
    put(&b, 0x1000, 5);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 10), 15);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 11), 15); /* the same line asks for none */
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1080, 12), 21); /* 15, 18, 21 */
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1040, 13), 18);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1100, 40), 40); /* came with 0x1080, at 27 */
    bed_close(&b);
}

TEST(lines_ahead_end_where_the_larger_cache_has_none)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 3, 0);
    put(&b, 0x1000, 1);
    put(&b, 0x1080, 1);
    l0_icache_fetch(&b.cache, 0x1000, 10);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1080, 40), 45); /* it was behind the gap */
    bed_close(&b);
}

TEST(the_line_that_was_fetched_least_recently_goes)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0, 0);
    put(&b, 0x1000, 5);
    for (u64 i = 0; i < 4; i++)
        l0_icache_fetch(&b.cache, 0x1000 + i * 64, 10);
    l0_icache_fetch(&b.cache, 0x1000, 50);
    l0_icache_fetch(&b.cache, 0x1100, 60); /* takes the place of 0x1040 */
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 70), 70);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1040, 70), 75);
    bed_close(&b);
}

TEST(a_launch_brings_the_start_of_its_code_once)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0, 128);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1000, 10), 15); /* the first fetch says where */
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1040, 20), 25);
    assert_true(l0_icache_fetch(&b.cache, 0x1080, 30) == CYCLE_NEVER);
    assert_true(l0_icache_fetch(&b.cache, 0xfc0, 30) == CYCLE_NEVER);
    assert_true(ro_cache_holds(&b.larger, 0x1040));
    assert_int_equal(b.sent_count, 0);
    l0_icache_launch(&b.cache); /* another kernel */
    assert_int_equal(l0_icache_fetch(&b.cache, 0x1080, 40), 45);
    assert_int_equal(l0_icache_fetch(&b.cache, 0x10c0, 50), 55);
    assert_true(l0_icache_fetch(&b.cache, 0x1100, 60) == CYCLE_NEVER);
    bed_close(&b);
}

TEST(a_warp_that_goes_on_asks_for_lines_unless_the_last_of_them_is_there)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0, 0);
    struct request here = {.line = 0x1000, .sectors = 3};
    put(&b, 0x1000, 2);
    l0_icache_go_on(&b.cache, &here, 10); /* 0x1040 is there */
    assert_int_equal(b.sent_count, 2);
    assert_int_equal(b.sent[0], 0x1080);
    assert_int_equal(b.sent[1], 0x10c0);
    l0_icache_go_on(&b.cache, &here, 20);
    assert_int_equal(b.sent_count, 2);
    bed_close(&b);
}

TEST(what_its_launch_has_brought_is_not_asked_for)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0, 128);
    struct request here = {.line = 0x1000, .sectors = 3};
    l0_icache_fetch(&b.cache, 0x1000, 10);
    l0_icache_go_on(&b.cache, &here, 20); /* 0x1040 is there by then */
    assert_int_equal(b.sent_count, 2);
    assert_int_equal(b.sent[0], 0x1080);
    bed_close(&b);
}

RUN_TESTS(T(a_line_comes_from_the_larger_cache_and_is_then_fetched_at_once),
          T(lines_leave_the_larger_cache_one_after_the_other),
          T(lines_ahead_come_behind_the_one_that_was_asked_for),
          T(lines_ahead_end_where_the_larger_cache_has_none),
          T(the_line_that_was_fetched_least_recently_goes),
          T(a_launch_brings_the_start_of_its_code_once),
          T(a_warp_that_goes_on_asks_for_lines_unless_the_last_of_them_is_there),
          T(what_its_launch_has_brought_is_not_asked_for))
