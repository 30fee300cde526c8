/* Ways are dealt out once, in order: the first program gets `first` of them, or each as many. */
#include "mem/llc_policy.h"

struct split_config {
    u32 first;
};

/* clang-format off */
static const struct param split_params[] = {
    P_U32(split_config, first, 0, 0, 63, "ways", "of the first program; the others share the rest evenly (0: each as many)", "Lee 2013, table 22: 8 and 8"),
    P_END,
};
/* clang-format on */

/* Where the ways of a program begin. */
static u32 start_of(const struct llc_policy *p, u32 application)
{
    u32 first = ((const struct split_config *)p->config)->first, others = p->applications - 1;
    if (!first || !others)
        return application * p->ways / p->applications;
    return application ? first + (application - 1) * (p->ways - first) / others : 0;
}

static bool split_init(struct llc_policy *p, struct err *err)
{
    u32 first = ((const struct split_config *)p->config)->first;
    if (p->applications > p->ways || (first && first + p->applications - 1 > p->ways))
        return err_at(err, (struct src_pos){0},
                      "l2.policy split has %u programs for %u ways, expected a way for each",
                      p->applications, p->ways);
    return true;
}

static void split_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                         struct llc_plan *plan)
{
    (void)monitors, (void)now;
    for (u32 i = 0; i < p->applications; i++) {
        u32 end = i + 1 < p->applications ? start_of(p, i + 1) : p->ways;
        plan->ways_of[i] = llc_first_ways(end) & ~llc_first_ways(start_of(p, i));
    }
}

LLC_POLICY(split) = {
    .version = POLICY_VERSION,
    .name = "split",
    .source = "Lee 2013, table 22 (8:8)",
    .params = split_params,
    .config_bytes = sizeof(struct split_config),
    .init = split_init,
    .decide = split_decide,
};
