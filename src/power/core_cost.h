/*
 * Area and power of CPU cores, part by part: I-cache, branch predictor, branch target buffer, the
 * rest of the core, and its private L2.
 *
 * Milic 2017, table 4.3: McPAT and CACTI at 40 nm, a core like Cortex-A9. Between and beyond the
 * two sizes that are published for a part, a power law through them. Half of a part's power is
 * static; the other half follows its activity (hpc-cores spec 2.4), and is what the table says
 * where the activity is the nominal one.
 */
#ifndef POWER_CORE_COST_H
#define POWER_CORE_COST_H

#include "cpu/cluster.h"

enum core_part { PART_ICACHE, PART_PREDICTOR, PART_BTB, PART_REST, PART_L2, CORE_PARTS };
extern const char *const core_part_names[CORE_PARTS];
#define CORE_OWN_PARTS PART_L2 /* those before it are the core's own */

/* A published size: storage in bits (0: has none), and what it takes. */
struct core_cost_row {
    enum core_part part;
    double bits, mm2, watts;
    double events; /* of a cycle, at which it takes that */
    const char *what, *source;
};
extern const struct core_cost_row core_cost_rows[]; /* ends with a NULL what */

struct core_cost {
    double mm2[CORE_PARTS], watts[CORE_PARTS];
};

/* Of a core of this configuration; predictor_bits as its branch unit counts them. */
struct core_cost core_cost_of(const struct core_config *c, u64 predictor_bits);
/* Without, and with its L2. */
double core_cost_sum(const double of[CORE_PARTS], bool with_l2);

/* The statistics of a cluster: whole micrometres and picojoules, so that they add up. */
struct core_cost_counts {
    u64 core_um2[CORE_PARTS];
    u64 static_pj[CORE_PARTS], dynamic_pj[CORE_PARTS];
    u64 um2, um2_with_l2, pj, pj_with_l2;
    u64 all_static_pj, all_dynamic_pj;
    u64 time_fs;
};
extern const struct stat_def core_cost_stats[];

/* Of all cores of a cluster, which were on for so long. */
void core_cost_count(const struct cpu_cluster *c, u64 time_fs, struct core_cost_counts *out);

#endif
