#include "gpu/dispatch/block_policy.h"
#include "machine/gpu_cluster.h"

#include "views/gpu_measures.h"
#include "machine/model.h"
#include "models/scales.h"
#include "run/mix_runner.h"
#include "gpu/dispatch/block_policy.h"

#include <stddef.h>

/* clang-format off */
const struct policy_use gpu_memory_policies[] = {
    {"l2.replacement", "l2", "l2.replacement", "l2.replacement", QUESTION_REPLACEMENT, offsetof(struct gpu_config, l2.replacement)},
    {"l2.partition", "ways", "l2.policy", "l2.policy", QUESTION_LLC, offsetof(struct gpu_config, l2.policy)},
    {"dram.scheduler", "dram", "dram.scheduler", "dram.scheduler", QUESTION_DRAM, offsetof(struct gpu_config, dram.scheduler)},
    {"noc", NULL, "network.policy", "mesh.noc.policy", QUESTION_NOC, offsetof(struct gpu_config, network.policy)},
    POLICY_USES_END,
};
static const struct policy_use socket_policies[] = {
    {"home", NULL, "sockets.home", "home", QUESTION_HOME, offsetof(struct gpu_config, sockets.home)},
    POLICY_USES_END,
};
/* clang-format on */

/* ---- a machine of one GPU ---- */

static const char *const socket_names[LINK_MOST_SOCKETS] = {
    "socket0", "socket1", "socket2",  "socket3",  "socket4",  "socket5",  "socket6",  "socket7",
    "socket8", "socket9", "socket10", "socket11", "socket12", "socket13", "socket14", "socket15"};

static u32 model_clusters(const void *config, struct cluster_plan *out)
{
    const struct gpu_config *c = config;
    for (u32 i = 0; i < c->sockets.count; i++)
        out[i] = (struct cluster_plan){.name = c->sockets.count > 1 ? socket_names[i] : "",
                                       .socket = i,
                                       .is_socket = c->sockets.count > 1,
                                       .kind = &cluster_kind_gpu,
                                       .config = config};
    return c->sockets.count;
}

/* Buffers of blocks that are shuffled are ways of the L2 (context-management spec 2.8). */
static const struct gpu_config *lend_ways(const struct gpu_config *c, struct arena *arena,
                                          struct err *err)
{
    struct policy_choice warp, l1, block, *const to[] = {&warp, &l1, &block};
    if (!policy_uses_choose(gpu_cluster_policies, c, c->policies, arena, to, err))
        return NULL;
    const struct block_policy_ops *ops = (const struct block_policy_ops *)block.ops;
    return ops->shuffles && ops->shuffles(block.config) ? gpu_with_buffers(c, arena, err) : c;
}

struct machine *gpu_machine_build(struct sim *sim, const struct gpu_config *c, struct err *err)
{
    c = lend_ways(gpu_with_lanes(c, &sim->arena), &sim->arena, err);
    if (!c)
        return NULL;
    struct machine_plan plan = {
        .memory = gpu_memory_config(c),
        .energy = &c->energy,
        .sockets = c->sockets.count > 1 ? &c->sockets : NULL,
        .memory_bytes = c->device.memory_bytes,
    };
    plan.cluster_count = model_clusters(c, plan.clusters);
    struct policy_choice *const to[] = {&plan.policies.cache, &plan.policies.llc,
                                        &plan.policies.dram, &plan.policies.noc};
    struct policy_choice *const home[] = {&plan.home};
    if (!policy_uses_choose(gpu_memory_policies, c, c->policies, &sim->arena, to, err) ||
        !policy_uses_choose(socket_policies, c, c->policies, &sim->arena, home, err))
        return NULL;
    return machine_build(sim, &plan, err);
}

/* A policy that goes by regions needs somebody who knows them. */
bool gpu_check_llc(const struct gpu_config *c, const struct config *config, struct err *err)
{
    const struct llc_policy_ops *ops =
        (const struct llc_policy_ops *)policy_find(QUESTION_LLC, c->l2.policy);
    if (!ops->needs_regions || c->regions.count || c->regions.mode != REGIONS_OFF)
        return true;
    return err_at(err, config_pos(config, &c->l2.policy),
                  "l2.policy is %s, which needs the regions of kernels, expected regions.mode "
                  "train or bypass",
                  c->l2.policy);
}

static bool check_mesh(const struct gpu_config *c, const struct config *config, struct err *err)
{
    struct memory_config memory = gpu_memory_config(c);
    const u32 agents[AGENT_KINDS] = {[AGENT_SM] = c->sm.count};
    if (c->network.kind == NETWORK_MESH && c->sockets.count > 1)
        return err_at(err, config_pos(config, &c->network.kind),
                      "network.kind is mesh with %u sockets, expected crossbar or fixed",
                      c->sockets.count);
    return memory_check_mesh(&memory, agents, config, err);
}

/* The policies that it names are there. */
static bool check_config(const void *data, const struct config *config, struct err *err)
{
    return gpu_check(data, config, err) && check_mesh(data, config, err) &&
           policy_uses_check(gpu_cluster_policies, data, config, err) &&
           policy_uses_check(gpu_memory_policies, data, config, err) &&
           policy_uses_check(socket_policies, data, config, err) &&
           gpu_check_llc(data, config, err);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    return policy_use_matters(gpu_cluster_policies, data, part) ||
           policy_use_matters(gpu_memory_policies, data, part) ||
           policy_use_matters(socket_policies, data, part);
}

static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    (void)workload;
    return gpu_machine_build(sim, config, err);
}

/* ---- what all machines do ---- */

void machine_model_settle(void *machine)
{
    machine_settle(machine);
}

void machine_model_details(const void *machine, json_t *out)
{
    machine_details(machine, out);
}

/* Programs check their own answers. */
bool machine_model_verify(const void *machine, struct err *err)
{
    (void)machine;
    (void)err;
    return true;
}

void machine_model_summary(const void *machine, struct text *out)
{
    machine_summary(machine, out);
}

void machine_model_progress(const void *machine, char *out, size_t size)
{
    machine_progress(machine, out, size);
}

double machine_model_share_done(const void *machine)
{
    return machine_share_done(machine);
}

static const struct model_workload no_workloads[] = {{NULL, NULL}};
static const struct policy_use *const policies[] = {gpu_cluster_policies, gpu_memory_policies,
                                                    socket_policies, NULL};

const struct model model_gpu = {
    .schema = {.model = "gpu",
               .meaning = "SMs with L1 caches, two crossbars, a banked L2, DRAM channels",
               .params = gpu_params,
               .scales = chip_scales,
               .check = check_config,
               .bytes = sizeof(struct gpu_config),
               .parts = policy_params,
               .parts_name = "policy",
               .parts_plain = "warp",
               .parts_meaning = "parameters of policies; used when the policy is chosen",
               .parts_offset = offsetof(struct gpu_config, policies),
               .part_matters = policy_is_chosen},
    .workloads = no_workloads,
    .runs_programs = true,
    .clusters = model_clusters,
    .policies = policies,
    .kernel_record = gpu_kernel_tables,
    .measures = gpu_measures,
    .facts = gpu_facts,
    .stack = &gpu_cycle_stack,
    .capacities = gpu_capacities,
    .capacity_values = gpu_capacity_values,
    .build = model_build,
    .drive = mix_run,
    .settle = machine_model_settle,
    .details = machine_model_details,
    .verify = machine_model_verify,
    .summary = machine_model_summary,
    .progress = machine_model_progress,
    .share_done = machine_model_share_done,
};
