/*
 * Frequencies that never change: those of the chip, or any others. Runs at fixed frequencies are
 * what the ones that change are compared with, and what shows how much a program gains from each.
 */
#include "dvfs/dvfs_policy.h"

struct fixed_config {
    u64 cpu, gpu, memory;
};

/* clang-format off */
static const struct param fixed_params[] = {
    P_U64(fixed_config, cpu, 0, 0, 100000000000ull, "Hz", "frequency of every CPU core, need not be one of the levels; 0: the chip's", "assumed"),
    P_U64(fixed_config, gpu, 0, 0, 100000000000ull, "Hz", "frequency of every GPU; 0: the chip's", "assumed"),
    P_U64(fixed_config, memory, 0, 0, 100000000000ull, "Hz", "frequency of shared cache, network and memory controllers; 0: the chip's", "assumed"),
    P_END,
};
/* clang-format on */

static void fixed_begin(struct dvfs_policy *p)
{
    const struct fixed_config *c = p->config;
    const u64 hz[DVFS_KINDS] = {c->cpu, c->gpu, c->memory};
    for (u32 i = 0; i < p->count; i++) {
        struct dvfs_domain *d = &p->domains[i];
        d->hz = hz[d->kind] ? hz[d->kind] : d->hz;
    }
}

DVFS_POLICY(fixed) = {
    .version = POLICY_VERSION,
    .name = "fixed",
    .source = "Lee 2013, 6.4 (the baseline)",
    .params = fixed_params,
    .config_bytes = sizeof(struct fixed_config),
    .begin = fixed_begin,
};
