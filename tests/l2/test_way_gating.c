/*
 * Ways of a bank that go off and on while requests come, some of which go past it.
 *
 * The bank lies between a source of random requests, a memory that answers after 20 cycles, and a
 * sink. Lines have values, which the test keeps: of memory, and the last one written to each line
 * in the order in which the bank served stores. A value travels to memory with what the bank sends
 * there, so a line that was lost, or read where it is old, shows.
 */
#include "testing.h"

#include "base/rng.h"
#include "l2/bank.h"
#include "policy/registry.h"

#define MEMORY_CYCLES 20u
#define SETS 128u
#define WAYS 4u
#define LINE 128u
#define REQUESTS 6000u
#define LINES 1024u /* twice what the bank holds */

struct bed {
    struct sim sim;
    struct pool pool;
    struct address_map map;
    struct l2_config config;
    struct bank bank;
    struct llc llc;
    struct port in, miss, answer, out;
    unit_id source, memory, sink;
    struct timed_queue under_way;
    struct rng random;
    u32 left;         /* requests to come */
    u32 lines;        /* that they are of */
    u32 past_percent; /* of requests that go past */
    u32 answers, stores;
    unit_tick *bank_tick;
    u32 miss_seen, out_seen; /* tails of ports */
    u64 value, last[LINES], memory_value[LINES];
    u32 writes;
    u32 checks;
};

static u32 line_of(const struct request *r)
{
    return (u32)(r->line / LINE);
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static cycle_t source_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (b->left && port_can_push(&b->in)) {
        handle_t h = pool_alloc(&b->pool);
        bool stores = rng_below(&b->random, 3) == 0;
        u32 line = (u32)rng_below(&b->random, b->lines);
        u32 flags = rng_below(&b->random, 100) < b->past_percent ? REQUEST_BYPASS_L2 : 0;
        flags |= flags && rng_below(&b->random, 2) ? REQUEST_BLIND : 0;
        if (stores)
            flags |= REQUEST_WHOLE;
        *(struct request *)pool_get(&b->pool, h) =
            (struct request){.line = (u64)line * LINE,
                             .sectors = 0xf,
                             .kind = stores ? REQUEST_STORE : REQUEST_LOAD,
                             .flags = (u16)flags,
                             .ticket = ++b->value};
        port_push(&b->in, h);
        b->left--;
    }
    return b->left ? now + 1 + rng_below(&b->random, 4) : CYCLE_NEVER;
}

static cycle_t memory_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (port_ready(&b->miss)) {
        handle_t h = port_pop(&b->miss);
        const struct request *r = pool_get(&b->pool, h);
        u32 line = line_of(r);
        if (r->kind == REQUEST_WRITEBACK) {
            b->writes++;
            b->memory_value[line] = r->ticket;
            pool_free(&b->pool, h);
            continue;
        }
        /* a line that the bank has not: memory has the last value of it */
        assert_int_equal(b->memory_value[line], b->last[line]);
        timed_push(&b->under_way, h, now + MEMORY_CYCLES);
    }
    while (timed_next(&b->under_way) <= now && port_can_push(&b->answer))
        port_push(&b->answer, timed_pop(&b->under_way));
    return max_u64(timed_next(&b->under_way), now + 1);
}

static cycle_t sink_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    (void)now;
    while (port_ready(&b->out)) {
        handle_t h = port_pop(&b->out);
        b->answers++;
        pool_free(&b->pool, h);
    }
    return CYCLE_NEVER;
}

/* ---- what is true after every tick ----------------------------------------------------------- */

/* A store is done when it is answered, or when its line came and it waits to be. */
static void apply(struct bed *b, struct request *r)
{
    if (r->kind != REQUEST_STORE || r->pc)
        return;
    r->pc = 1;
    b->last[line_of(r)] = r->ticket;
    b->stores++;
}

static void check_tags(struct bed *b)
{
    const struct tags *t = &b->bank.cache.tags;
    const struct bank_ways *w = b->bank.ways;
    for (u32 set = 0; set < t->sets; set++) {
        bool dirty = false;
        for (u32 way = 0; way < t->ways; way++) {
            const struct line *l = tags_line(t, set, way);
            dirty |= l->dirty != 0;
            if (w->state == WAYS_STEADY && way >= w->on)
                assert_int_equal(l->state, LINE_INVALID);
        }
        assert_int_equal(w->dirty_sets[set / 64] >> (set % 64) & 1, dirty);
    }
    b->checks++;
}

static cycle_t watched_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    cycle_t next = b->bank_tick(&b->bank, now);
    for (; b->out_seen != b->out.tail; b->out_seen++)
        apply(b, pool_get(&b->pool, b->out.slots[b->out_seen & b->out.mask]));
    for (handle_t h = b->bank.ready_first; h;) {
        struct request *r = pool_get(&b->pool, h);
        apply(b, r);
        h = r->next;
    }
    for (; b->miss_seen != b->miss.tail; b->miss_seen++) {
        struct request *r = pool_get(&b->pool, b->miss.slots[b->miss_seen & b->miss.mask]);
        if (r->kind == REQUEST_WRITEBACK)
            r->ticket = b->last[line_of(r)];
    }
    if (now % 4 == 0)
        check_tags(b);
    return next;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static u32 planned[64];
static u32 plan_count;

static cycle_t test_interval(const struct llc_policy *p)
{
    (void)p;
    return 500;
}

/* One after the other, the last for ever. */
static void test_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                        struct llc_plan *plan)
{
    (void)p, (void)monitors;
    u64 at = now / 500;
    plan->ways_on = planned[at < plan_count ? at : plan_count - 1];
}

static const struct llc_policy_ops test_policy = {.version = POLICY_VERSION,
                                                  .name = "test",
                                                  .source = "a test",
                                                  .interval = test_interval,
                                                  .decide = test_decide};

static void open_bed(struct bed *b, enum way_flush flush, bool flush_all)
{
    *b = (struct bed){.lines = LINES};
    struct arena *a = &b->sim.arena;
    struct engine *e = &b->sim.engine;
    struct err err = ERR_INIT;
    engine_init(e, a, &(struct engine_options){.max_cycles = 1000000});
    stats_init(&b->sim.stats, a);
    rng_init(&b->random, 1, "ways");
    pool_init(&b->pool, a, 1024, sizeof(struct request));
    b->map = (struct address_map){.channels = 1, .banks_per_channel = 1, .interleave_bytes = 128};
    b->config = (struct l2_config){.size_bytes = SETS * WAYS * LINE,
                                   .clock_hz = 1000000000,
                                   .ways = WAYS,
                                   .mshrs = 8,
                                   .merge_limit = 4,
                                   .access_entries = 8,
                                   .port_bytes = 128,
                                   .write_miss = WRITE_MISS_FETCH_PARTIAL,
                                   .atomic_cycles = 4,
                                   .fill_bytes = 32,
                                   .dirty_ways = 64,
                                   .flush = flush,
                                   .flush_all = flush_all,
                                   .flush_set_cycles = 16};
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = site_of(&b->sim);
    struct policy_choice lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL};
    struct policy_choice plans = {(const struct policy_ops *)&test_policy, NULL};
    b->source = engine_add_unit(e, clock, "source", source_tick, b);
    bank_init(&b->bank, &(struct bank_parts){.site = &site,
                                             .domain = clock,
                                             .name = "l2.bank",
                                             .config = &b->config,
                                             .banks = 1,
                                             .line_bytes = LINE,
                                             .pipe_latency = 3,
                                             .map = &b->map,
                                             .replacement = lru,
                                             .requests = &b->pool,
                                             .in = &b->in,
                                             .miss = &b->miss,
                                             .answer = &b->answer,
                                             .out = &b->out});
    bank_let_bypass(&b->bank, a);
    const struct llc_parts parts = {
        .banks = &b->bank, .bank_count = 1, .bytes = b->config.size_bytes};
    assert_true(llc_init(&b->llc, &site, clock, &parts, plans, &err));
    struct unit *u = e->units[b->bank.unit];
    b->bank_tick = u->tick;
    u->tick = watched_tick;
    u->self = b;
    b->memory = engine_add_unit(e, clock, "memory", memory_tick, b);
    b->sink = engine_add_unit(e, clock, "sink", sink_tick, b);
    timed_init(&b->under_way, a, 64);
    port_init(&b->in, e, "in", 8);
    port_init(&b->miss, e, "miss", 8);
    port_init(&b->answer, e, "answer", 8);
    port_init(&b->out, e, "out", 8);
    port_connect(&b->in, b->source, b->bank.unit);
    port_connect(&b->miss, b->bank.unit, b->memory);
    port_connect(&b->answer, b->memory, b->bank.unit);
    port_connect(&b->out, b->bank.unit, b->sink);
}

static void run(struct bed *b, cycle_t cycles)
{
    b->sim.engine.options.max_cycles = cycles;
    engine_start(&b->sim.engine);
    engine_run(&b->sim.engine);
    bank_settle(&b->bank, engine_cycle(&b->sim.engine, 0));
}

/* ---- nothing is lost ------------------------------------------------------------------------- */

static void expect_all_kept(enum way_flush flush, bool flush_all, u32 past_percent)
{
    static const u32 sizes[] = {4, 1, 3, 2, 4, 4, 1, 2, 4, 3, 1, 4, 2, 1, 4};
    struct bed b;
    memcpy(planned, sizes, sizeof sizes);
    plan_count = ARRAY_LEN(sizes);
    open_bed(&b, flush, flush_all);
    b.left = REQUESTS;
    b.past_percent = past_percent;
    run(&b, 60000);
    assert_int_equal(b.left, 0);
    assert_int_equal(b.answers, REQUESTS);
    assert_int_equal(pool_in_use(&b.pool), 0);
    assert_true(b.stores > 1000 && b.checks > 500);
    assert_true(b.bank.ways->counts.shrinks >= 2);
    assert_true(b.bank.ways->counts.grows >= 1 || flush == FLUSH_LAZY);
    if (past_percent)
        assert_true(b.bank.bypass->loads > 100 && b.bank.bypass->stores > 100 &&
                    b.bank.bypass->found > 100);
    for (u32 i = 0; i < LINES; i++) {
        struct cache_place p = cache_find(&b.bank.cache, (u64)i * LINE, (u64)i * LINE);
        const struct line *l = cache_line(&b.bank.cache, p);
        if (!l || !l->dirty)
            assert_int_equal(b.memory_value[i], b.last[i]);
    }
    arena_fini(&b.sim.arena);
}

TEST(no_line_is_lost_while_ways_go_off_and_on_and_requests_go_past)
{
    UNUSED_STATE;
    for (u32 flush = FLUSH_VECTOR; flush <= FLUSH_LAZY; flush++) {
        expect_all_kept((enum way_flush)flush, true, 0);
        expect_all_kept((enum way_flush)flush, false, 40);
        expect_all_kept((enum way_flush)flush, true, 40);
    }
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* `dirty` sets have one dirty line, in way 0; from cycle 500 on one way is on. */
static void shrink(struct bed *b, enum way_flush flush, u32 dirty)
{
    planned[0] = WAYS;
    planned[1] = 1;
    plan_count = 2;
    open_bed(b, flush, true);
    for (u32 i = 0; i < dirty; i++) {
        bank_place_context(&b->bank, (u64)i * LINE, true);
        b->last[i] = i + 1;
    }
    run(b, 20000);
}

TEST(without_dirty_lines_the_vector_is_all_that_is_looked_at)
{
    UNUSED_STATE;
    struct bed b;
    shrink(&b, FLUSH_VECTOR, 0);
    assert_int_equal(b.writes, 0);
    assert_int_equal(b.bank.ways->on, 1);
    assert_int_equal(b.bank.ways->counts.resize_cycles, SETS / 64);
    assert_int_equal(b.bank.ways->counts.flushed_sets, 0);
    arena_fini(&b.sim.arena);
}

TEST(each_set_with_a_dirty_line_costs_its_walk_and_one_write)
{
    UNUSED_STATE;
    struct bed b;
    shrink(&b, FLUSH_VECTOR, 5);
    assert_int_equal(b.writes, 5);
    assert_int_equal(b.bank.ways->counts.resize_cycles, SETS / 64 + 5 * 16);
    assert_int_equal(b.bank.ways->counts.flushed_sets, 5);
    assert_int_equal(b.bank.ways->counts.looked_sets, SETS);
    for (u32 i = 0; i < 5; i++)
        assert_int_equal(b.memory_value[i], i + 1);
    arena_fini(&b.sim.arena);
}

TEST(walking_all_sets_is_slower_and_leaves_the_same_memory)
{
    UNUSED_STATE;
    struct bed b;
    shrink(&b, FLUSH_WALK, 5);
    assert_int_equal(b.writes, 5);
    assert_int_equal(b.bank.ways->counts.resize_cycles, SETS * 16);
    for (u32 i = 0; i < 5; i++)
        assert_int_equal(b.memory_value[i], i + 1);
    arena_fini(&b.sim.arena);
}

/* A bank asleep is gated all the same: from its turn to the end. */
TEST(ways_that_are_off_are_counted_for_as_long_as_they_are)
{
    UNUSED_STATE;
    struct bed b;
    shrink(&b, FLUSH_VECTOR, 0);
    const struct bank_ways_counts *c = &b.bank.ways->counts;
    u64 end = engine_cycle(&b.sim.engine, 0), off_from = 501 + SETS / 64;
    assert_int_equal(c->way_cycles, end * WAYS);
    assert_int_equal(c->gated_way_cycles, (end - off_from) * (WAYS - 1));
    arena_fini(&b.sim.arena);
}

RUN_TESTS(T(no_line_is_lost_while_ways_go_off_and_on_and_requests_go_past),
          T(without_dirty_lines_the_vector_is_all_that_is_looked_at),
          T(each_set_with_a_dirty_line_costs_its_walk_and_one_write),
          T(walking_all_sets_is_slower_and_leaves_the_same_memory),
          T(ways_that_are_off_are_counted_for_as_long_as_they_are))
