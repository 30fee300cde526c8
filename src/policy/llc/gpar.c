/*
 * GREEN with partitions: each program has ways of its own, as many as its regions take without
 * those that bypass the cache. Where they take less than the cache, the rest is off; where more,
 * ways are divided in proportion. Lee 2013, 7.4, equations 23 and 24.
 */
#include "policy/llc/shares.h"

static void gpar_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                        struct llc_plan *plan)
{
    u64 bytes[MOST_APPLICATIONS];
    u32 ways[MOST_APPLICATIONS], who[MOST_APPLICATIONS], count = 0, at = 0;
    (void)monitors, (void)now;
    for (u32 i = 0; i < p->applications; i++) {
        if (!p->demand[i].kernels)
            continue;
        who[count] = i;
        bytes[count++] = p->demand[i].trained_bytes;
    }
    if (!count)
        return; /* between kernels all stays as it is */
    way_shares(bytes, count, p->bytes, p->ways, ways);
    for (u32 i = 0; i < MOST_APPLICATIONS; i++)
        plan->ways_of[i] = llc_first_ways(p->ways); /* of one without kernels: wherever */
    for (u32 i = 0; i < count; i++) {
        plan->ways_of[who[i]] = llc_first_ways(at + ways[i]) & ~llc_first_ways(at);
        at += ways[i];
    }
    plan->ways_on = at;
}

LLC_POLICY(gpar) = {
    .version = POLICY_VERSION,
    .name = "gpar",
    .source = "Lee 2013, 7.4",
    .needs_regions = true,
    .init = llc_has_ways,
    .decide = gpar_decide,
};
