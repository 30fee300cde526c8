/*
 * The frequency of each part of a chip.
 *
 * One instance for the chip. A domain is a CPU core with its private caches, all SMs of a GPU, or
 * the memory side: shared cache, network and memory controllers.
 *
 * Power is counted in parts of the chip's budget: a domain takes its share at its base frequency,
 * and more or less in proportion at another. All sums are exact integers (kHz, thousandths), so
 * that rounding cannot break a budget that is met exactly.
 *
 * Contract: begin() may set domains[].hz. At the end of each period, core() is called
 * once for every CPU and GPU domain and returns its next level. Its domains[].instructions and
 * misses are those of the period that has ended. Then memory() is called once, with all other
 * decisions in domains[].hz, and returns the level that the rest of the budget allows. core()
 * and memory() write nothing in domains[].
 */
#ifndef DVFS_DVFS_POLICY_H
#define DVFS_DVFS_POLICY_H

#include "sim/policy.h"

enum dvfs_kind { DVFS_CPU, DVFS_GPU, DVFS_MEMORY, DVFS_KINDS };

#define DVFS_MOST_LEVELS 16u
#define DVFS_SHARES 1000u /* of the budget, all together */

/* The frequencies of a domain, in ascending order. */
struct dvfs_levels {
    u64 hz[DVFS_MOST_LEVELS];
    u32 count;
};

struct dvfs_domain {
    u8 kind; /* enum dvfs_kind */
    u32 cores;
    u64 hz; /* the present frequency; after a decision, the one decided */
    /* Sums over its cores in the period that has ended. */
    u64 instructions;
    u64 misses;        /* of their private caches */
    u64 ns, locked_ns; /* length of the period, and of the PLL locks in it */
    u64 kernel;        /* for a GPU: changes when another kernel runs */
};

struct dvfs_policy_ops;

struct dvfs_policy {
    const struct dvfs_policy_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    struct dvfs_domain *domains;
    u32 count;
    /* By kind: the same for all its domains. */
    struct dvfs_levels levels[DVFS_KINDS];
    u64 base_hz[DVFS_KINDS];
    u32 share[DVFS_KINDS]; /* of all domains of the kind at base_hz, in thousandths of the budget */
    u32 of_kind[DVFS_KINDS]; /* domains */
};

struct dvfs_policy_ops {
    POLICY_HEAD;
    /* Each may be NULL. core() and memory() go together; without them nothing ever changes. */
    bool (*init)(struct dvfs_policy *p, struct err *err); /* false: not on this chip */
    void (*begin)(struct dvfs_policy *p);                 /* may set first frequencies */
    /* The level of a CPU core or GPU in the period to come. */
    u32 (*core)(struct dvfs_policy *p, u32 domain);
    /* The level of the memory, called after all others (see domains[].hz). */
    u32 (*memory)(struct dvfs_policy *p);
};

/* Has it what it cannot do without? */
static inline bool dvfs_policy_is_whole(const struct dvfs_policy_ops *p)
{
    return !p->core == !p->memory;
}

#define DVFS_POLICY(id) POLICY(dvfs_policy, id)

/* ---- levels ---------------------------------------------------------------------------------- */

/* The highest level that is not above a frequency; 0 if all are. */
static inline u32 dvfs_level(const struct dvfs_levels *l, u64 hz)
{
    u32 at = 0;
    while (at + 1 < l->count && l->hz[at + 1] <= hz)
        at++;
    return at;
}

static inline bool dvfs_has_level(const struct dvfs_levels *l, u64 hz)
{
    return l->count && l->hz[dvfs_level(l, hz)] == hz;
}

/* The level of a domain. */
static inline u32 dvfs_level_of(const struct dvfs_policy *p, u32 domain)
{
    const struct dvfs_domain *d = &p->domains[domain];
    return dvfs_level(&p->levels[d->kind], d->hz);
}

/* ---- power ----------------------------------------------------------------------------------- */

typedef i128 dvfs_int;

/* A number as a fraction of two integers. */
struct dvfs_fraction {
    dvfs_int over, under;
};

static inline dvfs_int dvfs_khz(u64 hz)
{
    return (dvfs_int)(hz / 1000);
}

/* Sum of the base frequencies of all domains of a kind; 1 where there are none. */
static inline dvfs_int dvfs_base_khz(const struct dvfs_policy *p, u32 kind)
{
    return p->of_kind[kind] ? dvfs_khz(p->base_hz[kind]) * p->of_kind[kind] : 1;
}

static inline dvfs_int dvfs_sum_khz(const struct dvfs_policy *p, u32 kind)
{
    dvfs_int sum = 0;
    for (u32 i = 0; i < p->count; i++)
        sum += p->domains[i].kind == kind ? dvfs_khz(p->domains[i].hz) : 0;
    return sum;
}

/* The part of the budget that the cores leave of their shares; negative if they exceed them. */
static inline struct dvfs_fraction dvfs_saving(const struct dvfs_policy *p)
{
    dvfs_int cpus = dvfs_base_khz(p, DVFS_CPU), gpus = dvfs_base_khz(p, DVFS_GPU), over = 0;
    if (p->of_kind[DVFS_CPU])
        over += p->share[DVFS_CPU] * (cpus - dvfs_sum_khz(p, DVFS_CPU)) * gpus;
    if (p->of_kind[DVFS_GPU])
        over += p->share[DVFS_GPU] * (gpus - dvfs_sum_khz(p, DVFS_GPU)) * cpus;
    return (struct dvfs_fraction){over, DVFS_SHARES * cpus * gpus};
}

/* The part of the budget that all domains take, in proportion to their frequencies. */
static inline struct dvfs_fraction dvfs_power(const struct dvfs_policy *p)
{
    struct dvfs_fraction sum = {0, DVFS_SHARES};
    for (u32 k = 0; k < DVFS_KINDS; k++) {
        if (!p->of_kind[k])
            continue;
        dvfs_int base = dvfs_base_khz(p, k);
        dvfs_int part = p->share[k] * dvfs_sum_khz(p, k) * (sum.under / DVFS_SHARES);
        sum.over = sum.over * base + part;
        sum.under *= base;
    }
    return sum;
}

static inline bool dvfs_is_over_budget(const struct dvfs_policy *p)
{
    struct dvfs_fraction power = dvfs_power(p);
    return power.over > power.under;
}

/* In billionths, rounded down. */
static inline u64 dvfs_billionths(struct dvfs_fraction f)
{
    return (u64)(f.over * 1000000000 / f.under);
}

/* Base frequency of the memory times (1 + saving), or with `by_share` times (1 + saving / its
 * share): the highest level that is not above it. */
static inline u32 dvfs_memory_level(const struct dvfs_policy *p, struct dvfs_fraction saving,
                                    bool by_share)
{
    const struct dvfs_levels *l = &p->levels[DVFS_MEMORY];
    dvfs_int base = dvfs_khz(p->base_hz[DVFS_MEMORY]);
    if (by_share) {
        saving.over *= DVFS_SHARES;
        saving.under *= p->share[DVFS_MEMORY];
    }
    u32 at = 0;
    while (at + 1 < l->count &&
           dvfs_khz(l->hz[at + 1]) * saving.under <= base * (saving.under + saving.over))
        at++;
    return at;
}

#endif
