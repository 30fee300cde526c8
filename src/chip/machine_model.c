/* Model `machine`: several clusters, each with a name, on one memory system. */
#include "chip/gpu_model.h"

#include "chip/gpu_workload.h"
#include "chip/model.h"

#include <stddef.h>
#include <string.h>

/* The parts that clusters share lie where a GPU has its own. */
struct machine_config {
    struct gpu_config shared;
    struct named_instances gpus; /* struct gpu_config */
};

/* clang-format off */
static const struct param gpu_cluster_params[] = {
    P_GROUP(gpu_config, device, device_params, NULL, "what programs are told"),
    P_GROUP(gpu_config, launch, launch_params, NULL, "kernels and copies"),
    P_GROUP(gpu_config, sm, sm_params, NULL, "streaming multiprocessors"),
    P_GROUP(gpu_config, ccn, ccn_params, ccn_check, "L1 caches that answer each other"),
    P_GROUP(gpu_config, regions, regions_params, NULL, "a kernel's buffers, told apart in the caches"),
    P_END,
};

static const struct param machine_params[] = {
    P_U32(gpu_config, line_bytes, 128, 32, 256, "bytes", "a line of every data cache", "as of model gpu"),
    P_INSTANCES(machine_config, gpus, gpu_cluster_params, struct gpu_config, "gpu", NULL, "clusters of SMs; `base: CHIP` takes from a chip of model gpu what is below"),
    P_GROUP(gpu_config, ideal, ideal_params, NULL, "an idealised memory system for limit studies"),
    P_GROUP(gpu_config, network, network_params, NULL, "the two networks"),
    P_GROUP(gpu_config, l2, l2_params, NULL, "the shared cache, one bank after the other"),
    P_GROUP(gpu_config, dram, dram_params, dram_check, "device memory"),
    P_GROUP(gpu_config, energy, energy_params, energy_check, "energy of each event and static power"),
    P_END,
};
/* clang-format on */

static struct gpu_config *gpu_at(const struct machine_config *c, u32 i)
{
    return (struct gpu_config *)c->gpus.items + i;
}

/* A cluster sees the memory that it shares as its own. */
static void complete(void *data)
{
    struct machine_config *c = data;
    for (u32 i = 0; i < c->gpus.count; i++) {
        struct gpu_config own = *gpu_at(c, i), *g = gpu_at(c, i);
        *g = c->shared;
        g->device = own.device;
        g->launch = own.launch;
        g->sm = own.sm;
        g->ccn = own.ccn;
        g->regions = own.regions;
    }
}

static bool check_cluster(const struct machine_config *c, u32 i, const struct config *config,
                          struct err *err)
{
    const struct gpu_config *g = gpu_at(c, i);
    if (g->ccn.mode == CCN_TRACKER && c->gpus.count > 1)
        return err_at(err, config_pos(config, &g->ccn.mode),
                      "gpus.%s.ccn.mode is tracker, which a machine of several clusters has not",
                      c->gpus.names[i]);
    return gpu_check(g, config, err) && policy_uses_check(gpu_cluster_policies, g, config, err) &&
           (policy_find(QUESTION_LLC, g->l2.policy) == NULL || gpu_check_llc(g, config, err));
}

/* Names of what a machine itself has in its statistics. */
static bool check_name(const char *name, const struct config *config, struct err *err)
{
    static const char *const taken[] = {
        "sm", "l2", "dram", "request_network", "reply_network", "energy", "application"};
    for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
        if (strcmp(name, taken[i]) == 0)
            return err_found(err, (struct src_pos){config->name, 0, 0}, "the name of a cluster",
                             name, "one that no part of the machine has");
    }
    return true;
}

static bool check_config(const void *data, const struct config *config, struct err *err)
{
    const struct machine_config *c = data;
    u32 agents = 0;
    u64 requests = 0;
    if (!c->gpus.count)
        return err_at(err, (struct src_pos){config->name, 0, 0},
                      "the machine has no cluster, expected some below `gpus:`");
    for (u32 i = 0; i < c->gpus.count; i++) {
        if (!check_name(c->gpus.names[i], config, err))
            return false;
        agents += gpu_at(c, i)->sm.count;
        requests += cluster_kind_gpu.most_requests(gpu_at(c, i));
    }
    struct memory_config memory = gpu_memory_config(&c->shared);
    memory.core_hz = gpu_at(c, 0)->sm.clock_hz;
    if (!memory_check(&memory, agents, config, err) ||
        !policy_uses_check(gpu_memory_policies, &c->shared, config, err))
        return false;
    for (u32 i = 0; i < c->gpus.count; i++) {
        if (!check_cluster(c, i, config, err))
            return false;
    }
    return requests < GPU_MOST_REQUESTS / 2 ||
           err_at(err, (struct src_pos){config->name, 0, 0},
                  "the SMs of all clusters can have %llu requests under way, expected at most %u",
                  (unsigned long long)requests, GPU_MOST_REQUESTS / 2);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    const struct machine_config *c = data;
    bool matters = policy_use_matters(gpu_memory_policies, &c->shared, part);
    for (u32 i = 0; i < c->gpus.count; i++)
        matters |= policy_use_matters(gpu_cluster_policies, gpu_at(c, i), part);
    return matters;
}

static u32 model_clusters(const void *config, struct cluster_plan *out)
{
    const struct machine_config *c = config;
    for (u32 i = 0; i < c->gpus.count; i++)
        out[i] = (struct cluster_plan){
            .name = c->gpus.names[i], .kind = &cluster_kind_gpu, .config = gpu_at(c, i)};
    return c->gpus.count;
}

static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    const struct machine_config *c = config;
    struct machine_plan plan = {.memory = gpu_memory_config(&c->shared),
                                .energy = &c->shared.energy};
    struct policy_choice *const to[] = {&plan.policies.cache, &plan.policies.llc,
                                        &plan.policies.dram};
    (void)workload;
    plan.cluster_count = model_clusters(config, plan.clusters);
    for (u32 i = 0; i < plan.cluster_count; i++)
        plan.clusters[i].config = gpu_with_lanes(plan.clusters[i].config, &sim->arena);
    plan.memory.core_hz = gpu_at(c, 0)->sm.clock_hz;
    if (!policy_uses_choose(gpu_memory_policies, &c->shared, c->shared.policies, &sim->arena, to,
                            err))
        return NULL;
    return machine_build(sim, &plan, err);
}

static const struct model_workload no_workloads[] = {{NULL, NULL}};
static const struct policy_use *const policies[] = {gpu_cluster_policies, gpu_memory_policies,
                                                    NULL};

const struct model model_machine = {
    .schema = {.model = "machine",
               .meaning = "clusters of SMs, each with a name, on one memory system",
               .params = machine_params,
               .complete = complete,
               .check = check_config,
               .bytes = sizeof(struct machine_config),
               .parts = policy_params,
               .parts_name = "policy",
               .parts_meaning = "parameters of policies; they matter when the policy is chosen",
               .parts_offset = offsetof(struct machine_config, shared.policies),
               .part_matters = policy_is_chosen},
    .workloads = no_workloads,
    .runs_programs = true,
    .clusters = model_clusters,
    .policies = policies,
    .kernel_record = gpu_kernel_tables,
    .build = model_build,
    .drive = gpu_workload_run,
    .settle = machine_model_settle,
    .details = machine_model_details,
    .verify = machine_model_verify,
    .summary = machine_model_summary,
    .progress = machine_model_progress,
};
