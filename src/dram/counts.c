#include "dram/counts.h"

/* clang-format off */
const struct stat_def dram_stats[] = {
    S_COUNT(dram_counts, reads, "requests", "reads served"),
    S_COUNT(dram_counts, writes, "requests", "writes served"),
    S_COUNT(dram_counts, bytes_read, "bytes", "bytes requested by reads"),
    S_COUNT(dram_counts, bytes_written, "bytes", "bytes delivered by writes"),
    S_COUNT(dram_counts, bus_bytes, "bytes", "bytes moved between the DRAM chips and the channel, in whole bursts"),
    S_COUNT(dram_counts, served, "requests", "requests served by the banks (all but those of the fixed model)"),
    S_COUNT(dram_counts, row_hits, "requests", "requests that found their row open"),
    S_COUNT(dram_counts, row_misses, "requests", "requests that opened a row in a closed bank"),
    S_COUNT(dram_counts, row_conflicts, "requests", "requests that had to close another row first"),
    S_COUNT(dram_counts, activates, "commands", "rows opened"),
    S_COUNT(dram_counts, precharges, "commands", "rows closed"),
    S_COUNT(dram_counts, refreshes, "commands", "refreshes of all banks"),
    S_COUNT(dram_counts, bus_busy_cycles, "cycles", "cycles in which the data bus transferred"),
    S_COUNT(dram_counts, pending_cycles, "cycles", "cycles in which the scheduler queue held a request, or its last request used the bus"),
    S_RATIO(dram_counts, efficiency, bus_busy_cycles, pending_cycles, "share of pending cycles in which the data bus transferred"),
    S_COUNT(dram_counts, queue_full_cycles, "cycles", "cycles in which a request was due but the scheduler queue was full"),
    S_OCCUPANCY(dram_counts, queue_occupancy, queue, "cycles by share of the scheduler queue in use; empty cycles do not count"),
    S_COUNT(dram_counts, read_cycles, "cycles", "total read latency, from the scheduler queue to the last data"),
    S_MEAN(dram_counts, read_latency, read_cycles, reads, "cycles", "mean read latency, from the scheduler queue to the last data"),
    S_RATIO(dram_counts, row_hit_rate, row_hits, served, "share of served requests that found their row open"),
    S_LAW(rows, "row_hits + row_misses + row_conflicts == served", "every request served is one of the three"),
    S_LAW(service, "served <= reads + writes", "what the banks serve is a read or a write"),
    S_LAW(bus, "bytes_read + bytes_written <= bus_bytes", "data moves in whole bursts"),
    S_LAW(pin_limit, "bus_busy_cycles <= pending_cycles", "the bus moves only what was asked for, one burst at a time"),
    S_LAW(open_rows, "precharges <= activates", "only an open row is closed"),
    S_END,
};
/* clang-format on */
