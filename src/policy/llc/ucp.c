/*
 * Utility-based cache partitioning: each interval the ways are divided so that monitored hits are
 * most (umon.h). A program with fewer lines in a set than its part takes one of another's, one
 * with its part gives up one of its own; nothing is flushed. Qureshi and Patt, MICRO 2006.
 */
#include "policy/llc/umon.h"

struct ucp_config {
    u64 interval;
    u32 sampled_sets;
};

/* clang-format off */
static const struct param ucp_params[] = {
    P_U64(ucp_config, interval, 5000000, 1000, (u64)1 << 40, "cycles", "time from one partition to the next, in cycles of the cache", "Qureshi and Patt 2006"),
    P_U32(ucp_config, sampled_sets, 32, 1, 65536, "sets", "sets of the cache that are monitored", "Qureshi and Patt 2006"),
    P_END,
};
/* clang-format on */

static const struct ucp_config *config_of(const struct llc_policy *p)
{
    return p->config;
}

static size_t ucp_monitor_bytes(const struct llc_policy *p)
{
    return umon_bytes(p, config_of(p)->sampled_sets);
}

static u64 ucp_storage_bits(const struct llc_policy *p)
{
    return umon_storage_bits(p, config_of(p)->sampled_sets);
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
    struct umon_sums *sums = p->state;
    cycle_t interval = config_of(p)->interval;
    if (now < interval) {
        equal_quotas(p, plan);
        return;
    }
    if (now % interval)
        return; /* a kernel has come or gone: not a matter of ours */
    umon_collect(p, monitors, !llc_half(now, interval), sums);
    lookahead((const u64(*)[UMON_MOST_WAYS])sums->hits, p->applications, p->ways, 0, plan->quota);
}

LLC_POLICY(ucp) = {
    .version = POLICY_VERSION,
    .name = "ucp",
    .source = "Qureshi and Patt, MICRO 2006",
    .params = ucp_params,
    .config_bytes = sizeof(struct ucp_config),
    .state_bytes = sizeof(struct umon_sums),
    .init = llc_has_ways,
    .storage_bits = ucp_storage_bits,
    .monitor_bytes = ucp_monitor_bytes,
    .observe = ucp_observe,
    .interval = ucp_interval,
    .decide = ucp_decide,
    .narrow = quota_narrow,
};
