#include "fabric/modes.h"
#include "machine/fabric_cluster.h"
#include "machine/gpu_cluster.h"
#include "machine/model.h"
#include "run/run.h"
#include "views/fabric_measures.h"

#include <stddef.h>

#define MOST_REQUESTS ((u32)1 << 27)

/* clang-format off */
static const struct policy_use fabric_policies[] = {
    {"rl1.replacement", NULL, "rl1.replacement", "tile.rl1.replacement", QUESTION_REPLACEMENT, offsetof(struct fabric_config, rl1.replacement)},
    {"rl2.replacement", NULL, "rl2.replacement", "rl2.replacement", QUESTION_REPLACEMENT, offsetof(struct fabric_config, rl2.replacement)},
    {"atomics.replacement", NULL, "atomics.replacement", "atomics.replacement", QUESTION_REPLACEMENT, offsetof(struct fabric_config, atomics.replacement)},
    {"dram.scheduler", "dram", "dram.scheduler", "dram.scheduler", QUESTION_DRAM, offsetof(struct fabric_config, dram.scheduler)},
    POLICY_USES_END,
};

/* Those of fabric/programs/registry.c; tests/fabric/test_programs.c holds the two against each other. */
static const struct model_workload workloads[] = {
    {"spgemm", "sparse matrix product by outer products: multiply, then merge"},
    {"gemv", "dense matrix times vector"},
    {"tilesort", "sort keys: blocks in scratchpads, then runs two by two"},
    {"jacobi", "steps of a five-point stencil"},
    {"axpy", "y = 2 x + y, the example of docs/howto/fabric.md"},
    {NULL, NULL},
};
/* clang-format on */

static bool check_config(const void *data, const struct config *config, struct err *err)
{
    const struct fabric_config *c = data;
    struct memory_config memory = fabric_memory(c);
    struct dram_timing dram;
    if (!fabric_check(c, config, err) || !policy_uses_check(fabric_policies, data, config, err))
        return false;
    dram_resolve(&c->dram, &dram);
    u64 requests = memory_most_requests(&memory, &dram) + fabric_most_requests(c);
    return requests <= MOST_REQUESTS ||
           err_at(err, config_pos(config, NULL),
                  "its queues and MSHRs hold %llu requests, expected at most %u",
                  (unsigned long long)requests, MOST_REQUESTS);
}

static bool policy_is_chosen(const void *data, const char *part)
{
    return policy_use_matters(fabric_policies, data, part);
}

static bool check_phases(const struct fabric_plan *plan, struct err *err)
{
    u32 count = plan->ops->phases(plan->program);
    for (u32 i = 0; i < count; i++) {
        struct fabric_phase p;
        plan->ops->phase(plan->program, i, &p);
        if (p.items >= TILE_COMMAND)
            return err_kind(err, ERR_INPUT, "phase %s has %llu items, expected fewer than 2^31",
                            p.name, (unsigned long long)p.items);
        if (!fabric_phase_check(plan->config, &p, err))
            return false;
    }
    return true;
}

static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    const struct fabric_config *c = config;
    struct fabric_plan *fabric = ARENA_NEW(&sim->arena, struct fabric_plan);
    struct machine_plan plan = {.memory = fabric_memory(c), .cluster_count = 1};
    struct policy_choice *const to[] = {&fabric->rl1, &fabric->rl2, &plan.policies.cache,
                                        &plan.policies.dram};
    if (!policy_uses_choose(fabric_policies, c, c->policies, &sim->arena, to, err))
        return NULL;
    fabric->config = c;
    fabric->ops = fabric_program_find(workload);
    fabric->program = fabric->ops->open(c, &sim->arena, err);
    if (!fabric->program || !check_phases(fabric, err))
        return NULL;
    plan.clusters[0] =
        (struct cluster_plan){.name = "", .kind = &cluster_kind_fabric, .config = fabric};
    return machine_build(sim, &plan, err);
}

/* Until the program has ended, and then until all that is on its way has come to an end. */
static enum engine_end model_drive(struct run *run, struct err *err)
{
    struct engine *e = &run->sim.engine;
    (void)err;
    enum engine_end end = engine_run(e);
    if (end != ENGINE_STOPPED)
        return end;
    engine_finish(e);
    return engine_run(e);
}

static bool model_verify(const void *machine, struct err *err)
{
    const struct machine *m = machine;
    const struct fabric *f = m->clusters[0].part;
    return f->ops->verify(f->program, err);
}

static const struct policy_use *const policies[] = {fabric_policies, NULL};

const struct model model_fabric = {
    .schema = {.model = "fabric",
               .meaning = "tiles of processing elements with banks and crossbars that change mode",
               .params = fabric_params,
               .check = check_config,
               .bytes = sizeof(struct fabric_config),
               .parts = policy_params,
               .parts_name = "policy",
               .parts_plain = "warp",
               .parts_meaning = "parameters of policies; used when the policy is chosen",
               .parts_offset = offsetof(struct fabric_config, policies),
               .part_matters = policy_is_chosen},
    .workloads = workloads,
    .policies = policies,
    .kernel_record = fabric_phase_tables,
    .measures = fabric_measures,
    .facts = fabric_facts,
    .stack = &fabric_cycle_stack,
    .capacities = fabric_capacities,
    .capacity_values = fabric_capacity_values,
    .build = model_build,
    .drive = model_drive,
    .settle = machine_model_settle,
    .details = machine_model_details,
    .verify = model_verify,
    .summary = machine_model_summary,
    .progress = machine_model_progress,
};
