#include "gpu/gpu.h"

#include "gpu/tables.h"

#include <stddef.h>
#include <string.h>

#define POOL_SLACK 1024u

u64 gpu_most_requests(const struct gpu_config *c, const struct dram_timing *dram)
{
    struct memory_config memory = gpu_memory_config(c);
    return memory_most_requests(&memory, dram) + c->sm.count * sm_most_requests(c) + POOL_SLACK;
}

/* ---- building ------------------------------------------------------------------------------ */

static void connect_memory(struct gpu *g, const struct memory_policies *p)
{
    const struct gpu_config *c = g->config;
    struct memory_client *clients = ARENA_ARRAY(&g->sim->arena, struct memory_client, c->sm.count);
    for (u32 i = 0; i < c->sm.count; i++) {
        struct sm *sm = &g->sms[i];
        clients[i] = (struct memory_client){.agent = sm->agent,
                                            .out = {&sm->miss, &sm->side_miss},
                                            .in = &sm->reply,
                                            .unit = sm->unit};
    }
    memory_system_connect(&g->memory, clients, c->sm.count, g->core, p);
    if (c->ccn.mode == CCN_TRACKER)
        memory_system_track_sharers(&g->memory, c->sm.count * (c->sm.l1.size_bytes / c->line_bytes),
                                    c->ccn.tracker_cycles);
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
        stat_node l1 = stats_add(s, node, "l1", STAT_NO_INDEX, l1_stats, &sm->l1.counts);
        const struct replacement *r = &sm->l1.cache.tags.replacement;
        policy_add_statistics((const struct policy_ops *)r->ops, r->state, s, l1, "replacement");
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
    policy_add_statistics((const struct policy_ops *)block->ops, block->state, s, STAT_ROOT,
                          "dispatch");
    if (g->config->ccn.mode == CCN_RING)
        stats_add(s, STAT_ROOT, "ring", STAT_NO_INDEX, ring_stats, &g->ccn.counts);
    memory_system_add_statistics(&g->memory);
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
        sm->channels = g->memory.channels;
        sm->channel_count = g->memory.channels ? g->memory.channel_count : 0;
        sm->memory_domain = g->memory.dram_domain;
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
    struct build_site site = site_of(sim);
    struct memory_config memory = gpu_memory_config(c);
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    g->core = engine_add_domain(&sim->engine, "core", c->sm.clock_hz);
    memory_system_init(&g->memory, &site, &memory, gpu_most_requests(c, &dram));
    /* before the SMs': the viewer shows groups in this order */
    track_id kernels = timeline_track(sim->timeline, "kernels", "kernels 0");
    g->sms = ARENA_ARRAY(&sim->arena, struct sm, c->sm.count);
    if (c->sm.l1.reuse_oracle)
        reuse_init(&g->reuse, sim, g->core, g->sms, c->sm.count);
    if (c->ccn.mode != CCN_NONE)
        ccn_init(&g->ccn, sim, g->core, c, g->sms);
    for (u32 i = 0; i < c->sm.count; i++)
        sm_init(&g->sms[i], sim, g->core, c, i, &g->memory.map, &g->memory.requests, p->l1, p->lru);
    dispatcher_init(&g->dispatcher, sim, g->core, c, g->sms, p->block);
    if (c->ccn.mode != CCN_NONE)
        ccn_connect(&g->ccn, sim, g->core);
    g->dispatcher.on_start = kernel_starts;
    g->dispatcher.on_end = kernel_ends;
    g->dispatcher.context = g;
    connect_memory(g, &p->memory);
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
    memory_system_copied(&g->memory, to, bytes);
}

/* ---- sums ---------------------------------------------------------------------------------- */

void gpu_settle(struct gpu *g)
{
    struct engine *e = &g->sim->engine;
    /* The SMs have had their tick of this instant, or sleep through it: they are added to
     * their domain before the dispatcher, which calls this. The others may yet get theirs. */
    cycle_t core = engine_cycle(e, g->core) + 1;
    for (u32 i = 0; i < g->config->sm.count; i++)
        sm_settle(&g->sms[i], core);
    if (g->ccn.nodes) /* ticked before the SMs */
        ccn_settle(&g->ccn, core);
    memory_system_settle(&g->memory);
    g->pool_left = pool_in_use(&g->memory.requests);
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
    for (u32 i = 0; g->memory.banks && i < g->memory.bank_count; i++) {
        const struct bank_counts *c = &g->memory.banks[i].counts;
        t->l2_accesses += c->accesses;
        t->l2_hits += c->hits;
        t->l2_misses += c->misses;
        t->l2_read_sectors += c->load_sectors;
        t->l2_read_sectors_missed += c->load_sectors_missed;
        t->l2_read_sectors_across += c->load_sectors_across;
        add_array(t->l2_stall, c->stall, STALL_COUNT);
        add_array(t->l2_queue, c->occupancy.bins, OCCUPANCY_BINS);
    }
    for (u32 i = 0; g->memory.channels && i < g->memory.channel_count; i++) {
        const struct dram_counts *c = &g->memory.channels[i].counts;
        t->dram_read_bytes += c->bytes_read;
        t->dram_written_bytes += c->bytes_written;
        t->dram_busy_clocks += c->bus_busy_cycles;
        t->dram_pending_clocks += c->pending_cycles;
        t->dram_bus_bytes += c->bus_bytes;
        t->dram_activates += c->activates;
        t->dram_refreshes += c->refreshes;
        add_array(t->dram_queue, c->queue.bins, OCCUPANCY_BINS);
    }
    if (g->memory.banks) {
        t->request_bytes = g->memory.request.counts->bytes;
        t->reply_bytes = g->memory.reply.counts->bytes;
        t->request_flits = g->memory.request.counts->flits;
        t->reply_flits = g->memory.reply.counts->flits;
    }
    if (g->config->ideal.model == MEMORY_INFINITE) {
        t->l2_accesses = g->memory.ideal.accesses;
        t->l2_misses = g->memory.ideal.missed;
        t->l2_hits = g->memory.ideal.accesses - g->memory.ideal.missed;
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
    return dram_peak_bytes_per_second(&g->memory.dram);
}
