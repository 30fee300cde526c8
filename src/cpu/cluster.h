/*
 * CPU cores with their private caches: built at a site, with a clock of their own; agents of a
 * memory system from a first one on. Whoever builds it connects its clients to that, and starts
 * programs on its cores.
 */
#ifndef CPU_CLUSTER_H
#define CPU_CLUSTER_H

#include "cpu/core.h"

struct cpu_cluster {
    struct build_site site;
    const struct core_config *config;
    domain_id core;
    struct core *cores;
    struct memory_system *memory;
    u64 pool_left; /* requests that are still somewhere, for the law that none are */
};

extern const struct stat_def cpu_cluster_stats[];

/* The clock has been added; map and pool are the memory system's. */
void cpu_cluster_init(struct cpu_cluster *c, const struct build_site *site, domain_id core,
                      const struct core_config *config, u32 first_agent,
                      struct memory_system *memory, const struct core_policies *p);
/* Its cores as agents of a memory system: config->count of them. */
void cpu_cluster_clients(struct cpu_cluster *c, struct memory_client *out);
void cpu_cluster_add_statistics(struct cpu_cluster *c);
bool cpu_cluster_is_running(const struct cpu_cluster *c);
/* Brings its statistics up to the present; called between two instants. */
void cpu_cluster_settle(struct cpu_cluster *c);

#endif
