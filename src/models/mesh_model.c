/*
 * A mesh alone, under synthetic traffic: latency against load, as books on networks draw it.
 */
#include "machine/model.h"

#include "net/mesh/traffic.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Where a chip with a mesh has its own. */
struct network_part {
    struct mesh_config mesh;
    const char *policy;
};

struct mesh_model_config {
    u64 clock_hz;
    struct network_part network;
    struct traffic_config traffic;
    const void *policies; /* parameters of all policies; NULL: their defaults */
};

struct mesh_model {
    const struct mesh_model_config *config;
    struct sim *sim;
    struct traffic traffic;
};

/* clang-format off */
static const struct param network_part_params[] = {
    P_GROUP(network_part, mesh, mesh_params, mesh_check, "the routers"),
    P_STRING(network_part, policy, "shared", "which virtual channels packets of each type may use, and in which order they go", "Lee 2013, 5.4"),
    P_END,
};

static const struct param mesh_model_params[] = {
    P_U64(mesh_model_config, clock_hz, 1000000000, 1000000, 100000000000, "Hz", "clock of the mesh", "Lee 2013, table 11"),
    P_GROUP(mesh_model_config, network, network_part_params, NULL, "the mesh"),
    P_GROUP(mesh_model_config, traffic, traffic_params, NULL, "synthetic traffic between nodes"),
    P_END,
};

static const struct model_workload mesh_workloads[] = {
    {"uniform", "every node sends to any node"},
    {"transpose", "node (x, y) sends to node (y, x)"},
    {"hot-spot", "one node gets more than others"},
    {"memory", "cores of two kinds ask banks of a cache, which answer"},
    {NULL, NULL},
};
/* clang-format on */

/* clang-format off */
static const struct policy_use mesh_policies[] = {
    {"noc", NULL, "network.policy", "mesh.noc.policy", QUESTION_NOC, offsetof(struct mesh_model_config, network.policy)},
    POLICY_USES_END,
};
/* clang-format on */

static bool check_config(const void *data, const struct config *config, struct err *err)
{
    return policy_uses_check(mesh_policies, data, config, err);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    return policy_use_matters(mesh_policies, data, part);
}

static void *mesh_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    const struct mesh_model_config *c = config;
    struct mesh_model *m = ARENA_NEW(&sim->arena, struct mesh_model);
    struct build_site site = site_of(sim);
    u32 pattern = 0;
    m->config = c;
    m->sim = sim;
    while (strcmp(mesh_workloads[pattern].name, workload) != 0)
        pattern++;
    domain_id domain = engine_add_domain(&sim->engine, "mesh", c->clock_hz);
    struct policy_choice noc, *const to[] = {&noc};
    if (!policy_uses_choose(mesh_policies, c, c->policies, &sim->arena, to, err))
        return NULL;
    return traffic_init(&m->traffic, &site, domain, &c->network.mesh, &c->traffic, pattern, noc,
                        err)
               ? m
               : NULL;
}

static void mesh_model_settle(void *machine)
{
    struct mesh_model *m = machine;
    traffic_settle(&m->traffic);
}

static bool mesh_verify(const void *machine, struct err *err)
{
    const struct mesh_model *m = machine;
    if (!mesh_is_consistent(&m->traffic.mesh))
        return err_kind(err, ERR_VERIFY, "credits and flits of a channel do not add up");
    return true;
}

static double mean(u64 sum, u64 count)
{
    return count ? (double)sum / (double)count : 0;
}

static void memory_summary(const struct traffic *t, struct text *out)
{
    static const char *const names[] = {"CPU", "GPU"};
    for (u32 k = NOC_CPU; k <= NOC_GPU; k++) {
        const struct mesh_type_counts *c = &t->mesh.counts.types[k];
        text_printf(out, "  %s  %llu packets, %.1f cycles in queues, %.1f on the way\n", names[k],
                    (unsigned long long)c->packets, mean(c->queue_cycles, c->packets),
                    mean(c->trip_cycles, c->packets));
    }
}

static void mesh_summary(const void *machine, struct text *out)
{
    const struct mesh_model *m = machine;
    const struct traffic *t = &m->traffic;
    const struct traffic_counts *c = &t->counts;
    text_printf(out, "  %u x %u routers, %llu packets, %.4f flits accepted per node and cycle\n",
                m->config->network.mesh.width, m->config->network.mesh.height,
                (unsigned long long)c->made, traffic_accepted(t));
    if (t->pattern == TRAFFIC_MEMORY) {
        memory_summary(t, out);
        return;
    }
    if (c->is_saturated)
        text_printf(out, "  saturated: %llu of %llu packets of the window arrived in time\n",
                    (unsigned long long)c->came, (unsigned long long)c->followed);
    else
        text_printf(out,
                    "  latency  %.2f cycles, %.2f without the source's queue, over %.3f routers\n",
                    mean(c->latency_cycles, c->came), mean(c->network_cycles, c->came),
                    mean(c->routers, c->came));
}

static void mesh_progress(const void *machine, char *out, size_t size)
{
    const struct mesh_model *m = machine;
    snprintf(out, size, "%llu packets", (unsigned long long)m->traffic.counts.made);
}

static const struct policy_use *const policies[] = {mesh_policies, NULL};

const struct model model_mesh = {
    .schema =
        {
            .model = "mesh",
            .meaning = "a mesh of routers under synthetic traffic",
            .params = mesh_model_params,
            .check = check_config,
            .bytes = sizeof(struct mesh_model_config),
            .parts = policy_params,
            .parts_name = "policy",
            .parts_plain = "warp",
            .parts_meaning = "parameters of policies; used when the policy is chosen",
            .parts_offset = offsetof(struct mesh_model_config, policies),
            .part_matters = policy_is_chosen,
        },
    .workloads = mesh_workloads,
    .policies = policies,
    .build = mesh_build,
    .settle = mesh_model_settle,
    .verify = mesh_verify,
    .summary = mesh_summary,
    .progress = mesh_progress,
};
