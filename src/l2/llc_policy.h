/*
 * How the ways of a shared cache are divided among the programs that use it, and how many of them
 * are on.
 *
 * One instance for all banks of a cache. Each bank passes its accesses to a monitor of its own. One
 * unit calls decide() for a plan, at intervals or when the working sets of kernels change; banks
 * follow the plan from the next cycle on. Within a set, a program may evict from a mask of ways
 * (llc_plan.ways_of), optionally reduced by narrow(). Which of those lines is evicted, where a new
 * one is inserted and what a hit changes is up to the replacement policy (cache/replacement.h). A
 * policy that decides these too names a replacement policy of its own, which finds the plan
 * through replacement.llc.
 *
 * Contract: a bank writes its monitor while the unit reads the others, so a policy with an interval
 * keeps two halves and a bank writes the half of the current interval (llc_half).
 */
#ifndef L2_LLC_POLICY_H
#define L2_LLC_POLICY_H

#include "mem/agent.h"
#include "cache/tags.h"

/* The running kernels of a program and the size of their regions (docs/mechanisms/green.md). */
struct llc_demand {
    u32 kernels;
    u64 bytes;         /* of all their regions */
    u64 trained_bytes; /* without regions that bypass the cache, once decided */
    u64 decided_bytes; /* the same; the whole cache while a kernel is undecided */
};

#define NO_AGENT UINT32_MAX

/* Written only by decide(). A policy may give quota, marks and sampled further meaning. */
struct llc_plan {
    u64 ways_of[MOST_APPLICATIONS]; /* ways that a program may use, as bits */
    u32 quota[MOST_APPLICATIONS]; /* number of ways of a program, for policies whose narrow() counts
                                     lines */
    u32 ways_on;                  /* the first ways_on ways are on */
    u32 marks;                    /* a bit per program */
    u32 sampled[2];               /* agents under core sampling; NO_AGENT: none */
};

/* A core that sends requests. */
struct llc_agent {
    u8 kind; /* enum agent_kind */
    u64 clock_hz;
    const u64 *retired; /* instructions so far; NULL: not counted */
};

struct llc_policy_ops;

struct llc_policy {
    const struct llc_policy_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    u32 sets, ways;     /* of a bank */
    u32 banks;
    u64 bytes;                       /* of the cache */
    u64 clock_hz;                    /* of the cache */
    u32 applications;                /* at least 1 */
    u32 on_sms;                      /* a bit per application: it runs on SMs */
    const struct llc_demand *demand; /* by application */
    const struct llc_agent *agents;  /* by request.agent */
    u32 agent_count;
};

/* What a bank holds of a policy; visible to the policy's own replacement policy. */
struct llc_view {
    const struct llc_policy *policy;
    const struct llc_plan *plan; /* in force */
    void *monitor;
    cycle_t now;
};

/* Whether an access bypasses the cache. LLC_PROBES: a cached line still serves it. LLC_IS_BLIND:
 * only a dirty line serves it, and a load takes the time of DRAM. A store that finds its line
 * updates it in either case. */
enum llc_pass { LLC_TAKES, LLC_PROBES, LLC_IS_BLIND };

struct llc_policy_ops {
    POLICY_HEAD;
    bool needs_regions;                        /* decide() uses the demand of kernels */
    const struct replacement_ops *replacement; /* with the policy's parameters; NULL: the cache's */
    /* All hooks except decide() may be NULL. */
    bool (*init)(struct llc_policy *p, struct err *err); /* false: cannot work on this cache */
    size_t (*monitor_bytes)(const struct llc_policy *p); /* of zeros, in each bank */
    /* A load, store or atomic was served. Accesses that bypass the cache are not reported. */
    void (*observe)(const struct llc_policy *p, void *monitor, u32 set,
                    const struct request *access, bool hit, cycle_t now);
    /* Asked for each load and store. */
    enum llc_pass (*passes)(const struct llc_policy *p, const struct llc_plan *plan,
                            const struct request *access);
    u64 (*storage_bits)(const struct llc_policy *p); /* in addition to a plain cache */
    cycle_t (*interval)(const struct llc_policy *p); /* of the cache's clock; 0: none */
    /* `plan` holds the last plan; update it. `monitors` are indexed by bank. */
    void (*decide)(struct llc_policy *p, void *const *monitors, cycle_t now, struct llc_plan *plan);
    /* Is the policy comparing cores or periods now? Changes of frequency would disturb it. */
    bool (*is_sampling)(const struct llc_policy *p);
    /* The subset of `ways` that may be evicted for the access; all are valid or outstanding. */
    u64 (*narrow)(const struct llc_policy *p, const struct llc_plan *plan, const struct tags *t,
                  u32 set, u64 ways, const struct request *access);
};

/* Has it what it cannot do without? Without decide() nothing is ever decided. */
static inline bool llc_policy_is_whole(const struct llc_policy_ops *p)
{
    return p->decide && !p->observe == !p->monitor_bytes;
}

#define LLC_POLICY(id) POLICY(llc_policy, id)

static inline u64 llc_first_ways(u32 count)
{
    return count >= 64 ? ~(u64)0 : ((u64)1 << count) - 1;
}

/* The half of a monitor that is written in this cycle; decide() reads the other. */
static inline u32 llc_half(cycle_t now, cycle_t interval)
{
    return (u32)(now / interval & 1);
}

/* Ways needed for `bytes`, if `ways` hold `capacity`: at least one, at most all. */
static inline u32 llc_ways_for(u64 bytes, u64 capacity, u32 ways)
{
    if (bytes >= capacity)
        return ways;
    u64 exact = bytes * ways;
    u32 needed = (u32)((exact + capacity - 1) / capacity);
    return needed ? needed : 1;
}

/* Where each program needs a way of its own: an init(). */
static inline bool llc_has_ways(struct llc_policy *p, struct err *err)
{
    return p->applications <= p->ways ||
           err_at(
               err, (struct src_pos){0},
               "the shared cache's policy %s has %u programs for %u ways, expected a way for each",
               p->ops->name, p->applications, p->ways);
}

static inline bool llc_is_on_sms(const struct llc_policy *p, u32 application)
{
    return p->on_sms >> application & 1;
}

/* Cycles of the cache's clock in those of the cores that a program runs on. */
static inline u64 llc_own_cycles(const struct llc_policy *p, u32 application, u64 cycles)
{
    u8 kind = llc_is_on_sms(p, application) ? AGENT_SM : AGENT_CPU;
    for (u32 i = 0; i < p->agent_count; i++) {
        if (p->agents[i].kind == kind)
            return (u64)((double)cycles * (double)p->agents[i].clock_hz / (double)p->clock_hz);
    }
    return cycles;
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
