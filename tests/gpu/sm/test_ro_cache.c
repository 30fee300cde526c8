/*
 * A read-only cache alone: a client that notes what is sent and who is told.
 *
 * Two sets of two lines of 64 bytes (lines 0x000 and 0x080 are of set 0), two MSHRs of two
 * requests.
 */
#include "testing.h"

#include "gpu/sm/ro_cache.h"
#include "gpu/sm/ticket.h"
#include "policy/registry.h"

#define MOST 16u

struct bed {
    struct arena arena;
    struct pool pool;
    struct ro_cache_config config;
    struct ro_cache cache;
    handle_t sent[MOST];
    u64 lines[MOST]; /* that were sent */
    u32 sent_count, room;
    u32 told[MOST]; /* entries of tickets */
    u32 told_count;
    bool answers_at_once;
};

static bool can_send(void *sm)
{
    return ((struct bed *)sm)->room;
}

static void send(void *sm, handle_t h, cycle_t now)
{
    struct bed *b = sm;
    assert_true(b->room--);
    b->lines[b->sent_count] = ((struct request *)pool_get(&b->pool, h))->line;
    b->sent[b->sent_count++] = h;
    if (b->answers_at_once)
        ro_cache_reply(&b->cache, h, now);
}

static void came(void *sm, const struct ro_cache *s, const struct request *r, cycle_t now)
{
    struct bed *b = sm;
    assert_ptr_equal(s, &b->cache);
    assert_true(now >= r->issued);
    b->told[b->told_count++] = ticket_read(r).entry;
}

static void bed_open_as(struct bed *b, u8 client, u32 prefetch)
{
    static const struct ro_cache_client_ops ops = {can_send, send, came};
    struct policy_choice lru;
    struct err err = ERR_INIT;
    *b = (struct bed){.config = {.size_bytes = 256,
                                 .ways = 2,
                                 .line_bytes = 64,
                                 .mshrs = 2,
                                 .merge_limit = 2,
                                 .prefetch_lines = prefetch},
                      .room = MOST};
    pool_init(&b->pool, &b->arena, 32, sizeof(struct request));
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, "lru", "replacement", NULL, &b->arena, &lru, &err));
    ro_cache_init(&b->cache, &b->arena,
                  &(struct ro_cache_parts){.config = &b->config,
                                           .client = client,
                                           .agent = 9,
                                           .requests = &b->pool,
                                           .lru = lru,
                                           .ops = &ops,
                                           .sm = b});
}

static void bed_open(struct bed *b, u32 prefetch)
{
    bed_open_as(b, CLIENT_CONSTANT, prefetch);
}

/* Every request has been answered and freed. */
static void bed_close(struct bed *b)
{
    assert_int_equal(pool_in_use(&b->pool), 0);
    arena_fini(&b->arena);
}

/* A load with an entry of the LSU; what does not miss is freed, as its asker does. */
static enum ro_cache_answer ask(struct bed *b, u32 entry, u64 line)
{
    handle_t h = pool_alloc(&b->pool);
    *(struct request *)pool_get(&b->pool, h) = (struct request){
        .line = line,
        .sectors = 3,
        .agent = 9,
        .ticket = ticket_write((struct sm_ticket){.entry = entry, .client = b->cache.at.client})};
    enum ro_cache_answer answer = ro_cache_access(&b->cache, h, 10);
    if (answer != RO_CACHE_MISS)
        pool_free(&b->pool, h);
    return answer;
}

static void answer(struct bed *b, u32 sent)
{
    ro_cache_reply(&b->cache, b->sent[sent], 50);
}

TEST(a_line_is_asked_for_once_and_is_then_there)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0);
    assert_int_equal(ask(&b, 5, 0x1000), RO_CACHE_MISS);
    assert_int_equal(b.sent_count, 1);
    const struct request *r = pool_get(&b.pool, b.sent[0]);
    assert_int_equal(r->line, 0x1000);
    assert_int_equal(r->sectors, 3);
    assert_int_equal(r->kind, REQUEST_LOAD);
    assert_int_equal(r->agent, 9);
    assert_int_equal(b.told_count, 0);
    answer(&b, 0);
    assert_int_equal(b.told_count, 1);
    assert_int_equal(b.told[0], 5);
    assert_int_equal(ask(&b, 6, 0x1000), RO_CACHE_HIT);
    assert_int_equal(b.sent_count, 1);
    assert_int_equal(b.cache.counts.accesses, 2);
    assert_int_equal(b.cache.counts.hits, 1);
    assert_int_equal(b.cache.counts.misses, 1);
    bed_close(&b);
}

TEST(code_is_asked_for_as_code)
{
    UNUSED_STATE;
    struct bed b;
    bed_open_as(&b, CLIENT_INSTRUCTION, 0);
    ask(&b, 5, 0x1000);
    assert_int_equal(((struct request *)pool_get(&b.pool, b.sent[0]))->kind, REQUEST_FETCH);
    answer(&b, 0);
    bed_close(&b);
}

TEST(requests_for_a_line_on_its_way_wait_in_turn_and_one_too_many_is_blocked)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0);
    ask(&b, 1, 0x1000);
    b.room = 0; /* a second needs none */
    assert_int_equal(ask(&b, 2, 0x1000), RO_CACHE_MISS);
    assert_int_equal(ask(&b, 3, 0x1000), RO_CACHE_BLOCKED);
    assert_int_equal(b.sent_count, 1);
    assert_int_equal(b.cache.counts.accesses, 2); /* one that is blocked tries again */
    answer(&b, 0);
    assert_int_equal(b.told_count, 2);
    assert_int_equal(b.told[0], 1);
    assert_int_equal(b.told[1], 2);
    bed_close(&b);
}

TEST(a_miss_needs_an_mshr_and_room_below)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0);
    b.room = 0;
    assert_int_equal(ask(&b, 1, 0x1000), RO_CACHE_BLOCKED);
    b.room = 9;
    assert_int_equal(ask(&b, 1, 0x1000), RO_CACHE_MISS);
    assert_int_equal(ask(&b, 2, 0x1040), RO_CACHE_MISS);
    assert_int_equal(ask(&b, 3, 0x2000), RO_CACHE_BLOCKED);
    answer(&b, 1);
    assert_int_equal(ask(&b, 3, 0x2000), RO_CACHE_MISS);
    assert_int_equal(b.cache.counts.misses, 3);
    answer(&b, 0);
    answer(&b, 2);
    bed_close(&b);
}

TEST(the_line_that_was_used_least_recently_goes)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0);
    ask(&b, 1, 0x000);
    ask(&b, 2, 0x080);
    answer(&b, 0);
    answer(&b, 1);
    assert_true(ro_cache_holds(&b.cache, 0x000)); /* which is a use */
    ask(&b, 3, 0x100);
    answer(&b, 2);
    assert_true(ro_cache_holds(&b.cache, 0x000));
    assert_false(ro_cache_holds(&b.cache, 0x080));
    assert_true(ro_cache_holds(&b.cache, 0x100));
    bed_close(&b);
}

TEST(a_line_that_is_put_there_is_a_hit)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 0);
    assert_true(ro_cache_put(&b.cache, 0x1000));
    assert_int_equal(ask(&b, 1, 0x1000), RO_CACHE_HIT);
    assert_int_equal(b.sent_count, 0);
    bed_close(&b);
}

TEST(a_miss_brings_lines_behind_it_that_are_not_there_and_nobody_is_told)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 2);
    ro_cache_put(&b.cache, 0x1040);
    ask(&b, 7, 0x1000); /* with it 0x1080, as 0x1040 is there */
    assert_int_equal(b.sent_count, 2);
    assert_int_equal(b.lines[1], 0x1080);
    answer(&b, 1);
    assert_int_equal(b.told_count, 0);
    assert_true(ro_cache_holds(&b.cache, 0x1080));
    answer(&b, 0);
    assert_int_equal(b.told[0], 7);
    assert_int_equal(b.cache.counts.accesses, 1);
    bed_close(&b);
}

TEST(lines_ahead_are_left_where_there_is_no_mshr_or_room)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 3);
    ask(&b, 1, 0x1000); /* two MSHRs: one line ahead */
    assert_int_equal(b.sent_count, 2);
    assert_int_equal(ask(&b, 2, 0x1040), RO_CACHE_MISS); /* on its way: it is joined */
    answer(&b, 1);
    answer(&b, 0);
    assert_int_equal(b.told_count, 2);
    b.room = 1;
    ask(&b, 3, 0x2000);
    assert_int_equal(b.sent_count, 3);
    answer(&b, 2);
    bed_close(&b);
}

TEST(an_ideal_memory_may_answer_before_the_miss_has_returned)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1);
    b.answers_at_once = true;
    assert_int_equal(ask(&b, 4, 0x1000), RO_CACHE_MISS);
    assert_int_equal(b.told[0], 4);
    assert_int_equal(b.sent_count, 2);
    assert_true(ro_cache_holds(&b.cache, 0x1000));
    assert_true(ro_cache_holds(&b.cache, 0x1040));
    bed_close(&b);
}

RUN_TESTS(T(a_line_is_asked_for_once_and_is_then_there), T(code_is_asked_for_as_code),
          T(requests_for_a_line_on_its_way_wait_in_turn_and_one_too_many_is_blocked),
          T(a_miss_needs_an_mshr_and_room_below), T(the_line_that_was_used_least_recently_goes),
          T(a_line_that_is_put_there_is_a_hit),
          T(a_miss_brings_lines_behind_it_that_are_not_there_and_nobody_is_told),
          T(lines_ahead_are_left_where_there_is_no_mshr_or_room),
          T(an_ideal_memory_may_answer_before_the_miss_has_returned))
