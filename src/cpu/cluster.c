#include "cpu/cluster.h"

#include "cpu/shared_icache.h"

#include <stddef.h>
#include <string.h>

static domain_id clock_of(const struct cpu_cluster *c, u32 core)
{
    return c->core + (c->own_clocks ? core : 0);
}

/* ---- threads of a program that wait for each other --------------------------------------------
 */

static cycle_t openmp_tick(void *self, cycle_t now)
{
    struct cpu_cluster *c = self;
    openmp_decide(c->openmp, now);
    return CYCLE_NEVER;
}

static void ring_openmp(void *cluster)
{
    struct cpu_cluster *c = cluster;
    engine_wake(&c->site.sim->engine, c->openmp_unit);
}

static void thread_goes_on(void *cluster, u32 thread)
{
    struct cpu_cluster *c = cluster;
    core_go_on(&c->cores[thread]);
}

static void threads_fail(void *cluster)
{
    struct cpu_cluster *c = cluster;
    engine_stop(&c->site.sim->engine);
}

static void add_openmp(struct cpu_cluster *c)
{
    struct sim *sim = c->site.sim;
    const struct openmp_hooks hooks = {thread_goes_on, ring_openmp, threads_fail, c};
    c->openmp = ARENA_NEW(&sim->arena, struct openmp);
    openmp_init(c->openmp, &sim->arena, &hooks);
    c->openmp->domain = c->core;
    c->openmp_unit =
        engine_add_unit(&sim->engine, c->core, site_name_of(&c->site, "openmp"), openmp_tick, c);
    for (u32 i = 0; i < c->config->count; i++)
        c->cores[i].openmp = c->openmp;
}

void cpu_cluster_begin(struct cpu_cluster *c, const char *name, u32 first_core, u32 cores)
{
    if (c->openmp)
        openmp_begin(c->openmp, name, first_core, cores);
}

/* Core 0 of an asymmetric chip has another front end: what it is built from then. */
static void give_own_front(struct core_parts *core, const struct build_site *site)
{
    struct core_config *config = ARENA_NEW(&site->sim->arena, struct core_config);
    struct core_policies *policies = ARENA_NEW(&site->sim->arena, struct core_policies);
    *config = *core->config;
    config->branch = config->first.branch;
    config->l1i = config->first.l1i;
    *policies = *core->policies;
    policies->branch = policies->first_branch;
    policies->indirect = policies->first_indirect;
    policies->caches.l1i = policies->first_l1i;
    policies->caches.l1i_prefetch = policies->first_l1i_prefetch;
    core->config = config;
    core->policies = policies;
}

/* ---- I-caches that cores share ------------------------------------------------------------------
 */

static void add_icaches(struct cpu_cluster *c, const struct cpu_cluster_parts *p)
{
    u32 groups = sharing_groups(c->config), cores = sharing_group_cores(c->config);
    unit_id units[CORE_MOST];
    c->icaches = ARENA_ARRAY(&c->site.sim->arena, struct shared_icache, groups);
    for (u32 g = 0; g < groups; g++) {
        struct core *first = &c->cores[sharing_first_core(c->config, g)];
        for (u32 i = 0; i < cores; i++)
            units[i] = first[i].unit;
        const struct shared_icache_parts parts = {.domain = c->core,
                                                  .config = c->config,
                                                  .number = g,
                                                  .cores = cores,
                                                  .index = c->config->count + g,
                                                  .agent = p->first_agent + c->config->count + g,
                                                  .memory = p->memory,
                                                  .policies = &p->policies->caches,
                                                  .units = units};
        shared_icache_init(&c->icaches[g], &c->site, &parts);
        for (u32 i = 0; i < cores; i++)
            core_share_icache(&first[i], &c->icaches[g].clients[i]);
    }
}

static const struct core_config *little_config(struct arena *arena, const struct core_config *big)
{
    struct core_config *c = ARENA_NEW(arena, struct core_config);
    *c = *big;
    c->vector.bits = big->little.vector_bits;
    c->window.dispatch_width = c->window.issue_width = c->window.retire_width = big->little.width;
    return c;
}

void cpu_cluster_init(struct cpu_cluster *c, const struct build_site *site,
                      const struct cpu_cluster_parts *p)
{
    *c = (struct cpu_cluster){.site = *site,
                              .config = p->config,
                              .core = p->core,
                              .own_clocks = p->own_clocks,
                              .memory = p->memory};
    const struct core_config *little = little_config(&site->sim->arena, p->config);
    u32 first_little = p->config->count - p->config->little.count;
    c->cores = ARENA_ARRAY(&site->sim->arena, struct core, p->config->count);
    for (u32 i = 0; i < p->config->count; i++) {
        struct core_parts core = {.domain = clock_of(c, i),
                                  .config = i < first_little ? p->config : little,
                                  .index = i,
                                  .agent = p->first_agent + i,
                                  .memory = p->memory,
                                  .policies = p->policies};
        if (i == 0 && p->config->first.enabled)
            give_own_front(&core, site);
        core_init(&c->cores[i], site, &core);
    }
    mover_init(&c->mover, site, clock_of(c, 0), p->config, c->cores);
    add_icaches(c, p);
    if (p->config->openmp)
        add_openmp(c);
}

void cpu_cluster_clients(struct cpu_cluster *c, struct memory_client *out)
{
    for (u32 i = 0; i < c->config->count; i++) {
        struct caches *m = &c->cores[i].caches;
        out[i] = (struct memory_client){.agent = m->agent,
                                        .out = {&m->out, NULL},
                                        .in = &m->in,
                                        .unit = m->unit,
                                        .retired = &c->cores[i].counts.instructions,
                                        .misses = &m->l2.counts.misses,
                                        .clock_hz = c->config->clock_hz};
    }
    for (u32 g = 0; g < sharing_groups(c->config); g++) {
        struct shared_icache *s = &c->icaches[g];
        struct caches *m = &s->caches;
        out[c->config->count + g] = (struct memory_client){.agent = m->agent,
                                                           .out = {&m->out, NULL},
                                                           .in = &m->in,
                                                           .unit = m->unit,
                                                           .retired = &s->retired,
                                                           .misses = &m->l2.counts.misses,
                                                           .clock_hz = c->config->clock_hz};
    }
}

static void add_cache(struct cpu_cluster *c, stat_node core, const char *name,
                      const struct private_cache *p)
{
    struct stats *s = &c->site.sim->stats;
    const struct replacement *r = &p->cache.tags.replacement;
    stat_node node = stats_add(s, core, name, STAT_NO_INDEX, private_stats, &p->counts);
    policy_add_statistics((const struct policy_ops *)r->ops, r->state, s, node, "replacement");
    policy_add_statistics((const struct policy_ops *)p->prefetcher.ops, p->prefetcher.state, s,
                          node, "prefetcher");
}

void cpu_cluster_add_statistics(struct cpu_cluster *c)
{
    struct stats *s = &c->site.sim->stats;
    s->nodes[c->site.node].table = cpu_cluster_stats;
    s->nodes[c->site.node].data = c;
    if (mover_is_on(&c->mover))
        stats_add(s, c->site.node, "mover", STAT_NO_INDEX, mover_stats, &c->mover.counts);
    for (u32 i = 0; i < c->config->count; i++) {
        struct core *k = &c->cores[i];
        const struct branch_predictor *b = &k->branch.direction.base;
        const struct indirect_predictor *t = &k->branch.indirect;
        stat_node node = stats_add(s, c->site.node, "core", i, core_stats, &k->counts);
        stat_node branch =
            stats_add(s, node, "branch", STAT_NO_INDEX, branch_stats, &k->branch.counts);
        policy_add_statistics((const struct policy_ops *)b->ops, b->state, s, branch, "predictor");
        policy_add_statistics((const struct policy_ops *)t->ops, t->state, s, branch, "indirect");
        add_cache(c, node, "l1i", &k->caches.l1i);
        add_cache(c, node, "l1d", &k->caches.l1d);
        add_cache(c, node, "l2", &k->caches.l2);
        if (k->rate)
            stats_add(s, node, "rate", STAT_NO_INDEX, rate_stats, &k->rate->counts);
        if (k->caches.touched)
            stats_add(s, node, "touched", STAT_NO_INDEX, touched_stats, k->caches.touched);
        if (c->openmp)
            stats_add(s, node, "openmp", STAT_NO_INDEX, openmp_stats,
                      &c->openmp->threads[i].counts);
        if (c->config->vector.bits)
            stats_add(s, node, "vector", STAT_NO_INDEX, vector_stats, &k->vector.counts);
        if (c->config->tlb.enabled) {
            stats_add(s, node, "itlb", STAT_NO_INDEX, tlb_stats, &k->itlb.counts);
            stats_add(s, node, "dtlb", STAT_NO_INDEX, tlb_stats, &k->dtlb.counts);
        }
    }
    for (u32 g = 0; g < sharing_groups(c->config); g++) {
        struct shared_icache *k = &c->icaches[g];
        add_cache(c, k->node, "l1i", &k->caches.l1i);
        add_cache(c, k->node, "l2", &k->caches.l2);
        stats_add(s, k->node, "touched", STAT_NO_INDEX, touched_stats, k->caches.touched);
    }
}

void cpu_cluster_settle(struct cpu_cluster *c)
{
    for (u32 i = 0; i < c->config->count; i++)
        core_settle(&c->cores[i], engine_cycle(&c->site.sim->engine, clock_of(c, i)) + 1);
    c->pool_left = pool_in_use(c->memory->requests);
}

static void add_core(struct program_record *r, const struct core *k)
{
    const struct caches *m = &k->caches;
    r->core_cycles += k->counts.cycles;
    r->instructions += k->counts.instructions;
    for (u32 i = 0; i < CORE_SLOTS; i++)
        r->slots[i] += k->counts.slots[i];
    for (u32 i = 0; k->rate && i < RATE_CLASSES; i++)
        r->rate_classes[i] += k->rate->counts.classes[i];
    r->branches += k->branch.counts.branches;
    r->mispredicted += k->branch.counts.mispredicted;
    r->btb_misses += k->branch.counts.btb_misses;
    r->l1i_misses += m->l1i.counts.misses;
    r->l1d_accesses += m->l1d.counts.accesses;
    r->l1d_misses += m->l1d.counts.misses;
    r->l2_accesses += m->l2.counts.accesses;
    r->l2_misses += m->l2.counts.misses;
    r->answered += m->l2.counts.answered;
    r->latency_cycles += m->l2.counts.latency_cycles;
    r->llc_hits += m->l2.counts.llc_hits;
}

void cpu_cluster_sum(const struct cpu_cluster *c, u32 first_core, u32 cores,
                     struct program_record *sum)
{
    *sum = (struct program_record){.first_core = first_core, .cores = cores};
    for (u32 i = 0; i < cores; i++)
        add_core(sum, &c->cores[first_core + i]);
}

/* From core_cycles on all are sums. */
static void subtract(struct program_record *r, const struct program_record *before)
{
    u64 *to = &r->core_cycles;
    const u64 *from = &before->core_cycles;
    size_t bytes = sizeof *r - offsetof(struct program_record, core_cycles);
    for (size_t i = 0; i < bytes / sizeof *to; i++)
        to[i] -= from[i];
}

void cpu_cluster_record(struct cpu_cluster *c, const char *name, u8 application, u32 first_core,
                        u32 cores, const struct program_record *before, cycle_t ended)
{
    struct program_record *r = &c->records[c->record_count++];
    cpu_cluster_sum(c, first_core, cores, r);
    subtract(r, before);
    r->name = arena_strdup(&c->site.sim->arena, name);
    r->number = c->record_count - 1;
    r->application = application;
    r->started = before->ended;
    r->ended = ended;
    r->cycles = ended - before->ended;
}

struct core_counts cpu_cluster_counts(const struct cpu_cluster *c)
{
    struct core_counts sum;
    u64 *to = (u64 *)(void *)&sum;
    memset(&sum, 0, sizeof sum);
    for (u32 i = 0; i < c->config->count; i++) {
        const u64 *from = (const u64 *)(const void *)&c->cores[i].counts;
        for (size_t k = 0; k < sizeof sum / sizeof(u64); k++) /* all are u64 */
            to[k] += from[k];
    }
    return sum;
}
