/* Model `cpu`: cores with private caches, as a machine of one cluster. */
#ifndef MACHINE_CPU_CLUSTER_H
#define MACHINE_CPU_CLUSTER_H

#include "machine/machine.h"
#include "machine/policies.h"
#include "cpu/chip_config.h"
#include "cpu/cluster.h"
#include "stats/record.h"

extern const struct policy_use cpu_cluster_policies[], cpu_memory_policies[];
extern const struct record_table cpu_program_tables[];
extern const struct cluster_kind cluster_kind_cpu; /* of a struct cpu_config */

/* Once the policy that divides the LLC is known to be there: can CPU programs do with it? */
bool cpu_check_llc(const struct cpu_config *c, const struct config *config, struct err *err);

#endif
