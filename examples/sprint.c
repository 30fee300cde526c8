/*
 * A policy of frequencies in one file: the GPU runs at its highest level for a few periods and at
 * its lowest for as many, CPU cores stay where they are, and the memory has what is left of the
 * budget.
 *
 *     cc -O2 -shared -fPIC -DHEDDLE_PLUGIN -Isrc examples/sprint.c -o sprint.so
 *     build/heddle run --mix examples/apu.yaml --chip apu46-dvfs --plugin sprint.so --policy
 * dvfs=sprint,periods=2 --set dvfs.period_ns=10us --set dvfs.pll_ns=1us
 *
 * With installed headers, -I/usr/local/include/heddle instead of -Isrc.
 */
#include "dvfs/dvfs_policy.h"

struct sprint_config {
    u32 periods;
};

struct sprint_state {
    u64 period;
};

static const struct param sprint_params[] = {
    P_U32(sprint_config, periods, 4, 1, 1000, "periods", "of a sprint", "example"),
    P_END,
};

static u32 sprint_core(struct dvfs_policy *p, u32 domain)
{
    const struct sprint_config *c = p->config;
    struct sprint_state *s = p->state;
    if (p->domains[domain].kind != DVFS_GPU)
        return dvfs_level_of(p, domain);
    return s->period++ / c->periods % 2 ? 0 : p->levels[DVFS_GPU].count - 1;
}

static u32 sprint_memory(struct dvfs_policy *p)
{
    return dvfs_memory_level(p, dvfs_saving(p), true);
}

DVFS_POLICY(sprint) = {
    .version = POLICY_VERSION,
    .name = "sprint",
    .source = "an example",
    .params = sprint_params,
    .config_bytes = sizeof(struct sprint_config),
    .state_bytes = sizeof(struct sprint_state),
    .core = sprint_core,
    .memory = sprint_memory,
};
