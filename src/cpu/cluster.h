/*
 * CPU cores with their private caches: built at a site, with a clock of their own; agents of a
 * memory system from a first one on. Whoever builds it connects its clients to that, and starts
 * programs on its cores.
 */
#ifndef CPU_CLUSTER_H
#define CPU_CLUSTER_H

#include "cpu/core.h"

/* What is kept of the first run of a program: sums over its cores. */
struct program_record {
    const char *name;
    u64 number, application, first_core, cores;
    u64 started, ended, cycles;
    u64 core_cycles, instructions; /* of all its cores */
    u64 slots[CORE_SLOTS];
    u64 branches, mispredicted, btb_misses;
    u64 l1i_misses, l1d_accesses, l1d_misses, l2_accesses, l2_misses;
    u64 answered, latency_cycles, llc_hits; /* lines from below the L2 */
};

extern const struct stat_def program_record_stats[]; /* all but its name */

struct cpu_cluster {
    struct build_site site;
    const struct core_config *config;
    domain_id core;  /* its clock, or that of its first core */
    bool own_clocks; /* each core has one, one after the other */
    struct core *cores;
    struct memory_system *memory;
    struct program_record records[MOST_APPLICATIONS];
    u32 record_count;
    u64 pool_left; /* requests that are still somewhere, for the law that none are */
};

extern const struct stat_def cpu_cluster_stats[];

/* The clock has been added, or with own_clocks one for each core; map and pool are the memory
 * system's. */
void cpu_cluster_init(struct cpu_cluster *c, const struct build_site *site, domain_id core,
                      bool own_clocks, const struct core_config *config, u32 first_agent,
                      struct memory_system *memory, const struct core_policies *p);
/* Its cores as agents of a memory system: config->count of them. */
void cpu_cluster_clients(struct cpu_cluster *c, struct memory_client *out);
void cpu_cluster_add_statistics(struct cpu_cluster *c);
/* A program has ended for the first time, on these cores since cycle 0. */
void cpu_cluster_record(struct cpu_cluster *c, const char *name, u8 application, u32 first_core,
                        u32 cores, cycle_t ended);
bool cpu_cluster_is_running(const struct cpu_cluster *c);
/* Brings its statistics up to the present; called between two instants. */
void cpu_cluster_settle(struct cpu_cluster *c);

#endif
