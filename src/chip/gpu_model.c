#include "chip/gpu_model.h"

#include "chip/gpu_energy.h"
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
    struct gpu_policies p = {.lru = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL}};
    struct policy_choice *const to[] = {&p.warp, &p.l1, &p.memory.cache, &p.memory.dram, &p.block};
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

static void add_array(json_t *o, const char *name, const char *const *labels, const u64 *values,
                      u32 count)
{
    json_t *a = json_object();
    for (u32 i = 0; i < count; i++)
        json_object_set_new(a, labels[i], json_integer((json_int_t)values[i]));
    json_object_set_new(o, name, a);
}

static void set(json_t *o, const char *name, u64 value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

static json_t *about_kernel(const struct gpu *g, const struct kernel_record *r)
{
    const struct gpu_totals *t = &r->totals;
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(r->name));
    set(o, "number", r->number);
    set(o, "blocks", r->blocks);
    set(o, "threads_per_block", r->threads_per_block);
    set(o, "registers", r->registers);
    set(o, "shared_bytes", r->shared_bytes);
    set(o, "blocks_per_sm", r->blocks_per_sm);
    set(o, "launched", r->launched);
    set(o, "started", r->started);
    set(o, "ended", r->ended);
    set(o, "cycles", t->cycles);
    json_object_set_new(o, "bound_by", json_string(gpu_bound_by(g, t)));
    set(o, "warp_instructions", t->warp_instructions);
    set(o, "thread_instructions", t->thread_instructions);
    add_array(o, "scheduler_slots", slot_names, t->scheduler_slots, SLOT_COUNT);
    add_array(o, "core_slots", slot_names, t->core_slots, SLOT_COUNT);
    set(o, "load_requests", t->load_requests);
    set(o, "load_lines", t->load_lines);
    set(o, "warp_cycles", t->warp_cycles);
    set(o, "shared_accesses", t->shared_accesses);
    set(o, "shared_passes", t->shared_passes);
    set(o, "l1_loads", t->l1_loads);
    set(o, "l1_hits", t->l1_hits);
    set(o, "l1_misses", t->l1_misses);
    set(o, "l1_sectors", t->l1_sectors);
    set(o, "l1_sectors_missed", t->l1_sectors_missed);
    set(o, "miss_latency_cycles", t->miss_latency_cycles);
    set(o, "misses_answered", t->misses_answered);
    set(o, "l2_accesses", t->l2_accesses);
    set(o, "l2_hits", t->l2_hits);
    set(o, "l2_read_sectors", t->l2_read_sectors);
    set(o, "l2_read_sectors_missed", t->l2_read_sectors_missed);
    set(o, "l2_read_sectors_across", t->l2_read_sectors_across);
    set(o, "dram_read_bytes", t->dram_read_bytes);
    set(o, "dram_written_bytes", t->dram_written_bytes);
    set(o, "dram_busy_clocks", t->dram_busy_clocks);
    set(o, "dram_pending_clocks", t->dram_pending_clocks);
    set(o, "request_bytes", t->request_bytes);
    set(o, "reply_bytes", t->reply_bytes);
    set(o, "intra_warp_hits", t->intra_warp_hits);
    set(o, "inter_warp_hits", t->inter_warp_hits);
    set(o, "l2_hit_latency_cycles", t->l2_hit_latency_cycles);
    set(o, "l2_hits_answered", t->l2_hits_answered);
    const u64 hops[] = {t->request_fs, t->l2_fs, t->dram_fs, t->reply_fs};
    static const char *const hop_names[] = {"request", "l2", "dram", "reply"};
    add_array(o, "latency_fs", hop_names, hops, ARRAY_LEN(hops));
    add_array(o, "l1_stall", l1_stall_names, t->l1_stall, L1_STALL_COUNT);
    add_array(o, "l2_stall", bank_stall_names, t->l2_stall, STALL_COUNT);
    add_array(o, "l2_queue", occupancy_labels, t->l2_queue, OCCUPANCY_BINS);
    add_array(o, "dram_queue", occupancy_labels, t->dram_queue, OCCUPANCY_BINS);
    struct energy_counts energy;
    gpu_kernel_energy(g, t, &energy);
    add_array(o, "energy_dynamic_pj", energy_component_names, energy.dynamic_pj, COMPONENTS);
    set(o, "energy_static_pj", energy.static_total_pj);
    set(o, "energy_total_pj", energy.total_pj);
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
        const struct sm *sm = &g->sms[i];
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
    struct gpu_totals all;
    gpu_busy_totals(g, &all);
    json_object_set_new(out, "bound_by", json_string(gpu_bound_by(g, &all)));
    json_object_set_new(out, "energy", gpu_energy_json(g));
    json_object_set_new(out, "kernels", kernels);
    set(out, "kernels_not_listed", g->kernels_dropped);
    if (g->reuse.counts)
        json_object_set_new(out, "reuse_heat_map", heat_map(&g->reuse));
    if (g->sms[0].notes)
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
    const struct dispatcher *d = &((const struct gpu *)machine)->dispatcher;
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
    .policies = policy_uses,
    .build = model_build,
    .drive = gpu_workload_run,
    .settle = model_settle,
    .details = model_details,
    .verify = model_verify,
    .summary = model_summary,
    .progress = model_progress,
};
