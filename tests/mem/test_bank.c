/*
 * A bank of the shared cache alone, between a source that follows a script, a memory that answers
 * after ten cycles, and a sink that takes everything. All tick in one clock.
 *
 * What the source pushes in cycle n is taken by the bank in n + 1, waits three cycles in the pipe,
 * reaches the access queue in n + 4 and is served in n + 5; its answer reaches the sink in n + 6. A
 * miss is asked for in n + 5, reaches memory in n + 6, its answer is pushed in n + 16 and filled
 * and passed on in n + 17: at the sink in n + 18.
 */
#include "testing.h"

#include "mem/bank.h"
#include "policy/registry.h"

#define PIPE 3u
#define MEMORY_CYCLES 10u
#define HIT_CYCLES 6u
#define MISS_CYCLES 18u
#define MOST 64u

struct step {
    cycle_t at;
    u64 line;
    u32 sectors;
    u8 kind, flags;
};

struct bed {
    struct sim sim;
    struct pool pool;
    struct address_map map;
    struct l2_config config;
    struct bank bank;
    struct port in, miss, answer, out;
    unit_id source, memory, sink;
    struct delay under_way;
    const struct step *steps;
    u32 count, next;
    cycle_t arrived[MOST]; /* by step */
    u32 answers, reads, writes;
    u64 last_written;
};

static cycle_t source_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (b->next < b->count && b->steps[b->next].at <= now && port_can_push(&b->in)) {
        const struct step *s = &b->steps[b->next];
        handle_t h = pool_alloc(&b->pool);
        *(struct request *)pool_get(&b->pool, h) = (struct request){.line = s->line,
                                                                    .sectors = s->sectors,
                                                                    .kind = s->kind,
                                                                    .flags = s->flags,
                                                                    .reply_to = 7,
                                                                    .ticket = b->next};
        port_push(&b->in, h);
        b->next++;
    }
    return b->next < b->count ? max_u64(now + 1, b->steps[b->next].at) : CYCLE_NEVER;
}

static cycle_t memory_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (port_ready(&b->miss)) {
        handle_t h = port_pop(&b->miss);
        const struct request *r = pool_get(&b->pool, h);
        if (r->kind == REQUEST_WRITEBACK) {
            b->writes++;
            b->last_written = r->line;
            pool_free(&b->pool, h);
        } else {
            b->reads++;
            delay_push(&b->under_way, h, now + MEMORY_CYCLES);
        }
    }
    while (delay_next(&b->under_way) <= now && port_can_push(&b->answer))
        port_push(&b->answer, delay_pop(&b->under_way));
    return max_u64(delay_next(&b->under_way), now + 1);
}

static cycle_t sink_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (port_ready(&b->out)) {
        handle_t h = port_pop(&b->out);
        const struct request *r = pool_get(&b->pool, h);
        assert_int_equal(r->to, 7); /* where its answer goes */
        assert_true(r->flags & REQUEST_REPLY);
        b->arrived[r->ticket] = now;
        b->answers++;
        pool_free(&b->pool, h);
    }
    return CYCLE_NEVER;
}

/* Four sets of two lines of 128 bytes; a data port of 32 bytes; two MSHRs of two requests. */
static void run(struct bed *b, const struct step *steps, u32 count)
{
    *b = (struct bed){.steps = steps, .count = count};
    struct arena *a = &b->sim.arena;
    struct engine *e = &b->sim.engine;
    engine_init(e, a, &(struct engine_options){.max_cycles = 2000});
    stats_init(&b->sim.stats, a);
    pool_init(&b->pool, a, 256, sizeof(struct request));
    b->map = (struct address_map){.channels = 1, .banks_per_channel = 1, .interleave_bytes = 128};
    b->config = (struct l2_config){.size_bytes = 1024,
                                   .ways = 2,
                                   .mshrs = 2,
                                   .merge_limit = 2,
                                   .access_entries = 8,
                                   .port_bytes = 32,
                                   .write_miss = WRITE_MISS_FETCH_PARTIAL,
                                   .atomic_cycles = 4,
                                   .fill_bytes = 32,
                                   .dirty_ways = 64};
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = site_of(&b->sim);
    struct policy_choice lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL};
    b->source = engine_add_unit(e, clock, "source", source_tick, b);
    bank_init(&b->bank, &site, clock, "l2.bank", &b->config, 0, 1, 128, PIPE, &b->map, lru,
              &b->pool, &b->in, &b->miss, &b->answer, &b->out);
    b->memory = engine_add_unit(e, clock, "memory", memory_tick, b);
    b->sink = engine_add_unit(e, clock, "sink", sink_tick, b);
    delay_init(&b->under_way, a, 64);
    port_init(&b->in, e, "in", 8);
    port_init(&b->miss, e, "miss", 8);
    port_init(&b->answer, e, "answer", 8);
    port_init(&b->out, e, "out", 8);
    port_connect(&b->in, b->source, b->bank.unit);
    port_connect(&b->miss, b->bank.unit, b->memory);
    port_connect(&b->answer, b->memory, b->bank.unit);
    port_connect(&b->out, b->bank.unit, b->sink);
    engine_start(e);
    engine_run(e);
    assert_int_equal(pool_in_use(&b->pool), 0); /* every request was answered once */
}

static void close_bed(struct bed *b)
{
    arena_fini(&b->sim.arena);
}

TEST(a_miss_takes_the_way_to_memory_and_back_and_a_hit_only_the_pipe)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0}};
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.bank.counts.misses, 1);
    assert_int_equal(b.bank.counts.hits, 1);
    assert_int_equal(b.reads, 1);
    close_bed(&b);
}

/* The fill keeps the data port for a whole line: 4 cycles. */
TEST(hits_wait_for_the_data_port)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 0xf, REQUEST_LOAD, 0},
        {100, 0x1000, 0xf, REQUEST_LOAD, 0}, /* keeps it for 4 cycles */
        {100, 0x1000, 1, REQUEST_LOAD, 0},   /* 4 later, for 1 */
        {100, 0x1000, 1, REQUEST_LOAD, 0},   /* 1 later */
    };
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.arrived[2], 100 + HIT_CYCLES + 4);
    assert_int_equal(b.arrived[3], 100 + HIT_CYCLES + 5);
    /* the bank takes one a cycle from the network: the second is at its head two cycles after the
     * first was served, and waits for two; then the third for none */
    assert_int_equal(b.bank.counts.stall[STALL_PORT], 3);
    assert_int_equal(b.bank.counts.busy_port_cycles, 4 + 4 + 1 + 1);
    close_bed(&b);
}

TEST(requests_for_a_line_on_its_way_are_answered_one_a_cycle_when_it_comes)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0},
                                        {0, 0x1000, 2, REQUEST_LOAD, 0},
                                        {0, 0x1000, 4, REQUEST_LOAD, 0}};
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.bank.counts.merges, 1);
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], MISS_CYCLES + 1);
    /* the third found two waiting, the limit: it hits once the fill has left the port */
    assert_int_equal(b.bank.counts.hits, 1);
    assert_int_equal(b.arrived[2], MISS_CYCLES + 4);
    close_bed(&b);
}

/* Lines 512 bytes apart lie in one set. */
TEST(a_dirty_victim_goes_to_memory_and_a_clean_one_does_not)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE}, /* needs nothing from memory */
        {100, 0x1200, 1, REQUEST_LOAD, 0},
        {200, 0x1400, 1, REQUEST_LOAD, 0}, /* the oldest goes: 0x1000 */
        {300, 0x1600, 1, REQUEST_LOAD, 0}, /* 0x1200, clean */
    };
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.reads, 3);
    assert_int_equal(b.writes, 1);
    assert_int_equal(b.last_written, 0x1000);
    assert_int_equal(b.bank.counts.evictions, 2);
    assert_int_equal(b.arrived[0], HIT_CYCLES);
    assert_int_equal(b.arrived[2], 200 + MISS_CYCLES);
    close_bed(&b);
}

TEST(an_atomic_keeps_the_port_as_long_as_it_is_told)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0},
                                        {100, 0x1000, 1, REQUEST_ATOMIC, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0}};
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.arrived[2], 100 + HIT_CYCLES + 4);
    assert_int_equal(b.bank.counts.atomics, 1);
    close_bed(&b);
}

RUN_TESTS(T(a_miss_takes_the_way_to_memory_and_back_and_a_hit_only_the_pipe),
          T(hits_wait_for_the_data_port),
          T(requests_for_a_line_on_its_way_are_answered_one_a_cycle_when_it_comes),
          T(a_dirty_victim_goes_to_memory_and_a_clean_one_does_not),
          T(an_atomic_keeps_the_port_as_long_as_it_is_told))
