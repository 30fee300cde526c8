/* Models `gpu` and `machine`: GPUs as clusters of a machine (machine/machine.h). */
#ifndef MACHINE_GPU_CLUSTER_H
#define MACHINE_GPU_CLUSTER_H

#include "machine/machine.h"
#include "machine/policies.h"
#include "gpu/gpu.h"
#include "stats/record.h"

/* A machine of one GPU; NULL: a policy does not exist, with the nearest name. */
struct machine *gpu_machine_build(struct sim *sim, const struct gpu_config *c, struct err *err);

/* The GPU that is a cluster; NULL: it is no GPU. */
static inline struct gpu *cluster_gpu(const struct cluster *c)
{
    return c && c->plan.kind == &cluster_kind_gpu ? c->part : NULL;
}
/* The cluster of this name, or the first GPU; NULL: there is none. */
static inline struct gpu *machine_gpu(const struct machine *m, const char *name)
{
    return cluster_gpu(machine_cluster(m, name, AGENT_SM));
}

/* Which parameters choose policies: of a GPU, of its memory. */
extern const struct policy_use gpu_cluster_policies[], gpu_memory_policies[];
extern const struct record_table gpu_kernel_tables[];
extern const struct stat_def kernel_energy_stats[]; /* the last of them */

/* Once the policy that divides the L2 is known to be there. */
bool gpu_check_llc(const struct gpu_config *c, const struct config *config, struct err *err);

/* Adds the records of the kernels that have ended, without the first so many; the cluster's name
 * goes into each, unless it is "". */
void gpu_kernels_from(const struct gpu *g, const char *name, u64 first, json_t *list);
/* Of one kernel, from what was counted between its start and its end. */
void gpu_kernel_energy(const struct gpu *g, const struct gpu_counters *t,
                       struct energy_counts *out);

/* Functions of both models (machine/model.h). */
void machine_model_settle(void *machine);
void machine_model_details(const void *machine, json_t *out);
bool machine_model_verify(const void *machine, struct err *err);
void machine_model_summary(const void *machine, struct text *out);
void machine_model_progress(const void *machine, char *out, size_t size);
double machine_model_share_done(const void *machine);

#endif
