/*
 * CPU cores with their private caches: built at a site, with a clock of their own; agents of a
 * memory system from a first one on. Its builder connects its clients to the memory system and
 * starts programs on its cores.
 */
#ifndef CPU_CLUSTER_H
#define CPU_CLUSTER_H

#include "cpu/mover.h"

/* What is kept of the measured run of a program: sums over its cores. */
struct program_record {
    const char *name;
    u64 number, application, first_core, cores;
    u64 started, ended, cycles;
    u64 core_cycles, instructions; /* of all its cores */
    u64 slots[CORE_SLOTS];
    u64 rate_classes[RATE_CLASSES]; /* cycles of back ends by rate */
    u64 branches, mispredicted, btb_misses;
    u64 l1i_misses, l1d_accesses, l1d_misses, l2_accesses, l2_misses;
    u64 answered, latency_cycles, llc_hits; /* lines from below the L2 */
};

extern const struct stat_def program_record_stats[]; /* all but its name */

struct core_cost_counts;
struct lean_account;

struct cpu_cluster {
    struct build_site site;
    const struct core_config *config;
    domain_id core;  /* its clock, or that of its first core */
    bool own_clocks; /* each core has one, one after the other */
    struct core *cores;
    struct shared_icache *icaches; /* those that cores share, sharing_groups() of them */
    struct openmp *openmp;         /* that their threads wait in; NULL: they do not */
    unit_id openmp_unit;
    struct core_mover mover;
    struct memory_system *memory;
    struct core_cost_counts *cost; /* what they cost (power/core_cost.h); NULL: nobody asks */
    struct program_record records[MOST_APPLICATIONS];
    u32 record_count;
    struct lean_account *account; /* its machine's: machine/lean_account.h; NULL: none */
    u64 pool_left;                /* requests that are still somewhere, for the law that none are */
};

extern const struct stat_def cpu_cluster_stats[];

struct cpu_cluster_parts {
    domain_id core; /* its clock, or with own_clocks that of its first core; has been added */
    bool own_clocks;
    const struct core_config *config;
    u32 first_agent;
    struct memory_system *memory; /* its map and pool */
    const struct core_policies *policies;
};

void cpu_cluster_init(struct cpu_cluster *c, const struct build_site *site,
                      const struct cpu_cluster_parts *p);
/* Its cores as agents of a memory system: config->count of them. */
void cpu_cluster_clients(struct cpu_cluster *c, struct memory_client *out);
void cpu_cluster_add_statistics(struct cpu_cluster *c);
/* A program begins on so many cores from a first one on; its name is borrowed. */
void cpu_cluster_begin(struct cpu_cluster *c, const char *name, u32 first_core, u32 cores);
/* What a program has done so far on these cores. */
void cpu_cluster_sum(const struct cpu_cluster *c, u32 first_core, u32 cores,
                     struct program_record *sum);
/* What is measured of a program has ended, on these cores; `before` is its sum when that began, in
 * cycle before->ended. */
void cpu_cluster_record(struct cpu_cluster *c, const char *name, u8 application, u32 first_core,
                        u32 cores, const struct program_record *before, cycle_t ended);
/* Brings its statistics up to the present; called between two instants. */
void cpu_cluster_settle(struct cpu_cluster *c);
/* All cores together. */
struct core_counts cpu_cluster_counts(const struct cpu_cluster *c);

#endif
