#include "fabric/fabric.h"

#include <string.h>

static const char *const parts_of_time[TRAFFIC_PARTS + 1] = {
    "0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9", "10",
    "11", "12", "13", "14", "15", "16", "17", "18", "19", NULL};

/* clang-format off */
static const struct stat_def fabric_stats[] = {
    /* the first: labels are the program's (stats_of) */
    S_ARRAY(fabric_counts, phase_cycles, NULL, 0, "cycles", "cycles of completed phases by name, mode changes and write-backs excluded"),
    S_COUNT(fabric_counts, phases, "phases", "phases completed"),
    S_COUNT(fabric_counts, switches, "changes", "mode changes"),
    S_COUNT(fabric_counts, switch_cycles, "cycles", "cycles spent changing mode, write-backs excluded"),
    S_COUNT(fabric_counts, flush_cycles, "cycles", "cycles spent writing back caches, between phases and at the end"),
    S_LEVELS(fabric_counts, memory_bytes, parts_of_time, TRAFFIC_PARTS, "bytes", "bytes that the second level read and wrote in each twentieth of the time so far, atomics excluded"),
    S_LEVEL(fabric_counts, pool_left, "requests", "requests still outstanding"),
    S_LAW(all_requests_end, "pool_left == 0", "every request has come to an end"),
    S_END,
};

#define NUMBER(field, u, text) {.name = #field, .kind = STAT_COUNT, .offset = S_AT(phase_record, numbers.field), .unit = u, .meaning = text}
const struct stat_def phase_record_stats[] = {
    S_COUNT(phase_record, number, "", "index of the phase"),
    S_COUNT(phase_record, mode, "", "mode of the banks: 0 shared, 1 private, 2 by a map, 3 bypassed"),
    S_COUNT(phase_record, rl2_mode, "", "mode of the second level: 0 cache, 1 scratchpad, 2 bypassed"),
    S_COUNT(phase_record, items, "items", "work items"),
    S_COUNT(phase_record, started, "cycles", "cycle in which the phase began"),
    S_COUNT(phase_record, ended, "cycles", "cycle in which the results had been written back"),
    S_COUNT(phase_record, cycles, "cycles", "cycles from start to end of the phase"),
    S_COUNT(phase_record, work_cycles, "cycles", "cycles until all elements had finished"),
    S_COUNT(phase_record, flush_cycles, "cycles", "cycles spent writing back caches"),
    S_COUNT(phase_record, switch_cycles, "cycles", "cycles spent changing mode (part of work_cycles)"),
    {.name = "states", .kind = STAT_ARRAY, .offset = S_AT(phase_record, numbers.states), .labels = element_state_names, .label_count = ELEMENT_STATE_COUNT, .unit = "cycles", .meaning = "cycles of the elements, each charged to one state"},
    NUMBER(element_cycles, "cycles", "cycles of all elements"),
    NUMBER(operations, "operations", "operations issued"),
    NUMBER(loads, "operations", "loads"),
    NUMBER(stores, "operations", "stores"),
    NUMBER(atomics, "operations", "atomics"),
    NUMBER(parts, "parts", "parts of work items dealt to elements"),
    NUMBER(rl1_accesses, "accesses", "accesses to first-level caches"),
    NUMBER(rl1_hits, "accesses", "first-level hits"),
    NUMBER(rl1_misses, "accesses", "lines requested by first-level caches"),
    NUMBER(bank_accesses, "accesses", "accesses to scratchpad banks"),
    NUMBER(rl2_accesses, "requests", "accesses to the second level"),
    NUMBER(rl2_hits, "requests", "second-level hits"),
    NUMBER(rl2_misses, "requests", "lines requested by the second level"),
    NUMBER(dram_read_bytes, "bytes", "bytes read by DRAM"),
    NUMBER(dram_written_bytes, "bytes", "bytes written by DRAM before the end of the phase"),
    S_END,
};
/* clang-format on */

static void build_crossbars(struct fabric *f)
{
    const struct fabric_config *c = f->config;
    u32 lines = c->rl2.banks * c->rl2.ports;
    struct network_parts parts = {.site = &f->site,
                                  .domain = f->domain,
                                  .name = "tile_request",
                                  .requests = f->memory->requests,
                                  .inputs = c->tile.count,
                                  .sources_per_input = 1,
                                  .outputs = lines};
    crossbar_init(&f->request, &parts, &c->crossbar.request);
    parts.name = "tile_reply";
    parts.inputs = lines;
    parts.outputs = c->tile.count;
    crossbar_init(&f->reply, &parts, &c->crossbar.reply);
    f->request_network = crossbar_network(&f->request);
    f->reply_network = crossbar_network(&f->reply);
    for (u32 i = 0; i < c->tile.count; i++) {
        struct tile *t = &f->tiles[i];
        network_attach_source(&f->request_network, i, 0, &t->out, t->unit);
        network_attach_output(&f->reply_network, i, &t->in, t->unit);
        port_connect(&t->up, t->unit, f->manager.unit);
        port_connect(&t->down, f->manager.unit, t->unit);
    }
    for (u32 i = 0; i < c->rl2.banks; i++) {
        struct rl2_bank *b = &f->banks[i];
        for (u32 k = 0; k < c->rl2.ports; k++) {
            network_attach_output(&f->request_network, i * c->rl2.ports + k, &b->in[k], b->unit);
            network_attach_source(&f->reply_network, i * c->rl2.ports + k, 0, &b->reply[k],
                                  b->unit);
        }
        port_connect(&b->up, b->unit, f->manager.unit);
        port_connect(&b->down, f->manager.unit, b->unit);
    }
}

void fabric_init(struct fabric *f, const struct fabric_parts *p,
                 const struct fabric_program_ops *ops, void *program)
{
    struct arena *arena = &p->site->sim->arena;
    const struct fabric_config *c = p->config;
    *f = (struct fabric){.site = *p->site,
                         .config = c,
                         .domain = p->domain,
                         .memory = p->memory,
                         .ops = ops,
                         .program = program};
    f->tiles = ARENA_ARRAY(arena, struct tile, c->tile.count);
    f->banks = ARENA_ARRAY(arena, struct rl2_bank, c->rl2.banks);
    manager_init(f);
    for (u32 i = 0; i < c->tile.count; i++) {
        const struct tile_parts tile = {.site = p->site,
                                        .domain = p->domain,
                                        .config = c,
                                        .ops = ops,
                                        .program = program,
                                        .phases = f->manager.phases,
                                        .index = i,
                                        .requests = p->memory->requests,
                                        .replacement = p->rl1};
        tile_init(&f->tiles[i], &tile);
    }
    for (u32 i = 0; i < c->rl2.banks; i++) {
        const struct rl2_parts bank = {.domain = p->domain,
                                       .config = c,
                                       .index = i,
                                       .agent = p->first_agent + i,
                                       .memory = p->memory,
                                       .replacement = p->rl2};
        rl2_init(&f->banks[i], p->site, &bank);
    }
    build_crossbars(f);
}

void fabric_clients(struct fabric *f, struct memory_client *out)
{
    for (u32 i = 0; i < f->config->rl2.banks; i++)
        rl2_client(&f->banks[i], &out[i]);
}

/* The fabric's rows, phases by the names that the program has. */
static const struct stat_def *stats_of(struct fabric *f)
{
    struct stat_def *rows =
        ARENA_ARRAY(&f->site.sim->arena, struct stat_def, ARRAY_LEN(fabric_stats));
    memcpy(rows, fabric_stats, sizeof fabric_stats);
    rows[0].labels = f->manager.names;
    rows[0].label_count = f->manager.name_count;
    return rows;
}

void fabric_add_statistics(struct fabric *f)
{
    struct stats *s = &f->site.sim->stats;
    stats_add(s, f->site.node, "fabric", STAT_NO_INDEX, stats_of(f), &f->counts);
    if (f->ops->stats)
        stats_add(s, f->site.node, "program", STAT_NO_INDEX, f->ops->stats,
                  f->ops->counts(f->program));
    for (u32 i = 0; i < f->config->tile.count; i++) {
        stat_node tile = stats_add(s, f->site.node, "tile", i, tile_stats, &f->tiles[i].counts);
        stats_add(s, tile, "rl1", STAT_NO_INDEX, rl1_stats, &f->tiles[i].rl1.counts);
    }
    for (u32 i = 0; i < f->config->rl2.banks; i++)
        stats_add(s, f->site.node, "rl2", i, rl2_stats, &f->banks[i].counts);
}

void fabric_settle(struct fabric *f)
{
    cycle_t now = engine_cycle(&f->site.sim->engine, f->domain);
    for (u32 i = 0; i < f->config->tile.count; i++)
        tile_settle(&f->tiles[i], now);
    memset(f->counts.memory_bytes, 0, sizeof f->counts.memory_bytes);
    for (u32 i = 0; i < f->config->rl2.banks; i++)
        traffic_share(&f->banks[i].traffic, now, f->counts.memory_bytes);
    f->counts.pool_left = pool_in_use(f->memory->requests);
}

static void add_tile(struct phase_numbers *n, const struct tile *t)
{
    const struct tile_counts *c = &t->counts;
    for (u32 i = 0; i < ELEMENT_STATE_COUNT; i++)
        n->states[i] += c->states[i];
    n->element_cycles += c->element_cycles;
    n->operations += c->operations;
    n->loads += c->loads;
    n->stores += c->stores;
    n->atomics += c->atomics;
    n->parts += c->parts;
    n->rl1_accesses += t->rl1.counts.accesses;
    n->rl1_hits += t->rl1.counts.hits;
    n->rl1_misses += t->rl1.counts.misses;
    n->bank_accesses += t->rl1.counts.bank_accesses;
}

void fabric_sum(const struct fabric *f, struct phase_numbers *n)
{
    memset(n, 0, sizeof *n);
    for (u32 i = 0; i < f->config->tile.count; i++)
        add_tile(n, &f->tiles[i]);
    for (u32 i = 0; i < f->config->rl2.banks; i++) {
        n->rl2_accesses += f->banks[i].counts.accesses;
        n->rl2_hits += f->banks[i].counts.hits;
        n->rl2_misses += f->banks[i].counts.misses;
    }
    for (u32 i = 0; f->memory->channels && i < f->memory->channel_count; i++) {
        n->dram_read_bytes += f->memory->channels[i].counts.bytes_read;
        n->dram_written_bytes += f->memory->channels[i].counts.bytes_written;
    }
}
