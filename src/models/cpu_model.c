#include "machine/cpu_cluster.h"

#include "views/cpu_measures.h"
#include "machine/gpu_cluster.h"
#include "models/scales.h"
#include "machine/model.h"
#include "run/mix_runner.h"
#include "policy/registry.h"

#include <stddef.h>

#define MOST_REQUESTS ((u32)1 << 27)

/* clang-format off */
static const struct param cpu_params[] = {
    P_U32(cpu_config, scale, 1, 1, 1024, "", "divisor of sizes, counts, bandwidths and periods of the base chip (docs/howto/scale.md)", "your choice"),
    P_U32(cpu_config, line_bytes, 64, 32, 128, "bytes", "one line of every cache", "Lee 2013, table 5"),
    P_GROUP(cpu_config, core, core_params, NULL, "a core with its private caches"),
    P_GROUP(cpu_config, network, network_params, NULL, "network between the cores and the last-level cache"),
    P_GROUP(cpu_config, llc, l2_params, NULL, "last-level cache, in banks"),
    P_GROUP(cpu_config, dram, dram_params, dram_check, "memory"),
    P_GROUP(cpu_config, ideal, ideal_params, NULL, "memories without limits in place of all below the private caches"),
    P_END,
};

const struct policy_use cpu_memory_policies[] = {
    {"llc.replacement", "llc", "llc.replacement", "llc.replacement", QUESTION_REPLACEMENT, offsetof(struct cpu_config, llc.replacement)},
    {"llc.partition", "llc_ways", "llc.policy", "llc.policy", QUESTION_LLC, offsetof(struct cpu_config, llc.policy)},
    {"dram.scheduler", "dram", "dram.scheduler", "dram.scheduler", QUESTION_DRAM, offsetof(struct cpu_config, dram.scheduler)},
    {"noc", NULL, "network.policy", "mesh.noc.policy", QUESTION_NOC, offsetof(struct cpu_config, network.policy)},
    POLICY_USES_END,
};
/* clang-format on */

static struct memory_config memory_config_of(const struct cpu_config *c)
{
    return (struct memory_config){.line_bytes = c->line_bytes,
                                  .core_hz = c->core.clock_hz,
                                  .cache_name = "llc",
                                  .network = &c->network,
                                  .l2 = &c->llc,
                                  .dram = &c->dram,
                                  .ideal = &c->ideal};
}

bool cpu_check_llc(const struct cpu_config *c, const struct config *config, struct err *err)
{
    const struct llc_policy_ops *ways =
        (const struct llc_policy_ops *)policy_find(QUESTION_LLC, c->llc.policy);
    if (!ways->needs_regions)
        return true;
    return err_at(err, config_pos(config, &c->llc.policy),
                  "llc.policy is %s, which needs the regions of GPU kernels, expected a policy for "
                  "CPU programs",
                  c->llc.policy);
}

static bool check_config(const void *data, const struct config *config, struct err *err)
{
    const struct cpu_config *c = data;
    struct memory_config memory = memory_config_of(c);
    const u32 agents[AGENT_KINDS] = {[AGENT_CPU] = core_agents(&c->core)};
    if (c->line_bytes & (c->line_bytes - 1))
        return err_at(err, config_pos(config, &c->line_bytes),
                      "line_bytes is %u, expected a power of two", c->line_bytes);
    if (!core_check(&c->core, c->line_bytes, config, err) ||
        !memory_check(&memory, core_agents(&c->core), config, err) ||
        !memory_check_mesh(&memory, agents, config, err) ||
        !policy_uses_check(cpu_cluster_policies, data, config, err) ||
        !policy_uses_check(cpu_memory_policies, data, config, err) ||
        !cpu_check_llc(c, config, err))
        return false;
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    u64 requests = memory_most_requests(&memory, &dram) + cluster_kind_cpu.most_requests(c);
    return requests <= MOST_REQUESTS ||
           err_at(err, config_pos(config, NULL),
                  "its queues and MSHRs hold %llu requests, expected at most %u",
                  (unsigned long long)requests, MOST_REQUESTS);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    return policy_use_matters(cpu_cluster_policies, data, part) ||
           policy_use_matters(cpu_memory_policies, data, part);
}

static u32 model_clusters(const void *config, struct cluster_plan *out)
{
    out[0] = (struct cluster_plan){.name = "", .kind = &cluster_kind_cpu, .config = config};
    return 1;
}

static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    const struct cpu_config *c = config;
    struct machine_plan plan = {.memory = memory_config_of(c)};
    struct policy_choice *const to[] = {&plan.policies.cache, &plan.policies.llc,
                                        &plan.policies.dram, &plan.policies.noc};
    (void)workload;
    plan.cluster_count = model_clusters(config, plan.clusters);
    return policy_uses_choose(cpu_memory_policies, c, c->policies, &sim->arena, to, err)
               ? machine_build(sim, &plan, err)
               : NULL;
}

static const struct policy_use *const policies[] = {cpu_cluster_policies, cpu_memory_policies,
                                                    NULL};
static const struct model_workload no_workloads[] = {{NULL, NULL}};

const struct model model_cpu = {
    .schema = {.model = "cpu",
               .meaning = "CPU cores with private caches, a banked last-level cache, DRAM channels",
               .params = cpu_params,
               .scales = chip_scales,
               .check = check_config,
               .bytes = sizeof(struct cpu_config),
               .parts = policy_params,
               .parts_name = "policy",
               .parts_plain = "warp",
               .parts_meaning = "parameters of policies; used when the policy is chosen",
               .parts_offset = offsetof(struct cpu_config, policies),
               .part_matters = policy_is_chosen},
    .workloads = no_workloads,
    .runs_programs = true,
    .runs_cpu_traces = true,
    .clusters = model_clusters,
    .policies = policies,
    .kernel_record = cpu_program_tables,
    .measures = cpu_measures,
    .facts = cpu_facts,
    .stack = &cpu_cycle_stack,
    .capacities = cpu_capacities,
    .capacity_values = cpu_capacity_values,
    .build = model_build,
    .drive = mix_run,
    .settle = machine_model_settle,
    .details = machine_model_details,
    .verify = machine_model_verify,
    .summary = machine_model_summary,
    .progress = machine_model_progress,
};
