/*
 * A bank of the shared cache alone, between a source that follows a script, a memory that answers
 * after ten cycles, and a sink that takes everything. All tick in one clock.
 *
 * What the source pushes in cycle n is taken by the bank in n + 1, waits three cycles in the pipe,
 * reaches the access queue in n + 4 and is served in n + 5; its answer reaches the sink in n + 6. A
 * miss is asked for in n + 5, reaches memory in n + 6, its answer is pushed in n + 16 and filled
 * and passed on in n + 17: at the sink in n + 18.
 */
#ifndef L2_BANK_BED_H
#define L2_BANK_BED_H

#include "testing.h"

#include "l2/bank.h"
#include "l2/llc.h"
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
    u8 kind;
    u16 flags;
    u16 agent;
    u8 home;
};

/* Most steps leave home out: 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

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
    const struct step *steps;
    u32 count, next;
    cycle_t arrived[MOST]; /* by step */
    u32 answers, reads, writes;
    u64 last_written;
};

static inline cycle_t source_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (b->next < b->count && b->steps[b->next].at <= now && port_can_push(&b->in)) {
        const struct step *s = &b->steps[b->next];
        handle_t h = pool_alloc(&b->pool);
        *(struct request *)pool_get(&b->pool, h) =
            (struct request){.line = s->line,
                             .sectors = s->sectors,
                             .kind = s->kind,
                             .flags = s->flags,
                             .agent = s->agent,
                             .home = s->home,
                             .application = application_of(s->line),
                             .reply_to = 7,
                             .ticket = b->next};
        port_push(&b->in, h);
        b->next++;
    }
    return b->next < b->count ? max_u64(now + 1, b->steps[b->next].at) : CYCLE_NEVER;
}

static inline cycle_t memory_tick(void *self, cycle_t now)
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
            timed_push(&b->under_way, h, now + MEMORY_CYCLES);
        }
    }
    while (timed_next(&b->under_way) <= now && port_can_push(&b->answer))
        port_push(&b->answer, timed_pop(&b->under_way));
    return max_u64(timed_next(&b->under_way), now + 1);
}

static inline cycle_t sink_tick(void *self, cycle_t now)
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
static inline struct l2_config bed_config(void)
{
    return (struct l2_config){.size_bytes = 1024,
                              .ways = 2,
                              .mshrs = 2,
                              .merge_limit = 2,
                              .access_entries = 8,
                              .port_bytes = 32,
                              .write_miss = WRITE_MISS_FETCH_PARTIAL,
                              .atomic_cycles = 4,
                              .fill_bytes = 32,
                              .dirty_ways = 64};
}

/* `llc`: NULL: the ways are shared by all, without a plan. */
static inline void bed_open(struct bed *b, const struct l2_config *config, const char *replacement,
                            const char *llc)
{
    *b = (struct bed){.config = *config};
    struct arena *a = &b->sim.arena;
    struct engine *e = &b->sim.engine;
    struct err err = ERR_INIT;
    struct policy_choice lines, ways;
    engine_init(e, a, &(struct engine_options){.max_cycles = 2000});
    stats_init(&b->sim.stats, a);
    pool_init(&b->pool, a, 256, sizeof(struct request));
    b->map = (struct address_map){.channels = 1, .banks_per_channel = 1, .interleave_bytes = 128};
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = site_of(&b->sim);
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, replacement, "replacement", NULL, a, &lines, &err));
    b->source = engine_add_unit(e, clock, "source", source_tick, b);
    bank_init(&b->bank, &(struct bank_parts){.site = &site,
                                             .domain = clock,
                                             .name = "l2.bank",
                                             .config = &b->config,
                                             .banks = 1,
                                             .line_bytes = 128,
                                             .pipe_latency = PIPE,
                                             .map = &b->map,
                                             .replacement = lines,
                                             .requests = &b->pool,
                                             .in = &b->in,
                                             .miss = &b->miss,
                                             .answer = &b->answer,
                                             .out = &b->out});
    b->memory = engine_add_unit(e, clock, "memory", memory_tick, b);
    b->sink = engine_add_unit(e, clock, "sink", sink_tick, b);
    if (llc) {
        struct llc_parts parts = {&b->bank, 1, config->size_bytes, 1000000000, NULL, 0};
        b->sim.applications = 2;
        b->sim.cpu_applications = 1; /* the first; the other runs on SMs */
        assert_true(policy_choose(QUESTION_LLC, llc, "l2.policy", NULL, a, &ways, &err));
        assert_true(llc_init(&b->llc, &site, clock, &parts, ways, &err));
    }
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

static inline void bed_play(struct bed *b, const struct step *steps, u32 count)
{
    b->steps = steps;
    b->count = count;
    engine_start(&b->sim.engine);
    engine_run(&b->sim.engine);
    assert_int_equal(pool_in_use(&b->pool), 0); /* every request was answered once */
}

static inline void close_bed(struct bed *b)
{
    arena_fini(&b->sim.arena);
}

#endif
