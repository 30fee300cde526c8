/*
 * An L1 alone, between a script and a client that only notes what it is told. Four sets of two
 * lines of 128 bytes, four MSHRs of two requests, hits after 30 cycles; lines 512 bytes apart share
 * a set.
 */
#include "testing.h"

#include "gpu/l1/l1.h"
#include "policy/registry.h"

#define HIT 30u
#define MOST 64u
#define ALL 0xfu /* sectors of a line */

struct told {
    u32 ticket; /* of the request */
    cycle_t ready;
};

struct bed {
    struct l1_config config;
    struct arena arena;
    struct engine engine;
    struct pool pool;
    struct l1 l1;
    cycle_t now;
    u32 room; /* requests that the client still takes */
    handle_t below[MOST];
    u32 sent;
    struct told loaded[MOST], stored[MOST];
    u32 loads, stores;
};

static bool can_send(void *sm, u32 requests)
{
    return ((struct bed *)sm)->room >= requests;
}

static void send(void *sm, handle_t h, cycle_t now)
{
    struct bed *b = sm;
    assert_true(b->room > 0); /* it has asked for room */
    assert_int_equal(now, b->now);
    b->room--;
    b->below[b->sent++] = h;
}

static void loaded(void *sm, const struct request *r, cycle_t ready, cycle_t now)
{
    struct bed *b = sm;
    assert_int_equal(now, b->now);
    b->loaded[b->loads++] = (struct told){ticket_read(r).entry, ready};
}

static void stored(void *sm, const struct request *r)
{
    struct bed *b = sm;
    b->stored[b->stores++] = (struct told){.ticket = ticket_read(r).entry};
}

static struct l1_config usual(void)
{
    return (struct l1_config){.enabled = true,
                              .size_bytes = 1024,
                              .ways = 2,
                              .mshrs = 4,
                              .merge_limit = 2,
                              .hit_cycles = HIT,
                              .accesses_per_cycle = 1,
                              .allocate = L1_ALLOCATE_ON_MISS,
                              .write_hit = L1_WRITE_EVICT,
                              .write_miss = L1_WRITE_AROUND,
                              .bypass_takes_mshr = true,
                              .merge_keeps = true};
}

static void bed_open(struct bed *b, struct l1_config config)
{
    static const struct l1_client_ops client = {can_send, send, loaded, stored};
    struct err err = ERR_INIT;
    struct policy_choice lru;
    *b = (struct bed){.config = config, .room = MOST};
    pool_init(&b->pool, &b->arena, MOST, sizeof(struct request));
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, "lru", "replacement", NULL, &b->arena, &lru, &err));
    l1_init(&b->l1, &b->arena,
            &(struct l1_parts){.config = &b->config,
                               .line_bytes = 128,
                               .requests = &b->pool,
                               .client = &client,
                               .sm = b,
                               .engine = &b->engine,
                               .now = &b->now,
                               .agent = {.number = 3},
                               .replacement = lru});
    for (u32 slot = 0; slot < 4; slot++)
        l1_warp_comes(&b->l1, slot, (u16)(100 + slot));
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

static struct request load(u64 line, u32 sectors)
{
    return (struct request){.line = line, .sectors = sectors, .kind = REQUEST_LOAD};
}

static struct request store(u64 line, u32 sectors)
{
    return (struct request){
        .line = line, .sectors = sectors, .kind = REQUEST_STORE, .flags = REQUEST_WHOLE};
}

/* Warp `warp` asks at cycle `at`; its instruction has that ticket. A request that is refused is
 * gone. */
static u8 access_as(struct bed *b, struct request r, u32 ticket, u16 warp, cycle_t at)
{
    handle_t h = pool_alloc(&b->pool);
    b->now = at;
    r.ticket = ticket_write((struct sm_ticket){.entry = ticket, .warp = warp});
    r.agent = 3;
    r.issued = at;
    *(struct request *)pool_get(&b->pool, h) = r;
    u8 stall = l1_access(&b->l1, h, at);
    if (stall != L1_STALL_NONE)
        pool_free(&b->pool, h);
    return stall;
}

static u8 access_at(struct bed *b, struct request r, u32 ticket, cycle_t at)
{
    return access_as(b, r, ticket, 0, at);
}

static struct request *below(struct bed *b, u32 i)
{
    assert_true(i < b->sent);
    return pool_get(&b->pool, b->below[i]);
}

/* What was sent below comes back. */
static void answer(struct bed *b, u32 i, cycle_t at)
{
    b->now = at;
    b->room++;
    l1_reply(&b->l1, b->below[i], at);
}

static void bring(struct bed *b, u64 line, cycle_t at)
{
    assert_int_equal(access_at(b, load(line, ALL), 0, at), L1_STALL_NONE);
    answer(b, b->sent - 1, at + 100);
    b->loads = 0;
}

TEST(a_miss_asks_below_and_its_data_is_there_a_cycle_after_the_line)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    assert_int_equal(access_at(&b, load(0x1000, ALL), 7, 10), L1_STALL_NONE);
    assert_int_equal(b.sent, 1);
    assert_int_equal(below(&b, 0)->line, 0x1000);
    assert_int_equal(below(&b, 0)->issued, 10);
    answer(&b, 0, 110);
    assert_int_equal(b.loads, 1);
    assert_int_equal(b.loaded[0].ticket, 7);
    assert_int_equal(b.loaded[0].ready, 111);
    assert_int_equal(b.l1.counts.misses, 1);
    assert_int_equal(b.l1.counts.latency_cycles, 100);
    assert_int_equal(pool_in_use(&b.pool), 0);
    bed_close(&b);
}

TEST(a_line_that_comes_early_is_used_when_a_hit_would_be)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    access_at(&b, load(0x1000, ALL), 7, 10);
    answer(&b, 0, 15);
    assert_int_equal(b.loaded[0].ready, 10 + HIT);
    bed_close(&b);
}

TEST(a_hit_takes_the_hit_latency_and_asks_nothing)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    assert_int_equal(access_as(&b, load(0x1000, 0x2), 8, 0, 200), L1_STALL_NONE);
    assert_int_equal(access_as(&b, load(0x1000, 0x2), 9, 1, 201), L1_STALL_NONE);
    assert_int_equal(b.sent, 1);
    assert_int_equal(b.loaded[0].ready, 230);
    assert_int_equal(b.loaded[1].ready, 231);
    assert_int_equal(b.l1.counts.intra_warp_hits, 1); /* warp 0 brought it in, warp 1 did not */
    assert_int_equal(b.l1.counts.inter_warp_hits, 1);
    bed_close(&b);
}

TEST(a_slot_with_another_warp_has_no_hits_of_its_own_on_lines_of_the_one_before)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    l1_warp_comes(&b.l1, 0, 999);
    access_as(&b, load(0x1000, ALL), 8, 0, 200);
    assert_int_equal(b.l1.counts.intra_warp_hits, 0);
    bed_close(&b);
}

TEST(two_loads_of_a_line_are_one_request_and_both_are_answered)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    access_at(&b, load(0x1000, ALL), 1, 10);
    assert_int_equal(access_at(&b, load(0x1000, ALL), 2, 12), L1_STALL_NONE);
    assert_int_equal(b.sent, 1);
    answer(&b, 0, 60);
    assert_int_equal(b.loads, 2);
    assert_int_equal(b.loaded[0].ticket, 1); /* the oldest first */
    assert_int_equal(b.loaded[1].ticket, 2);
    assert_int_equal(b.loaded[1].ready, 61);
    assert_int_equal(b.l1.counts.merges, 1);
    assert_int_equal(pool_in_use(&b.pool), 0);
    bed_close(&b);
}

TEST(a_third_load_of_a_line_waits_for_its_mshr)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    access_at(&b, load(0x1000, ALL), 1, 10);
    access_at(&b, load(0x1000, ALL), 2, 11);
    assert_int_equal(access_at(&b, load(0x1000, ALL), 3, 12), L1_STALL_MSHR);
    assert_int_equal(b.l1.counts.loads, 2); /* what is refused has changed nothing */
    answer(&b, 0, 60);
    assert_int_equal(access_at(&b, load(0x1000, ALL), 3, 61), L1_STALL_NONE);
    assert_int_equal(b.l1.counts.hits, 1);
    bed_close(&b);
}

TEST(a_fifth_line_waits_for_an_mshr)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(access_at(&b, load(0x1000 + 128 * i, ALL), i, 10 + i), L1_STALL_NONE);
    assert_int_equal(access_at(&b, load(0x1000 + 128 * 4, ALL), 4, 14), L1_STALL_MSHR);
    answer(&b, 2, 60);
    assert_int_equal(access_at(&b, load(0x1000 + 128 * 4, ALL), 4, 61), L1_STALL_NONE);
    bed_close(&b);
}

TEST(a_set_whose_ways_are_all_on_their_way_makes_a_miss_wait)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    access_at(&b, load(0x1000, ALL), 0, 10);
    access_at(&b, load(0x1200, ALL), 1, 11);
    assert_int_equal(access_at(&b, load(0x1400, ALL), 2, 12), L1_STALL_CACHE);
    answer(&b, 0, 60);
    assert_int_equal(access_at(&b, load(0x1400, ALL), 2, 61), L1_STALL_NONE);
    assert_int_equal(b.l1.counts.evictions, 1);
    bed_close(&b);
}

TEST(with_lines_taken_at_the_fill_a_full_set_makes_nothing_wait)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.allocate = L1_ALLOCATE_ON_FILL;
    bed_open(&b, c);
    access_at(&b, load(0x1000, ALL), 0, 10);
    access_at(&b, load(0x1200, ALL), 1, 11);
    assert_int_equal(access_at(&b, load(0x1400, ALL), 2, 12), L1_STALL_NONE);
    for (u32 i = 0; i < 3; i++)
        answer(&b, i, 60 + i);
    assert_int_equal(b.l1.counts.fills, 3);
    assert_int_equal(b.l1.counts.evictions, 1); /* 0x1000, the oldest, for 0x1400 */
    assert_int_equal(access_at(&b, load(0x1200, ALL), 1, 70), L1_STALL_NONE);
    assert_int_equal(b.l1.counts.hits, 1);
    bed_close(&b);
}

TEST(without_room_below_misses_and_stores_wait_and_hits_do_not)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    b.room = 0;
    assert_int_equal(access_at(&b, load(0x2080, ALL), 1, 200), L1_STALL_L2);
    assert_int_equal(access_at(&b, store(0x2080, ALL), 1, 201), L1_STALL_L2);
    assert_int_equal(access_at(&b, load(0x1000, ALL), 1, 202), L1_STALL_NONE);
    assert_int_equal(b.l1.counts.misses, 1);
    assert_int_equal(b.l1.counts.stores, 0);
    bed_close(&b);
}

static void drain_to(struct bed *b, cycle_t from, cycle_t to)
{
    for (cycle_t at = from; at <= to; at++) {
        b->now = at;
        if (at >= b->l1.stores.next)
            l1_drain(&b->l1, at);
    }
}

static struct l1_config merging(u32 entries)
{
    struct l1_config c = usual();
    c.store_entries = entries;
    return c;
}

TEST(a_store_joins_one_of_its_line_that_waits)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, merging(2));
    assert_int_equal(access_at(&b, store(0x1000, 0x1), 1, 10), L1_STALL_NONE);
    assert_int_equal(access_at(&b, store(0x1000, 0x6), 2, 10), L1_STALL_NONE);
    assert_int_equal(b.sent, 0);
    drain_to(&b, 11, 20);
    assert_int_equal(b.sent, 1);
    assert_int_equal(below(&b, 0)->sectors, 0x7);
    assert_true(below(&b, 0)->flags & REQUEST_WHOLE);
    assert_int_equal(b.l1.counts.stores, 2);
    assert_int_equal(b.l1.counts.stores_joined, 1);
    answer(&b, 0, 100);
    assert_int_equal(b.stores, 2); /* both are told */
    assert_int_equal(pool_in_use(&b.pool), 0);
    bed_close(&b);
}

TEST(stores_leave_at_a_sector_a_cycle_and_one_more_where_bytes_are_missing)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, merging(4));
    struct request partial = store(0x1080, 0x3);
    partial.flags = 0;
    access_at(&b, store(0x1000, ALL), 1, 10);
    access_at(&b, partial, 2, 10);
    access_at(&b, store(0x1100, 0x1), 3, 10);
    drain_to(&b, 11, 14);
    assert_int_equal(b.sent, 1); /* at 11 */
    drain_to(&b, 15, 17);
    assert_int_equal(b.sent, 2); /* four sectors later */
    drain_to(&b, 18, 18);
    assert_int_equal(b.sent, 3); /* two sectors and one cycle later */
    assert_int_equal(b.l1.stores.next, CYCLE_NEVER);
    bed_close(&b);
}

TEST(bytes_that_join_a_whole_store_are_in_it_and_others_make_it_one_of_parts)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, merging(4));
    struct request partial = store(0x1000, 0x3);
    partial.flags = 0;
    access_at(&b, store(0x1000, ALL), 1, 10);
    access_at(&b, partial, 2, 10);
    partial.line = 0x1080;
    access_at(&b, store(0x1080, 0x1), 3, 10);
    access_at(&b, partial, 4, 10);
    drain_to(&b, 11, 20);
    assert_int_equal(b.sent, 2);
    assert_true(below(&b, 0)->flags & REQUEST_WHOLE);
    assert_false(below(&b, 1)->flags & REQUEST_WHOLE);
    assert_int_equal(below(&b, 1)->sectors, 0x3);
    bed_close(&b);
}

TEST(with_as_many_lines_waiting_as_there_is_room_for_a_store_of_another_waits)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, merging(2));
    access_at(&b, store(0x1000, ALL), 1, 10);
    access_at(&b, store(0x1080, ALL), 2, 10);
    assert_int_equal(access_at(&b, store(0x1100, ALL), 3, 10), L1_STALL_L2);
    assert_int_equal(access_at(&b, store(0x1080, ALL), 3, 10), L1_STALL_NONE);
    drain_to(&b, 11, 11);
    assert_int_equal(access_at(&b, store(0x1100, ALL), 3, 11), L1_STALL_NONE);
    b.room = 0;
    drain_to(&b, 12, 30);
    assert_int_equal(b.sent, 1);
    assert_int_equal(b.l1.stores.next, CYCLE_NEVER); /* room will wake it */
    bed_close(&b);
}

TEST(a_load_that_misses_and_an_atomic_come_behind_the_stores_of_their_line)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, merging(2));
    struct request atomic = load(0x1000, 0x1);
    atomic.kind = REQUEST_ATOMIC;
    access_at(&b, store(0x1000, 0x1), 1, 10);
    assert_int_equal(access_at(&b, load(0x1000, ALL), 2, 10), L1_STALL_L2);
    assert_int_equal(access_at(&b, atomic, 2, 10), L1_STALL_L2);
    assert_int_equal(access_at(&b, load(0x1080, ALL), 2, 10), L1_STALL_NONE);
    drain_to(&b, 11, 11);
    assert_int_equal(access_at(&b, load(0x1000, ALL), 2, 11), L1_STALL_NONE);
    bed_close(&b);
}

TEST(a_miss_on_a_line_without_all_of_its_sectors_asks_for_those_it_wants)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.sectored = true;
    bed_open(&b, c);
    access_at(&b, load(0x1000, 0x1), 0, 10);
    assert_int_equal(below(&b, 0)->sectors, 0x1);
    answer(&b, 0, 50);
    access_at(&b, load(0x1000, 0x3), 1, 60);
    assert_int_equal(below(&b, 1)->sectors, 0x3); /* the one that is there, too */
    assert_int_equal(b.l1.counts.sector_misses, 1);
    assert_int_equal(b.l1.counts.load_sectors, 3);
    assert_int_equal(b.l1.counts.load_sectors_missed, 2);
    answer(&b, 1, 90);
    assert_int_equal(b.loads, 2);
    assert_int_equal(b.l1.counts.evictions, 0);
    bed_close(&b);
}

TEST(a_load_that_joins_a_miss_asks_for_its_further_sectors)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.sectored = true;
    bed_open(&b, c);
    access_at(&b, load(0x1000, 0x1), 0, 10);
    access_at(&b, load(0x1000, 0x5), 1, 11);
    assert_int_equal(b.sent, 2);
    assert_int_equal(below(&b, 1)->sectors, 0x4);
    answer(&b, 0, 50);
    assert_int_equal(b.loads, 1); /* the second waits for its other sector */
    answer(&b, 1, 55);
    assert_int_equal(b.loads, 2);
    assert_int_equal(pool_in_use(&b.pool), 0);
    bed_close(&b);
}

TEST(a_store_goes_below_and_its_line_leaves)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    assert_int_equal(access_at(&b, store(0x1000, 0x1), 5, 200), L1_STALL_NONE);
    assert_int_equal(b.sent, 2);
    assert_int_equal(b.stores, 0); /* not until it is acknowledged */
    answer(&b, 1, 260);
    assert_int_equal(b.stores, 1);
    assert_int_equal(b.stored[0].ticket, 5);
    assert_int_equal(b.l1.counts.store_hits, 1);
    access_at(&b, load(0x1000, ALL), 6, 300);
    assert_int_equal(b.l1.counts.misses, 2);
    bed_close(&b);
}

TEST(a_store_that_updates_keeps_its_line)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.write_hit = L1_WRITE_UPDATE;
    bed_open(&b, c);
    bring(&b, 0x1000, 10);
    access_at(&b, store(0x1000, 0x1), 5, 200);
    access_at(&b, load(0x1000, ALL), 6, 300);
    assert_int_equal(b.l1.counts.hits, 1);
    bed_close(&b);
}

TEST(a_store_that_allocates_brings_its_sectors_and_is_no_hit)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.write_hit = L1_WRITE_UPDATE;
    c.write_miss = L1_WRITE_ALLOCATE;
    c.sectored = true;
    bed_open(&b, c);
    access_at(&b, store(0x1000, 0x3), 5, 10);
    assert_int_equal(b.l1.counts.store_hits, 0);
    access_at(&b, load(0x1000, 0x2), 6, 20);
    assert_int_equal(b.l1.counts.hits, 1);
    access_at(&b, load(0x1000, 0x4), 7, 30); /* a sector that nobody wrote */
    assert_int_equal(b.l1.counts.misses, 1);
    assert_int_equal(below(&b, 1)->sectors, 0x4);
    bed_close(&b);
}

TEST(a_store_that_is_written_back_is_done_at_once_and_its_line_goes_below_when_it_leaves)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.write_hit = L1_WRITE_BACK;
    c.write_miss = L1_WRITE_ALLOCATE;
    bed_open(&b, c);
    assert_int_equal(access_at(&b, store(0x1000, 0x3), 5, 10), L1_STALL_NONE);
    assert_int_equal(b.sent, 0);
    assert_int_equal(b.stores, 1);
    bring(&b, 0x1200, 20);
    access_at(&b, load(0x1400, ALL), 6, 200);
    assert_int_equal(b.sent, 3); /* 0x1200, the write-back of 0x1000, 0x1400 */
    assert_int_equal(below(&b, 1)->kind, REQUEST_WRITEBACK);
    assert_int_equal(below(&b, 1)->line, 0x1000);
    assert_int_equal(below(&b, 1)->sectors, 0x3);
    assert_int_equal(below(&b, 1)->agent, 3);
    assert_int_equal(b.l1.counts.writebacks, 1);
    bed_close(&b);
}

TEST(a_miss_whose_victim_is_dirty_needs_room_for_two)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.write_hit = L1_WRITE_BACK;
    c.write_miss = L1_WRITE_ALLOCATE;
    bed_open(&b, c);
    access_at(&b, store(0x1000, ALL), 5, 10);
    access_at(&b, store(0x1200, ALL), 5, 11);
    b.room = 1;
    assert_int_equal(access_at(&b, load(0x1400, ALL), 6, 20), L1_STALL_L2);
    assert_int_equal(b.l1.counts.writebacks, 0);
    b.room = 2;
    assert_int_equal(access_at(&b, load(0x1400, ALL), 6, 21), L1_STALL_NONE);
    assert_int_equal(b.room, 0);
    bed_close(&b);
}

TEST(a_fill_whose_victim_is_dirty_and_cannot_leave_is_used_and_not_kept)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.write_hit = L1_WRITE_BACK;
    c.write_miss = L1_WRITE_ALLOCATE;
    c.allocate = L1_ALLOCATE_ON_FILL;
    bed_open(&b, c);
    access_at(&b, load(0x1400, ALL), 6, 5);
    access_at(&b, store(0x1000, ALL), 5, 10);
    access_at(&b, store(0x1200, ALL), 5, 11);
    b.room = 0;
    b.now = 50;
    l1_reply(&b.l1, b.below[0], 50);
    assert_int_equal(b.loads, 1);
    assert_int_equal(b.l1.counts.fills, 0);
    assert_int_equal(b.l1.counts.writebacks, 0);
    bed_close(&b);
}

TEST(local_stores_stay_where_the_chip_says_so_and_others_do_not)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.local_write_back = true;
    bed_open(&b, c);
    bring(&b, 0x1000, 10);
    struct request r = store(0x1000, 0x1);
    r.flags |= REQUEST_LOCAL;
    access_at(&b, r, 5, 200);
    assert_int_equal(b.sent, 1);
    assert_int_equal(b.stores, 1);
    access_at(&b, store(0x1000, 0x1), 5, 201); /* the line is dirty: it stays */
    assert_int_equal(b.sent, 2);
    access_at(&b, load(0x1000, ALL), 6, 202);
    assert_int_equal(b.l1.counts.hits, 1);
    bed_close(&b);
}

TEST(an_atomic_goes_below_takes_its_line_away_and_is_answered)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    struct request r = load(0x1000, 0x1);
    r.kind = REQUEST_ATOMIC;
    access_at(&b, r, 5, 200);
    answer(&b, 1, 260);
    assert_int_equal(b.loads, 1);
    assert_int_equal(b.loaded[0].ready, 261);
    r.flags = REQUEST_NO_DATA;
    access_at(&b, r, 6, 300);
    answer(&b, 2, 360);
    assert_int_equal(b.loads, 1); /* nobody wants its old value */
    assert_int_equal(b.stores, 1);
    access_at(&b, load(0x1000, ALL), 7, 400);
    assert_int_equal(b.l1.counts.misses, 2);
    bed_close(&b);
}

TEST(a_load_around_the_cache_takes_no_line_and_no_mshr)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    struct request r = load(0x1000, 0x1);
    r.flags = REQUEST_NO_L1;
    access_at(&b, r, 5, 10);
    assert_int_equal(b.l1.cache.mshr.in_use, 0);
    answer(&b, 0, 60);
    assert_int_equal(b.loaded[0].ready, 61);
    assert_int_equal(b.l1.counts.bypasses, 1);
    access_at(&b, load(0x1000, 0x1), 6, 70);
    assert_int_equal(b.l1.counts.misses, 1);
    bed_close(&b);
}

TEST(a_load_that_may_not_fill_leaves_the_set_as_it_was)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    bring(&b, 0x1200, 110);
    struct request r = load(0x1400, ALL);
    r.flags = REQUEST_NO_FILL;
    access_at(&b, r, 5, 300);
    answer(&b, 2, 400);
    assert_int_equal(b.l1.counts.evictions, 0);
    assert_int_equal(b.loaded[0].ready, 401);
    access_at(&b, load(0x1000, ALL), 6, 410);
    access_at(&b, load(0x1200, ALL), 7, 411);
    assert_int_equal(b.l1.counts.hits, 2);
    bed_close(&b);
}

TEST(a_load_that_may_fill_keeps_the_line_that_one_asked_for_which_may_not)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    struct request r = load(0x1400, ALL);
    r.flags = REQUEST_NO_FILL;
    access_at(&b, r, 5, 10);
    access_at(&b, load(0x1400, ALL), 6, 11);
    answer(&b, 0, 60);
    access_at(&b, load(0x1400, ALL), 7, 70);
    assert_int_equal(b.l1.counts.hits, 1);
    bed_close(&b);
}

TEST(without_an_mshr_of_its_own_each_such_load_goes_below)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_config c = usual();
    c.bypass_takes_mshr = false;
    bed_open(&b, c);
    struct request r = load(0x1400, ALL);
    r.flags = REQUEST_NO_FILL;
    access_at(&b, r, 5, 10);
    access_at(&b, r, 6, 11);
    assert_int_equal(b.sent, 2);
    answer(&b, 1, 60);
    answer(&b, 0, 61);
    assert_int_equal(b.loaded[0].ticket, 6);
    assert_int_equal(b.loaded[1].ticket, 5);
    bed_close(&b);
}

TEST(lines_on_their_way_at_a_fence_are_used_and_not_kept)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    bring(&b, 0x1080, 10);
    access_at(&b, load(0x1000, ALL), 5, 200);
    l1_empty(&b.l1);
    access_at(&b, load(0x1000, ALL), 6,
              210); /* newer than the fence: it may not join the old one */
    assert_int_equal(b.sent, 3);
    answer(&b, 1, 260);
    assert_int_equal(b.loaded[0].ticket, 5);
    answer(&b, 2, 270);
    assert_int_equal(b.loaded[1].ticket, 6);
    access_at(&b, load(0x1000, ALL), 7, 300);
    access_at(&b, load(0x1080, ALL), 8, 301);
    assert_int_equal(b.l1.counts.hits, 0);
    bed_close(&b);
}

TEST(a_smaller_cache_has_fewer_ways_and_at_least_one)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    l1_resize(&b.l1, 0);
    bring(&b, 0x1000, 10);
    bring(&b, 0x1200, 200);
    access_at(&b, load(0x1000, ALL), 5, 400);
    assert_int_equal(b.l1.counts.misses, 3);
    bed_close(&b);
}

/* ---- attachments ------------------------------------------------------------------------ */

struct listener {
    struct l1_attachment attached;
    char heard[64];
    u64 kept;
    u8 path;
    handle_t asked;
};

static void hear(struct l1_attachment *a, char what)
{
    struct listener *l = (struct listener *)a;
    l->heard[strlen(l->heard)] = what;
}

static void heard_arrives(struct l1 *l, struct l1_attachment *a, struct request *r)
{
    (void)l, (void)r;
    hear(a, 'a');
}

static u64 heard_kept(struct l1 *l, struct l1_attachment *a, u32 set)
{
    (void)l, (void)set;
    return ((struct listener *)a)->kept;
}

static void heard_missed(struct l1 *l, struct l1_attachment *a, const struct request *r, u32 set,
                         bool merged)
{
    (void)l, (void)r, (void)set;
    hear(a, merged ? 'j' : 'm');
}

static void heard_hit(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                      const struct request *r, bool own)
{
    (void)l, (void)p, (void)r;
    hear(a, own ? 'H' : 'h');
}

static void heard_placed(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                         const struct request *r)
{
    (void)l, (void)p, (void)r;
    hear(a, 'p');
}

static void heard_evicted(struct l1 *l, struct l1_attachment *a, u32 set, u32 way)
{
    assert_int_equal(tags_line(&l->cache.tags, set, way)->state, LINE_VALID); /* still there */
    hear(a, 'e');
}

static void heard_sent(struct l1 *l, struct l1_attachment *a, struct request *r)
{
    (void)l, (void)r;
    hear(a, 's');
}

static void heard_filled(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                         const struct request *fill, handle_t waiting, cycle_t now)
{
    (void)l, (void)p, (void)fill, (void)now;
    assert_int_not_equal(waiting, 0);
    hear(a, 'f');
}

static void heard_replied(struct l1 *l, struct l1_attachment *a, const struct request *r,
                          cycle_t now)
{
    (void)l, (void)r, (void)now;
    hear(a, 'r');
}

static u8 heard_path(struct l1 *l, struct l1_attachment *a, const struct request *r)
{
    (void)l, (void)r;
    return ((struct listener *)a)->path;
}

static void heard_ask(struct l1 *l, struct l1_attachment *a, handle_t h, u8 path, cycle_t now)
{
    struct listener *x = (struct listener *)a;
    (void)l, (void)now;
    assert_int_equal(path, x->path);
    x->asked = h;
}

static const struct l1_hooks listening = {.arrives = heard_arrives,
                                          .missed = heard_missed,
                                          .hit = heard_hit,
                                          .placed = heard_placed,
                                          .evicted = heard_evicted,
                                          .sent = heard_sent,
                                          .filled = heard_filled,
                                          .replied = heard_replied};

TEST(attachments_hear_of_each_event_once_in_its_order)
{
    UNUSED_STATE;
    struct bed b;
    struct listener x = {0}, second = {0};
    bed_open(&b, usual());
    l1_attach(&b.l1, &x.attached, &listening);
    l1_attach(&b.l1, &second.attached, &listening);
    access_at(&b, load(0x1000, ALL), 1, 10);
    access_at(&b, load(0x1000, ALL), 2, 11);
    answer(&b, 0, 60);
    access_at(&b, load(0x1000, ALL), 3, 70);
    access_as(&b, load(0x1000, ALL), 4, 1, 71);
    assert_string_equal(x.heard, "ampsajrfaHah");
    assert_string_equal(second.heard, x.heard);
    bed_close(&b);
}

TEST(an_evicted_line_is_still_there_when_attachments_hear_of_it)
{
    UNUSED_STATE;
    struct bed b;
    static const struct l1_hooks hooks = {.evicted = heard_evicted, .placed = heard_placed};
    struct listener x = {0};
    bed_open(&b, usual());
    l1_attach(&b.l1, &x.attached, &hooks);
    bring(&b, 0x1000, 10);
    bring(&b, 0x1200, 200);
    bring(&b, 0x1400, 400);
    assert_string_equal(x.heard, "ppep");
    bed_close(&b);
}

TEST(a_miss_goes_around_a_set_whose_lines_are_kept)
{
    UNUSED_STATE;
    struct bed b;
    static const struct l1_hooks hooks = {.kept = heard_kept};
    struct listener x = {.kept = 0x3};
    bed_open(&b, usual());
    bring(&b, 0x1000, 10);
    bring(&b, 0x1200, 200);
    l1_attach(&b.l1, &x.attached, &hooks);
    assert_int_equal(access_at(&b, load(0x1400, ALL), 5, 400), L1_STALL_NONE);
    answer(&b, 2, 460);
    assert_int_equal(b.l1.counts.evictions, 0);
    x.kept = 0x1; /* only the first: the second way is free to go */
    access_at(&b, load(0x1400, ALL), 6, 500);
    assert_int_equal(b.l1.counts.evictions, 1);
    answer(&b, 3, 560);
    b.loads = 0;
    access_at(&b, load(0x1000, ALL), 7, 600);
    assert_int_equal(b.loads, 1);
    bed_close(&b);
}

TEST(a_miss_that_goes_elsewhere_needs_no_room_below_and_its_line_can_come_from_there)
{
    UNUSED_STATE;
    struct bed b;
    static const struct l1_hooks hooks = {.path = heard_path, .ask = heard_ask};
    struct listener x = {.path = 2 | L1_ELSEWHERE};
    bed_open(&b, usual());
    l1_attach(&b.l1, &x.attached, &hooks);
    b.room = 0;
    assert_int_equal(access_at(&b, load(0x1000, ALL), 5, 10), L1_STALL_NONE);
    assert_int_not_equal(x.asked, 0);
    b.now = 40;
    l1_fill(&b.l1, x.asked, 40);
    assert_int_equal(b.loaded[0].ready, 41);
    x.path = 1; /* below after all */
    assert_int_equal(access_at(&b, load(0x2080, ALL), 6, 50), L1_STALL_L2);
    bed_close(&b);
}

RUN_TESTS(T(a_miss_asks_below_and_its_data_is_there_a_cycle_after_the_line),
          T(a_line_that_comes_early_is_used_when_a_hit_would_be),
          T(a_hit_takes_the_hit_latency_and_asks_nothing),
          T(a_slot_with_another_warp_has_no_hits_of_its_own_on_lines_of_the_one_before),
          T(two_loads_of_a_line_are_one_request_and_both_are_answered),
          T(a_third_load_of_a_line_waits_for_its_mshr), T(a_fifth_line_waits_for_an_mshr),
          T(a_set_whose_ways_are_all_on_their_way_makes_a_miss_wait),
          T(with_lines_taken_at_the_fill_a_full_set_makes_nothing_wait),
          T(without_room_below_misses_and_stores_wait_and_hits_do_not),
          T(a_store_joins_one_of_its_line_that_waits),
          T(stores_leave_at_a_sector_a_cycle_and_one_more_where_bytes_are_missing),
          T(bytes_that_join_a_whole_store_are_in_it_and_others_make_it_one_of_parts),
          T(with_as_many_lines_waiting_as_there_is_room_for_a_store_of_another_waits),
          T(a_load_that_misses_and_an_atomic_come_behind_the_stores_of_their_line),
          T(a_miss_on_a_line_without_all_of_its_sectors_asks_for_those_it_wants),
          T(a_load_that_joins_a_miss_asks_for_its_further_sectors),
          T(a_store_goes_below_and_its_line_leaves), T(a_store_that_updates_keeps_its_line),
          T(a_store_that_allocates_brings_its_sectors_and_is_no_hit),
          T(a_store_that_is_written_back_is_done_at_once_and_its_line_goes_below_when_it_leaves),
          T(a_miss_whose_victim_is_dirty_needs_room_for_two),
          T(a_fill_whose_victim_is_dirty_and_cannot_leave_is_used_and_not_kept),
          T(local_stores_stay_where_the_chip_says_so_and_others_do_not),
          T(an_atomic_goes_below_takes_its_line_away_and_is_answered),
          T(a_load_around_the_cache_takes_no_line_and_no_mshr),
          T(a_load_that_may_not_fill_leaves_the_set_as_it_was),
          T(a_load_that_may_fill_keeps_the_line_that_one_asked_for_which_may_not),
          T(without_an_mshr_of_its_own_each_such_load_goes_below),
          T(lines_on_their_way_at_a_fence_are_used_and_not_kept),
          T(a_smaller_cache_has_fewer_ways_and_at_least_one),
          T(attachments_hear_of_each_event_once_in_its_order),
          T(an_evicted_line_is_still_there_when_attachments_hear_of_it),
          T(a_miss_goes_around_a_set_whose_lines_are_kept),
          T(a_miss_that_goes_elsewhere_needs_no_room_below_and_its_line_can_come_from_there))
