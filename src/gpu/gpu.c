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
    gpu_numbers(g, &run->before);
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
        gpu_busy_numbers(g, &g->busy);
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
    gpu_numbers(g, &r->numbers);
    gpu_numbers_subtract(&r->numbers, &run->before);
    r->numbers.cycles = run->ended - run->started;
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
    return snapshot_plan_init(&g->plan, &gpu_numbers_def, &sim->stats, &sim->arena, err) ? g : NULL;
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

void gpu_numbers(const struct gpu *g, struct gpu_numbers *n)
{
    snapshot_take(&g->plan, (u64 *)(void *)n);
    n->cycles = engine_cycle(&g->sim->engine, g->core);
    if (g->config->ideal.model ==
        MEMORY_INFINITE) { /* it stands for the L2 and has no statistics */
        n->l2_accesses = g->memory.ideal.accesses;
        n->l2_misses = g->memory.ideal.missed;
        n->l2_hits = g->memory.ideal.accesses - g->memory.ideal.missed;
    }
}

void gpu_busy_numbers(const struct gpu *g, struct gpu_numbers *n)
{
    *n = g->busy;
    if (!g->kernels_running)
        return;
    struct gpu_numbers now;
    gpu_numbers(g, &now);
    gpu_numbers_subtract(&now, &g->busy_since);
    snapshot_add((u64 *)(void *)n, (const u64 *)(const void *)&now, GPU_NUMBERS_SIZE);
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
