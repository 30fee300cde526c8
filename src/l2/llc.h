/*
 * The unit that asks an LLC policy (l2/llc_policy.h) and hands its plan to the banks.
 *
 * A plan holds from the cycle after it was made. Banks that have to turn ways off flush them first
 * (l2/way_gating.c).
 */
#ifndef L2_LLC_H
#define L2_LLC_H

#include "l2/llc_policy.h"
#include "sim/site.h"

struct bank;

struct llc_counts {
    u64 decisions, ways_on, storage_bits, quota[MOST_APPLICATIONS];
};

struct llc {
    struct llc_policy policy;
    struct engine *engine;
    unit_id unit;
    struct bank *banks;
    void **monitors;
    struct llc_plan plan, before;
    cycle_t decided_at; /* the plan holds later, the one before until then */
    cycle_t next;       /* interval; CYCLE_NEVER: none */
    struct llc_demand demand[MOST_APPLICATIONS], coming[MOST_APPLICATIONS];
    u64 coming_fs; /* when the second was said: seen later */
    bool has_changed;
    struct llc_counts counts;
};

/* A cache as a policy sees it. */
struct llc_parts {
    struct bank *banks;
    u32 bank_count;
    u64 bytes, clock_hz;
    const struct llc_agent *agents;
    u32 agent_count;
};

/* After the banks. False: the policy cannot run as configured. */
bool llc_init(struct llc *l, const struct build_site *site, domain_id domain,
              const struct llc_parts *parts, struct policy_choice choice, struct err *err);
/* Kernels of a program have come, gone or been decided on. */
void llc_demands(struct llc *l, u32 application, const struct llc_demand *demand);
void llc_add_statistics(const struct llc *l, struct stats *s, stat_node node);

static inline const struct llc_plan *llc_plan_at(const struct llc *l, cycle_t now)
{
    return now > l->decided_at ? &l->plan : &l->before;
}

#endif
