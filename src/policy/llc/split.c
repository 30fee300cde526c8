/*
 * Ways are dealt out once, in order: the first program gets `first` of them, or each as many; or
 * those that run on CPU cores share the first part and those on SMs the rest.
 */
#include "l2/llc_policy.h"

enum split_among { SPLIT_PROGRAMS, SPLIT_KINDS };
static const char *const amongs[] = {"programs", "kinds", NULL};

struct split_config {
    u32 first;
    u32 among;
};

/* clang-format off */
static const struct param split_params[] = {
    P_U32(split_config, first, 0, 0, 63, "ways", "ways of the first program, or of all CPU programs; the others share the rest evenly (0: equal parts)", "Lee 2013, table 22: 8 and 8"),
    P_CHOICE(split_config, among, SPLIT_PROGRAMS, amongs, "ways are divided among programs, or between CPU programs and GPU programs", "Lee 2013, figure 16: 16 and 16"),
    P_END,
};
/* clang-format on */

static const struct split_config *config_of(const struct llc_policy *p)
{
    return p->config;
}

/* Who shares ways; 0 comes first. */
static u32 group_of(const struct llc_policy *p, u32 application)
{
    return config_of(p)->among == SPLIT_KINDS ? llc_is_on_sms(p, application) : application;
}

static u32 groups(const struct llc_policy *p)
{
    return config_of(p)->among == SPLIT_KINDS ? 2 : p->applications;
}

/* Where the ways of a group begin. */
static u32 start_of(const struct llc_policy *p, u32 group)
{
    u32 first = config_of(p)->first, others = groups(p) - 1;
    if (!first || !others)
        return group * p->ways / groups(p);
    return group ? first + (group - 1) * (p->ways - first) / others : 0;
}

static bool split_init(struct llc_policy *p, struct err *err)
{
    u32 first = config_of(p)->first, most = groups(p);
    if (most > p->ways || (first && first + most - 1 > p->ways))
        return err_at(
            err, (struct src_pos){0},
            "the shared cache's policy split has %u %s for %u ways, expected a way for each", most,
            config_of(p)->among == SPLIT_KINDS ? "kinds of programs" : "programs", p->ways);
    return true;
}

static void split_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                         struct llc_plan *plan)
{
    (void)monitors, (void)now;
    for (u32 i = 0; i < p->applications; i++) {
        u32 group = group_of(p, i);
        u32 end = group + 1 < groups(p) ? start_of(p, group + 1) : p->ways;
        plan->ways_of[i] = llc_first_ways(end) & ~llc_first_ways(start_of(p, group));
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
