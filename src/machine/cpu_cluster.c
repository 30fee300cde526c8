/* CPU cores as a cluster of a machine. */
#include "machine/cpu_cluster.h"

#include "cpu/shared_icache.h"
#include "machine/lean_account.h"

#include "views/cpu_summary.h"
#include "views/energy_report.h"

#include "policy/written.h"
#include "power/core_cost.h"

#include <string.h>
#include <stddef.h>
#include <stdio.h>

/* clang-format off */
#define USE(word, old, path, question, field) {word, old, path, path, question, offsetof(struct cpu_config, field)}
const struct policy_use cpu_cluster_policies[] = {
    USE("branch", NULL, "core.branch.predictor", QUESTION_BRANCH, core.branch.predictor),
    USE("indirect", NULL, "core.branch.indirect", QUESTION_INDIRECT, core.branch.indirect),
    USE("l1i.replacement", "l1i", "core.l1i.replacement", QUESTION_REPLACEMENT, core.l1i.replacement),
    USE("l1d.replacement", "l1d", "core.l1d.replacement", QUESTION_REPLACEMENT, core.l1d.replacement),
    USE("core_l2.replacement", "core_l2", "core.l2.replacement", QUESTION_REPLACEMENT, core.l2.replacement),
    USE("l1i.prefetch", "l1i_prefetch", "core.l1i.prefetcher", QUESTION_PREFETCH, core.l1i.prefetcher),
    USE("l1d.prefetch", "l1d_prefetch", "core.l1d.prefetcher", QUESTION_PREFETCH, core.l1d.prefetcher),
    USE("core_l2.prefetch", "core_l2_prefetch", "core.l2.prefetcher", QUESTION_PREFETCH, core.l2.prefetcher),
    POLICY_USES_END,
};
/* clang-format on */

/* ---- building ---- */

/* What core 0 chooses for itself. */
static bool choose_first(const struct first_core_config *c, struct core_policies *p,
                         struct arena *arena, struct err *err)
{
    const struct {
        enum question_id question;
        const char *written, *where;
        struct policy_choice *to;
    } all[] = {
        {QUESTION_BRANCH, c->branch.predictor, "core.first.branch.predictor", &p->first_branch},
        {QUESTION_INDIRECT, c->branch.indirect, "core.first.branch.indirect", &p->first_indirect},
        {QUESTION_REPLACEMENT, c->l1i.replacement, "core.first.l1i.replacement", &p->first_l1i},
        {QUESTION_PREFETCH, c->l1i.prefetcher, "core.first.l1i.prefetcher", &p->first_l1i_prefetch},
    };
    for (u32 i = 0; i < ARRAY_LEN(all); i++) {
        if (!policy_written(all[i].question, all[i].written, all[i].where, (struct src_pos){0},
                            arena, all[i].to, err))
            return false;
    }
    return true;
}

static void *kind_build(const struct build_site *site, struct cluster_clock clock,
                        const void *config, u32 first_agent, struct memory_system *memory,
                        struct err *err)
{
    struct arena *arena = &site->sim->arena;
    const struct cpu_config *c = config;
    struct core_policies p;
    if (clock.is_each && sharing_groups(&c->core)) {
        err_kind(err, ERR_INPUT,
                 "cores that share an I-cache have clocks of their own, expected "
                 "core.sharing.cores_per_cache: 1 on a chip whose frequencies change");
        return NULL;
    }
    struct cache_policies *k = &p.caches;
    struct policy_choice *const to[] = {&p.branch,        &p.indirect,    &k->l1i,
                                        &k->l1d,          &k->l2,         &k->l1i_prefetch,
                                        &k->l1d_prefetch, &k->l2_prefetch};
    if (!policy_uses_choose(cpu_cluster_policies, c, c->policies, arena, to, err) ||
        (c->core.first.enabled && !choose_first(&c->core.first, &p, arena, err)))
        return NULL;
    struct cpu_cluster *cluster = ARENA_NEW(arena, struct cpu_cluster);
    const struct cpu_cluster_parts parts = {.core = clock.domain,
                                            .own_clocks = clock.is_each,
                                            .config = &c->core,
                                            .first_agent = first_agent,
                                            .memory = memory,
                                            .policies = &p};
    cpu_cluster_init(cluster, site, &parts);
    return cluster;
}

static void kind_clients(void *part, struct memory_client *out)
{
    cpu_cluster_clients(part, out);
}

static bool kind_connect(void *part, const struct energy_meter *meter, struct err *err)
{
    (void)meter;
    (void)err;
    struct cpu_cluster *c = part;
    cpu_cluster_add_statistics(c);
    if (c->config->cost) {
        c->cost = ARENA_NEW(&c->site.sim->arena, struct core_cost_counts);
        stats_add(&c->site.sim->stats, c->site.node, "cost", STAT_NO_INDEX, core_cost_stats,
                  c->cost);
    }
    c->account = lean_account_create(c);
    return true;
}

static bool kind_finish(void *part, struct err *err)
{
    (void)part;
    (void)err;
    return true;
}

static u32 kind_agents(const void *config)
{
    return core_agents(&((const struct cpu_config *)config)->core);
}

static u64 kind_clock_hz(const void *config)
{
    return ((const struct cpu_config *)config)->core.clock_hz;
}

static u64 kind_most_requests(const void *config)
{
    const struct core_config *c = &((const struct cpu_config *)config)->core;
    return c->count * core_most_requests(c) + sharing_groups(c) * shared_icache_most_requests(c);
}

/* ---- numbers ---- */

/* A core runs one program of a mix: its own counts say it all. */
static void kind_count_applications(void *part, struct arena *arena)
{
    (void)part;
    (void)arena;
}

static void kind_add_applications(const void *part, struct application_counts *sums)
{
    const struct cpu_cluster *c = part;
    for (u32 i = 0; i < c->config->count; i++)
        sums[c->cores[i].caches.application].instructions += c->cores[i].counts.instructions;
}

static void kind_energy(const void *part, double counts[ENERGY_EVENTS])
{
    (void)part;
    (void)counts; /* cores have tables of their own: power/core_cost.h, power/lean_cost.h */
}

static void kind_settle(void *part)
{
    struct cpu_cluster *c = part;
    cpu_cluster_settle(c);
    if (c->cost)
        core_cost_count(c, c->site.sim->engine.now_fs, c->cost);
    if (c->account)
        lean_account_settle(c->account);
}

static u64 kind_work(const void *part)
{
    return cpu_cluster_counts(part).instructions;
}

/* ---- the result ---- */

const struct record_table cpu_program_tables[] = {
    {.stats = program_record_stats},
    {NULL, NULL},
};

static const char *bound_of(const struct cpu_cluster *c, const struct program_record *r)
{
    struct core_counts n = {.all_slots = 0};
    for (u32 k = 0; k < CORE_SLOTS; k++)
        n.all_slots += n.slots[k] = r->slots[k];
    return cpu_bound_by(&n, c->config->backend == BACKEND_RATE ? r->rate_classes : NULL);
}

/* The programs that have ended, as a GPU has its kernels. */
static void kind_kernels(const void *part, const char *name, json_t *list)
{
    const struct cpu_cluster *c = part;
    for (u32 i = 0; i < c->record_count; i++) {
        const struct program_record *r = &c->records[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(r->name));
        if (*name)
            json_object_set_new(o, "cluster", json_string(name));
        json_object_set_new(o, "bound_by", json_string(bound_of(c, r)));
        record_put_stats(o, program_record_stats, r);
        json_array_append_new(list, o);
    }
}

static void kind_details(const void *part, json_t *out)
{
    json_object_set_new(out, "bound_by", json_string(cpu_cluster_bound_by(part)));
}

static void kind_summary(const void *part, struct text *out)
{
    const struct cpu_cluster *c = part;
    cpu_summary(c, out);
    if (c->cost)
        core_cost_summary(c->cost, out);
    if (c->account)
        lean_account_summary(c->account, out);
}

static void kind_progress(const void *part, char *out, size_t size)
{
    snprintf(out, size, "%.2f M instructions", (double)kind_work(part) / 1e6);
}

const struct cluster_kind cluster_kind_cpu = {
    .model = "cpu",
    .clock = "core",
    .work_statistic = "core.instructions",
    .cache = "llc",
    .agent = AGENT_CPU,
    .each_has_clock = true,
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
    .kernels = kind_kernels,
    .details = kind_details,
    .summary = kind_summary,
    .progress = kind_progress,
};
