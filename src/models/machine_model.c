/* Model `machine`: several clusters of CPU cores and SMs, each with a name, on one memory system.
 */
#include "machine/cpu_cluster.h"
#include "machine/gpu_cluster.h"

#include "machine/model.h"
#include "models/scales.h"
#include "run/mix_runner.h"

#include <stddef.h>
#include <string.h>

struct machine_config {
    u32 scale; /* that it has been divided by */
    u32 line_bytes;
    struct named_instances cpus; /* struct cpu_config */
    struct named_instances gpus; /* struct gpu_config */
    struct ideal_config ideal;
    struct network_config network;
    struct l2_config llc;
    struct dram_config dram;
    struct energy_config energy;
    struct dvfs_config dvfs;
    const void *policies;
};

/* clang-format off */
static const struct param cpu_cluster_params[] = {
    P_GROUP(cpu_config, core, core_params, NULL, "cores with their private caches"),
    P_END,
};

static const struct param gpu_cluster_params[] = {
    P_GROUP(gpu_config, device, device_params, NULL, "device properties reported to programs"),
    P_GROUP(gpu_config, launch, launch_params, NULL, "kernels and copies"),
    P_GROUP(gpu_config, sm, sm_params, NULL, "streaming multiprocessors"),
    P_GROUP(gpu_config, ccn, ccn_params, ccn_check, "cooperative caching between L1 caches"),
    P_GROUP(gpu_config, regions, regions_params, NULL, "a kernel's buffers, told apart in the caches"),
    P_END,
};

static const struct param machine_params[] = {
    P_U32(machine_config, scale, 1, 1, 1024, "", "divisor of sizes, counts, bandwidths and periods of the base chip (docs/howto/scale.md)", "your choice"),
    P_U32(machine_config, line_bytes, 128, 32, 256, "bytes", "a line of every data cache", "as of model gpu"),
    P_INSTANCES(machine_config, cpus, cpu_cluster_params, struct cpu_config, "cpu", NULL, "clusters of CPU cores; `base: CHIP` takes these values from a chip of model cpu"),
    P_INSTANCES(machine_config, gpus, gpu_cluster_params, struct gpu_config, "gpu", NULL, "clusters of SMs; `base: CHIP` takes these values from a chip of model gpu"),
    P_GROUP(machine_config, ideal, ideal_params, NULL, "an idealised memory system for limit studies"),
    P_GROUP(machine_config, network, network_params, NULL, "the two networks"),
    P_GROUP(machine_config, llc, l2_params, NULL, "the shared cache, per bank (tile)"),
    P_GROUP(machine_config, dram, dram_params, dram_check, "memory"),
    P_GROUP(machine_config, energy, energy_params, energy_check, "energy of each event and static power; of machines without CPU cores"),
    P_GROUP(machine_config, dvfs, dvfs_params, NULL, "voltage and frequency domains"),
    P_END,
};

static const struct policy_use memory_policies[] = {
    {"llc.replacement", "llc", "llc.replacement", "llc.replacement", QUESTION_REPLACEMENT, offsetof(struct machine_config, llc.replacement)},
    {"llc.partition", "llc_ways", "llc.policy", "llc.policy", QUESTION_LLC, offsetof(struct machine_config, llc.policy)},
    {"dram.scheduler", "dram", "dram.scheduler", "dram.scheduler", QUESTION_DRAM, offsetof(struct machine_config, dram.scheduler)},
    {"noc", NULL, "network.policy", "mesh.noc.policy", QUESTION_NOC, offsetof(struct machine_config, network.policy)},
    {"dvfs", NULL, "dvfs.policy", "dvfs.policy", QUESTION_DVFS, offsetof(struct machine_config, dvfs.policy)},
    POLICY_USES_END,
};
/* clang-format on */

static struct cpu_config *cpu_at(const struct machine_config *c, u32 i)
{
    return (struct cpu_config *)c->cpus.items + i;
}

static struct gpu_config *gpu_at(const struct machine_config *c, u32 i)
{
    return (struct gpu_config *)c->gpus.items + i;
}

static u32 model_clusters(const void *config, struct cluster_plan *out)
{
    const struct machine_config *c = config;
    u32 count = 0;
    for (u32 i = 0; i < c->cpus.count && count < MOST_CLUSTERS; i++)
        out[count++] = (struct cluster_plan){
            .name = c->cpus.names[i], .kind = &cluster_kind_cpu, .config = cpu_at(c, i)};
    for (u32 i = 0; i < c->gpus.count && count < MOST_CLUSTERS; i++)
        out[count++] = (struct cluster_plan){
            .name = c->gpus.names[i], .kind = &cluster_kind_gpu, .config = gpu_at(c, i)};
    return count;
}

/* An ideal memory answers in the clock of the first cluster. */
static struct memory_config memory_of(const struct machine_config *c)
{
    u64 hz = c->cpus.count ? cpu_at(c, 0)->core.clock_hz : gpu_at(c, 0)->sm.clock_hz;
    return (struct memory_config){.line_bytes = c->line_bytes,
                                  .core_hz = hz,
                                  .cache_name = "llc",
                                  .network = &c->network,
                                  .l2 = &c->llc,
                                  .dram = &c->dram,
                                  .ideal = &c->ideal};
}

/* A cluster sees the memory that it shares as its own. */
static void complete(void *data)
{
    struct machine_config *c = data;
    for (u32 i = 0; i < c->cpus.count; i++) {
        struct cpu_config *k = cpu_at(c, i);
        *k = (struct cpu_config){.line_bytes = c->line_bytes,
                                 .core = k->core,
                                 .network = c->network,
                                 .llc = c->llc,
                                 .dram = c->dram,
                                 .ideal = c->ideal,
                                 .policies = c->policies};
    }
    for (u32 i = 0; i < c->gpus.count; i++) {
        struct gpu_config *g = gpu_at(c, i);
        g->line_bytes = c->line_bytes;
        g->ideal = c->ideal;
        g->network = c->network;
        g->l2 = c->llc;
        g->dram = c->dram;
        g->energy = c->energy;
        g->policies = c->policies;
    }
}

/* ---- checks ---- */

static bool check_gpu(const struct machine_config *c, u32 i, const struct config *config,
                      struct err *err)
{
    const struct gpu_config *g = gpu_at(c, i);
    if (g->ccn.mode == CCN_TRACKER && c->cpus.count + c->gpus.count > 1)
        return err_at(err, config_pos(config, &g->ccn.mode),
                      "gpus.%s.ccn.mode is tracker, expected none, ring or ideal in a machine of "
                      "several clusters",
                      c->gpus.names[i]);
    return gpu_check(g, config, err) && policy_uses_check(gpu_cluster_policies, g, config, err) &&
           gpu_check_llc(g, config, err);
}

static bool check_cpu(const struct machine_config *c, u32 i, const struct config *config,
                      struct err *err)
{
    const struct cpu_config *k = cpu_at(c, i);
    return core_check(&k->core, c->line_bytes, config, err) &&
           policy_uses_check(cpu_cluster_policies, k, config, err) &&
           (c->gpus.count || cpu_check_llc(k, config, err));
}

/* Names of what a machine itself has in its statistics, and of other clusters. */
static bool check_names(const struct cluster_plan *clusters, u32 count, const struct config *config,
                        struct err *err)
{
    static const char *const taken[] = {
        "core",   "sm",          "llc",  "dram",         "request_network", "reply_network",
        "energy", "application", "mesh", "miss_network", "answer_network",  "dvfs"};
    for (u32 i = 0; i < count; i++) {
        const char *name = clusters[i].name;
        bool is_taken = false;
        for (size_t k = 0; k < ARRAY_LEN(taken); k++)
            is_taken |= strcmp(name, taken[k]) == 0;
        for (u32 k = 0; k < i; k++)
            is_taken |= strcmp(name, clusters[k].name) == 0;
        if (is_taken)
            return err_found(err, (struct src_pos){config->name, 0, 0}, "the name of a cluster",
                             name, "a name no other part of the machine has");
    }
    return true;
}

/* One clock of each kind. */
static void note_domain(struct dvfs_kind_parts *k, u32 count, u64 hz, const void *clock)
{
    if (!k->count)
        k->hz = hz;
    else if (hz != k->hz)
        k->other_hz = hz;
    k->clock = clock;
    k->count += count;
}

static bool check_dvfs(const struct machine_config *c, const struct config *config, struct err *err)
{
    struct dvfs_kind_parts parts[DVFS_KINDS] = {0};
    for (u32 i = 0; i < c->cpus.count; i++)
        note_domain(&parts[DVFS_CPU], cpu_at(c, i)->core.count, cpu_at(c, i)->core.clock_hz,
                    &cpu_at(c, i)->core.clock_hz);
    for (u32 i = 0; i < c->gpus.count; i++)
        note_domain(&parts[DVFS_GPU], 1, gpu_at(c, i)->sm.clock_hz, &gpu_at(c, i)->sm.clock_hz);
    note_domain(&parts[DVFS_MEMORY], 1, c->llc.clock_hz, &c->llc.clock_hz);
    return dvfs_check(&c->dvfs, parts, config, err);
}

static bool check_config(const void *data, const struct config *config, struct err *err)
{
    const struct machine_config *c = data;
    struct cluster_plan clusters[MOST_CLUSTERS];
    struct src_pos whole = {config->name, 0, 0};
    u32 agents = 0, of_kind[AGENT_KINDS] = {0}, count = model_clusters(c, clusters);
    u64 requests = 0;
    if (!count || count < c->cpus.count + c->gpus.count)
        return err_at(err, whole,
                      "the machine has %u clusters, expected 1 to %u below `cpus:` and `gpus:`",
                      c->cpus.count + c->gpus.count, MOST_CLUSTERS);
    if ((c->line_bytes & (c->line_bytes - 1)))
        return err_at(err, config_pos(config, &c->line_bytes),
                      "line_bytes is %u, expected a power of two", c->line_bytes);
    for (u32 i = 0; i < count; i++) {
        agents += clusters[i].kind->agents(clusters[i].config);
        of_kind[clusters[i].kind->agent] += clusters[i].kind->agents(clusters[i].config);
        requests += clusters[i].kind->most_requests(clusters[i].config);
    }
    struct memory_config memory = memory_of(c);
    if (!check_names(clusters, count, config, err) || !memory_check(&memory, agents, config, err) ||
        !memory_check_mesh(&memory, of_kind, config, err) ||
        !policy_uses_check(memory_policies, c, config, err) || !check_dvfs(c, config, err))
        return false;
    for (u32 i = 0; i < c->cpus.count; i++) {
        if (!check_cpu(c, i, config, err))
            return false;
    }
    for (u32 i = 0; i < c->gpus.count; i++) {
        if (!check_gpu(c, i, config, err))
            return false;
    }
    return requests < GPU_MOST_REQUESTS / 2 ||
           err_at(
               err, whole,
               "the cores of all clusters can have %llu outstanding requests, expected at most %u",
               (unsigned long long)requests, GPU_MOST_REQUESTS / 2);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    const struct machine_config *c = data;
    bool matters = policy_use_matters(memory_policies, c, part);
    for (u32 i = 0; i < c->cpus.count; i++)
        matters |= policy_use_matters(cpu_cluster_policies, cpu_at(c, i), part);
    for (u32 i = 0; i < c->gpus.count; i++)
        matters |= policy_use_matters(gpu_cluster_policies, gpu_at(c, i), part);
    return matters;
}

/* ---- building ---- */

/* Of CPU cores no energies are known: a sum without them would say less than it seems to. */
static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    const struct machine_config *c = config;
    struct machine_plan plan = {.memory = memory_of(c),
                                .energy = c->cpus.count ? NULL : &c->energy,
                                .dvfs = c->dvfs.domains ? &c->dvfs : NULL};
    struct policy_choice *const to[] = {&plan.policies.cache, &plan.policies.llc,
                                        &plan.policies.dram, &plan.policies.noc, &plan.frequencies};
    (void)workload;
    plan.cluster_count = model_clusters(config, plan.clusters);
    for (u32 i = 0; i < plan.cluster_count; i++) {
        if (plan.clusters[i].kind == &cluster_kind_gpu)
            plan.clusters[i].config = gpu_with_lanes(plan.clusters[i].config, &sim->arena);
    }
    if (!policy_uses_choose(memory_policies, c, c->policies, &sim->arena, to, err))
        return NULL;
    return machine_build(sim, &plan, err);
}

/* Of programs on CPU cores and of kernels. */
static const struct record_table kernel_tables[] = {
    {.stats = program_record_stats},
    {.stats = kernel_record_stats},
    {.numbers = &gpu_counters_def},
    {.stats = kernel_energy_stats},
    {NULL, NULL},
};
static const struct model_workload no_workloads[] = {{NULL, NULL}};
static const struct policy_use *const policies[] = {cpu_cluster_policies, gpu_cluster_policies,
                                                    memory_policies, NULL};

const struct model model_machine = {
    .schema = {.model = "machine",
               .meaning =
                   "clusters of CPU cores and of SMs, each with a name, on one memory system",
               .params = machine_params,
               .complete = complete,
               .scales = chip_scales,
               .check = check_config,
               .bytes = sizeof(struct machine_config),
               .parts = policy_params,
               .parts_name = "policy",
               .parts_plain = "warp",
               .parts_meaning = "parameters of policies; used when the policy is chosen",
               .parts_offset = offsetof(struct machine_config, policies),
               .part_matters = policy_is_chosen},
    .workloads = no_workloads,
    .runs_programs = true,
    .clusters = model_clusters,
    .policies = policies,
    .kernel_record = kernel_tables,
    .build = model_build,
    .drive = mix_run,
    .settle = machine_model_settle,
    .details = machine_model_details,
    .verify = machine_model_verify,
    .summary = machine_model_summary,
    .progress = machine_model_progress,
    .share_done = machine_model_share_done,
};
