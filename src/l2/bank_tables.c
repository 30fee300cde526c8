/* What a bank can be set to, and what it counts. */
#include "l2/bank.h"

static const char *const flushes[] = {"vector", "walk", "lazy", NULL};
static const char *const bank_orders[] = {"chunk", "dram", NULL};
static const char *const full_sets[] = {"wait", "bypass", NULL};
static const char *const write_misses[] = {"fetch", "fetch_partial", "keep", NULL};

/* clang-format off */
const struct param l2_params[] = {
    P_U64(l2_config, size_bytes, 786432, 4096, (u64)1 << 32, "bytes", "capacity of all banks together", "Dublish 2018, table 3.1"),
    P_U64(l2_config, clock_hz, 700000000, 1000000, 100000000000, "Hz", "clock of the L2 and of both networks", "Dublish 2018, table 3.1"),
    P_U32(l2_config, ways, 8, 1, 64, "lines", "lines per set", "Dublish 2018, table 3.1"),
    P_U32(l2_config, banks_per_channel, 2, 1, 64, "banks", "banks that share a DRAM channel", "Dublish 2018, table 3.1"),
    P_U32(l2_config, interleave_bytes, 256, 64, 1048576, "bytes", "consecutive addresses in one channel", "GPGPU-Sim v3.2.2 GTX480"),
    P_CHOICE(l2_config, bank_order, BANK_BY_CHUNK, bank_orders, "bank of its channel that holds a piece of interleave_bytes: the next one each time; or (dram) the one given by the lowest bits of the DRAM bank, as in GPGPU-Sim (the same for up to as many banks as dram.low_bank_bits distinguishes)", "assumed: chunk"),
    P_BOOL(l2_config, hashed_channels, false, "fold higher address bits into the choice of channel", "GPGPU-Sim v3.2.2 GTX480: no"),
    P_U32(l2_config, page_bytes, 0, 0, 1u << 30, "bytes", "physical pages, placed at random in device memory (0: contiguous)", "assumed"),
    P_BOOL(l2_config, sectored, false, "fetch and keep sectors of 32 bytes instead of whole lines", "assumed"),
    P_CHOICE(l2_config, set_index, SET_LINEAR, set_index_names, "how the set of a line is chosen", "assumed"),
    P_STRING(l2_config, replacement, "lru", "which line of a set is evicted", "Dublish 2018, table 3.1"),
    P_U32(l2_config, mshrs, 32, 1, 65536, "entries", "lines on their way, per bank", "Dublish 2018, table 3.3"),
    P_U32(l2_config, merge_limit, 4, 1, 1024, "requests", "requests that can wait for one line", "GPGPU-Sim v3.2.2 GTX480"),
    P_U32(l2_config, access_entries, 8, 1, 4096, "requests", "access queue of a bank", "Dublish 2018, table 3.3"),
    P_U32(l2_config, miss_entries, 8, 2, 4096, "requests", "miss queue of a bank", "Dublish 2018, table 3.3"),
    P_U32(l2_config, response_entries, 8, 1, 4096, "requests", "response queue of a bank", "Dublish 2018, table 3.3"),
    P_U32(l2_config, return_entries, 8, 1, 4096, "requests", "queue from DRAM to a bank", "GPGPU-Sim v3.2.2 GTX480"),
    P_U32(l2_config, port_bytes, 32, 1, 1024, "bytes", "data port of a bank, per cycle", "Dublish 2018, table 3.3"),
    P_U32(l2_config, pipe_cycles, 97, 0, 10000, "core cycles", "fixed latency in front of the access queue", "set so that an unloaded hit takes 120 in all (Dublish 2018, 3.1)"),
    P_CHOICE(l2_config, write_miss, WRITE_MISS_FETCH, write_misses, "a store miss fetches the line: always, only if it does not cover the fetched bytes, or never", "GPGPU-Sim v3.2.2"),
    P_BOOL(l2_config, gated, false, "refuse every request while the miss queue, the response queue or the port is busy", "GPGPU-Sim v3.2.2, bandwidth-and-ccn spec S6"),
    P_BOOL(l2_config, hit_under_miss, false, "hits go ahead of requests that wait for an MSHR, for a way or for room on the way to DRAM, but not of one to the same line", "assumed: the access queue is served in order"),
    P_CHOICE(l2_config, full_set, FULL_SET_WAIT, full_sets, "a miss whose ways all wait for their fills: waits too, or bypasses the cache; atomics always wait", "assumed"),
    P_BOOL(l2_config, silent_writebacks, false, "a victim of an L1 that hits is written to its line, which is not promoted", "assumed: it promotes as a read does"),
    P_U32(l2_config, atomic_cycles, 4, 1, 1000, "cycles", "time that an atomic on one line occupies the data port", "assumed"),
    P_DOUBLE(l2_config, atomic_sector_cycles, 0, 0, 1000, "cycles", "additional time for each further sector of the line", "assumed"),
    P_DOUBLE(l2_config, atomic_lane_cycles, 0, 0, 1000, "cycles", "additional time for each further lane at the busiest word", "assumed"),
    P_DOUBLE(l2_config, partial_sector_cycles, 0, 0, 1000, "cycles", "time for which a partially written sector occupies the data port, if longer than for a whole one", "assumed"),
    P_U32(l2_config, fill_bytes, 32, 32, 256, "bytes", "aligned bytes that a miss fetches, with sectors", "assumed"),
    P_U32(l2_config, dirty_ways, 64, 1, 64, "lines", "dirty lines allowed per set; beyond that the oldest is written back and stays as a clean line", "assumed"),
    P_U32(l2_config, far_cycles, 0, 0, 10000, "core cycles", "additional latency of the first read of a line in the far half of the L2, after which the near half has a copy (0: no halves)", "assumed"),
    P_U32(l2_config, half_agents, 2, 1, 65536, "agents", "consecutive agents attached to one half of the L2; the next group is attached to the other", "assumed: pairs"),
    P_GROUP(l2_config, coalesce, coalesce_params, NULL, "merging of reads by neighbouring agents"),
    P_STRING(l2_config, policy, "shared", "which ways each program may use, and how many are on", "assumed: all are everybody's"),
    P_CHOICE(l2_config, flush, FLUSH_VECTOR, flushes, "how ways are turned off: dirty lines are written back first, found by a dirty bit per set or by walking all sets; or the bank keeps serving and empties a set at its next miss", "Lee 2013, 7.3.4"),
    P_BOOL(l2_config, flush_all, true, "write back all dirty lines of a set, not only those of the ways that are turned off", "assumed"),
    P_U32(l2_config, flush_set_cycles, 16, 1, 10000, "cycles", "time to check all lines of a set; 64 bits of the dirty vector take one cycle", "assumed: a line each"),
    P_BOOL(l2_config, keeps_copies, false, "data written by a copy or fill stays in L2, as the first to be evicted", "assumed"),
    P_BOOL(l2_config, keeps_code, false, "a kernel's code is in L2 when it is launched for the first time: it was just loaded", "assumed"),
    P_U64(l2_config, context_bytes, 0, 0, (u64)1 << 32, "bytes", "bytes of other data in the L2 when a program starts", "assumed"),
    P_U64(l2_config, context_dirty_bytes, 0, 0, (u64)1 << 32, "bytes", "bytes of that data that are dirty", "assumed"),
    P_END,
};

const char *const bank_stall_names[STALL_COUNT] = {"bp_icnt", "bp_dram", "port", "cache", "mshr"};

const struct stat_def bank_stats[] = {
    S_COUNT(bank_counts, accesses, "requests", "requests served"),
    S_COUNT(bank_counts, loads, "requests", "loads served"),
    S_COUNT(bank_counts, stores, "requests", "stores served"),
    S_COUNT(bank_counts, atomics, "requests", "atomics served"),
    S_COUNT(bank_counts, fetches, "requests", "instruction fetches served"),
    S_COUNT(bank_counts, writebacks_in, "requests", "victims of an L1 accepted"),
    S_COUNT(bank_counts, updates, "requests", "messages of L1s to the sharing tracker"),
    S_COUNT(bank_counts, redirected, "requests", "misses that the sharing tracker sent to an L1 instead of DRAM"),
    S_COUNT(bank_counts, hits, "requests", "requests that found their line"),
    S_COUNT(bank_counts, store_allocations, "requests", "stores and L1 victims that took a way without a fetch (neither hits nor misses)"),
    S_COUNT(bank_counts, passing_hits, "requests", "hits that overtook waiting requests"),
    S_COUNT(bank_counts, misses, "requests", "requests that took a new MSHR"),
    S_COUNT(bank_counts, unplaced_misses, "requests", "misses that bypassed the cache because no way was free"),
    S_COUNT(bank_counts, unplaced_stores, "requests", "stores and L1 victims sent on to DRAM because no way was free"),
    S_COUNT(bank_counts, merges, "requests", "requests merged with an outstanding line"),
    S_COUNT(bank_counts, sector_misses, "requests", "requests that found the line without their sectors"),
    S_COUNT(bank_counts, load_hits, "requests", "loads and fetches that hit"),
    S_COUNT(bank_counts, load_misses, "requests", "loads and fetches that missed or merged"),
    S_COUNT(bank_counts, load_sectors, "sectors", "sectors requested by loads"),
    S_COUNT(bank_counts, load_sectors_missed, "sectors", "requested sectors that were neither valid nor outstanding"),
    S_COUNT(bank_counts, load_sectors_across, "sectors", "requested sectors found in the other half of the L2"),
    S_COUNT(bank_counts, store_sectors, "sectors", "sectors written by stores"),
    S_COUNT(bank_counts, atomic_sectors, "sectors", "sectors of atomics that return the old value"),
    S_COUNT(bank_counts, reduction_sectors, "sectors", "sectors of atomics that return nothing (reductions)"),
    S_RATIO(bank_counts, miss_rate, misses, accesses, "new misses per access"),
    S_COUNT(bank_counts, fills, "lines", "lines filled from DRAM"),
    S_COUNT(bank_counts, evictions, "lines", "valid lines evicted"),
    S_COUNT(bank_counts, writebacks, "lines", "dirty lines written to DRAM"),
    S_COUNT(bank_counts, cleaned, "lines", "lines written to DRAM early because too many were dirty, and kept clean"),
    S_COUNT(bank_counts, responses, "requests", "answers sent"),
    S_COUNT(bank_counts, busy_port_cycles, "cycles", "cycles in which the data port was busy"),
    S_ARRAY(bank_counts, stall, bank_stall_names, STALL_COUNT, "cycles", "cycles in which the head of the access queue was stalled, by cause"),
    S_OCCUPANCY(bank_counts, access_queue, occupancy, "cycles by share of the access queue in use; empty cycles do not count"),
    S_LAW(outcome, "hits + misses + merges + store_allocations + unplaced_stores == accesses", "an access ends in one way"),
    S_LAW(kinds, "loads + stores + atomics + fetches + writebacks_in + updates == accesses", "an access is of one kind"),
    S_LAW(answers, "responses + writebacks_in + updates == accesses", "everything is answered once, victims and messages never"),
    S_END,
};
/* clang-format on */

u64 bank_most_requests(const struct l2_config *c, u32 pipe_latency)
{
    return (u64)pipe_latency + 2 + c->access_entries + (u64)c->mshrs * (c->merge_limit + 1) +
           2 * c->miss_entries + c->response_entries + c->return_entries +
           (c->far_cycles ? FAR_L2_ENTRIES : 0) + (c->coalesce.agents ? COALESCER_FOLLOWERS : 0);
}

struct cache_shape l2_bank_shape(const struct l2_config *c, u32 banks, u32 line_bytes)
{
    return (struct cache_shape){.size_bytes = c->size_bytes / banks,
                                .ways = c->ways,
                                .line_bytes = line_bytes,
                                .index = (enum set_index)c->set_index,
                                .mshrs = c->mshrs,
                                .merge_limit = c->merge_limit,
                                .fill_bytes = c->sectored ? c->fill_bytes : 0};
}
