/*
 * Beds for rings of L1 caches: kernels on chosen SMs, lines that SMs have in
 * common, and an observer that looks at the ring in every cycle.
 */
#ifndef TESTS_CCN_BED_H
#define TESTS_CCN_BED_H

#include "gpu/bed.h"
#include "gpu/script.h"

#define LINE 128u

/* Looks after every cycle, when the SMs have had theirs. */
struct observer {
    struct gpu *gpu;
    u32 most_hops;
    bool compares;                                 /* shadows with tags, in every cycle */
    bool torn;                                     /* one differed */
    void (*look)(struct observer *o, cycle_t now); /* may be NULL */
    void *context;
};

static inline void observe_queue(struct observer *o, const struct ring_channel *c)
{
    for (u32 node = 0; node < c->nodes; node++) {
        u32 count = ring_channel_count(c, node);
        assert_true(count <= c->entries);
        for (u32 i = 0; i < count; i++)
            o->most_hops = (u32)max_u64(o->most_hops, ring_channel_hops(c, node, i));
    }
}

/* What others see of every L1 is just the lines that are valid there. */
static inline bool shadows_agree(const struct gpu *g)
{
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct tags *t = &g->cluster.sms[i].l1.cache.tags;
        for (u32 k = 0; k < t->sets * t->ways; k++) {
            u32 set = k / t->ways, way = k % t->ways;
            bool valid = tags_line(t, set, way)->state == LINE_VALID;
            u64 line = valid ? tags_address(t, set, way) : NO_LINE;
            if (!ccn_way_shows(&g->cluster.ccn.nodes[i], set, way, line))
                return false;
        }
    }
    return true;
}

static inline cycle_t observer_tick(void *self, cycle_t now)
{
    struct observer *o = self;
    if (o->compares && !shadows_agree(o->gpu))
        o->torn = true;
    if (o->gpu->cluster.ccn.requests.nodes) {
        ccn_settle(&o->gpu->cluster.ccn, now + 1); /* hops that it slept through */
        observe_queue(o, &o->gpu->cluster.ccn.requests);
        observe_queue(o, &o->gpu->cluster.ccn.responses);
    }
    if (o->look)
        o->look(o, now);
    return now + 1;
}

static inline void ccn_open(struct bed *b, struct observer *o, const char *chip,
                            const char *const *sets)
{
    struct engine_options options = {.watchdog_cycles = 100000};
    bed_build(b, chip, sets, &options);
    o->gpu = b->gpu;
    unit_id unit =
        engine_add_unit(&b->sim.engine, b->gpu->cluster.core, "observer", observer_tick, o);
    engine_set_background(&b->sim.engine, unit);
    engine_start(&b->sim.engine);
}

/* A kernel of one block, on that SM and nowhere else. */
static inline void launch_on(struct bed *b, u32 sm, struct scripted_kernel k)
{
    b->gpu->cluster.dispatcher.next_sm[0] = sm;
    bed_launch(b, &k);
}

static inline void run_on(struct bed *b, u32 sm, struct scripted_kernel k)
{
    launch_on(b, sm, k);
    bed_run(b);
}

/* One warp loads one line, and waits for it. */
static inline void load_line_on(struct bed *b, u32 sm, u64 line)
{
    const struct scripted_instruction code[] = {LOAD(1, line), ALU(2, 1)};
    run_on(b, sm, KERNEL(code, 32));
}

static inline u64 count_of(struct bed *b, const char *name)
{
    return (u64)bed_stat(b, name);
}

/* Loads that SMs have in common. Warp w of an SM loads, in iteration i, line
 *     place x lag x warps + i x warps + w
 * so an SM finds at place + 1 what that one loaded `lag` iterations before. */
struct chain {
    u32 warps, lag, iterations;
    u32 offset;      /* place p is SM (p x offset) mod 15 */
    u32 from, count; /* SMs; others have lines of their own */
};

static const struct chain plain_chain = {
    .warps = 8, .lag = 3, .iterations = 100, .offset = 1, .count = 15};

#define CHAIN_BASE 0x10000000ull
#define OWN_BASE 0x40000000ull

static inline struct scripted_instruction chain_load(const struct chain *c, u64 base)
{
    return (struct scripted_instruction){.kind = WINST_LOAD,
                                         .unit = UNIT_MEMORY,
                                         .dst = 1,
                                         .src0 = 1,
                                         .space = SPACE_GLOBAL,
                                         .bytes = 4,
                                         .base = base,
                                         .lane_stride = 4,
                                         .warp_stride = LINE,
                                         .iteration_stride = (i64)c->warps * LINE};
}

static inline u64 chain_base(const struct chain *c, u32 sm)
{
    u32 place = 0;
    while (place * c->offset % 15 != sm)
        place++;
    u64 lines = (u64)c->lag * c->warps * LINE, all = (u64)c->iterations * c->warps * LINE;
    bool shares = sm >= c->from && sm < c->from + c->count;
    return shares ? CHAIN_BASE + place * lines : OWN_BASE + sm * all;
}

/* On every SM at once. */
static inline void chain_launch(struct bed *b, const struct chain *c)
{
    b->gpu->cluster.dispatcher.next_sm[0] = 0;
    for (u32 sm = 0; sm < 15; sm++) {
        struct scripted_instruction code[] = {chain_load(c, chain_base(c, sm))};
        struct scripted_kernel k =
            KERNEL(code, 32 * c->warps, .iterations = c->iterations, .stream = sm + 1);
        bed_launch(b, &k);
    }
}

/* Everything that the chain loads comes into L2 first, past L1. */
static inline void chain_warm_l2(struct bed *b, const struct chain *c)
{
    u32 lines = (c->iterations + 15 * c->lag) * c->warps;
    struct scripted_instruction code[] = {LOAD(1, CHAIN_BASE, .warp_stride = LINE,
                                               .block_stride = 8 * LINE, .src0 = 1,
                                               .cache_operator = CACHE_GLOBAL)};
    struct scripted_kernel k = KERNEL(code, 256, .blocks = (lines + 7) / 8);
    bed_launch(b, &k);
    bed_run(b);
}

/* Loads from anywhere in a footprint that all SMs share, or from lines of each warp's own. With
 * f lines in the footprint and 128 in each L1, any other one has a line with chance 128 / f. */
struct pool_kernel {
    u32 sms, warps, loads; /* of each warp */
    u64 footprint_bytes;   /* 0: a stream */
    u64 stream;
    u32 arithmetic; /* instructions for each load; then `loads` is of eights, else one in 8 is a
                       branch */
};

static inline void pool_launch(struct bed *b, const struct pool_kernel *k, u64 seed)
{
    struct synthetic_phase p = synthetic_phase_initial();
    struct synthetic_kernel s = synthetic_kernel_initial();
    u32 turn = k->arithmetic ? 8 * (1 + k->arithmetic) + 1 : 8; /* 8 or 7 loads, and the branch */
    p.instructions = k->arithmetic ? k->loads / 8 * turn : k->loads;
    p.code_bytes = 8 * turn;
    p.dependence_distance = 1;
    p.mix = (struct synthetic_mix){.load = 1, .integer = k->arithmetic};
    p.access.random = k->footprint_bytes != 0;
    p.access.stream = k->footprint_bytes == 0;
    p.access.footprint_bytes = k->footprint_bytes ? k->footprint_bytes : 16384;
    s.blocks = k->sms;
    s.threads_per_block = 32 * k->warps;
    s.stream = k->stream;
    s.phases = &p;
    s.phase_count = 1;
    bed_launch_synthetic(b, &s, seed);
}

static inline cycle_t pool_run(struct bed *b, const struct pool_kernel *k, u64 seed)
{
    cycle_t before = engine_cycle(&b->sim.engine, 0);
    b->gpu->cluster.dispatcher.next_sm[0] = 0;
    pool_launch(b, k, seed);
    bed_run(b);
    return engine_cycle(&b->sim.engine, 0) - before;
}

/* A warp on each SM loads HANDED lines one after the other, each when it has the one before: those
 * of the SM so many places further on. With 0 they are its own; then, with n, they are in the L1 of
 * an SM n places further on and nowhere else, and fit beside its own: two lines of each in each
 * set. */
#define HANDED 64u

static inline void hand_over(struct bed *b, u32 places)
{
    const struct chain c = {.warps = 1};
    b->gpu->cluster.dispatcher.next_sm[0] = 0;
    for (u32 sm = 0; sm < 15; sm++) {
        u64 base = CHAIN_BASE + (u64)((sm + places) % 15) * HANDED * LINE;
        struct scripted_instruction code[] = {chain_load(&c, base)};
        struct scripted_kernel k = KERNEL(code, 32, .iterations = HANDED, .stream = sm + 1);
        bed_launch(b, &k);
    }
    bed_run(b);
}

/* The cycles that the chain took, alone. */
static inline cycle_t chain_run(struct bed *b, const struct chain *c)
{
    cycle_t before = engine_cycle(&b->sim.engine, 0);
    chain_launch(b, c);
    bed_run(b);
    return engine_cycle(&b->sim.engine, 0) - before;
}

#endif
