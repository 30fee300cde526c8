/*
 * One DRAM channel between a source that follows a script and a sink that takes replies.
 *
 * All three tick in the DRAM clock. What the source pushes in cycle n the channel takes in
 * n + 1; a reply that the channel pushes in cycle n reaches the sink in n + 1. The run ends
 * at a multiple of 64 cycles, once every request is gone.
 */
#ifndef TESTS_DRAM_BED_H
#define TESTS_DRAM_BED_H

#include "testing.h"

#include "config/config.h"
#include "dram/channel.h"
#include "policy/registry.h"

#define BED_PORTS 2
#define BED_PUSHED_TO_TAKEN 1
#define LINE_SECTORS 0xfu

struct bed_item {
    cycle_t at; /* not before */
    u64 byte;   /* of the channel */
    u32 sectors;
    u8 kind, port;
};

struct bed_command {
    cycle_t at;
    enum dram_command kind;
    u32 bank;
    u64 row;
};

struct bed {
    struct sim sim;
    struct pool pool;
    struct address_map map;
    struct dram_timing timing;
    struct dram_channel channel;
    struct port in[BED_PORTS], out[BED_PORTS];
    unit_id source, sink;
    /* the script, and what became of it */
    struct bed_item *items;
    u32 item_count, next_item;
    cycle_t *replied; /* by item: the cycle the channel pushed its reply, 0: none */
    u64 *left_fs;
    u32 *reply_order;
    u32 reply_count, replies_twice;
    u32 sink_period; /* takes from one port in turn, every so many cycles; 0: all at once */
    struct bed_command *log;
    u32 log_count, log_room;
};

static inline void bed_log(void *context, cycle_t now, enum dram_command kind, u32 bank, u64 row)
{
    struct bed *b = context;
    if (b->log_count == b->log_room) {
        b->log_room = b->log_room ? 2 * b->log_room : 1024;
        b->log = realloc(b->log, b->log_room * sizeof *b->log);
    }
    b->log[b->log_count++] = (struct bed_command){now, kind, bank, row};
}

static inline void bed_push(struct bed *b, u32 i)
{
    const struct bed_item *item = &b->items[i];
    handle_t h = pool_alloc(&b->pool);
    *(struct request *)pool_get(&b->pool, h) = (struct request){
        .line = item->byte,
        .sectors = item->sectors,
        .kind = item->kind,
        .ticket = i,
    };
    port_push(&b->in[item->port], h);
}

static inline cycle_t bed_source_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (b->next_item < b->item_count && b->items[b->next_item].at <= now &&
           port_can_push(&b->in[b->items[b->next_item].port]))
        bed_push(b, b->next_item++);
    if (b->next_item < b->item_count) {
        cycle_t at = b->items[b->next_item].at;
        return at > now ? at : CYCLE_NEVER;
    }
    if (now % 64 == 0 && pool_in_use(&b->pool) == 0)
        engine_stop(&b->sim.engine);
    return (now / 64 + 1) * 64;
}

static inline void bed_take(struct bed *b, u32 port, cycle_t now)
{
    handle_t h = port_pop(&b->out[port]);
    const struct request *r = pool_get(&b->pool, h);
    b->replies_twice += b->replied[r->ticket] != 0 || b->items[r->ticket].port != port;
    b->replied[r->ticket] = now - BED_PUSHED_TO_TAKEN;
    b->left_fs[r->ticket] = r->left_dram_fs;
    b->reply_order[b->reply_count++] = (u32)r->ticket;
    pool_free(&b->pool, h);
}

static inline cycle_t bed_sink_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    if (b->sink_period == 0) {
        for (u32 i = 0; i < BED_PORTS; i++) {
            while (port_ready(&b->out[i]))
                bed_take(b, i, now);
        }
        return CYCLE_NEVER;
    }
    u32 turn = (u32)(now / b->sink_period % BED_PORTS);
    if (now % b->sink_period == 0 && port_ready(&b->out[turn]))
        bed_take(b, turn, now);
    return (now / b->sink_period + 1) * b->sink_period;
}

/* What a chip file without a word on DRAM gives. */
static inline struct dram_config bed_config(enum dram_preset preset)
{
    struct dram_config c = {0};
    for (const struct param *p = dram_params; p->type != PARAM_END; p++)
        param_set_initial(p, (char *)&c + p->offset);
    c.preset = preset;
    return c;
}

static inline void bed_init(struct bed *b, const struct dram_config *config, u32 pipe_clocks,
                            struct bed_item *items, u32 count, bool no_skip)
{
    *b = (struct bed){.items = items, .item_count = count};
    struct engine *e = &b->sim.engine;
    struct arena *arena = &b->sim.arena;
    struct engine_options options = {.no_skip = no_skip, .watchdog_cycles = 100000};
    engine_init(e, arena, &options);
    stats_init(&b->sim.stats, arena);
    dram_resolve(config, &b->timing);
    b->map = (struct address_map){
        .channels = 1, .banks_per_channel = BED_PORTS, .interleave_bytes = 256};
    pool_init(&b->pool, arena, count ? count : 1, sizeof(struct request));
    b->replied = ARENA_ARRAY(arena, cycle_t, count + 1);
    b->left_fs = ARENA_ARRAY(arena, u64, count + 1);
    b->reply_order = ARENA_ARRAY(arena, u32, count + 1);
    domain_id domain = engine_add_domain(e, "dram", b->timing.config.clock_hz);
    b->source = engine_add_unit(e, domain, "source", bed_source_tick, b);
    struct build_site site = site_of(&b->sim);
    struct dram_channel_parts parts = {
        .site = &site,
        .domain = domain,
        .timing = &b->timing,
        .pipe_clocks = pipe_clocks,
        .map = &b->map,
        .requests = &b->pool,
        .in = b->in,
        .out = b->out,
        .port_count = BED_PORTS,
        .scheduler = {policy_find(QUESTION_DRAM, b->timing.config.scheduler), NULL}};
    dram_channel_init(&b->channel, &parts);
    b->sink = engine_add_unit(e, domain, "sink", bed_sink_tick, b);
    for (u32 i = 0; i < BED_PORTS; i++) {
        port_init(&b->in[i], e, arena_printf(arena, "in%u", i), 8);
        port_connect(&b->in[i], b->source, b->channel.unit);
        port_init(&b->out[i], e, arena_printf(arena, "out%u", i), 8);
        port_connect(&b->out[i], b->channel.unit, b->sink);
    }
    stats_add(&b->sim.stats, STAT_ROOT, "dram", 0, dram_stats, &b->channel.counts);
    b->channel.on_command = bed_log;
    b->channel.hook_context = b;
}

static inline void bed_run(struct bed *b)
{
    engine_start(&b->sim.engine);
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    dram_channel_finish(&b->channel);
    struct err err = ERR_INIT;
    char why[1600] = "";
    bool lawful = stats_check_laws(&b->sim.stats, &err);
    err_text(&err, why, sizeof why);
    if (!lawful)
        fail_msg("%s", why);
}

static inline void bed_fini(struct bed *b)
{
    free(b->log);
    arena_fini(&b->sim.arena);
}

/* A byte of the channel in this bank and row; chunk: which 256 bytes of the row. */
static inline u64 bed_byte(const struct dram_config *given, u32 bank, u64 row, u32 chunk)
{
    struct dram_timing t;
    dram_resolve(given, &t);
    u32 low = t.config.low_bank_bits, chunks = t.config.row_bytes / 256;
    u64 high = row * (t.config.banks >> low) + (bank >> low);
    return (((high * chunks + chunk % chunks) << low) + (bank & ((1u << low) - 1))) * 256;
}

static inline struct bed_item bed_line(const struct dram_config *c, cycle_t at,
                                       enum request_kind kind, u32 bank, u64 row, u32 chunk)
{
    return (struct bed_item){
        .at = at,
        .byte = bed_byte(c, bank, row, chunk),
        .sectors = LINE_SECTORS,
        .kind = (u8)kind,
        .port = (u8)(bank % BED_PORTS),
    };
}

/* The cycle of the n-th command of a kind. */
static inline cycle_t bed_nth(const struct bed *b, enum dram_command kind, u32 n)
{
    for (u32 i = 0; i < b->log_count; i++) {
        if (b->log[i].kind == kind && n-- == 0)
            return b->log[i].at;
    }
    fail_msg("there is no such command");
    return 0;
}

#endif
