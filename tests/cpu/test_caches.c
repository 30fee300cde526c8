/*
 * The private caches of one core alone: a script of accesses above, a memory below that takes one
 * request a cycle and answers after 50. L1s of four lines in two sets, an L2 of sixteen in four
 * sets, two MSHRs each; hits take 3 and 8 cycles, addresses 1. All tick in one clock.
 *
 * A load that misses at n is looked up in the L2 at n + 4. If that has it the line is there at
 * n + 12; if not, the request is pushed at n + 12, reaches memory at n + 13, is answered at n + 63
 * and arrives at n + 64. An instruction fetch has no address to compute: a cycle less.
 */
#include "testing.h"

#include "cpu/caches.h"
#include "policy/registry.h"

#define L2_HIT 12u
#define MISS 64u
#define MEMORY_CYCLES 50u
#define MOST 64u

struct step {
    cycle_t at;
    u64 address;
    enum wait_kind kind;
};

struct bed {
    struct sim sim;
    struct pool pool;
    struct core_config config;
    struct ideal_config ideal;
    struct memory_system memory;
    struct caches caches;
    unit_id core, below;
    struct timed_queue under_way;
    const struct step *steps;
    u32 count, next;
    enum access_answer answers[MOST]; /* by step, the last */
    u32 blocked[MOST];                /* how often it was refused */
    cycle_t arrived[MOST];
    enum memory_level level[MOST];
    u32 reads, writes;
    u64 written[MOST];
    cycle_t deaf_until; /* memory takes nothing before */
    bool llc_hits;
};

static void arrived(void *core, enum wait_kind kind, u32 what, enum memory_level level, cycle_t now)
{
    struct bed *b = core;
    assert_int_equal(kind, b->steps[what].kind);
    assert_int_equal(b->arrived[what], 0); /* once */
    b->arrived[what] = now;
    b->level[what] = level;
}

static cycle_t core_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    bool came;
    cycle_t next = caches_tick(&b->caches, now, &came);
    while (b->next < b->count && b->steps[b->next].at <= now) {
        const struct step *s = &b->steps[b->next];
        struct cache_access a = {
            .address = s->address, .pc = 0x400000, .kind = s->kind, .what = b->next};
        b->answers[b->next] = caches_access(&b->caches, &a, now);
        if (b->answers[b->next] == ACCESS_BLOCKED) {
            b->blocked[b->next]++;
            break;
        }
        b->next++;
    }
    next = min_u64(next, caches_next(&b->caches, now));
    if (b->next < b->count)
        next = min_u64(next, max_u64(now + 1, b->steps[b->next].at));
    return next;
}

static cycle_t below_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (timed_next(&b->under_way) <= now && port_can_push(&b->caches.in))
        port_push(&b->caches.in, timed_pop(&b->under_way));
    if (now < b->deaf_until)
        return b->deaf_until;
    if (port_ready(&b->caches.out)) {
        handle_t h = port_pop(&b->caches.out);
        struct request *r = pool_get(&b->pool, h);
        if (r->kind == REQUEST_WRITEBACK) {
            b->written[b->writes++] = r->line;
            pool_free(&b->pool, h);
        } else {
            b->reads++;
            r->flags |= b->llc_hits ? REQUEST_L2_HIT : 0;
            timed_push(&b->under_way, h, now + MEMORY_CYCLES);
        }
    }
    return max_u64(now + 1, port_ready(&b->caches.out) ? now + 1 : timed_next(&b->under_way));
}

static struct core_config usual(void)
{
    return (struct core_config){
        .lsq = {.load_entries = 8, .store_entries = 8, .address_cycles = 1},
        .fetch = {.line_buffers = 2},
        .l1i = {.size_bytes = 256, .ways = 2, .hit_cycles = 3, .ports = 1, .mshrs = 2},
        .l1d = {.size_bytes = 256, .ways = 2, .hit_cycles = 3, .ports = 1, .mshrs = 2},
        .l2 = {.size_bytes = 1024, .ways = 4, .hit_cycles = 8, .ports = 1, .mshrs = 2}};
}

static struct policy_choice choose(struct bed *b, enum question_id q, const char *name)
{
    struct err err = ERR_INIT;
    struct policy_choice chosen;
    assert_true(policy_choose(q, name, "policy", NULL, &b->sim.arena, &chosen, &err));
    return chosen;
}

static void bed_open(struct bed *b, struct core_config config, const char *l1d_prefetcher)
{
    *b = (struct bed){.config = config, .ideal = {.model = MEMORY_REAL}};
    struct engine *e = &b->sim.engine;
    struct arena *a = &b->sim.arena;
    engine_init(e, a, &(struct engine_options){.max_cycles = 5000});
    stats_init(&b->sim.stats, a);
    pool_init(&b->pool, a, 512, sizeof(struct request));
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = {.sim = &b->sim};
    b->memory = (struct memory_system){
        .requests = &b->pool,
        .map = {.channels = 1, .banks_per_channel = 1, .interleave_bytes = 64},
        .config = {.ideal = &b->ideal, .line_bytes = 64}};
    struct policy_choice lru = choose(b, QUESTION_REPLACEMENT, "lru");
    struct policy_choice none = choose(b, QUESTION_PREFETCH, "none");
    struct cache_policies policies = {
        lru, lru, lru, none, choose(b, QUESTION_PREFETCH, l1d_prefetcher), none};
    caches_init(
        &b->caches, &site,
        &(struct caches_parts){.config = &b->config, .memory = &b->memory, .policies = &policies});
    timed_init(&b->under_way, a, 64);
    b->core = engine_add_unit(e, clock, "core", core_tick, b);
    b->below = engine_add_unit(e, clock, "below", below_tick, b);
    b->caches.unit = b->core;
    b->caches.core = b;
    b->caches.arrived = arrived;
    port_connect(&b->caches.out, b->core, b->below);
    port_connect(&b->caches.in, b->below, b->core);
}

static void play(struct bed *b, const struct step *steps, u32 count)
{
    b->steps = steps;
    b->count = count;
    engine_start(&b->sim.engine);
    engine_run(&b->sim.engine);
    assert_int_equal(pool_in_use(&b->pool), 0); /* nothing is left under way */
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->sim.arena);
}

TEST(a_load_that_misses_everywhere_comes_after_all_latencies_on_its_way)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}, {100, 0x1008, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 2);
    assert_int_equal(b.answers[0], ACCESS_MISS);
    assert_int_equal(b.arrived[0], 10 + MISS);
    assert_int_equal(b.level[0], LEVEL_DRAM);
    assert_int_equal(b.answers[1], ACCESS_HIT);
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.caches.l2.counts.latency_cycles, 52); /* pushed at 22, here at 74 */
    bed_close(&b);
}

TEST(a_line_that_the_l1_gave_up_comes_from_the_l2)
{
    UNUSED_STATE;
    struct bed b;
    /* 0x1000, 0x1080 and 0x1100 share a set of two lines */
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD},
                                 {100, 0x1080, WAIT_LOAD},
                                 {200, 0x1100, WAIT_LOAD},
                                 {300, 0x1000, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 4);
    assert_int_equal(b.arrived[3], 300 + L2_HIT);
    assert_int_equal(b.level[3], LEVEL_L2);
    assert_int_equal(b.caches.l1d.counts.evictions, 2); /* of 0x1000, then of 0x1080 */
    assert_int_equal(b.caches.l2.counts.hits, 1);
    bed_close(&b);
}

TEST(an_instruction_fetch_has_no_address_to_compute)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_FETCH}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 1);
    assert_int_equal(b.arrived[0], 10 + MISS - 1);
    assert_int_equal(b.caches.l1i.counts.misses, 1);
    assert_int_equal(b.caches.l1d.counts.accesses, 0);
    bed_close(&b);
}

TEST(what_hits_the_shared_cache_is_told_apart_from_dram)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    b.llc_hits = true;
    play(&b, steps, 1);
    assert_int_equal(b.level[0], LEVEL_LLC);
    assert_int_equal(b.caches.l2.counts.llc_hits, 1);
    assert_int_equal(b.caches.l2.counts.llc_hit_latency_cycles, 52);
    bed_close(&b);
}

TEST(loads_of_one_line_are_one_request_and_come_together)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}, {20, 0x1020, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 2);
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.arrived[0], 74);
    assert_int_equal(b.arrived[1], 74);
    assert_int_equal(b.caches.l1d.counts.misses, 1);
    assert_int_equal(b.caches.l1d.counts.merges, 1);
    assert_int_equal(b.caches.l1d.counts.load_misses, 2);
    bed_close(&b);
}

TEST(code_and_data_of_one_line_share_the_request_of_the_l2)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}, {20, 0x1000, WAIT_FETCH}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 2);
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.caches.l2.counts.merges, 1);
    assert_int_equal(b.arrived[1], 74); /* both L1s are filled when it comes */
    bed_close(&b);
}

TEST(without_a_free_mshr_an_access_is_refused_and_counts_nothing)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {
        {10, 0x1000, WAIT_LOAD}, {10, 0x1040, WAIT_LOAD}, {10, 0x1080, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 3);
    assert_int_equal(b.blocked[1], 0);
    assert_true(b.blocked[2] > 0);
    assert_int_equal(b.caches.l1d.counts.accesses, 3);
    assert_int_equal(b.arrived[2], 74 + MISS); /* taken in the cycle in which the first line came */
    bed_close(&b);
}

TEST(the_l2_serves_as_many_requests_a_cycle_as_it_has_ports)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}, {10, 0x1040, WAIT_LOAD}};
    struct core_config c = usual();
    bed_open(&b, c, "none");
    play(&b, steps, 2);
    assert_int_equal(b.arrived[0], 74);
    assert_int_equal(b.arrived[1], 75);
    bed_close(&b);
    c.l2.ports = 2;
    bed_open(&b, c, "none"); /* the memory takes one a cycle all the same */
    play(&b, steps, 2);
    assert_int_equal(b.arrived[0], 74);
    assert_int_equal(b.arrived[1], 75);
    bed_close(&b);
}

TEST(an_l2_without_a_free_mshr_keeps_the_order_of_what_waits)
{
    UNUSED_STATE;
    struct bed b;
    struct core_config c = usual();
    c.l1d.mshrs = 4;
    c.l2.mshrs = 1;
    const struct step steps[] = {
        {10, 0x1000, WAIT_LOAD}, {11, 0x1040, WAIT_LOAD}, {12, 0x1080, WAIT_LOAD}};
    bed_open(&b, c, "none");
    play(&b, steps, 3);
    assert_int_equal(b.arrived[0], 74);
    /* its head looks again when the line has come: 74 + 8 in the L2, pushed, and 52 more */
    assert_int_equal(b.arrived[1], 74 + 8 + 52);
    assert_int_equal(b.arrived[2], 134 + 8 + 52);
    bed_close(&b);
}

TEST(a_store_makes_its_line_dirty_and_the_victim_goes_down_level_by_level)
{
    UNUSED_STATE;
    struct bed b;
    struct core_config c = usual();
    c.l2.size_bytes = 256; /* as small as the L1: two sets of two */
    c.l2.ways = 2;
    const struct step steps[] = {{10, 0x1000, WAIT_STORE},
                                 {100, 0x1080, WAIT_LOAD},
                                 {200, 0x1100, WAIT_LOAD},
                                 {300, 0x1180, WAIT_LOAD},
                                 {400, 0x1200, WAIT_LOAD}};
    bed_open(&b, c, "none");
    play(&b, steps, 5);
    assert_int_equal(b.caches.l1d.counts.writebacks, 1);
    assert_int_equal(b.caches.l2.counts.writebacks_in, 1);
    assert_int_equal(b.writes, 1);
    assert_int_equal(b.written[0], 0x1000);
    bed_close(&b);
}

TEST(a_store_that_hits_and_one_that_joins_a_load_are_written_back_too)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD},  {11, 0x1000, WAIT_STORE},
                                 {100, 0x1080, WAIT_LOAD}, {200, 0x1080, WAIT_STORE},
                                 {300, 0x1100, WAIT_LOAD}, {400, 0x1180, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    play(&b, steps, 6);
    assert_int_equal(b.caches.l1d.counts.writebacks, 2);
    assert_int_equal(b.caches.l2.counts.writebacks_in, 2);
    assert_int_equal(b.writes, 0); /* the L2 has room for both */
    assert_int_equal(b.caches.l1d.counts.loads, 4);
    bed_close(&b);
}

TEST(a_memory_that_takes_nothing_stops_misses_and_loses_none)
{
    UNUSED_STATE;
    struct bed b;
    struct step steps[24];
    struct core_config c = usual();
    c.l1d.mshrs = 24;
    c.l2.mshrs = 24;
    for (u32 i = 0; i < 24; i++)
        steps[i] = (struct step){10, 0x1000 + 64 * i, WAIT_LOAD};
    bed_open(&b, c, "none");
    b.deaf_until = 500;
    play(&b, steps, 24);
    assert_int_equal(b.reads, 24);
    assert_int_equal(b.arrived[0], 500 + MEMORY_CYCLES + 1);
    for (u32 i = 1; i < 24; i++)
        assert_int_equal(b.arrived[i], b.arrived[0] + i); /* one a cycle, in order */
    bed_close(&b);
}

TEST(a_perfect_l1_asks_nothing)
{
    UNUSED_STATE;
    struct bed b;
    struct core_config c = usual();
    c.l1d.perfect = true;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}, {10, 0x2000, WAIT_STORE}};
    bed_open(&b, c, "none");
    play(&b, steps, 2);
    assert_int_equal(b.answers[0], ACCESS_HIT);
    assert_int_equal(b.caches.l2.counts.accesses, 0);
    bed_close(&b);
}

TEST(a_perfect_l2_answers_every_miss_and_takes_every_victim)
{
    UNUSED_STATE;
    struct bed b;
    struct core_config c = usual();
    c.l2.perfect = true;
    const struct step steps[] = {
        {10, 0x1000, WAIT_STORE}, {100, 0x1080, WAIT_LOAD}, {200, 0x1100, WAIT_LOAD}};
    bed_open(&b, c, "none");
    play(&b, steps, 3);
    assert_int_equal(b.arrived[0], 10 + L2_HIT);
    assert_int_equal(b.caches.l2.counts.writebacks_in, 1);
    assert_int_equal(b.reads + b.writes, 0);
    bed_close(&b);
}

TEST(a_line_fetched_ahead_is_useful_when_it_is_there_and_late_when_it_is_not)
{
    UNUSED_STATE;
    struct bed b;
    struct core_config c = usual();
    c.l1d.mshrs = 8;
    c.l2.mshrs = 8;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD},
                                 {200, 0x1040, WAIT_LOAD},  /* asked for at 10 */
                                 {210, 0x1080, WAIT_LOAD}}; /* asked for at 200 */
    bed_open(&b, c, "next_line");
    play(&b, steps, 3);
    assert_int_equal(b.answers[1], ACCESS_HIT);
    assert_int_equal(b.caches.l1d.counts.useful_prefetches, 1);
    assert_int_equal(b.caches.l1d.counts.late_prefetches, 1);
    assert_int_equal(b.arrived[2], 200 + 3 + 8 + 52); /* as the prefetch would: no address */
    bed_close(&b);
}

TEST(warming_leaves_lines_in_every_level_and_counts_nothing)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{10, 0x1000, WAIT_LOAD}, {20, 0x1080, WAIT_LOAD}};
    bed_open(&b, usual(), "none");
    caches_warm(&b.caches, &(struct cache_access){.address = 0x1000, .kind = WAIT_STORE});
    assert_int_equal(b.caches.l1d.counts.accesses, 0);
    play(&b, steps, 2);
    assert_int_equal(b.answers[0], ACCESS_HIT);
    assert_int_equal(b.answers[1], ACCESS_MISS);
    assert_int_equal(b.reads, 1);
    bed_close(&b);
}

RUN_TESTS(T(a_load_that_misses_everywhere_comes_after_all_latencies_on_its_way),
          T(a_line_that_the_l1_gave_up_comes_from_the_l2),
          T(an_instruction_fetch_has_no_address_to_compute),
          T(what_hits_the_shared_cache_is_told_apart_from_dram),
          T(loads_of_one_line_are_one_request_and_come_together),
          T(code_and_data_of_one_line_share_the_request_of_the_l2),
          T(without_a_free_mshr_an_access_is_refused_and_counts_nothing),
          T(the_l2_serves_as_many_requests_a_cycle_as_it_has_ports),
          T(an_l2_without_a_free_mshr_keeps_the_order_of_what_waits),
          T(a_store_makes_its_line_dirty_and_the_victim_goes_down_level_by_level),
          T(a_store_that_hits_and_one_that_joins_a_load_are_written_back_too),
          T(a_memory_that_takes_nothing_stops_misses_and_loses_none), T(a_perfect_l1_asks_nothing),
          T(a_perfect_l2_answers_every_miss_and_takes_every_victim),
          T(a_line_fetched_ahead_is_useful_when_it_is_there_and_late_when_it_is_not),
          T(warming_leaves_lines_in_every_level_and_counts_nothing))
