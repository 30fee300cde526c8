/*
 * Frequency domains that change at run time: one unit that counts periods, asks a policy
 * (dvfs/dvfs_policy.h), changes the clocks, and keeps the account of power.
 *
 * It has a clock of its own, a cycle of which is a nanosecond and which never changes. At the end
 * of a period the cores' domains change at once. On a mesh each core then sends a packet to the
 * central node, which sends one to every bank and controller; when the last has come the memory
 * changes. A change holds the domain's clock for the lock time (engine_hold); with pll_scope chip
 * all changes of a period are made together, and hold all clocks.
 *
 * A machine without domains has none of this.
 */
#ifndef DVFS_DVFS_H
#define DVFS_DVFS_H

#include "dvfs/config.h"
#include "memsys/memory_system.h"

#define DVFS_HZ 1000000000u /* of the unit's clock: a cycle is a nanosecond */
#define DVFS_MOST_DOMAINS 256u

/* A domain as the machine has it. */
struct dvfs_part {
    u8 kind; /* enum dvfs_kind */
    domain_id clock;
    u64 hz;
    const struct memory_client *clients; /* its cores; NULL: it is the memory */
    u32 cores;
};

struct dvfs_domain_counts {
    u64 changes, locked_ns;
    u64 mhz;                        /* now */
    u64 mpki_milli, mpt, ipc_milli; /* of the last period */
    u64 khz_ns, ns;                 /* frequency times time; time */
    u64 at_level_ns[DVFS_MOST_LEVELS];
    u64 energy;
};

struct dvfs_counts {
    u64 periods, late_periods, changes;
    u64 messages, message_ns;
    u64 over_periods, over_ns, most_power; /* billionths of the budget */
    u64 power;                             /* now; the same */
    u64 ns, cpu_energy, gpu_energy, memory_energy, energy;
    u64 in_llc_sampling, in_noc_sampling; /* changes */
};

enum dvfs_wait { DVFS_WAITS_NOTHING, DVFS_WAITS_CORES, DVFS_WAITS_MEMORY };

struct dvfs {
    const struct dvfs_config *config;
    struct sim *sim;
    struct engine *engine;
    domain_id clock;
    unit_id unit;
    struct dvfs_policy policy;
    struct dvfs_part *parts;    /* by domain */
    u64 *instructions, *misses; /* by domain, up to the end of the last period */
    u64 *locked_ns;             /* in this period */
    u64 *wanted;                /* by domain, where all changes are made together */
    u64 *powers;                /* by domain, now */
    u32 memory;                 /* its domain */
    u64 period_ns;
    cycle_t began, next; /* the period */
    bool has_changed;    /* something, in this period's decisions */
    /* messages; on a mesh */
    struct memory_system *system; /* NULL: none */
    bool sends;
    enum dvfs_wait waits;
    u32 due; /* messages that have not come */
    cycle_t asked_at;
    u32 memory_level; /* on its way */
    u64 accounted_ns;
    bool has_warned;
    struct dvfs_domain_counts *domain_counts;
    struct dvfs_counts counts;
};

/* After all clusters and the memory are built and connected; parts stay. `system`: NULL where there
 * is no memory to send messages through. False: the policy cannot run as configured. */
bool dvfs_init(struct dvfs *d, const struct build_site *site, const struct dvfs_config *c,
               struct policy_choice choice, struct dvfs_part *parts, u32 count,
               struct memory_system *system, struct err *err);
void dvfs_add_statistics(struct dvfs *d, struct stats *s, stat_node node);
/* Brings the account up to the present. */
void dvfs_settle(struct dvfs *d);
void dvfs_summary(const struct dvfs *d, struct text *out);

/* Billionths of the budget that a domain takes at a frequency. */
u64 dvfs_power_of(const struct dvfs *d, u32 domain, u64 hz);

#endif
