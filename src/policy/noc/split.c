/*
 * Channels are split once: the first `cpu_vcs` of every port are the CPU's, the rest the GPU's, and
 * injection queues have a list for each type (S-VCP). Each half can be had alone.
 */
#include "net/mesh/noc_policy.h"

struct split_config {
    u32 cpu_vcs;
    u32 scope;
    u32 auto_cycles;
    bool typed_vcs, typed_injection;
};

enum { IN_ALL, WHERE_BOTH_WERE_SEEN, WHERE_BOTH_PASS };
static const char *const scopes[] = {"all", "auto", "shared", NULL};

/* clang-format off */
static const struct param split_params[] = {
    P_U32(split_config, cpu_vcs, 1, 1, 11, "channels", "VCs of each port for the CPU; the others are for the GPU", "Lee 2013, 5.4"),
    P_CHOICE(split_config, scope, 0, scopes, "routers that separate the types: all, those that recently saw both, or those on routes of both", "Lee 2013, 5.4"),
    P_U32(split_config, auto_cycles, 10000, 1, 1000000000, "cycles", "time for which a router remembers a packet type, with scope auto", "Lee 2013, 5.4"),
    P_BOOL(split_config, typed_vcs, true, "VCs are separated by type", "Lee 2013, 5.4"),
    P_BOOL(split_config, typed_injection, true, "injection queues have a list for each type", "Lee 2013, 5.4"),
    P_END,
};
/* clang-format on */

static bool split_init(struct noc_policy *p, struct err *err)
{
    const struct split_config *c = p->config;
    if (p->vcs < 2)
        return err_at(err, (struct src_pos){0},
                      "policy noc split has %u channel to split, expected at least 2", p->vcs);
    if (c->cpu_vcs >= p->vcs)
        return err_at(err, (struct src_pos){0},
                      "policy.noc.split.cpu_vcs is %u of %u channels, expected at most %u: the GPU "
                      "needs one",
                      c->cpu_vcs, p->vcs, p->vcs - 1);
    return true;
}

static void split_begin(struct noc_policy *p, struct noc_plan *plan)
{
    const struct split_config *c = p->config;
    if (c->typed_vcs)
        noc_plan_split(plan, c->cpu_vcs);
    if (c->typed_injection)
        plan->injection = NOC_TYPED_OLDEST;
    plan->both_within_cycles = c->scope == WHERE_BOTH_WERE_SEEN ? c->auto_cycles : 0;
    plan->where_both_pass = c->scope == WHERE_BOTH_PASS;
}

NOC_POLICY(split) = {
    .version = POLICY_VERSION,
    .name = "split",
    .source = "Lee 2013, 5.4 (S-VCP)",
    .params = split_params,
    .config_bytes = sizeof(struct split_config),
    .init = split_init,
    .begin = split_begin,
};
