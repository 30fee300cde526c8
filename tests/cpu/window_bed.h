/*
 * The window of a core without fetch or retirement: reorder buffer, issue queue, load/store queue
 * and private caches over a memory that answers after 20 cycles. Instructions are put in by hand,
 * in a cycle of their own; `run_to` plays the cycles. L1D hits take 3 cycles, addresses 1,
 * forwarding 2.
 */
#ifndef CPU_WINDOW_BED_H
#define CPU_WINDOW_BED_H

#include "testing.h"

#include "cpu/lsq.h"
#include "cpu/vector.h"
#include "policy/registry.h"

struct window_bed {
    struct sim sim;
    struct pool pool;
    struct core_config config;
    struct ideal_config ideal;
    struct memory_system memory;
    struct caches caches;
    struct tlb dtlb;
    struct address_table second;
    struct core_counts counts;
    struct rob rob;
    struct core_vector vector;
    struct issue_queue issue;
    struct lsq lsq;
    cycle_t now;
    cycle_t resolved;
};

static inline void bed_line_came(void *core, enum wait_kind kind, u32 what, enum memory_level level,
                                 cycle_t now)
{
    struct window_bed *b = core;
    (void)level;
    if (kind == WAIT_STORE) {
        lsq_line_came(&b->lsq, what);
        return;
    }
    struct rob_entry *op = &b->rob.entries[what];
    op->ready_at = max_u64(op->ready_at, now);
    if (!--op->lines_left && op->stage == OP_MEMORY)
        issue_data_came(&b->issue, what, now);
}

static inline void bed_resolved(void *context, cycle_t done_at)
{
    ((struct window_bed *)context)->resolved = done_at;
}

static inline struct core_config window_config(void)
{
    struct core_config c = {
        .window = {.rob_entries = 16, .scheduler_entries = 16, .issue_width = 4},
        .lsq = {.load_entries = 4, .store_entries = 4, .address_cycles = 1, .forward_cycles = 2},
        .fetch = {.line_buffers = 2},
        .l1i = {.size_bytes = 256, .ways = 2, .hit_cycles = 3, .ports = 1, .mshrs = 2},
        .l1d = {.size_bytes = 4096, .ways = 4, .hit_cycles = 3, .ports = 1, .mshrs = 4},
        .l2 = {.size_bytes = 8192, .ways = 4, .hit_cycles = 8, .ports = 1, .mshrs = 4}};
    c.tlb = (struct tlb_config){
        .page_bytes = 4096, .entries = 4, .ways = 4, .l2_entries = 4, .l2_ways = 4};
    c.units.alu = (struct unit_row){2, 1, 1};
    c.units.mul = (struct unit_row){1, 3, 1};
    c.units.div = (struct unit_row){1, 10, 10};
    c.units.load = (struct unit_row){2, 1, 1};
    c.units.store = (struct unit_row){1, 1, 1};
    c.units.branch = (struct unit_row){1, 1, 1};
    return c;
}

static inline void window_open(struct window_bed *b, struct core_config config)
{
    struct err err = ERR_INIT;
    struct arena *a = &b->sim.arena;
    struct policy_choice lru, none;
    *b =
        (struct window_bed){.config = config, .ideal = {.model = MEMORY_FIXED, .fixed_cycles = 20}};
    engine_init(&b->sim.engine, a, &(struct engine_options){.max_cycles = 5000});
    pool_init(&b->pool, a, 512, sizeof(struct request));
    assert_true(policy_choose(QUESTION_REPLACEMENT, "lru", "policy", NULL, a, &lru, &err));
    assert_true(policy_choose(QUESTION_PREFETCH, "none", "policy", NULL, a, &none, &err));
    struct cache_policies policies = {lru, lru, lru, none, none, none};
    b->memory = (struct memory_system){.requests = &b->pool,
                                       .config = {.ideal = &b->ideal, .line_bytes = 64},
                                       .map = {.channels = 1, .banks_per_channel = 1}};
    struct build_site site = {.sim = &b->sim};
    caches_init(
        &b->caches, &site,
        &(struct caches_parts){.config = &b->config, .memory = &b->memory, .policies = &policies});
    b->caches.core = b;
    b->caches.arrived = bed_line_came;
    address_table_init(&b->second, a, b->config.tlb.l2_entries, b->config.tlb.l2_ways);
    tlb_init(&b->dtlb, a, &b->config.tlb, &b->second);
    rob_init(&b->rob, a, b->config.window.rob_entries);
    issue_init(&b->issue, a, &b->config, &b->rob, &b->lsq);
    b->issue.resolved = bed_resolved;
    b->issue.context = b;
    b->vector.config = &b->config.vector;
    b->vector.bus_bytes = b->caches.line_bytes;
    const struct lsq_parts with = {&b->config.lsq, &b->rob,    &b->issue, &b->caches,
                                   &b->dtlb,       &b->counts, &b->vector};
    lsq_init(&b->lsq, a, &with);
}

static inline void window_close(struct window_bed *b)
{
    arena_fini(&b->sim.arena);
}

/* As the core dispatches: sources, then older stores; it can issue a cycle later. */
static inline u32 put(struct window_bed *b, struct cpu_instruction i)
{
    u32 slot = rob_take(&b->rob, &i, CORE_RETIRED);
    struct rob_entry *op = &b->rob.entries[slot];
    op->ready_at = b->now + 1;
    op->stage = OP_WAITS;
    op->unit = i.read_count ? CPU_LOAD : i.class;
    for (u32 k = 0; k < i.source_count; k++) {
        u16 *waiters = NULL;
        cycle_t at = rob_register_at(&b->rob, i.sources[k], &waiters);
        issue_depend(&b->issue, slot, k, at, waiters);
    }
    if (i.read_count | i.write_count)
        lsq_dispatch(&b->lsq, b->rob.dispatched);
    rob_dispatch(&b->rob);
    b->issue.unissued++;
    if (!op->sources_left)
        issue_schedule(&b->issue, slot, op->ready_at, b->now);
    return slot;
}

/* Cycles up to and with `to`, in the order of a core's. */
static inline void run_to(struct window_bed *b, cycle_t to)
{
    while (b->now < to) {
        bool came;
        b->now++;
        caches_tick(&b->caches, b->now, &came);
        if (came)
            b->lsq.is_blocked = false;
        const struct mshr *m = &b->caches.l1d.cache.mshr;
        issue_mshrs_free(&b->issue, m->entry_count - m->in_use);
        issue_turn(&b->issue, b->now);
        issue_ready(&b->issue, b->now);
        lsq_drain(&b->lsq, b->now);
    }
}

static inline void retire(struct window_bed *b)
{
    const struct cpu_instruction *i = rob_retire(&b->rob);
    lsq_retire(&b->lsq, lsq_reads_of(i), lsq_writes_of(i));
}

static inline struct cpu_instruction load_of(u64 address, u32 bytes)
{
    struct cpu_instruction i = {.class = CPU_LOAD, .pc = 0x400000, .read_count = 1};
    i.read[0] = address;
    i.read_bytes[0] = bytes;
    return i;
}

static inline struct cpu_instruction store_of(u64 address, u32 bytes)
{
    struct cpu_instruction i = {.class = CPU_STORE, .pc = 0x400010, .write_count = 1};
    i.write[0] = address;
    i.write_bytes[0] = bytes;
    return i;
}

/* Reads register `from` (0: none), writes `to`. */
static inline struct cpu_instruction work_of(enum cpu_class class, u8 from, u8 to)
{
    struct cpu_instruction i = {
        .class = class, .pc = 0x400020, .source_count = from != 0, .destination_count = to != 0};
    i.sources[0] = from;
    i.destinations[0] = to;
    return i;
}

static inline cycle_t done_at(const struct window_bed *b, u32 slot)
{
    return b->rob.entries[slot].done_at;
}

/* A line that the L1D has. */
static inline void warm_line(struct window_bed *b, u64 address)
{
    caches_warm(&b->caches, &(struct cache_access){.address = address, .kind = WAIT_LOAD});
}

#endif
