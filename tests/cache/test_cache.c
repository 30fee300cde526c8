/* The cache alone: four sets of four lines of 128 bytes, four MSHRs of two requests. */
#include "testing.h"

#include "base/rng.h"
#include "cache/cache.h"
#include "policy/registry.h"

struct bed {
    struct arena arena;
    struct pool pool;
    struct cache cache;
    u32 evictions, shown;
    u64 last_evicted, last_shown;
};

static void note_evicted(struct cache *c, u32 set, u32 way)
{
    struct bed *b = c->owner;
    b->evictions++;
    b->last_evicted = tags_address(&c->tags, set, way);
}

static void note_shown(struct cache *c, u32 set, u32 way, u64 line)
{
    (void)set, (void)way;
    struct bed *b = c->owner;
    b->shown++;
    b->last_shown = line;
}

/* Even agents are of class 0, odd ones of class 1. */
static u64 ways_by_agent(const struct cache *c, u32 set, const struct request *access)
{
    (void)c, (void)set;
    return access->agent ? 8 : 7;
}

static void open_with(struct bed *b, u32 fill_bytes, const struct cache_events *events)
{
    *b = (struct bed){0};
    pool_init(&b->pool, &b->arena, 64, sizeof(struct request));
    struct cache_shape shape = {.size_bytes = 2048,
                                .ways = 4,
                                .line_bytes = 128,
                                .index = SET_LINEAR,
                                .mshrs = 4,
                                .merge_limit = 2,
                                .fill_bytes = fill_bytes};
    struct policy_choice lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL};
    cache_init(&b->cache, &b->arena, &shape, &b->pool, lru, 1);
    b->cache.events = events;
    b->cache.owner = b;
}

static handle_t request(struct bed *b, u64 line, u32 sectors, u16 agent)
{
    handle_t h = pool_alloc(&b->pool);
    *(struct request *)pool_get(&b->pool, h) =
        (struct request){.line = line, .sectors = sectors, .agent = agent};
    return h;
}

static struct request *at(struct bed *b, handle_t h)
{
    return pool_get(&b->pool, h);
}

/* A miss that must be possible; what it asks for. */
static u32 miss(struct bed *b, handle_t h, struct cache_miss *m)
{
    const struct request *r = at(b, h);
    struct cache_place p = cache_find(&b->cache, r->line, r->line);
    assert_int_equal(cache_plan(&b->cache, p, r, true, 0, m), CACHE_CAN);
    return cache_start(&b->cache, m, h);
}

/* The line comes and is there. */
static handle_t fill(struct bed *b, u64 line, u32 sectors)
{
    struct cache_place p = cache_find(&b->cache, line, line);
    handle_t waiting = cache_fill(&b->cache, p, line, sectors);
    cache_filled(&b->cache, p, line);
    return waiting;
}

static void bring(struct bed *b, u64 line, u16 agent)
{
    struct cache_miss m;
    miss(b, request(b, line, 1, agent), &m);
    fill(b, line, 0xf);
}

static bool holds(struct bed *b, u64 line, u32 sectors)
{
    struct request r = {.line = line, .sectors = sectors};
    return cache_holds(&b->cache, cache_find(&b->cache, line, line), &r);
}

TEST(without_sectors_a_miss_asks_for_the_whole_line_and_the_request_keeps_its_own)
{
    UNUSED_STATE;
    struct bed b;
    struct cache_miss m;
    open_with(&b, 0, NULL);
    handle_t h = request(&b, 0x1000, 2, 0);
    assert_int_equal(miss(&b, h, &m), 0xf);
    assert_int_equal(at(&b, h)->sectors, 2);
    assert_false(holds(&b, 0x1000, 2));
    assert_int_equal(fill(&b, 0x1000, 0xf), h);
    assert_true(holds(&b, 0x1000, 0xf));
    arena_fini(&b.arena);
}

/* Groups of 64 bytes: sectors 0 and 1, 2 and 3. */
TEST(a_miss_brings_aligned_groups_of_sectors_less_those_that_are_there)
{
    UNUSED_STATE;
    struct bed b;
    struct cache_miss m;
    open_with(&b, 64, NULL);
    assert_int_equal(miss(&b, request(&b, 0x1000, 1, 0), &m), 3);
    assert_false(m.is_there);
    fill(&b, 0x1000, 3);
    assert_int_equal(miss(&b, request(&b, 0x1000, 6, 0), &m), 4 | 8 | 2); /* 1 is wanted again */
    assert_true(m.is_there);
    assert_false(m.reserves);
    arena_fini(&b.arena);
}

TEST(requests_join_a_line_on_its_way_and_go_on_when_their_sectors_have_come)
{
    UNUSED_STATE;
    struct bed b;
    struct cache_miss m;
    open_with(&b, 32, NULL);
    handle_t first = request(&b, 0x1000, 1, 0), second = request(&b, 0x1000, 3, 0);
    assert_int_equal(miss(&b, first, &m), 1);
    assert_int_equal(cache_merge(&b.cache, second), 2);
    assert_int_equal(mshr_probe(&b.cache.mshr, 0x1000), MSHR_MERGE_LIMIT);
    assert_int_equal(fill(&b, 0x1000, 1), first);
    assert_int_equal(at(&b, first)->next, HANDLE_NONE);
    /* more is on its way: the line cannot be given up */
    assert_int_equal(cache_line(&b.cache, m.place)->state, LINE_RESERVED);
    assert_int_equal(fill(&b, 0x1000, 2), second);
    assert_int_equal(cache_line(&b.cache, m.place)->state, LINE_VALID);
    arena_fini(&b.arena);
}

TEST(what_a_miss_would_take_is_told_before_anything_changes)
{
    UNUSED_STATE;
    struct bed b;
    struct cache_miss m;
    open_with(&b, 0, NULL);
    for (u32 i = 0; i < 4; i++)
        bring(&b, 0x1000 + i * 512, 0); /* all in set 0 */
    cache_line(&b.cache, cache_find(&b.cache, 0x1000, 0x1000))->dirty = 1;
    struct request r = {.line = 0x8000, .sectors = 1};
    struct cache_place p = cache_find(&b.cache, r.line, r.line);
    assert_int_equal(cache_plan(&b.cache, p, &r, true, 0, &m), CACHE_CAN);
    assert_true(m.reserves && m.dirty_victim);
    assert_true(holds(&b, 0x1000, 0xf)); /* still there */
    /* the oldest is kept: the next goes */
    assert_int_equal(cache_plan(&b.cache, p, &r, true, 1, &m), CACHE_CAN);
    assert_int_equal(m.place.way, 1);
    assert_false(m.dirty_victim);
    assert_int_equal(cache_plan(&b.cache, p, &r, true, 0xf, &m), CACHE_NO_WAY);
    arena_fini(&b.arena);
}

TEST(a_fifth_line_on_its_way_finds_no_mshr_and_in_its_set_no_way)
{
    UNUSED_STATE;
    struct bed b;
    struct cache_miss m;
    open_with(&b, 0, NULL);
    for (u32 i = 0; i < 4; i++)
        miss(&b, request(&b, 0x1000 + i * 512, 1, 0), &m);
    struct request same = {.line = 0x8000, .sectors = 1}, other = {.line = 0x8080, .sectors = 1};
    struct cache_place p = cache_find(&b.cache, same.line, same.line);
    assert_int_equal(cache_plan(&b.cache, p, &same, true, 0, &m), CACHE_NO_WAY);
    assert_int_equal(cache_plan(&b.cache, p, &same, false, 0, &m), CACHE_NO_MSHR);
    p = cache_find(&b.cache, other.line, other.line);
    assert_int_equal(cache_plan(&b.cache, p, &other, true, 0, &m), CACHE_NO_MSHR);
    arena_fini(&b.arena);
}

/* Agent 0 has ways 0 to 2 of a set, agent 1 way 3. */
TEST(requesters_take_their_own_ways_alone)
{
    UNUSED_STATE;
    struct bed b;
    open_with(&b, 0, NULL);
    b.cache.ways_for = ways_by_agent;
    bring(&b, 0x1000, 0);
    for (u32 i = 1; i <= 8; i++)
        bring(&b, 0x1000 + i * 512, 1); /* each takes the way of the one before */
    assert_true(holds(&b, 0x1000, 1));
    assert_true(holds(&b, 0x1000 + 8 * 512, 1));
    assert_false(holds(&b, 0x1000 + 7 * 512, 1));
    for (u32 i = 10; i < 13; i++)
        bring(&b, 0x1000 + i * 512, 0); /* three ways: the first line goes */
    assert_false(holds(&b, 0x1000, 1));
    assert_true(holds(&b, 0x1000 + 8 * 512, 1));
    arena_fini(&b.arena);
}

TEST(its_owner_is_told_what_leaves_and_what_others_can_see)
{
    UNUSED_STATE;
    static const struct cache_events events = {.evicted = note_evicted, .shows = note_shown};
    struct bed b;
    open_with(&b, 0, &events);
    bring(&b, 0x1000, 0);
    assert_int_equal(b.shown, 2); /* nothing while it is on its way, then the line */
    assert_int_equal(b.last_shown, 0x1000);
    assert_int_equal(b.evictions, 0);
    for (u32 i = 1; i <= 4; i++)
        bring(&b, 0x1000 + i * 512, 0);
    assert_int_equal(b.evictions, 1);
    assert_int_equal(b.last_evicted, 0x1000);
    cache_invalidate(&b.cache, 0, 0);
    assert_int_equal(b.last_shown, NO_LINE);
    arena_fini(&b.arena);
}

TEST(a_flush_leaves_dirty_lines_and_those_on_their_way)
{
    UNUSED_STATE;
    struct bed b;
    struct cache_miss m;
    open_with(&b, 0, NULL);
    bring(&b, 0x1000, 0);
    bring(&b, 0x1200, 0);
    miss(&b, request(&b, 0x1400, 1, 0), &m);
    cache_line(&b.cache, cache_find(&b.cache, 0x1200, 0x1200))->dirty = 1;
    cache_flush(&b.cache);
    assert_false(holds(&b, 0x1000, 1));
    assert_true(holds(&b, 0x1200, 1));
    fill(&b, 0x1400, 0xf);
    assert_true(holds(&b, 0x1400, 1));
    arena_fini(&b.arena);
}

/* Sectors of a line come one by one; a fifth line of a set takes the place of the least recently
 * used. */
TEST(what_comes_without_time_is_there_as_if_it_had_been_loaded)
{
    UNUSED_STATE;
    struct bed b;
    open_with(&b, 32, NULL);
    for (u32 i = 0; i < 4; i++)
        cache_warm(&b.cache, &(struct request){.line = 0x1000 + i * 512, .sectors = 1});
    assert_true(holds(&b, 0x1000, 1));
    assert_false(holds(&b, 0x1000, 2));
    cache_warm(&b.cache, &(struct request){.line = 0x1000, .sectors = 2});
    assert_true(holds(&b, 0x1000, 3));
    cache_warm(&b.cache, &(struct request){.line = 0x1000 + 4 * 512, .sectors = 1});
    assert_true(holds(&b, 0x1000, 3));
    assert_false(holds(&b, 0x1200, 1));
    assert_true(holds(&b, 0x1000 + 4 * 512, 1));
    arena_fini(&b.arena);
}

TEST(a_dirty_line_makes_no_room_for_what_comes_without_time)
{
    UNUSED_STATE;
    struct bed b;
    open_with(&b, 0, NULL);
    for (u32 i = 0; i < 4; i++)
        cache_warm(&b.cache, &(struct request){.line = 0x1000 + i * 512, .sectors = 1});
    cache_line(&b.cache, cache_find(&b.cache, 0x1000, 0x1000))->dirty = 1;
    cache_warm(&b.cache, &(struct request){.line = 0x1000 + 4 * 512, .sectors = 1});
    assert_true(holds(&b, 0x1000, 1));
    assert_false(holds(&b, 0x1000 + 4 * 512, 1));
    arena_fini(&b.arena);
}

#define MOST_WAYS 64u
#define MODEL_SETS 2u

/* One set after the other: which line each way has; NO_LINE: none. */
static u32 model_find(const u64 *lines, u32 ways, u64 line)
{
    for (u32 way = 0; way < ways; way++) {
        if (lines[way] == line)
            return way;
    }
    return NO_WAY;
}

static void expect_tags_agree(u32 ways)
{
    struct arena arena = {0};
    struct tags t;
    struct rng rng;
    u64 model[MODEL_SETS][MOST_WAYS];
    struct policy_choice lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL};
    tags_init(&t, &arena, MODEL_SETS, ways, 128, SET_LINEAR, lru, 1);
    memset(model, 0xff, sizeof model);
    rng_init(&rng, ways, "tags");
    for (u32 step = 0; step < 20000; step++) {
        u64 line = 128 * rng_below(&rng, 4 * ways);
        u32 set = (u32)(line / 128 % MODEL_SETS), way = tags_find(&t, set, line);
        assert_int_equal(way, model_find(model[set], ways, line));
        if (way != NO_WAY) {
            if (rng_below(&rng, 4) == 0) {
                tags_invalidate(&t, set, way);
                model[set][way] = NO_LINE;
            }
            continue;
        }
        struct request r = {.line = line};
        u32 to = tags_victim(&t, set, ~(u64)0, 0, &r),
            empty = model_find(model[set], ways, NO_LINE);
        assert_true(to < ways && (empty == NO_WAY || to == empty)); /* the first that is empty */
        tags_place(&t, set, to, &r, LINE_VALID);
        model[set][to] = line;
        assert_int_equal(tags_address(&t, set, to), line);
    }
    arena_fini(&arena);
}

/* Few ways are compared one by one; of more only those with the line's mark. */
TEST(a_set_of_any_number_of_ways_finds_each_of_its_lines_and_no_other)
{
    UNUSED_STATE;
    expect_tags_agree(4);
    expect_tags_agree(17);
    expect_tags_agree(24);
    expect_tags_agree(64);
}

RUN_TESTS(T(a_set_of_any_number_of_ways_finds_each_of_its_lines_and_no_other),
          T(what_comes_without_time_is_there_as_if_it_had_been_loaded),
          T(a_dirty_line_makes_no_room_for_what_comes_without_time),
          T(without_sectors_a_miss_asks_for_the_whole_line_and_the_request_keeps_its_own),
          T(a_miss_brings_aligned_groups_of_sectors_less_those_that_are_there),
          T(requests_join_a_line_on_its_way_and_go_on_when_their_sectors_have_come),
          T(what_a_miss_would_take_is_told_before_anything_changes),
          T(a_fifth_line_on_its_way_finds_no_mshr_and_in_its_set_no_way),
          T(requesters_take_their_own_ways_alone),
          T(its_owner_is_told_what_leaves_and_what_others_can_see),
          T(a_flush_leaves_dirty_lines_and_those_on_their_way))
