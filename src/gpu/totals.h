/* Sums over a whole GPU: what summaries and each kernel's record are made of. */
#ifndef GPU_TOTALS_H
#define GPU_TOTALS_H

#include "gpu/sm.h"

/* All fields are u64. */
struct gpu_totals {
    u64 cycles; /* of the core clock */
    u64 warp_instructions, thread_instructions;
    u64 scheduler_slots[SLOT_COUNT], core_slots[SLOT_COUNT];
    u64 unit_instructions[UNIT_COUNT];
    u64 loads, stores, atomics, requests, shared_accesses, shared_passes;
    u64 load_requests, load_lines, warp_cycles;
    u64 l1_sectors, l1_sectors_missed, l2_read_sectors, l2_read_sectors_missed;
    u64 l2_read_sectors_across;
    u64 l1_loads, l1_hits, l1_misses, l1_merges, l1_stall[L1_STALL_COUNT];
    u64 miss_latency_cycles, misses_answered, l2_hit_latency_cycles, l2_hits_answered;
    u64 l2_accesses, l2_hits, l2_misses, l2_stall[STALL_COUNT];
    u64 dram_read_bytes, dram_written_bytes, dram_busy_clocks, dram_pending_clocks;
    u64 reply_bytes, request_bytes;
    u64 intra_warp_hits, inter_warp_hits;
    u64 request_fs, l2_fs, dram_fs, reply_fs;                 /* of the misses answered, by hop */
    u64 fetches, constant_lookups, texture_lookups, l1_fills; /* what else costs energy */
    u64 constant_accesses, texture_accesses, request_flits, reply_flits;
    u64 ring_request_hops, ring_line_hops, ring_answers, shadow_lookups;
    u64 dram_bus_bytes, dram_activates, dram_refreshes;
    u64 l2_queue[OCCUPANCY_BINS], dram_queue[OCCUPANCY_BINS];
};

#endif
