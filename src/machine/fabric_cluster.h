/* A fabric as a cluster of a machine: its agents are the banks of its second level. */
#ifndef MACHINE_FABRIC_CLUSTER_H
#define MACHINE_FABRIC_CLUSTER_H

#include "fabric/fabric.h"
#include "machine/machine.h"
#include "machine/policies.h"
#include "stats/record.h"

extern const struct record_table fabric_phase_tables[];
extern const struct cluster_kind cluster_kind_fabric; /* of a struct fabric_plan */

/* A configuration and the program that runs on it, opened. */
struct fabric_plan {
    const struct fabric_config *config;
    const struct fabric_program_ops *ops;
    void *program;
    struct policy_choice rl1, rl2; /* replacement */
};

#endif
