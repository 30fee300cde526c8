/* A GPU as a cluster of a machine. */
#include "machine/gpu_cluster.h"

#include "machine/cluster_kind.h"
#include "views/gpu_regions.h"
#include "views/gpu_summary.h"
#include "views/nsight.h"
#include "policy/registry.h"

#include <stddef.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

/* ---- building ---- */

/* clang-format off */
const struct policy_use gpu_cluster_policies[] = {
    {"warp.scheduler", "warp", "sm.warp_policy", "sm.warp_policy", QUESTION_WARP, offsetof(struct gpu_config, sm.warp_policy)},
    {"l1.replacement", "l1", "sm.l1.replacement", "sm.l1.replacement", QUESTION_REPLACEMENT, offsetof(struct gpu_config, sm.l1.replacement)},
    {"block", NULL, "launch.dispatch", "dispatch", QUESTION_BLOCK, offsetof(struct gpu_config, launch.dispatch)},
    POLICY_USES_END,
};
/* clang-format on */

static void *kind_build(const struct build_site *site, struct cluster_clock clock,
                        const void *config, u32 first_agent, struct memory_system *memory,
                        struct err *err)
{
    struct arena *arena = &site->sim->arena;
    const struct gpu_config *c = config;
    struct cluster_policies p = {.lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL}};
    struct policy_choice *const to[] = {&p.warp, &p.l1, &p.block};
    if (!policy_uses_choose(gpu_cluster_policies, c, c->policies, arena, to, err))
        return NULL;
    return gpu_build(site, clock.domain, c, first_agent, memory, &p);
}

static void kind_clients(void *part, struct memory_client *out)
{
    cluster_clients(&((struct gpu *)part)->cluster, out);
}

static bool kind_connect(void *part, const struct energy_meter *meter, struct err *err)
{
    struct gpu *g = part;
    const struct gpu_config *c = g->config;
    g->meter = meter;
    if (c->ccn.mode == CCN_TRACKER)
        memory_system_track_sharers(g->memory, c->sm.count * (c->sm.l1.size_bytes / c->line_bytes),
                                    c->ccn.tracker_cycles);
    return gpu_connect(g, err);
}

static bool kind_finish(void *part, struct err *err)
{
    return gpu_finish(part, err);
}

static u32 kind_agents(const void *config)
{
    return ((const struct gpu_config *)config)->sm.count;
}

static u64 kind_clock_hz(const void *config)
{
    return ((const struct gpu_config *)config)->sm.clock_hz;
}

static u64 kind_most_requests(const void *config)
{
    const struct gpu_config *c = config;
    return c->sm.count * sm_most_requests(c);
}

/* ---- programs of a mix ---- */

static void kind_count_applications(void *part, struct arena *arena)
{
    struct gpu *g = part;
    for (u32 i = 0; i < g->config->sm.count; i++) {
        g->cluster.sms[i].by_application =
            ARENA_ARRAY(arena, struct application_counts, MOST_APPLICATIONS);
        g->cluster.sms[i].tells_issues = true;
    }
}

static void kind_add_applications(const void *part, struct application_counts *sums)
{
    const struct gpu *g = part;
    for (u32 i = 0; i < g->config->sm.count; i++)
        applications_add(sums, g->cluster.sms[i].by_application);
}

/* ---- numbers ---- */

static void kind_settle(void *part)
{
    gpu_settle(part);
}

static u64 kind_work(const void *part)
{
    const struct gpu *g = part;
    u64 instructions = 0;
    for (u32 i = 0; i < g->config->sm.count; i++)
        instructions += g->cluster.sms[i].counts.warp_instructions;
    return instructions;
}

static void kind_energy(const void *part, double counts[ENERGY_EVENTS])
{
    const struct gpu *g = part;
    struct gpu_counters t;
    gpu_counters(g, &t);
    energy_count_sms(g->config, &t, counts);
}

void gpu_kernel_energy(const struct gpu *g, const struct gpu_counters *t, struct energy_counts *out)
{
    double counts[ENERGY_EVENTS], seconds = (double)t->cycles / gpu_mean_hz(g);
    struct energy e;
    energy_count(g->config, t, counts);
    struct memory_config memory = gpu_memory_config(g->config);
    energy_sum(&g->meter->rates, counts, seconds,
               memory_off_seconds(&memory, g->memory->bank_count, t->l2_gated_way_cycles), &e);
    energy_whole(&e, out);
}

/* ---- the result ---- */

static void set(json_t *o, const char *name, u64 value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

/* clang-format off */
const struct stat_def kernel_energy_stats[] = {
    {.name = "energy_dynamic_pj", .kind = STAT_ARRAY, .offset = S_AT(energy_counts, dynamic_pj), .labels = energy_component_names, .label_count = COMPONENTS, .unit = "pJ", .meaning = "energy of events, by component"},
    {.name = "energy_static_pj", .kind = STAT_COUNT, .offset = S_AT(energy_counts, static_total_pj), .unit = "pJ", .meaning = "static power times time"},
    {.name = "energy_total_pj", .kind = STAT_COUNT, .offset = S_AT(energy_counts, total_pj), .unit = "pJ", .meaning = "energy of events and static power"},
    S_END,
};
/* clang-format on */

const struct record_table gpu_kernel_tables[] = {
    {.stats = kernel_record_stats},
    {.numbers = &gpu_counters_def},
    {.stats = kernel_energy_stats},
    {NULL, NULL},
};

/* Where what blocks use is counted: how irregular they are, and their shares of an SM. */
static void put_use(json_t *o, const struct use_counts *u, const double *correlation)
{
    double all = (double)u->warp_instructions, issues = all + (double)u->replays;
    json_t *use = json_object();
    json_object_set_new(use, "cfi", json_real(all > 0 ? (double)u->divergent_branches / all : 0));
    json_object_set_new(use, "mai", json_real(issues > 0 ? (double)u->replays / issues : 0));
    json_object_set_new(use, "mem", json_real(use_share(u, USE_MEMORY)));
    json_object_set_new(use, "fpu", json_real(use_share(u, USE_FPU)));
    if (correlation)
        json_object_set_new(use, "correlation",
                            isnan(*correlation) ? json_null() : json_real(*correlation));
    json_object_set_new(o, "block_use", use);
}

/* Features that are not validated, each with what was measured of kernels that have it. */
static void put_doubts(json_t *o, const struct gpu_config *c, const struct gpu_counters *t)
{
    struct doubt_numbers n = doubt_numbers_of(t);
    u32 doubts = gpu_doubts(c, &n);
    if (!doubts)
        return;
    json_t *list = json_array();
    for (u32 i = 0; i < DOUBT_COUNT; i++) {
        const struct doubt_error *e = &gpu_doubt_errors[i];
        if (doubts >> i & 1)
            json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:f, s:f}", "feature", e->id,
                                                  "words", e->words, "kernels_measured",
                                                  (int)e->kernels, "error_percent", e->mean,
                                                  "signed_error_percent", e->signed_mean));
    }
    json_object_set_new(o, "not_validated", list);
}

/* As launched; where nobody knows, all in one row. */
static void put_shape(json_t *o, const char *name, const u32 *n, u64 all)
{
    json_t *shape = json_array();
    for (u32 i = 0; i < 3; i++)
        json_array_append_new(shape, json_integer(n[0] ? (json_int_t)n[i]
                                                  : i  ? 1
                                                       : (json_int_t)all));
    json_object_set_new(o, name, shape);
}

static json_t *about_kernel(const struct gpu *g, const char *cluster, const struct kernel_record *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(r->name));
    if (*cluster)
        json_object_set_new(o, "cluster", json_string(cluster));
    record_put_stats(o, kernel_record_stats, r);
    put_shape(o, "grid", r->grid, r->blocks);
    put_shape(o, "block", r->block, r->threads_per_block);
    json_object_set_new(o, "occupancy", json_real(kernel_occupancy(g, r)));
    json_object_set_new(o, "occupancy_limit", json_real(kernel_occupancy_limit(g, r)));
    if (g->cluster.sms[0].uses)
        put_use(o, &r->use, g->phases ? &r->correlation : NULL);
    if (g->sim->applications)
        set(o, "application", r->application);
    json_object_set_new(o, "bound_by", json_string(gpu_bound_by(g, &r->numbers)));
    put_doubts(o, g->config, &r->numbers);
    record_put_numbers(o, &g->plan, (const u64 *)(const void *)&r->numbers);
    if (g->meter->config) {
        struct energy_counts energy;
        gpu_kernel_energy(g, &r->numbers, &energy);
        record_put_stats(o, kernel_energy_stats, &energy);
    }
    json_object_set_new(o, "nsight", nsight_json(g, r));
    return o;
}

/* Who had the lines that whom missed: H[x][y], with the misses of x beside it. */
static json_t *heat_map(const struct reuse *r)
{
    json_t *o = json_object(), *misses = json_array(), *rows = json_array();
    for (u32 x = 0; x < r->count; x++) {
        json_t *row = json_array();
        json_array_append_new(misses, json_integer((json_int_t)r->counts[x].misses));
        for (u32 y = 0; y < r->count; y++)
            json_array_append_new(row, json_integer((json_int_t)r->counts[x].sharers.bins[y]));
        json_array_append_new(rows, row);
    }
    json_object_set_new(o, "misses", misses);
    json_object_set_new(o, "had_by", rows);
    return o;
}

/* What the warp policy decided, SM after SM: docs/mechanisms/warp-policies.md. */
static void warp_notes(const struct gpu *g, json_t *out)
{
    json_t *notes = json_array();
    u64 dropped = 0;
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct sm *sm = &g->cluster.sms[i];
        dropped += sm->notes_dropped;
        for (u32 k = 0; k < sm->note_count; k++) {
            const struct warp_note *n = &sm->notes[k];
            json_t *o = json_object();
            set(o, "sm", i);
            set(o, "kernel", n->kernel);
            set(o, "cycle", n->cycle);
            json_object_set_new(o, "what", json_string(n->what));
            set(o, "n", n->n);
            set(o, "p", n->p);
            json_array_append_new(notes, o);
        }
    }
    json_object_set_new(out, "warp_notes", notes);
    set(out, "warp_notes_not_listed", dropped);
}

static void kind_begin_window(void *part)
{
    gpu_begin_window(part);
}

static void kind_end_window(void *part)
{
    gpu_end_window(part);
}

/* One object per kernel, in order of their ends: docs/reference/statistics.md. */
void gpu_kernels_from(const struct gpu *g, const char *name, u64 first, json_t *list)
{
    for (u64 i = first; i < g->record_count; i++)
        json_array_append_new(list, about_kernel(g, name, &g->records[i]));
}

static void kind_kernels(const void *part, const char *name, json_t *list)
{
    gpu_kernels_from(part, name, 0, list);
}

static void kind_details(const void *part, json_t *out)
{
    const struct gpu *g = part;
    struct gpu_counters all;
    gpu_busy_numbers(g, &all);
    json_object_set_new(out, "bound_by", json_string(gpu_bound_by(g, &all)));
    set(out, "kernels_not_listed", g->kernels_dropped);
    if (regions_are_on(&g->cluster.regions))
        json_object_set_new(out, "regions", gpu_regions_json(g));
    if (g->cluster.reuse.counts)
        json_object_set_new(out, "reuse_heat_map", heat_map(&g->cluster.reuse));
    if (g->cluster.sms[0].notes)
        warp_notes(g, out);
}

static void kind_summary(const void *part, struct text *out)
{
    gpu_summary(part, out);
}

struct running_kernels {
    const struct grid_run *first;
    u32 count;
    u64 blocks, done;
};

static struct running_kernels running_kernels(const struct dispatcher *d)
{
    struct running_kernels k = {0};
    for (u32 i = 0; i < d->grid_count; i++) {
        const struct grid_run *run = d->grids[i];
        if (!run->runs)
            continue;
        k.first = k.first ? k.first : run;
        k.count++;
        k.blocks += run->source.blocks;
        k.done += run->blocks_done;
    }
    return k;
}

/* Blocks of the kernels that run, and launches so far: their final number is not known. */
static void kind_progress(const void *part, char *out, size_t size)
{
    const struct dispatcher *d = &((const struct gpu *)part)->cluster.dispatcher;
    struct running_kernels k = running_kernels(d);
    int n = 0;
    if (k.count == 1)
        n = snprintf(out, size, "%.40s: ", k.first->source.name);
    else if (k.count)
        n = snprintf(out, size, "%.40s and %u more: ", k.first->source.name, k.count - 1);
    if (k.count)
        n += snprintf(out + n, size - (size_t)n, "%llu of %llu blocks, ",
                      (unsigned long long)k.done, (unsigned long long)k.blocks);
    snprintf(out + n, size - (size_t)n, "%llu launch%s", (unsigned long long)d->launches,
             d->launches == 1 ? "" : "es");
}

static double kind_share_done(const void *part)
{
    struct running_kernels k = running_kernels(&((const struct gpu *)part)->cluster.dispatcher);
    return k.blocks ? (double)k.done / (double)k.blocks : 0;
}

const struct cluster_kind cluster_kind_gpu = {
    .model = "gpu",
    .clock = "core",
    .work_statistic = "sm.warp_instructions",
    .cache = "l2",
    .agent = AGENT_SM,
    .agents = kind_agents,
    .clock_hz = kind_clock_hz,
    .most_requests = kind_most_requests,
    .build = kind_build,
    .clients = kind_clients,
    .connect = kind_connect,
    .finish = kind_finish,
    .count_applications = kind_count_applications,
    .add_applications = kind_add_applications,
    .energy = kind_energy,
    .settle = kind_settle,
    .work = kind_work,
    .begin_window = kind_begin_window,
    .end_window = kind_end_window,
    .kernels = kind_kernels,
    .details = kind_details,
    .summary = kind_summary,
    .progress = kind_progress,
    .share_done = kind_share_done,
};
