/*
 * The NUMA-aware partition of a socket's caches: every sample one way of the L2, and one of each
 * L1, goes to the lines that wait for the resource that is saturated, the link or DRAM
 * (hpc-cores-and-numa-gpu spec 2.9).
 *
 * The link's use is that of the answers to the reads that left, so that writes that come in cannot
 * trigger it, in what is left of its ways in beside requests and acknowledgements of others
 * (X28); `literal`: in all of them.
 */
#ifndef MEMSYS_PARTITION_H
#define MEMSYS_PARTITION_H

#include "config/param.h"
#include "memsys/memory_system.h"
#include "net/link.h"

struct partition_config {
    u32 sample_cycles;
    double saturation;
    bool literal, first_only;
};

extern const struct param partition_params[];

struct partition_counts {
    u64 l2_remote_ways, l1_remote_ways; /* now */
    u64 samples, link_saturated, dram_saturated;
    u64 to_remote, to_local; /* decisions that moved a way of the L2 */
};

struct partition {
    const struct partition_config *config;
    struct engine *engine;
    struct link *link;
    const struct memory_system *memory;
    u32 socket;
    domain_id clock;
    struct way_partition l2, l1; /* l1.ways 0: there are none */
    bool was_reset;
    cycle_t next;
    u64 asked, headers, available, dram; /* up to the last sample */
    struct partition_counts counts;
};

/* Before the caches that follow it are built. */
void partition_init(struct partition *p, const struct engine *e, const struct partition_config *c,
                    u32 l2_ways);
/* The L1s of the socket follow it, too. */
const struct way_partition *partition_add_l1(struct partition *p, u32 ways);
void partition_connect(struct partition *p, struct link *link, const struct memory_system *memory,
                       u32 socket, domain_id clock);
/* A kernel begins: half of the ways each, and a sample begins. */
void partition_reset(struct partition *p, cycle_t now);

#endif
