#include "gpu/gpu.h"

#include "gpu/tables.h"
#include "mem/application.h"

#include <stddef.h>
#include <string.h>

#define POOL_SLACK 1024u
#define MOST_LOADED                                                                                \
    4096u /* kernels whose code is known to be loaded; others seem to be as well                   \
           */

u64 gpu_most_requests(const struct gpu_config *c, const struct dram_timing *dram)
{
    struct memory_config memory = gpu_memory_config(c);
    return memory_most_requests(&memory, dram) + c->sm.count * sm_most_requests(c) + POOL_SLACK;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* As a profiler does before a launch; lines on their way come all the same. */
static void empty_caches(struct gpu *g)
{
    for (u32 i = 0; i < g->config->sm.count; i++) {
        struct sm *sm = &g->cluster.sms[i];
        cache_flush(&sm->l1.cache);
        cache_flush(&sm->instruction.cache);
        if (g->config->sm.fetch.l0_bytes)
            cache_flush(&sm->l0_icache.cache);
        cache_flush(&sm->constant.cache);
        cache_flush(&sm->texture.cache);
    }
    memory_system_empty(g->memory);
}

static void kernel_starts(void *context, struct grid_run *run)
{
    struct gpu *g = context;
    if (g->config->launch.caches == CACHES_COLD && !g->kernels_running)
        empty_caches(g);
    gpu_settle(g);
    gpu_counters(g, &run->before);
    if (!g->kernels_running++)
        g->busy_since = run->before;
    run->number = g->kernels++;
    run->started_fs = g->sim->engine.now_fs;
    if (regions_are_on(&g->cluster.regions))
        run->regions = regions_begin(&g->cluster.regions, run->source.regions,
                                     run->source.application, run->started);
    if (UNLIKELY(g->phases))
        block_phases_kernel(g->phases, &run->source, run->launch);
    watch_kernel_starts(g->watch, run);
}

static void block_used(void *context, const struct sm *sm, u32 slot, const struct block_view *v,
                       bool has_ended)
{
    struct gpu *g = context;
    const struct block_use *u = &sm->uses->of[slot];
    if (g->watch)
        watch_block(g->watch, v, &u->sample);
    if (g->phases)
        block_phases_used(g->phases, v, &u->sample, has_ended ? &u->now : NULL);
}

static void kernel_ends(void *context, struct grid_run *run)
{
    struct gpu *g = context;
    gpu_settle(g);
    watch_kernel_ends(g->watch, run);
    double correlation =
        UNLIKELY(g->phases) ? block_phases_kernel_ended(g->phases, &run->source) : 0;
    if (g->kernels_running == 1)
        gpu_busy_numbers(g, &g->busy);
    g->kernels_running--;
    if (regions_are_on(&g->cluster.regions))
        regions_end(&g->cluster.regions, run->regions, run->source.application,
                    arena_strdup(&g->sim->arena, run->source.name), run->number);
    if (run->is_cut || g->record_count == g->record_room) {
        g->kernels_dropped++;
        return;
    }
    const struct grid_source *s = &run->source;
    struct kernel_record *r = &g->records[g->record_count++];
    *r = (struct kernel_record){.name = arena_strdup(&g->sim->arena, s->name),
                                .number = run->number,
                                .launch = s->launch_number ? s->launch_number - 1 : run->number,
                                .blocks = s->blocks,
                                .application = s->application,
                                .threads_per_block = s->threads_per_block,
                                .registers = s->registers_per_thread,
                                .shared_bytes = s->shared_bytes_per_block,
                                .blocks_per_sm = sm_blocks_that_fit(&g->config->sm, s),
                                .launched = run->launched,
                                .started = run->started,
                                .ended = run->ended,
                                .use = run->use,
                                .correlation = correlation};
    memcpy(r->grid, s->grid, sizeof r->grid);
    memcpy(r->block, s->block, sizeof r->block);
    gpu_counters(g, &r->numbers);
    gpu_counters_subtract(&r->numbers, &run->before);
    r->numbers.cycles = run->ended - run->started;
}

/* What the kernels of a program would like to have in the shared cache. */
static struct llc_demand demand_of(const struct regions *r, u8 application, u64 cache_bytes)
{
    struct llc_demand d = {.kernels = r->unknown[application]};
    d.bytes = d.trained_bytes = d.decided_bytes = d.kernels * cache_bytes;
    for (u32 i = 0; i < REGION_KERNELS; i++) {
        const struct kernel_regions *k = &r->kernels[i];
        if (!k->is_used || k->application != application)
            continue;
        bool is_decided = k->decided_at != CYCLE_NEVER;
        u64 bytes = regions_bytes(&k->list), kept = bytes;
        for (u32 n = 0; n < k->count; n++)
            kept -= k->bypass_l2 >> n & 1 ? k->bytes[n] : 0;
        d.kernels++;
        d.bytes += bytes;
        d.trained_bytes += kept;
        d.decided_bytes += is_decided ? kept : cache_bytes;
    }
    return d;
}

static void regions_changed(void *context, const struct regions *r)
{
    const struct gpu *g = context;
    u32 applications = g->sim->applications ? g->sim->applications : 1;
    for (u32 i = 0; i < applications; i++) {
        struct llc_demand d = demand_of(r, (u8)i, g->config->l2.size_bytes);
        if (r->seen >> i & 1) /* others run elsewhere */
            llc_demands(g->memory->llc, i, &d);
    }
}

/* ---- building ------------------------------------------------------------------------------ */

struct gpu *gpu_build(const struct build_site *site, domain_id core, const struct gpu_config *c,
                      u32 first_agent, struct memory_system *memory,
                      const struct cluster_policies *p)
{
    struct sim *sim = site->sim;
    struct gpu *g = ARENA_NEW(&sim->arena, struct gpu);
    g->config = c;
    g->sim = sim;
    g->memory = memory;
    g->warp_policy = p->warp;
    /* before the SMs': the viewer shows groups in this order */
    g->kernel_track = timeline_track(sim->timeline, site_name_of(site, "kernels"), "kernels 0");
    cluster_init(&g->cluster, site, core, c, first_agent, memory, p);
    g->cluster.dispatcher.on_start = kernel_starts;
    g->cluster.dispatcher.on_end = kernel_ends;
    g->cluster.dispatcher.context = g;
    return g;
}

bool gpu_connect(struct gpu *g, struct err *err)
{
    struct sim *sim = g->sim;
    struct stat_node_info *node = &sim->stats.nodes[g->cluster.site.node];
    if (g->memory->home)
        homes_connect(&g->cluster);
    if (!cluster_init_policies(&g->cluster, g->memory, g->warp_policy, err))
        return false;
    if (g->config->regions.mode == REGIONS_BYPASS || g->cluster.dispatcher.victims)
        memory_system_let_bypass(g->memory);
    if (g->memory->llc && regions_are_on(&g->cluster.regions)) {
        g->cluster.regions.changed = regions_changed;
        g->cluster.regions.context = g;
    }
    g->watch = watch_add(g, g->kernel_track, sim->timeline_interval);
    if (g->config->sm.block_phases)
        g->phases = block_phases_add(&sim->arena, g->config->sm.clock_hz);
    if ((g->watch || g->phases) && g->cluster.sms[0].uses) {
        g->cluster.dispatcher.watch_cycles =
            g->phases ? g->phases->cycles_per_us : sim->timeline_interval;
        g->cluster.dispatcher.on_used = block_used;
    }
    g->record_room = 4096;
    if (g->config->l2.keeps_code)
        map_init_fixed(&g->loaded, &sim->arena, MOST_LOADED);
    g->records = arena_alloc_sparse(&sim->arena, g->record_room * sizeof *g->records);
    node->table = gpu_stats;
    node->data = g;
    cluster_add_statistics(&g->cluster);
    if (g->phases)
        stats_add(&sim->stats, g->cluster.site.node, "phases", STAT_NO_INDEX, phase_stats,
                  &g->phases->counts);
    return true;
}

bool gpu_finish(struct gpu *g, struct err *err)
{
    const struct snapshot_def *def =
        gpu_counters_with(g->memory->config.cache_name, &g->sim->arena);
    return snapshot_plan_init(&g->plan, def, &g->sim->stats, g->cluster.site.node, &g->sim->arena,
                              err);
}

/* What a length in pc's measure takes of the machine's memory. */
static u64 code_bytes(const struct gpu *g, u64 length)
{
    return length / INSTRUCTION_BYTES * g->config->sm.fetch.instruction_bytes;
}

void gpu_copied(struct gpu *g, u64 to, u64 bytes)
{
    memory_system_copied(g->memory, to, bytes);
}

void gpu_load_code(struct gpu *g, const struct grid_source *kernel)
{
    u64 start = application_base(kernel->application) + code_bytes(g, kernel->code_start), known;
    if (!g->config->l2.keeps_code || !kernel->code_bytes || map_get(&g->loaded, start, &known) ||
        g->loaded.count == MOST_LOADED)
        return;
    map_put(&g->loaded, start, 1);
    memory_system_loaded(g->memory, start, code_bytes(g, kernel->code_bytes));
}

void gpu_warm_code(struct gpu *g, const struct grid_source *kernel, u32 sms)
{
    u64 line_bytes = g->config->line_bytes;
    u64 start = application_base(kernel->application) + code_bytes(g, kernel->code_start);
    u64 end = start + code_bytes(g, kernel->code_bytes);
    for (u32 i = 0; i < sms && i < g->config->sm.count && kernel->code_bytes; i++) {
        struct cache *c = &g->cluster.sms[i].instruction.cache;
        for (u64 line = start & ~(line_bytes - 1); line < end; line += line_bytes)
            cache_warm(c, &(struct request){
                              .line = line, .sectors = c->all_sectors, .kind = REQUEST_LOAD});
    }
}

/* ---- sums ---------------------------------------------------------------------------------- */

void gpu_settle(struct gpu *g)
{
    cluster_settle(&g->cluster);
    memory_system_settle(g->memory);
    if (UNLIKELY(g->phases))
        block_phases_settle(g->phases);
    g->pool_left = pool_in_use(g->memory->requests);
}

void gpu_counters(const struct gpu *g, struct gpu_counters *n)
{
    snapshot_take(&g->plan, (u64 *)(void *)n);
    n->cycles = engine_cycle(&g->sim->engine, g->cluster.core);
    if (g->config->ideal.model ==
        MEMORY_INFINITE) { /* it stands for the L2 and has no statistics */
        n->l2_accesses = g->memory->ideal.accesses;
        n->l2_misses = g->memory->ideal.missed;
        n->l2_hits = g->memory->ideal.accesses - g->memory->ideal.missed;
    }
}

void gpu_busy_numbers(const struct gpu *g, struct gpu_counters *n)
{
    *n = g->busy;
    if (!g->kernels_running)
        return;
    struct gpu_counters now;
    gpu_counters(g, &now);
    gpu_counters_subtract(&now, &g->busy_since);
    snapshot_add((u64 *)(void *)n, (const u64 *)(const void *)&now, GPU_NUMBERS_SIZE);
}

void gpu_begin_window(struct gpu *g)
{
    gpu_busy_numbers(g, &g->warm);
    g->record_count = 0;
    g->kernels_dropped = 0;
}

void gpu_end_window(struct gpu *g)
{
    gpu_busy_numbers(g, &g->busy);
    gpu_counters_subtract(&g->busy, &g->warm);
    g->kernels_running = 0;
}

const struct sm *gpu_faulted(const struct gpu *g)
{
    return cluster_faulted(&g->cluster);
}

double gpu_mean_hz(const struct gpu *g)
{
    const struct engine *e = &g->sim->engine;
    if (!g->sim->clocks_change || !e->now_fs)
        return (double)g->config->sm.clock_hz;
    return (double)engine_cycle(e, g->cluster.core) / (double)e->now_fs * (double)FS_PER_SECOND;
}

double gpu_peak_dram(const struct gpu *g)
{
    return dram_peak_bytes_per_second(&g->memory->dram);
}
