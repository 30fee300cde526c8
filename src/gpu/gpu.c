#include "gpu/gpu.h"

#include "dram/scheduler.h"
#include "gpu/tables.h"

#include <stddef.h>
#include <string.h>

#define POOL_SLACK 1024u
#define CONTEXT_ADDRESS ((u64)1 << 56) /* above all that programs have */

/* ---- building ------------------------------------------------------------------------------ */

static u32 scaled(u64 cycles, u64 from_hz, u64 to_hz)
{
    return (u32)min_u64((cycles * to_hz + from_hz / 2) / from_hz, UINT32_MAX);
}

static u32 l2_pipe_cycles(const struct gpu_config *c)
{
    return scaled(c->l2.pipe_cycles, c->sm.clock_hz, c->l2.clock_hz);
}

u64 gpu_most_requests(const struct gpu_config *c, const struct dram_timing *dram)
{
    u64 channels = dram->config.channels, bank_count = channels * c->l2.banks_per_channel;
    u64 banks =
        bank_count * (bank_most_requests(&c->l2, l2_pipe_cycles(c)) + c->network.output_entries);
    u64 memory = channels * ((u64)dram_pipe_clocks(dram, c->sm.clock_hz) + c->dram.queue_entries +
                             c->dram.return_entries + 256u);
    return banks + memory + c->sm.count * sm_most_requests(c) + POOL_SLACK;
}

static struct port *make_ports(struct gpu *g, u32 count, const char *name, u32 capacity)
{
    struct arena *a = &g->sim->arena;
    struct port *ports = ARENA_ARRAY(a, struct port, count);
    for (u32 i = 0; i < count; i++)
        port_init(&ports[i], &g->sim->engine, arena_printf(a, "l2.bank%u.%s", i, name), capacity);
    return ports;
}

/* What the driver left in L2, at addresses that no program has; dirty lines evenly among others.
 * More than L2 holds is not there. */
static void place_context(struct gpu *g)
{
    const struct l2_config *c = &g->config->l2;
    u64 line = g->config->line_bytes, count = min_u64(c->context_bytes, c->size_bytes) / line;
    u64 dirty = min_u64(c->context_dirty_bytes / line, count);
    for (u64 i = 0; i < count; i++) {
        u64 at = CONTEXT_ADDRESS + i * line;
        bank_place_context(&g->banks[address_place(&g->map, at).bank], at,
                           (i + 1) * dirty / count != i * dirty / count);
    }
}

static void build_memory(struct gpu *g, u32 pipe, const struct gpu_policies *p)
{
    const struct gpu_config *c = g->config;
    struct sim *sim = g->sim;
    u32 banks = g->bank_count, per_channel = c->l2.banks_per_channel;
    g->bank_in = make_ports(g, banks, "in", c->network.output_entries);
    g->bank_out = make_ports(g, banks, "response", c->l2.response_entries);
    g->bank_miss = make_ports(g, banks, "miss", c->l2.miss_entries);
    g->bank_answer = make_ports(g, banks, "return", c->l2.return_entries);
    g->banks = ARENA_ARRAY(&sim->arena, struct bank, banks);
    g->channels = ARENA_ARRAY(&sim->arena, struct dram_channel, g->channel_count);
    crossbar_init(&g->request, sim, g->l2, "request_network", &c->network.request, &g->requests,
                  c->sm.count, 2, banks, STAT_ROOT);
    crossbar_init(&g->reply, sim, g->l2, "reply_network", &c->network.reply, &g->requests, banks, 1,
                  c->sm.count, STAT_ROOT);
    for (u32 i = 0; i < c->sm.count; i++) {
        struct sm *sm = &g->sms[i];
        crossbar_source(&g->request, i, 0, &sm->miss);
        crossbar_source(&g->request, i, 1, &sm->side_miss);
        crossbar_output(&g->reply, i, &sm->reply);
        port_connect(&sm->miss, sm->unit, g->request.unit);
        port_connect(&sm->side_miss, sm->unit, g->request.unit);
        port_connect(&sm->reply, g->reply.unit, sm->unit);
    }
    for (u32 i = 0; i < banks; i++) {
        bank_init(&g->banks[i], sim, g->l2, &c->l2, i, banks, c->line_bytes, pipe, &g->map, p->l2,
                  &g->requests, &g->bank_in[i], &g->bank_miss[i], &g->bank_answer[i],
                  &g->bank_out[i]);
        if (c->ccn.mode == CCN_TRACKER)
            bank_track_sharers(&g->banks[i], &sim->arena,
                               c->sm.count * (c->sm.l1.size_bytes / c->line_bytes),
                               scaled(c->ccn.tracker_cycles, c->sm.clock_hz, c->l2.clock_hz));
        if (c->l2.far_cycles && i & 1)
            bank_pair(&g->banks[i - 1], &g->banks[i], &sim->arena,
                      scaled(c->l2.far_cycles, c->sm.clock_hz, c->l2.clock_hz));
        crossbar_output(&g->request, i, &g->bank_in[i]);
        crossbar_source(&g->reply, i, 0, &g->bank_out[i]);
        port_connect(&g->bank_in[i], g->request.unit, g->banks[i].unit);
        port_connect(&g->bank_out[i], g->banks[i].unit, g->reply.unit);
    }
    for (u32 i = 0; i < g->channel_count; i++) {
        u32 first = i * per_channel;
        struct dram_channel *channel = &g->channels[i];
        dram_channel_init(channel, sim, g->memory, &g->dram, i,
                          dram_pipe_clocks(&g->dram, c->sm.clock_hz), &g->map, &g->requests,
                          &g->bank_miss[first], &g->bank_answer[first], per_channel, p->dram);
        for (u32 k = first; k < first + per_channel; k++) {
            port_connect(&g->bank_miss[k], g->banks[k].unit, channel->unit);
            port_connect(&g->bank_answer[k], channel->unit, g->banks[k].unit);
        }
    }
    place_context(g);
}

static void add_replacement(struct stats *s, stat_node of, const struct cache *c)
{
    const struct replacement *r = &c->tags.replacement;
    if (r->ops->stats)
        stats_add(s, of, "replacement", STAT_NO_INDEX, r->ops->stats,
                  (const u8 *)r->state + r->ops->stats_offset);
}

static void add_scheduler(struct stats *s, stat_node of, const struct dram_queue *q)
{
    const struct dram_scheduler_ops *ops = q->scheduler;
    if (ops->stats)
        stats_add(s, of, "scheduler", STAT_NO_INDEX, ops->stats,
                  (const u8 *)q->scheduler_state + ops->stats_offset);
}

static void add_statistics(struct gpu *g)
{
    struct stats *s = &g->sim->stats;
    const struct block_policy *block = &g->dispatcher.policy;
    s->nodes[STAT_ROOT].table = gpu_stats;
    s->nodes[STAT_ROOT].data = g;
    for (u32 i = 0; i < g->config->sm.count; i++) {
        struct sm *sm = &g->sms[i];
        stat_node node = stats_add(s, STAT_ROOT, "sm", i, sm_stats, &sm->counts);
        add_replacement(s, stats_add(s, node, "l1", STAT_NO_INDEX, l1_stats, &sm->l1.counts),
                        &sm->l1.cache);
        const struct warp_policy_ops *policy = sm->policy.ops;
        if (policy->stats)
            stats_add(s, node, "warp_policy", STAT_NO_INDEX, policy->stats,
                      (const u8 *)sm->policy.state + policy->stats_offset);
        if (g->reuse.counts)
            stats_add(s, node, "reuse", STAT_NO_INDEX, reuse_stats, &g->reuse.counts[i]);
        if (g->ccn.nodes)
            stats_add(s, node, "ccn", STAT_NO_INDEX, ccn_stats, &g->ccn.nodes[i].counts);
        stats_add(s, node, "icache", STAT_NO_INDEX, side_stats, &sm->instruction.counts);
        stats_add(s, node, "constant", STAT_NO_INDEX, side_stats, &sm->constant.counts);
        stats_add(s, node, "texture", STAT_NO_INDEX, side_stats, &sm->texture.counts);
    }
    if (block->ops->stats)
        stats_add(s, STAT_ROOT, "dispatch", STAT_NO_INDEX, block->ops->stats,
                  (const u8 *)block->state + block->ops->stats_offset);
    if (g->config->ccn.mode == CCN_RING)
        stats_add(s, STAT_ROOT, "ring", STAT_NO_INDEX, ring_stats, &g->ccn.counts);
    for (u32 i = 0; g->banks && i < g->bank_count; i++)
        add_replacement(s, stats_add(s, STAT_ROOT, "l2", i, bank_stats, &g->banks[i].counts),
                        &g->banks[i].cache);
    for (u32 i = 0; g->channels && i < g->channel_count; i++)
        add_scheduler(s, stats_add(s, STAT_ROOT, "dram", i, dram_stats, &g->channels[i].counts),
                      &g->channels[i].queue);
}

/* ---- kernels ------------------------------------------------------------------------------- */

static void kernel_starts(void *context, struct grid_run *run)
{
    struct gpu *g = context;
    gpu_settle(g);
    gpu_totals(g, &run->before);
    if (!g->kernels_running++)
        g->busy_since = run->before;
    run->number = g->kernels++;
    run->started_fs = g->sim->engine.now_fs;
    watch_kernel_starts(g->watch, run);
}

static void kernel_ends(void *context, struct grid_run *run)
{
    struct gpu *g = context;
    gpu_settle(g);
    watch_kernel_ends(g->watch, run);
    if (g->kernels_running == 1)
        gpu_busy_totals(g, &g->busy);
    g->kernels_running--;
    if (g->record_count == g->record_room) {
        g->kernels_dropped++;
        return;
    }
    const struct grid_source *s = &run->source;
    struct kernel_record *r = &g->records[g->record_count++];
    *r = (struct kernel_record){.name = arena_strdup(&g->sim->arena, s->name),
                                .number = run->number,
                                .blocks = s->blocks,
                                .threads_per_block = s->threads_per_block,
                                .registers = s->registers_per_thread,
                                .shared_bytes = s->shared_bytes_per_block,
                                .blocks_per_sm = sm_blocks_that_fit(&g->config->sm, s),
                                .launched = run->launched,
                                .started = run->started,
                                .ended = run->ended};
    gpu_totals(g, &r->totals);
    gpu_totals_subtract(&r->totals, &run->before);
    r->totals.cycles = run->ended - run->started;
}

static bool init_policies(struct gpu *g, const struct gpu_policies *p, struct err *err)
{
    const struct warp_policy_ops *ops = (const struct warp_policy_ops *)p->warp.ops;
    size_t bytes = ops->shared_bytes;
    void *shared = arena_alloc(&g->sim->arena, bytes ? bytes : 1);
    for (u32 i = 0; i < g->config->sm.count; i++) {
        struct sm *sm = &g->sms[i];
        sm->channels = g->channels;
        sm->channel_count = g->channels ? g->channel_count : 0;
        sm->memory_domain = g->memory;
        if (!sm_init_policy(sm, ops, p->warp.config, shared, err))
            return false;
    }
    return true;
}

struct gpu *gpu_build(struct sim *sim, const struct gpu_config *c, const struct gpu_policies *p,
                      struct err *err)
{
    struct gpu *g = ARENA_NEW(&sim->arena, struct gpu);
    g->config = c = gpu_with_lanes(c, &sim->arena);
    g->sim = sim;
    dram_resolve(&c->dram, &g->dram);
    g->channel_count = g->dram.config.channels;
    g->bank_count = g->channel_count * c->l2.banks_per_channel;
    g->map = (struct address_map){.channels = g->channel_count,
                                  .banks_per_channel = c->l2.banks_per_channel,
                                  .interleave_bytes = c->l2.interleave_bytes,
                                  .hashed = c->l2.hashed_channels,
                                  .page_bytes = c->l2.page_bytes};
    g->core = engine_add_domain(&sim->engine, "core", c->sm.clock_hz);
    g->l2 = engine_add_domain(&sim->engine, "l2", c->l2.clock_hz);
    g->memory = engine_add_domain(&sim->engine, "dram", g->dram.config.clock_hz);
    u32 pipe = l2_pipe_cycles(c);
    pool_init(&g->requests, &sim->arena, (u32)gpu_most_requests(c, &g->dram),
              sizeof(struct request));
    /* before the SMs': the viewer shows groups in this order */
    track_id kernels = timeline_track(sim->timeline, "kernels", "kernels 0");
    g->sms = ARENA_ARRAY(&sim->arena, struct sm, c->sm.count);
    if (c->sm.l1.reuse_oracle)
        reuse_init(&g->reuse, sim, g->core, g->sms, c->sm.count);
    if (c->ccn.mode != CCN_NONE)
        ccn_init(&g->ccn, sim, g->core, c, g->sms);
    for (u32 i = 0; i < c->sm.count; i++)
        sm_init(&g->sms[i], sim, g->core, c, i, &g->map, &g->requests, p->l1, p->lru);
    dispatcher_init(&g->dispatcher, sim, g->core, c, g->sms, p->block);
    if (c->ccn.mode != CCN_NONE)
        ccn_connect(&g->ccn, sim, g->core);
    g->dispatcher.on_start = kernel_starts;
    g->dispatcher.on_end = kernel_ends;
    g->dispatcher.context = g;
    if (c->ideal.model == MEMORY_REAL)
        build_memory(g, pipe, p);
    else if (c->ideal.model == MEMORY_INFINITE)
        ideal_init(&g->ideal, sim, g->core, c, g->bank_count, &g->map, &g->requests, g->sms, p->l2);
    if (!init_policies(g, p, err))
        return NULL;
    g->watch = watch_add(g, kernels, sim->timeline_interval);
    g->record_room = 4096;
    g->records = ARENA_ARRAY(&sim->arena, struct kernel_record, g->record_room);
    add_statistics(g);
    return g;
}

void gpu_copied(struct gpu *g, u64 to, u64 bytes)
{
    const struct l2_config *c = &g->config->l2;
    u64 line = g->config->line_bytes, end = to + bytes;
    if (!c->keeps_copies || !g->banks)
        return;
    for (u64 at = to & ~(line - 1); at < end; at += line)
        bank_place_copied(&g->banks[address_place(&g->map, at).bank], at);
}

/* ---- sums ---------------------------------------------------------------------------------- */

void gpu_settle(struct gpu *g)
{
    struct engine *e = &g->sim->engine;
    /* The SMs have had their tick of this instant, or sleep through it: they are added to
     * their domain before the dispatcher, which calls this. The others may yet get theirs. */
    cycle_t core = engine_cycle(e, g->core) + 1, l2 = engine_cycle(e, g->l2);
    for (u32 i = 0; i < g->config->sm.count; i++)
        sm_settle(&g->sms[i], core);
    if (g->ccn.nodes) /* ticked before the SMs */
        ccn_settle(&g->ccn, core);
    for (u32 i = 0; g->banks && i < g->bank_count; i++)
        bank_settle(&g->banks[i], l2);
    for (u32 i = 0; g->channels && i < g->channel_count; i++)
        dram_channel_finish(&g->channels[i]);
    g->pool_left = pool_in_use(&g->requests);
}

static void add_array(u64 *sum, const u64 *part, u32 count)
{
    for (u32 i = 0; i < count; i++)
        sum[i] += part[i];
}

static void add_sm(struct gpu_totals *t, const struct sm *sm)
{
    const struct sm_counts *c = &sm->counts;
    const struct l1_counts *l = &sm->l1.counts;
    t->warp_instructions += c->warp_instructions;
    t->thread_instructions += c->thread_instructions;
    add_array(t->scheduler_slots, c->scheduler_slots, SLOT_COUNT);
    add_array(t->core_slots, c->core_slots, SLOT_COUNT);
    add_array(t->unit_instructions, c->unit_instructions, UNIT_COUNT);
    t->loads += c->loads;
    t->stores += c->stores;
    t->atomics += c->atomics;
    t->requests += c->requests;
    t->load_requests += c->load_requests;
    t->load_lines += c->load_lines;
    t->warp_cycles += c->warp_cycles;
    t->l1_sectors += l->load_sectors;
    t->l1_sectors_missed += l->load_sectors_missed;
    t->shared_accesses += c->shared_accesses;
    t->shared_passes += c->shared_passes;
    t->constant_accesses += c->constant_accesses;
    t->texture_accesses += c->texture_accesses;
    t->l1_loads += l->loads;
    t->l1_hits += l->hits;
    t->l1_misses += l->misses;
    t->l1_merges += l->merges;
    add_array(t->l1_stall, l->stall, L1_STALL_COUNT);
    t->miss_latency_cycles += l->latency_cycles;
    t->misses_answered += l->answered;
    t->l2_hit_latency_cycles += l->l2_hit_latency_cycles;
    t->l2_hits_answered += l->l2_hits;
    t->intra_warp_hits += l->intra_warp_hits;
    t->inter_warp_hits += l->inter_warp_hits;
    t->request_fs += l->request_fs;
    t->l2_fs += l->l2_fs;
    t->dram_fs += l->dram_fs;
    t->reply_fs += l->reply_fs;
    t->fetches += sm->instruction.counts.accesses;
    t->constant_lookups += sm->constant.counts.accesses;
    t->texture_lookups += sm->texture.counts.accesses;
    t->l1_fills += l->fills;
}

static void add_ring(struct gpu_totals *t, const struct ccn *c)
{
    t->ring_request_hops = c->counts.request_hops;
    t->ring_line_hops = c->counts.response_hops;
    for (u32 i = 0; i < c->count; i++) {
        t->ring_answers += c->nodes[i].counts.answers;
        t->shadow_lookups += c->nodes[i].counts.lookups;
    }
}

void gpu_totals(const struct gpu *g, struct gpu_totals *t)
{
    *t = (struct gpu_totals){.cycles = engine_cycle(&g->sim->engine, g->core)};
    for (u32 i = 0; i < g->config->sm.count; i++)
        add_sm(t, &g->sms[i]);
    add_ring(t, &g->ccn);
    for (u32 i = 0; g->banks && i < g->bank_count; i++) {
        const struct bank_counts *c = &g->banks[i].counts;
        t->l2_accesses += c->accesses;
        t->l2_hits += c->hits;
        t->l2_misses += c->misses;
        t->l2_read_sectors += c->load_sectors;
        t->l2_read_sectors_missed += c->load_sectors_missed;
        t->l2_read_sectors_across += c->load_sectors_across;
        add_array(t->l2_stall, c->stall, STALL_COUNT);
        add_array(t->l2_queue, c->occupancy.bins, OCCUPANCY_BINS);
    }
    for (u32 i = 0; g->channels && i < g->channel_count; i++) {
        const struct dram_counts *c = &g->channels[i].counts;
        t->dram_read_bytes += c->bytes_read;
        t->dram_written_bytes += c->bytes_written;
        t->dram_busy_clocks += c->bus_busy_cycles;
        t->dram_pending_clocks += c->pending_cycles;
        t->dram_bus_bytes += c->bus_bytes;
        t->dram_activates += c->activates;
        t->dram_refreshes += c->refreshes;
        add_array(t->dram_queue, c->queue.bins, OCCUPANCY_BINS);
    }
    t->request_bytes = g->request.counts.bytes;
    t->reply_bytes = g->reply.counts.bytes;
    t->request_flits = g->request.counts.flits;
    t->reply_flits = g->reply.counts.flits;
    if (g->config->ideal.model == MEMORY_INFINITE) {
        t->l2_accesses = g->ideal.accesses;
        t->l2_misses = g->ideal.missed;
        t->l2_hits = g->ideal.accesses - g->ideal.missed;
    }
}

#define TOTALS_FIELDS (sizeof(struct gpu_totals) / sizeof(u64)) /* all are u64 */

void gpu_totals_subtract(struct gpu_totals *after, const struct gpu_totals *before)
{
    u64 *a = (u64 *)(void *)after;
    const u64 *b = (const u64 *)(const void *)before;
    for (size_t i = 0; i < TOTALS_FIELDS; i++)
        a[i] -= b[i];
}

void gpu_busy_totals(const struct gpu *g, struct gpu_totals *t)
{
    struct gpu_totals now = g->busy_since;
    if (g->kernels_running)
        gpu_totals(g, &now);
    gpu_totals_subtract(&now, &g->busy_since);
    *t = g->busy;
    add_array((u64 *)(void *)t, (const u64 *)(const void *)&now, TOTALS_FIELDS);
}

const struct sm *gpu_faulted(const struct gpu *g)
{
    for (u32 i = 0; i < g->config->sm.count; i++) {
        if (g->sms[i].faulted)
            return &g->sms[i];
    }
    return NULL;
}

double gpu_peak_dram(const struct gpu *g)
{
    return dram_peak_bytes_per_second(&g->dram);
}
