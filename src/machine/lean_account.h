/*
 * The lean cores of a cluster with back ends by rate together, as statistics: what they did, and
 * what they cost in whole square micrometres and nanojoules (power/lean_cost.h).
 */
#ifndef MACHINE_LEAN_ACCOUNT_H
#define MACHINE_LEAN_ACCOUNT_H

#include "base/text.h"
#include "cpu/cluster.h"
#include "power/lean_cost.h"

struct lean_account {
    const struct cpu_cluster *cluster;
    u64 area_um2, core_um2, icache_um2, bus_um2, buffer_um2;
    u64 instructions, busy_cycles, lookups, misses, compulsory, merged;
    u64 energy_nj, core_nj, icache_nj, bus_nj, buffer_nj;
};

extern const struct stat_def lean_stats[];

/* Lean cores are those behind the wide ones of a chip with rates, the workers where core 0 takes no
 * part in sharing, and all cores of other chips. */
struct lean_shape lean_shape_of(const struct core_config *c);
/* NULL: the cluster has no such cores. */
struct lean_account *lean_account_create(struct cpu_cluster *c);
/* Up to the present; after the cluster was settled. */
void lean_account_settle(struct lean_account *a);
/* One line; after it was settled. */
void lean_account_summary(const struct lean_account *a, struct text *out);

#endif
