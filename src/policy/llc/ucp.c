/*
 * Utility-based cache partitioning: each interval the ways are divided so that monitored hits are
 * most (lookahead.h). A program with fewer lines in a set than its part takes one of another's, one
 * with its part gives up one of its own; nothing is flushed. Qureshi and Patt, MICRO 2006.
 */
#include "policy/llc/lookahead.h"

struct ucp_config {
    u64 interval;
    u32 sampled_sets;
};

/* clang-format off */
static const struct param ucp_params[] = {
    P_U64(ucp_config, interval, 5000000, 1000, (u64)1 << 40, "cycles", "of the cache's clock, from one partition to the next", "Qureshi and Patt 2006"),
    P_U32(ucp_config, sampled_sets, 32, 1, 65536, "sets", "of the cache that are monitored", "Qureshi and Patt 2006"),
    P_END,
};
/* clang-format on */

struct ucp {
    u64 hits[MOST_APPLICATIONS][UMON_MOST_WAYS];
};

static const struct ucp_config *config_of(const struct llc_policy *p)
{
    return p->config;
}

static bool ucp_init(struct llc_policy *p, struct err *err)
{
    return p->applications <= p->ways ||
           err_at(err, (struct src_pos){0},
                  "l2.policy ucp has %u programs for %u ways, expected a way for each",
                  p->applications, p->ways);
}

static size_t ucp_monitor_bytes(const struct llc_policy *p)
{
    return umon_bytes(p, config_of(p)->sampled_sets);
}

static void ucp_observe(const struct llc_policy *p, void *monitor, u32 set,
                        const struct request *access, bool hit, cycle_t now)
{
    (void)hit;
    umon_observe(p, monitor, config_of(p)->sampled_sets, set, access,
                 llc_half(now, config_of(p)->interval));
}

static cycle_t ucp_interval(const struct llc_policy *p)
{
    return config_of(p)->interval;
}

static void ucp_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                       struct llc_plan *plan)
{
    struct ucp *u = p->state;
    cycle_t interval = config_of(p)->interval;
    if (now < interval) { /* nothing has been seen yet */
        for (u32 i = 0; i < p->applications; i++)
            plan->quota[i] = (i + 1) * p->ways / p->applications - i * p->ways / p->applications;
        return;
    }
    if (now % interval)
        return; /* a kernel has come or gone: not a matter of ours */
    umon_collect(p, monitors, !llc_half(now, interval), u->hits);
    lookahead(u->hits, p->applications, p->ways, plan->quota);
}

static u64 ucp_narrow(const struct llc_policy *p, const struct llc_plan *plan, const struct tags *t,
                      u32 set, u64 ways, const struct request *access)
{
    u64 own = 0;
    (void)p;
    for (u64 left = ways; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (application_of(tags_address(t, set, way)) == access->application)
            own |= (u64)1 << way;
    }
    bool takes = (u32)__builtin_popcountll(own) < plan->quota[access->application];
    u64 some = takes ? ways & ~own : own;
    return some ? some : ways;
}

LLC_POLICY(ucp) = {
    .version = POLICY_VERSION,
    .name = "ucp",
    .source = "Qureshi and Patt, MICRO 2006",
    .params = ucp_params,
    .config_bytes = sizeof(struct ucp_config),
    .state_bytes = sizeof(struct ucp),
    .init = ucp_init,
    .monitor_bytes = ucp_monitor_bytes,
    .observe = ucp_observe,
    .interval = ucp_interval,
    .decide = ucp_decide,
    .narrow = ucp_narrow,
};
