/*
 * How the ways of a shared cache are divided among the programs that use it, and how many of them
 * are on.
 *
 * One instance for all banks of a cache. A bank tells the monitor that it has of the policy what
 * it serves; one unit asks the policy for a plan, at intervals or when the working sets of kernels
 * have changed, and banks follow the plan from the next cycle on. What a program may give up in a
 * set is a mask of ways (llc_plan.ways_of), or whatever narrow() makes of the lines that are there.
 * Which of those goes is the cache's replacement policy's question (cache/replacement.h), which
 * sees agent and program too: insertion and promotion are its business. A policy that decides on
 * these, too, brings a replacement policy of its own along, which finds the plan behind
 * replacement.llc.
 *
 * Monitors are written by their bank while the unit reads others: a policy with an interval keeps
 * two halves, and a bank writes the one of its interval (llc_half).
 */
#ifndef L2_LLC_POLICY_H
#define L2_LLC_POLICY_H

#include "mem/agent.h"
#include "cache/tags.h"

/* The kernels of a program that run now, and what their regions take (docs/mechanisms/green.md). */
struct llc_demand {
    u32 kernels;
    u64 bytes;         /* of all their regions */
    u64 trained_bytes; /* without those that bypass the cache, once that is decided */
    u64 decided_bytes; /* the same; of a kernel that is not decided on yet: the whole cache */
};

#define NO_AGENT UINT32_MAX

/* Written by decide() alone. What quota, marks and sampled mean beyond what is said here is the
 * policy's own business. */
struct llc_plan {
    u64 ways_of[MOST_APPLICATIONS]; /* that a program may take, as bits */
    u32 quota[MOST_APPLICATIONS];   /* ways that are its own, where narrow() counts lines */
    u32 ways_on;                    /* the first so many */
    u32 marks;                      /* a bit per program */
    u32 sampled[2];                 /* agents that are treated in other ways; NO_AGENT: none */
};

/* A core that sends requests. */
struct llc_agent {
    u8 kind; /* enum agent_kind */
    u64 clock_hz;
    const u64 *retired; /* instructions so far; NULL: nobody counts */
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

/* What a bank has of a policy: what its replacement policy sees, if that is the policy's own. */
struct llc_view {
    const struct llc_policy *policy;
    const struct llc_plan *plan; /* that holds now */
    void *monitor;
    cycle_t now;
};

/* Does an access bypass the cache? If so its line serves it all the same if it is there (probe), or
 * only if it is newer than DRAM; then a load takes the time that it takes without the cache
 * (blind). A store that finds its line is written to it in either case. */
enum llc_pass { LLC_TAKES, LLC_PROBES, LLC_IS_BLIND };

struct llc_policy_ops {
    POLICY_HEAD;
    bool needs_regions;                        /* decide() goes by the demand of kernels */
    const struct replacement_ops *replacement; /* with the policy's parameters; NULL: the cache's */
    /* Each may be NULL but decide(). */
    bool (*init)(struct llc_policy *p, struct err *err); /* false: not on this cache */
    size_t (*monitor_bytes)(const struct llc_policy *p); /* of zeros, in each bank */
    /* A load, store or atomic is served; what bypasses the cache by itself is not told. */
    void (*observe)(const struct llc_policy *p, void *monitor, u32 set,
                    const struct request *access, bool hit, cycle_t now);
    /* Of a load or store. */
    enum llc_pass (*passes)(const struct llc_policy *p, const struct llc_plan *plan,
                            const struct request *access);
    u64 (*storage_bits)(const struct llc_policy *p); /* beyond those of a cache without it */
    cycle_t (*interval)(const struct llc_policy *p); /* of the cache's clock; 0: none */
    /* The plan is the last one; changes it. `monitors`: by bank. */
    void (*decide)(struct llc_policy *p, void *const *monitors, cycle_t now, struct llc_plan *plan);
    /* Does it compare cores or periods just now? What changes their speed then disturbs it. */
    bool (*is_sampling)(const struct llc_policy *p);
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
