/*
 * The first level of a tile alone: four banks of two sets of two ways, lines of 64 bytes, so one
 * cache of eight sets when shared. The second level is a port of two entries that the test empties.
 */
#include "testing.h"

#include "fabric/rl1.h"
#include "policy/registry.h"
#include "sim/port.h"

#define LINE 64u
#define SETS 8u /* of the shared cache */
#define ROOM 2u

struct bed {
    struct fabric_config config;
    struct sim sim;
    struct pool pool;
    struct port out;
    struct rl1 rl1;
    u32 woken[8][8]; /* loads that got their line, by element and slot */
};

static cycle_t idle(void *self, cycle_t now)
{
    (void)self, (void)now;
    return CYCLE_NEVER;
}

static void open_bed(struct bed *b, enum fabric_mode mode)
{
    struct engine *e = &b->sim.engine;
    *b = (struct bed){.config = {.line_bytes = LINE,
                                 .tile = {.count = 4, .elements = 4, .outstanding = 4},
                                 .rl1 = {.banks = 4,
                                         .bank_bytes = 4 * LINE,
                                         .ways = 2,
                                         .ports = 2,
                                         .mshrs = 3,
                                         .private_ports = 1,
                                         .private_mshrs = 1,
                                         .hit_cycles = 2,
                                         .scratchpad_cycles = 3},
                                 .rl2 = {.banks = 4, .ports = 2}}};
    engine_init(e, &b->sim.arena, &(struct engine_options){.max_cycles = 2000});
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    unit_id tile = engine_add_unit(e, clock, "tile", idle, b);
    unit_id below = engine_add_unit(e, clock, "below", idle, b);
    pool_init(&b->pool, &b->sim.arena, 64, sizeof(struct request));
    port_init(&b->out, e, "out", ROOM);
    port_connect(&b->out, tile, below);
    struct build_site site = site_of(&b->sim);
    struct rl1_parts parts = {.config = &b->config,
                              .tile = 3,
                              .requests = &b->pool,
                              .out = &b->out,
                              .replacement = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL}};
    rl1_init(&b->rl1, &site, &parts);
    rl1_switch(&b->rl1, mode, NULL);
    engine_start(e);
    e->now_fs = 1;
}

static void close_bed(struct bed *b)
{
    arena_fini(&b->sim.arena);
}

/* Each access in a cycle of its own, unless the test says which. */
static enum rl1_answer access_at(struct bed *b, u64 address, u32 element, bool is_store,
                                 cycle_t now)
{
    const struct rl1_access a = {
        .address = address, .bytes = 4, .element = element, .slot = 1, .is_store = is_store};
    return rl1_access(&b->rl1, &a, now);
}

static enum rl1_answer load(struct bed *b, u64 address, u32 element)
{
    return access_at(b, address, element, false, b->sim.engine.now_fs++);
}

static enum rl1_answer store(struct bed *b, u64 address)
{
    return access_at(b, address, 0, true, b->sim.engine.now_fs++);
}

static void woken(void *context, u32 element, u32 slot)
{
    ((struct bed *)context)->woken[element][slot]++;
}

/* What was sent down first. */
static handle_t below(struct bed *b)
{
    b->sim.engine.now_fs++;
    assert_true(port_ready(&b->out) > 0);
    return port_pop(&b->out);
}

static const struct request *see(const struct bed *b, handle_t h)
{
    return pool_get(&b->pool, h);
}

/* The line that was asked for first comes. */
static void answer(struct bed *b)
{
    handle_t h = below(b);
    assert_int_equal(see(b, h)->kind, REQUEST_LOAD);
    rl1_fill(&b->rl1, h, woken, b);
    b->sim.engine.now_fs++;
}

static void bring(struct bed *b, u64 address)
{
    assert_int_equal(load(b, address, 0), RL1_MISS);
    answer(b);
}

TEST(a_miss_asks_for_the_whole_line_and_the_load_is_told_when_it_comes)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    assert_int_equal(load(&b, 5 * LINE + 8, 2), RL1_MISS);
    handle_t h = below(&b);
    const struct request *r = see(&b, h);
    assert_int_equal(r->line, 5 * LINE);
    assert_int_equal(r->sectors, 3); /* two sectors of 32 bytes */
    assert_int_equal(r->agent, 3);
    /* bank 5 mod 4 = 1 of the second level; tile 3 uses port 3 mod 2 = 1 of its 2 */
    assert_int_equal(r->to, 1 * 2 + 1);
    assert_int_equal(b.woken[2][1], 0);
    rl1_fill(&b.rl1, h, woken, &b);
    assert_int_equal(b.woken[2][1], 1);
    assert_int_equal(load(&b, 5 * LINE + 60, 0), RL1_HIT);
    assert_int_equal(pool_in_use(&b.pool), 0);
    close_bed(&b);
}

TEST(two_loads_of_a_line_are_one_request_and_both_are_told)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    assert_int_equal(load(&b, 0, 0), RL1_MISS);
    assert_int_equal(load(&b, 32, 3), RL1_MISS);
    answer(&b);
    assert_int_equal(b.woken[0][1], 1);
    assert_int_equal(b.woken[3][1], 1);
    b.sim.engine.now_fs++;
    assert_int_equal(port_ready(&b.out), 0);
    assert_int_equal(b.rl1.counts.misses, 1);
    assert_int_equal(b.rl1.counts.merges, 1);
    close_bed(&b);
}

/* Lines k and k + 8 n lie in one set of the shared cache: line 0, 8 and 16 are three for two ways,
 * while 0 to 7 are in sets of their own, whichever bank they are in. */
TEST(shared_banks_are_one_cache_with_the_sets_of_all)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    for (u32 k = 0; k < SETS; k++)
        bring(&b, k * LINE);
    for (u32 k = 0; k < SETS; k++)
        assert_int_equal(load(&b, k * LINE, k & 3), RL1_HIT);
    bring(&b, SETS * LINE);
    assert_int_equal(load(&b, 0, 0), RL1_HIT);
    bring(&b, 2 * SETS * LINE); /* line 8 was used longest ago */
    assert_int_equal(b.rl1.counts.evictions, 1);
    assert_int_equal(load(&b, 0, 0), RL1_HIT);
    assert_int_equal(load(&b, SETS * LINE, 0), RL1_MISS);
    close_bed(&b);
}

TEST(private_banks_belong_to_pairs_and_know_nothing_of_each_other)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_PRIVATE);
    assert_int_equal(load(&b, 0, 0), RL1_MISS);
    answer(&b);
    assert_int_equal(load(&b, 0, 1), RL1_HIT); /* elements 0 and 1 are a pair */
    assert_int_equal(load(&b, 0, 2), RL1_MISS);
    answer(&b);
    assert_int_equal(b.rl1.counts.misses, 2);
    close_bed(&b);
}

TEST(a_shared_cache_takes_as_many_accesses_per_cycle_as_it_has_ports)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    bring(&b, 0);
    assert_int_equal(access_at(&b, 0, 0, false, 100), RL1_HIT);
    assert_int_equal(access_at(&b, 0, 1, false, 100), RL1_HIT);
    assert_int_equal(access_at(&b, 0, 2, false, 100), RL1_PORT);
    assert_int_equal(access_at(&b, 0, 2, false, 101), RL1_HIT);
    assert_int_equal(b.rl1.counts.port_conflicts, 1);
    close_bed(&b);
}

TEST(each_private_bank_has_ports_of_its_own)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_PRIVATE);
    assert_int_equal(access_at(&b, 0, 0, true, 100), RL1_HIT);
    assert_int_equal(access_at(&b, 0, 1, true, 100), RL1_PORT);
    assert_int_equal(access_at(&b, 0, 2, true, 100), RL1_HIT); /* the other pair's */
    close_bed(&b);
}

TEST(a_store_takes_a_line_without_asking_for_it_and_only_its_sector_is_there)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    assert_int_equal(store(&b, 2 * LINE), RL1_HIT);
    assert_int_equal(port_count(&b.out), 0);
    assert_int_equal(load(&b, 2 * LINE + 4, 1), RL1_HIT);
    assert_int_equal(load(&b, 2 * LINE + 32, 1), RL1_MISS); /* the other sector */
    handle_t h = below(&b);
    assert_int_equal(see(&b, h)->sectors, 3); /* whole lines are asked for */
    rl1_fill(&b.rl1, h, woken, &b);
    b.sim.engine.now_fs++;
    assert_true(rl1_flush(&b.rl1));
    assert_int_equal(b.rl1.unacknowledged, 1);
    assert_int_equal(see(&b, below(&b))->sectors, 1); /* what was written is still dirty */
    assert_int_equal(b.rl1.counts.store_allocations, 1);
    close_bed(&b);
}

TEST(a_dirty_victim_leaves_with_the_sectors_that_were_written)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    store(&b, 32);
    bring(&b, SETS * LINE);
    assert_int_equal(load(&b, 2 * SETS * LINE, 0), RL1_MISS); /* line 0 has to go */
    handle_t h = below(&b);
    assert_int_equal(see(&b, h)->kind, REQUEST_WRITEBACK);
    assert_int_equal(see(&b, h)->line, 0);
    assert_int_equal(see(&b, h)->sectors, 2);
    pool_free(&b.pool, h);
    answer(&b);
    assert_int_equal(b.rl1.counts.writebacks, 1);
    assert_int_equal(pool_in_use(&b.pool), 0);
    close_bed(&b);
}

TEST(a_full_port_refuses_a_miss_and_changes_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    store(&b, 0);
    bring(&b, SETS * LINE);
    assert_int_equal(load(&b, LINE, 0), RL1_MISS); /* one of two entries is taken */
    u64 accesses = b.rl1.counts.accesses, lookups = b.rl1.counts.lookups;
    /* the victim is dirty: it and the question need two */
    assert_int_equal(load(&b, 2 * SETS * LINE, 0), RL1_ROOM);
    assert_int_equal(b.rl1.counts.accesses, accesses);
    assert_int_equal(b.rl1.counts.lookups, lookups + 1);
    assert_int_equal(load(&b, 0, 0), RL1_HIT); /* still there */
    answer(&b);
    close_bed(&b);
}

TEST(a_store_that_has_to_write_back_waits_for_room)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    store(&b, 0);
    store(&b, SETS * LINE);
    load(&b, LINE, 0);
    load(&b, 2 * LINE, 0); /* the port is full */
    assert_int_equal(store(&b, 2 * SETS * LINE), RL1_ROOM);
    answer(&b);
    assert_int_equal(store(&b, 2 * SETS * LINE), RL1_HIT);
    assert_int_equal(b.rl1.counts.writebacks, 1);
    close_bed(&b);
}

TEST(shared_mshrs_are_those_of_one_cache)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    handle_t asked[3];
    for (u32 k = 0; k < 3; k++) { /* lines of one bank: 0, 4, 8 */
        assert_int_equal(load(&b, 4 * k * LINE, 0), RL1_MISS);
        asked[k] = below(&b);
        b.sim.engine.now_fs++;
    }
    assert_int_equal(load(&b, LINE, 0), RL1_MSHR); /* another bank; three are all there are */
    assert_int_equal(load(&b, 8, 1), RL1_MISS);    /* that one is on its way */
    for (u32 k = 0; k < 3; k++)
        rl1_fill(&b.rl1, asked[k], woken, &b);
    assert_int_equal(load(&b, LINE, 0), RL1_MISS);
    answer(&b);
    close_bed(&b);
}

TEST(a_pair_has_its_own_mshrs)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_PRIVATE);
    assert_int_equal(load(&b, 0, 0), RL1_MISS);
    assert_int_equal(load(&b, LINE, 1), RL1_MSHR);
    assert_int_equal(load(&b, LINE, 2), RL1_MISS);
    answer(&b);
    answer(&b);
    close_bed(&b);
}

TEST(lines_that_are_all_on_their_way_leave_no_way_for_a_store)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    load(&b, 0, 0);
    load(&b, SETS * LINE, 0);
    assert_int_equal(store(&b, 2 * SETS * LINE), RL1_MSHR);
    answer(&b);
    assert_int_equal(store(&b, 2 * SETS * LINE), RL1_HIT);
    answer(&b);
    close_bed(&b);
}

/* Two lines of one set are there; a stream into eight others of it takes the port and goes down
 * whole, and both still hit. */
TEST(a_stream_goes_past_the_banks_and_displaces_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    bring(&b, 0);
    bring(&b, SETS * LINE);
    u64 lookups = b.rl1.counts.lookups;
    for (u32 i = 2; i < 10; i++) {
        const struct rl1_access a = {
            .address = i * SETS * LINE, .bytes = LINE, .element = 1, .is_store = true};
        assert_int_equal(rl1_stream(&b.rl1, &a, b.sim.engine.now_fs++), RL1_HIT);
        handle_t h = below(&b);
        assert_int_equal(see(&b, h)->kind, REQUEST_STORE);
        assert_int_equal(see(&b, h)->line, i * SETS * LINE);
        assert_int_equal(see(&b, h)->sectors, 3);
    }
    assert_int_equal(b.rl1.counts.lookups, lookups);
    assert_int_equal(b.rl1.counts.passed, 8);
    assert_int_equal(b.rl1.unacknowledged, 8);
    assert_int_equal(load(&b, 0, 0), RL1_HIT);
    assert_int_equal(load(&b, SETS * LINE, 0), RL1_HIT);
    close_bed(&b);
}

TEST(a_stream_takes_a_port_and_waits_for_room)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_PRIVATE);
    const struct rl1_access a = {.address = 0, .bytes = LINE, .element = 0, .is_store = true};
    assert_int_equal(rl1_stream(&b.rl1, &a, 10), RL1_HIT);
    assert_int_equal(rl1_stream(&b.rl1, &a, 10), RL1_PORT); /* private: one a cycle */
    assert_int_equal(rl1_stream(&b.rl1, &a, 11), RL1_HIT);
    assert_int_equal(rl1_stream(&b.rl1, &a, 12), RL1_ROOM); /* two wait below */
    assert_int_equal(b.rl1.counts.passed, 2);
    close_bed(&b);
}

TEST(a_scratchpad_serves_one_access_after_the_other)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_PRIVATE);
    assert_int_equal(rl1_use_scratchpad(&b.rl1, 0, 2, 10), 16); /* 3 cycles each */
    assert_int_equal(rl1_use_scratchpad(&b.rl1, 1, 1, 12), 19); /* the pair's, which is taken */
    assert_int_equal(rl1_use_scratchpad(&b.rl1, 2, 1, 12), 15); /* another's */
    assert_int_equal(rl1_use_scratchpad(&b.rl1, 1, 1, 30), 33);
    close_bed(&b);
}

TEST(an_atomic_goes_down_whatever_is_in_the_bank)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    store(&b, 0);
    const struct rl1_access a = {.address = 8, .bytes = 8, .element = 2, .slot = 5};
    assert_int_equal(rl1_pass_atomic(&b.rl1, &a), RL1_MISS);
    assert_int_equal(rl1_pass_atomic(&b.rl1, &a), RL1_MISS);
    assert_int_equal(rl1_pass_atomic(&b.rl1, &a), RL1_ROOM);
    handle_t h = below(&b);
    assert_int_equal(see(&b, h)->kind, REQUEST_ATOMIC);
    assert_int_equal(see(&b, h)->ticket, 2 << 8 | 5);
    close_bed(&b);
}

TEST(a_flush_writes_dirty_lines_back_as_room_allows_and_leaves_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, FABRIC_SHARED);
    for (u32 k = 0; k < 3; k++)
        store(&b, k * LINE);
    bring(&b, 3 * LINE);
    assert_false(rl1_flush(&b.rl1)); /* two entries, three dirty lines */
    assert_int_equal(b.rl1.unacknowledged, 2);
    for (u32 k = 0; k < 2; k++) {
        handle_t h = below(&b);
        assert_int_equal(see(&b, h)->kind, REQUEST_STORE); /* with an answer */
        pool_free(&b.pool, h);
    }
    b.sim.engine.now_fs++;
    assert_true(rl1_flush(&b.rl1));
    assert_int_equal(b.rl1.unacknowledged, 3);
    assert_int_equal(b.rl1.counts.flushed_lines, 3);
    pool_free(&b.pool, below(&b));
    b.sim.engine.now_fs++;
    assert_int_equal(load(&b, 3 * LINE, 0), RL1_MISS); /* clean ones are gone too */
    close_bed(&b);
}

RUN_TESTS(T(a_miss_asks_for_the_whole_line_and_the_load_is_told_when_it_comes),
          T(two_loads_of_a_line_are_one_request_and_both_are_told),
          T(shared_banks_are_one_cache_with_the_sets_of_all),
          T(private_banks_belong_to_pairs_and_know_nothing_of_each_other),
          T(a_shared_cache_takes_as_many_accesses_per_cycle_as_it_has_ports),
          T(each_private_bank_has_ports_of_its_own),
          T(a_store_takes_a_line_without_asking_for_it_and_only_its_sector_is_there),
          T(a_dirty_victim_leaves_with_the_sectors_that_were_written),
          T(a_full_port_refuses_a_miss_and_changes_nothing),
          T(a_store_that_has_to_write_back_waits_for_room), T(shared_mshrs_are_those_of_one_cache),
          T(a_pair_has_its_own_mshrs), T(lines_that_are_all_on_their_way_leave_no_way_for_a_store),
          T(a_stream_goes_past_the_banks_and_displaces_nothing),
          T(a_stream_takes_a_port_and_waits_for_room),
          T(a_scratchpad_serves_one_access_after_the_other),
          T(an_atomic_goes_down_whatever_is_in_the_bank),
          T(a_flush_writes_dirty_lines_back_as_room_allows_and_leaves_nothing))
