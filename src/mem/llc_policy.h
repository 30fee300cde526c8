/*
 * How the ways of a shared cache are divided among the programs that use it, and how many of them
 * are on.
 *
 * One instance for all banks of a cache. A bank tells the monitor that it has of the policy what
 * it serves; one unit asks the policy for a plan, at intervals or when the working sets of kernels
 * have changed, and banks follow the plan from the next cycle on. What a program may give up in a
 * set is a mask of ways (llc_plan.ways_of), or whatever narrow() makes of the lines that are there.
 * Which of those goes is the cache's replacement policy's question (mem/replacement.h), which sees
 * agent and program too: insertion and promotion are its business.
 *
 * Monitors are written by their bank while the unit reads others: a policy with an interval keeps
 * two halves, and a bank writes the one of its interval (llc_half).
 */
#ifndef MEM_LLC_POLICY_H
#define MEM_LLC_POLICY_H

#include "mem/tags.h"

/* The kernels of a program that run now, and what their regions take (docs/green.md). */
struct llc_demand {
    u32 kernels;
    u64 bytes;         /* of all their regions */
    u64 trained_bytes; /* without those that go past the cache, once that is decided */
    u64 decided_bytes; /* the same; of a kernel that is not decided on yet: the whole cache */
};

struct llc_plan {
    u32 ways_on;                    /* the first so many */
    u64 ways_of[MOST_APPLICATIONS]; /* that a program may take, as bits */
    u32 quota[MOST_APPLICATIONS];   /* ways that are its own, where narrow() counts lines */
};

struct llc_policy_ops;

struct llc_policy {
    const struct llc_policy_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    u32 sets, ways;     /* of a bank */
    u32 banks;
    u64 bytes;                       /* of the cache */
    u32 applications;                /* at least 1 */
    const struct llc_demand *demand; /* by application */
};

struct llc_policy_ops {
    POLICY_HEAD;
    bool needs_regions; /* decide() goes by the demand of kernels */
    /* Each may be NULL but decide(). */
    bool (*init)(struct llc_policy *p, struct err *err); /* false: not on this cache */
    size_t (*monitor_bytes)(const struct llc_policy *p); /* of zeros, in each bank */
    /* A load, store or atomic is served; what goes past the cache is not told. */
    void (*observe)(const struct llc_policy *p, void *monitor, u32 set,
                    const struct request *access, cycle_t now);
    cycle_t (*interval)(const struct llc_policy *p); /* of the cache's clock; 0: none */
    /* The plan is the last one; changes it. `monitors`: by bank. */
    void (*decide)(struct llc_policy *p, void *const *monitors, cycle_t now, struct llc_plan *plan);
    /* Those of `ways` whose lines may go for the access; all of them are valid or on their way. */
    u64 (*narrow)(const struct llc_policy *p, const struct llc_plan *plan, const struct tags *t,
                  u32 set, u64 ways, const struct request *access);
};

#define LLC_POLICY(id) POLICY(llc_policy, id)

static inline u64 llc_first_ways(u32 count)
{
    return count >= 64 ? ~(u64)0 : ((u64)1 << count) - 1;
}

/* Which half of a monitor is written in this cycle; decide() reads the other. */
static inline u32 llc_half(cycle_t now, cycle_t interval)
{
    return (u32)(now / interval & 1);
}

/* Ways that hold so many bytes, of `ways` that hold `capacity`: at least one, at most all. */
static inline u32 llc_ways_for(u64 bytes, u64 capacity, u32 ways)
{
    if (bytes >= capacity)
        return ways;
    u64 exact = bytes * ways;
    u32 needed = (u32)((exact + capacity - 1) / capacity);
    return needed ? needed : 1;
}

/* Programs of which kernels run. */
static inline u32 llc_running(const struct llc_policy *p)
{
    u32 running = 0;
    for (u32 i = 0; i < p->applications; i++)
        running += p->demand[i].kernels > 0;
    return running;
}

#endif
