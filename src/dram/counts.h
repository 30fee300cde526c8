/*
 * What a DRAM channel counts.
 *
 * A request is counted with its last column command, when it leaves the scheduler queue;
 * the fixed model, which has none, counts it when it leaves the pipe.
 */
#ifndef DRAM_COUNTS_H
#define DRAM_COUNTS_H

#include "mem/occupancy.h"

struct dram_counts {
    u64 reads, writes, bytes_read, bytes_written;
    u64 served, row_hits, row_misses, row_conflicts;
    u64 activates, precharges, refreshes;
    u64 bus_bytes, bus_busy_cycles, pending_cycles, queue_full_cycles;
    u64 read_cycles;
    struct occupancy queue;
};

extern const struct stat_def dram_stats[];

#endif
