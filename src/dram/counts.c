#include "dram/counts.h"

/* clang-format off */
const struct stat_def dram_stats[] = {
    S_COUNT(dram_counts, reads, "requests", "reads served"),
    S_COUNT(dram_counts, writes, "requests", "writes served"),
    S_COUNT(dram_counts, bytes_read, "bytes", "asked for by reads"),
    S_COUNT(dram_counts, bytes_written, "bytes", "brought by writes"),
    S_COUNT(dram_counts, bus_bytes, "bytes", "moved between the chips and the channel, in whole bursts"),
    S_COUNT(dram_counts, served, "requests", "served by the banks: all but those of the fixed model"),
    S_COUNT(dram_counts, row_hits, "requests", "found their row open"),
    S_COUNT(dram_counts, row_misses, "requests", "opened a row in a closed bank"),
    S_COUNT(dram_counts, row_conflicts, "requests", "closed another row first"),
    S_COUNT(dram_counts, activates, "commands", "rows opened"),
    S_COUNT(dram_counts, precharges, "commands", "rows closed"),
    S_COUNT(dram_counts, refreshes, "commands", "refreshes of all banks"),
    S_COUNT(dram_counts, bus_busy_cycles, "cycles", "the data bus transferred"),
    S_COUNT(dram_counts, pending_cycles, "cycles", "the scheduler queue held a request, or the bus slot of its last one ran"),
    S_RATIO(dram_counts, efficiency, bus_busy_cycles, pending_cycles, "data bus in use while requests are pending"),
    S_COUNT(dram_counts, queue_full_cycles, "cycles", "a request was due but the scheduler queue was full"),
    S_OCCUPANCY(dram_counts, queue_occupancy, queue, "cycles of the scheduler queue by the share in use; empty cycles do not count"),
    S_COUNT(dram_counts, read_cycles, "cycles", "sum over reads, from the scheduler queue to the last data"),
    S_MEAN(dram_counts, read_latency, read_cycles, reads, "cycles", "a read, from the scheduler queue to its last data"),
    S_RATIO(dram_counts, row_hit_rate, row_hits, served, "requests that found their row open"),
    S_LAW(rows, "row_hits + row_misses + row_conflicts == served", "every request served is one of the three"),
    S_LAW(service, "served <= reads + writes", "what the banks serve is a read or a write"),
    S_LAW(bus, "bytes_read + bytes_written <= bus_bytes", "data moves in whole bursts"),
    S_LAW(pin_limit, "bus_busy_cycles <= pending_cycles", "the bus moves only what was asked for, one burst at a time"),
    S_LAW(open_rows, "precharges <= activates", "only an open row is closed"),
    S_END,
};
/* clang-format on */
