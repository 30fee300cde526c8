#include "chip/gpu_model.h"

#include "chip/gpu_energy.h"
#include "chip/gpu_measures.h"
#include "chip/gpu_workload.h"

#include "chip/model.h"
#include "policy/registry.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct policy_use policy_uses[] = {
    {"warp", "sm.warp_policy", "sm.warp_policy", QUESTION_WARP, offsetof(struct gpu_config, sm.warp_policy)},
    {"l1", "sm.l1.replacement", "sm.l1.replacement", QUESTION_REPLACEMENT, offsetof(struct gpu_config, sm.l1.replacement)},
    {"l2", "l2.replacement", "l2.replacement", QUESTION_REPLACEMENT, offsetof(struct gpu_config, l2.replacement)},
    {"dram", "dram.scheduler", "dram.scheduler", QUESTION_DRAM, offsetof(struct gpu_config, dram.scheduler)},
    {"block", "launch.dispatch", "dispatch", QUESTION_BLOCK, offsetof(struct gpu_config, launch.dispatch)},
    POLICY_USES_END,
};
/* clang-format on */

struct gpu *chip_gpu_build(struct sim *sim, const struct gpu_config *c, struct err *err)
{
    struct gpu_policies p = {.cluster.lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL}};
    struct policy_choice *const to[] = {&p.cluster.warp, &p.cluster.l1, &p.memory.cache,
                                        &p.memory.dram, &p.cluster.block};
    for (const struct policy_use *u = policy_uses; u->word; u++) {
        if (!policy_choose(u->question, policy_use_name(u, c), u->path, c->policies, &sim->arena,
                           to[u - policy_uses], err))
            return NULL;
    }
    struct gpu *g = gpu_build(sim, c, &p, err);
    if (g)
        energy_attach(g);
    return g;
}

/* The policies that it names are there. */
static bool check_config(const void *data, const struct config *config, struct err *err)
{
    return gpu_check(data, config, err) && policy_uses_check(policy_uses, data, config, err);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    return policy_use_matters(policy_uses, data, part);
}

static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    (void)workload;
    return chip_gpu_build(sim, config, err);
}

static void model_settle(void *machine)
{
    gpu_settle(machine);
    energy_settle(machine);
}

static void set(json_t *o, const char *name, u64 value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

/* clang-format off */
static const struct stat_def kernel_energy_stats[] = {
    {.name = "energy_dynamic_pj", .kind = STAT_ARRAY, .offset = S_AT(energy_counts, dynamic_pj), .labels = energy_component_names, .label_count = COMPONENTS, .unit = "pJ", .meaning = "that events took, by component"},
    {.name = "energy_static_pj", .kind = STAT_COUNT, .offset = S_AT(energy_counts, static_total_pj), .unit = "pJ", .meaning = "static power times time"},
    {.name = "energy_total_pj", .kind = STAT_COUNT, .offset = S_AT(energy_counts, total_pj), .unit = "pJ", .meaning = "both"},
    S_END,
};
/* clang-format on */

static const struct record_table kernel_tables[] = {
    {.stats = kernel_record_stats},
    {.numbers = &gpu_numbers_def},
    {.stats = kernel_energy_stats},
    {NULL, NULL},
};

static json_t *about_kernel(const struct gpu *g, const struct kernel_record *r)
{
    json_t *o = json_object();
    struct energy_counts energy;
    gpu_kernel_energy(g, &r->numbers, &energy);
    json_object_set_new(o, "name", json_string(r->name));
    record_put_stats(o, kernel_record_stats, r);
    if (g->applications)
        set(o, "application", r->application);
    json_object_set_new(o, "bound_by", json_string(gpu_bound_by(g, &r->numbers)));
    record_put_numbers(o, &g->plan, (const u64 *)(const void *)&r->numbers);
    record_put_stats(o, kernel_energy_stats, &energy);
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

/* What the warp policy decided, SM after SM: docs/warp-policies.md. */
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

/* One object per kernel, in order of their ends: docs/statistics.md. */
static void model_details(const void *machine, json_t *out)
{
    const struct gpu *g = machine;
    json_t *kernels = json_array();
    for (u32 i = 0; i < g->record_count; i++)
        json_array_append_new(kernels, about_kernel(g, &g->records[i]));
    struct gpu_numbers all;
    gpu_busy_numbers(g, &all);
    json_object_set_new(out, "bound_by", json_string(gpu_bound_by(g, &all)));
    json_object_set_new(out, "energy", gpu_energy_json(g));
    json_object_set_new(out, "kernels", kernels);
    set(out, "kernels_not_listed", g->kernels_dropped);
    if (g->cluster.reuse.counts)
        json_object_set_new(out, "reuse_heat_map", heat_map(&g->cluster.reuse));
    if (g->cluster.sms[0].notes)
        warp_notes(g, out);
}

static bool model_verify(const void *machine, struct err *err)
{
    (void)machine;
    (void)err;
    return true;
}

static void model_summary(const void *machine, struct text *out)
{
    gpu_summary(machine, out);
}

/* Blocks of the kernels that run, and launches so far: how many will come nobody knows. */
static void model_progress(const void *machine, char *out, size_t size)
{
    const struct dispatcher *d = &((const struct gpu *)machine)->cluster.dispatcher;
    const struct grid_run *first = NULL;
    u64 all = 0, done = 0;
    u32 running = 0;
    for (u32 i = 0; i < d->grid_count; i++) {
        const struct grid_run *run = d->grids[i];
        if (!run->runs)
            continue;
        first = first ? first : run;
        running++;
        all += run->source.blocks;
        done += run->blocks_done;
    }
    int n = 0;
    if (running == 1)
        n = snprintf(out, size, "%.40s: ", first->source.name);
    else if (running)
        n = snprintf(out, size, "%.40s and %u more: ", first->source.name, running - 1);
    if (running)
        n += snprintf(out + n, size - (size_t)n, "%llu of %llu blocks, ", (unsigned long long)done,
                      (unsigned long long)all);
    snprintf(out + n, size - (size_t)n, "%llu launch%s", (unsigned long long)d->launches,
             d->launches == 1 ? "" : "es");
}

static u32 model_agents(const void *config, u8 kind)
{
    return kind == AGENT_SM ? ((const struct gpu_config *)config)->sm.count : 0;
}

static const struct model_workload no_workloads[] = {{NULL, NULL}};

const struct model model_gpu = {
    .schema = {.model = "gpu",
               .meaning = "SMs with L1 caches, two crossbars, a banked L2, DRAM channels",
               .params = gpu_params,
               .check = check_config,
               .bytes = sizeof(struct gpu_config),
               .parts = policy_params,
               .parts_name = "policy",
               .parts_meaning = "parameters of policies; they matter when the policy is chosen",
               .parts_offset = offsetof(struct gpu_config, policies),
               .part_matters = policy_is_chosen},
    .workloads = no_workloads,
    .runs_programs = true,
    .agents = model_agents,
    .policies = policy_uses,
    .kernel_record = kernel_tables,
    .measures = gpu_measures,
    .facts = gpu_facts,
    .stack = &gpu_cycle_stack,
    .capacities = gpu_capacities,
    .capacity_values = gpu_capacity_values,
    .build = model_build,
    .drive = gpu_workload_run,
    .settle = model_settle,
    .details = model_details,
    .verify = model_verify,
    .summary = model_summary,
    .progress = model_progress,
};
