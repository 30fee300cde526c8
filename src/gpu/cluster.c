#include "gpu/cluster.h"

#include "gpu/tables.h"
#include "memsys/partition.h"

#include <string.h>

static struct ccn_shape l1s_of(const struct gpu_config *c)
{
    return (struct ccn_shape){.nodes = c->sm.count,
                              .line_bytes = c->line_bytes,
                              .lines = c->sm.l1.size_bytes / c->line_bytes,
                              .ways = c->sm.l1.ways,
                              .mshrs = c->sm.l1.mshrs};
}

static void connect_l1s(struct gpu_cluster *c)
{
    for (u32 i = 0; i < c->config->sm.count; i++) {
        c->sms[i].ccn = ccn_attach(&c->ccn, i, l1_peer_of(&c->sms[i]));
        l1_attach_peers(&c->sms[i]);
    }
    ccn_finish(&c->ccn, c->site.sim, c->core);
}

/* Global memory changes at the end of a cycle, in order of the SMs: device/memory_log.h. */
static void apply_logs(void *self)
{
    struct gpu_cluster *c = self;
    for (u32 i = 0; c->site.sim->engine.thread_pool && i < c->config->sm.count; i += 8) {
        u64 any;
        memcpy(&any, c->logs + i, 8);
        for (; any; any &= any - 1)
            memory_log_fetch(&c->sms[i + (u32)__builtin_ctzll(any) / 8].log);
    }
    for (u32 i = 0; i < c->config->sm.count; i += 8) {
        u64 any;
        memcpy(&any, c->logs + i, 8);
        for (u32 k = i; any && k < i + 8; k++) {
            if (c->logs[k])
                memory_log_apply(&c->sms[k].log);
        }
    }
}

static void draw_blocks(void *self)
{
    struct gpu_cluster *c = self;
    for (u32 i = 0; i < c->config->sm.count; i++)
        sm_draw_blocks(&c->sms[i]);
}

static void init_logs(struct gpu_cluster *c)
{
    struct sim *sim = c->site.sim;
    u32 count = c->config->sm.count;
    u8 *rooms = arena_alloc_sparse(&sim->arena, count * MEMORY_LOG_BYTES);
    c->logs = ARENA_ARRAY(&sim->arena, u8, (count + 7) & ~7u);
    for (u32 i = 0; i < count; i++)
        memory_log_init(&c->sms[i].log, &sim->arena, rooms + i * MEMORY_LOG_BYTES, &c->logs[i]);
    engine_commit_with(&sim->engine, c->core, apply_logs, c);
    if (sim->timeline)
        engine_commit_with(&sim->engine, c->core, draw_blocks, c);
}

/* The cluster of one socket of several. */
static void join_sockets(struct gpu_cluster *c, struct memory_system *memory)
{
    const struct sm_config *config = &c->config->sm;
    const struct way_partition *split = NULL;
    homes_init(c, memory);
    if (memory->side.partition)
        split = partition_add_l1(memory->side.partition, config->l1.ways);
    for (u32 i = 0; i < config->count; i++) {
        struct sm *sm = &c->sms[i];
        sm->coherence = memory->side.coherence;
        sm->versions = memory->versions;
        if (sm->versions)
            l1_attach_versions(sm);
        if (sm->coherence)
            sm->flush_numbers = ARENA_ARRAY(&c->site.sim->arena, u64, MOST_SM_WARPS);
        if (split)
            l1_attach_sockets(sm, split);
    }
}

void cluster_init(struct gpu_cluster *c, const struct build_site *site, domain_id core,
                  const struct gpu_config *config, u32 first_agent, struct memory_system *memory,
                  const struct cluster_policies *p)
{
    struct sim *sim = site->sim;
    *c = (struct gpu_cluster){.site = *site, .config = config, .core = core};
    c->sms = ARENA_ARRAY(&sim->arena, struct sm, config->sm.count);
    if (config->sm.l1.reuse_oracle)
        reuse_init(&c->reuse, sim, core, c->sms, config->sm.count);
    if (config->ccn.mode != CCN_NONE)
        ccn_init(&c->ccn, sim, core, &config->ccn, l1s_of(config), memory->requests);
    for (u32 i = 0; i < config->sm.count; i++)
        sm_init(&c->sms[i], &(struct sm_parts){.site = site,
                                               .domain = core,
                                               .config = config,
                                               .index = i,
                                               .agent = first_agent + i,
                                               .map = &memory->map,
                                               .requests = memory->requests,
                                               .l1_replacement = p->l1,
                                               .lru = p->lru});
    if (config->sm.l1.reuse_oracle)
        reuse_watch(&c->reuse);
    if (memory->home)
        join_sockets(c, memory);
    init_logs(c);
    dispatcher_init(&c->dispatcher, site, core, config, c->sms, p->block);
    if (!memory->home)
        dispatcher_join(&c->dispatcher, site);
    regions_init(&c->regions, site, core, &config->regions, config->sm.count);
    for (u32 i = 0; regions_are_on(&c->regions) && i < config->sm.count; i++) {
        c->sms[i].region_rows = c->regions.rows[i];
        c->sms[i].region_kernels = c->regions.kernels;
        l1_attach_regions(&c->sms[i]);
    }
    if (config->ccn.mode != CCN_NONE)
        connect_l1s(c);
}

void cluster_clients(struct gpu_cluster *c, struct memory_client *out)
{
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        out[i] = (struct memory_client){.agent = sm->agent,
                                        .out = {&sm->miss, &sm->ro_cache_miss},
                                        .in = &sm->reply,
                                        .unit = sm->unit,
                                        .retired = &sm->counts.warp_instructions,
                                        .misses = &sm->l1.counts.misses,
                                        .kernel = &c->dispatcher.kernel,
                                        .clock_hz = c->config->sm.clock_hz};
    }
}

/* SMs share nothing within a cycle, unless their policy has a board or a network joins their L1s.
 */
static void share_out(struct gpu_cluster *c, const struct warp_policy_ops *policy)
{
    struct engine *e = &c->site.sim->engine;
    if (policy->shared_bytes || c->config->ccn.mode != CCN_NONE)
        return;
    for (u32 i = 0; i < c->config->sm.count; i++)
        engine_set_shard(e, c->sms[i].unit, 1, c->site.socket * c->config->sm.count + i);
}

/* SMs of all sockets are one stage of one clock, so that a cycle of them ends at once, and the
 * dispatchers come after them. What else ticks between them ends it before: then one thread has to
 * do. */
static void join_stage(struct gpu_cluster *c)
{
    struct engine *e = &c->site.sim->engine;
    dispatcher_join(&c->dispatcher, &c->site);
    if (regions_are_on(&c->regions) || c->config->sm.l1.reuse_oracle ||
        c->config->ccn.mode != CCN_NONE)
        engine_keep_serial(e, true);
}

bool cluster_init_policies(struct gpu_cluster *c, const struct memory_system *memory,
                           struct policy_choice warp, struct err *err)
{
    const struct warp_policy_ops *ops = (const struct warp_policy_ops *)warp.ops;
    size_t bytes = ops->shared_bytes;
    share_out(c, ops);
    if (memory->home)
        join_stage(c);
    void *shared = arena_alloc(&c->site.sim->arena, bytes ? bytes : 1);
    if (!dispatcher_init_policy(&c->dispatcher, &c->site, err))
        return false;
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        sm->channels = memory->channels;
        sm->channel_count = memory->channels ? memory->channel_count : 0;
        sm->memory_domain = memory->dram_domain;
        if (!sm_init_policy(sm, ops, warp.config, shared, err))
            return false;
    }
    return true;
}

void cluster_add_statistics(struct gpu_cluster *c)
{
    struct stats *s = &c->site.sim->stats;
    const struct block_policy *block = &c->dispatcher.policy;
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        const struct replacement *r = &sm->l1.cache.tags.replacement;
        stat_node node = stats_add(s, c->site.node, "sm", i, sm_stats, &sm->counts);
        stat_node l1 = stats_add(s, node, "l1", STAT_NO_INDEX, l1_stats, &sm->l1.counts);
        policy_add_statistics((const struct policy_ops *)r->ops, r->state, s, l1, "replacement");
        if (c->config->regions.mode == REGIONS_BYPASS)
            stats_add(s, l1, "bypass", STAT_NO_INDEX, l1_bypass_stats, &sm->l1.bypass);
        policy_add_statistics((const struct policy_ops *)sm->policy.ops, sm->policy.state, s, node,
                              "warp_policy");
        if (sm->policy.ops->samples)
            stats_add(s, node, "samples", STAT_NO_INDEX, sample_stats, &sm->samples);
        if (c->reuse.counts)
            stats_add(s, node, "reuse", STAT_NO_INDEX, reuse_stats, &c->reuse.counts[i]);
        if (c->ccn.nodes)
            stats_add(s, node, "ccn", STAT_NO_INDEX, ccn_stats, &c->ccn.nodes[i].counts);
        if (sm->uses)
            stats_add(s, node, "blocks", STAT_NO_INDEX, use_stats, &sm->uses->all);
        if (c->dispatcher.victims)
            stats_add(s, node, "context", STAT_NO_INDEX, context_stats, &sm->context.counts);
        stats_add(s, node, "icache", STAT_NO_INDEX, ro_cache_stats, &sm->instruction.counts);
        stats_add(s, node, "constant", STAT_NO_INDEX, ro_cache_stats, &sm->constant.counts);
        stats_add(s, node, "texture", STAT_NO_INDEX, ro_cache_stats, &sm->texture.counts);
        if (sm->home)
            stats_add(s, node, "home", STAT_NO_INDEX, home_asks_stats, &sm->asks);
    }
    policy_add_statistics((const struct policy_ops *)block->ops, block->state, s, c->site.node,
                          "dispatch");
    if (c->dispatcher.victims)
        stats_add(s, c->site.node, "victims", STAT_NO_INDEX, dispatch_stats, &c->dispatcher.counts);
    if (c->config->ccn.mode == CCN_RING)
        stats_add(s, c->site.node, "ring", STAT_NO_INDEX, ring_stats, &c->ccn.counts);
}

void cluster_settle(struct gpu_cluster *c)
{
    /* The SMs have had their tick of this instant, or sleep through it: they are added to
     * their domain before the dispatcher, which calls this. */
    cycle_t now = engine_cycle(&c->site.sim->engine, c->core) + 1;
    for (u32 i = 0; i < c->config->sm.count; i++)
        sm_settle(&c->sms[i], now);
    if (c->ccn.nodes) /* ticked before the SMs */
        ccn_settle(&c->ccn, now);
    regions_settle(&c->regions);
    homes_settle(c);
}

const struct sm *cluster_faulted(const struct gpu_cluster *c)
{
    for (u32 i = 0; i < c->config->sm.count; i++) {
        if (c->sms[i].faulted)
            return &c->sms[i];
    }
    return NULL;
}
