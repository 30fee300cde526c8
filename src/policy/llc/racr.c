/*
 * Region-aware cache resizing: as many ways as the regions of all kernels that run take, without
 * those that bypass the cache; the others are off. Lee 2013, 7.3.4, equations 18 to 22.
 */
#include "l2/llc_policy.h"

/* By the regions as launched; by those that are left after training, all ways until then; or the
 * first until training, the second after it. */
enum racr_by { RACR_NAIVE, RACR_BYPASS, RACR_BOTH };
static const char *const bys[] = {"naive", "bypass", "both", NULL};

struct racr_config {
    u32 by;
};

/* clang-format off */
static const struct param racr_params[] = {
    P_CHOICE(racr_config, by, RACR_BOTH, bys, "ways are counted for: all regions, from the launch; regions that do not bypass the L2, after training; or first one, then the other", "Lee 2013, 7.3.4"),
    P_END,
};
/* clang-format on */

static void racr_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                        struct llc_plan *plan)
{
    u32 by = ((const struct racr_config *)p->config)->by;
    u64 bytes = 0;
    (void)monitors, (void)now;
    if (!llc_running(p))
        return; /* between kernels all stays as it is */
    for (u32 i = 0; i < p->applications; i++) {
        const struct llc_demand *d = &p->demand[i];
        bytes += by == RACR_NAIVE    ? d->bytes
                 : by == RACR_BYPASS ? d->decided_bytes
                                     : d->trained_bytes;
    }
    plan->ways_on = llc_ways_for(bytes, p->bytes, p->ways);
}

LLC_POLICY(racr) = {
    .version = POLICY_VERSION,
    .name = "racr",
    .source = "Lee 2013, 7.3.4",
    .params = racr_params,
    .config_bytes = sizeof(struct racr_config),
    .needs_regions = true,
    .decide = racr_decide,
};
