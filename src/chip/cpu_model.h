/* Model `cpu`: cores with private caches, as a machine of one cluster. */
#ifndef CHIP_CPU_MODEL_H
#define CHIP_CPU_MODEL_H

#include "chip/machine.h"
#include "chip/policies.h"
#include "chip/run.h"
#include "cpu/cluster.h"

struct cpu_config {
    u32 line_bytes;
    struct core_config core;
    struct network_config network;
    struct l2_config llc;
    struct dram_config dram;
    struct ideal_config ideal;
    const void *policies; /* parameters of all policies; NULL: their defaults */
};

extern const struct policy_use cpu_cluster_policies[], cpu_memory_policies[];
extern const struct record_table cpu_program_tables[];
extern const struct cluster_kind cluster_kind_cpu; /* of a struct cpu_config */

/* Once the policy that divides the LLC is known to be there: can CPU programs do with it? */
bool cpu_check_llc(const struct cpu_config *c, const struct config *config, struct err *err);

/* All cores together. */
struct core_counts cpu_counts(const struct cpu_cluster *c);
/* A screenful: instructions, where the slots went, caches, what bounds it. */
void cpu_summary(const struct cpu_cluster *c, struct text *out);
/* What stood in the way most, in words. */
const char *cpu_bound_by(const struct core_counts *n);

/* Does a name mean a CPU program: a synthetic kernel, or the file of a trace of ours or
 * ChampSim's? */
bool cpu_workload_is(const char *name);

#endif
