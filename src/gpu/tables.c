#include "gpu/tables.h"

#include "gpu/gpu.h"

static const char *const unit_names[UNIT_COUNT] = {"int", "fp32",   "fp64",   "fp16",
                                                   "sfu", "tensor", "memory", "control"};
const char *const warp_counter_names[WARP_COUNTERS] = {
    "accesses", "hits",         "own_hits",         "latency_cycles",
    "returned", "instructions", "load_instructions"};
const char *const l1_stall_names[L1_STALL_COUNT] = {"cache", "mshr", "bp_l2"};

/* clang-format off */
const struct stat_def sm_stats[] = {
    S_COUNT(sm_counts, cycles, "cycles", "core clock cycles"),
    S_COUNT(sm_counts, warp_instructions, "instructions", "warp instructions issued"),
    S_COUNT(sm_counts, thread_instructions, "instructions", "thread instructions executed (active lanes)"),
    S_MEAN(sm_counts, ipc, warp_instructions, cycles, "instructions/cycle", "warp instructions issued per cycle"),
    S_MEAN(sm_counts, active_lanes, thread_instructions, warp_instructions, "lanes", "mean active lanes per warp instruction"),
    S_ARRAY(sm_counts, unit_instructions, unit_names, UNIT_COUNT, "instructions", "warp instructions issued, by unit"),
    S_ARRAY(sm_counts, scheduler_slots, slot_names, SLOT_COUNT, "cycles", "scheduler cycles, each charged to one cause"),
    S_ARRAY(sm_counts, core_slots, slot_names, SLOT_COUNT, "cycles", "SM cycles: issued if any scheduler issued, else charged to one cause"),
    S_COUNT(sm_counts, scheduler_cycles, "cycles", "cycles of all schedulers"),
    S_COUNT(sm_counts, charged_cycles, "cycles", "scheduler cycles charged to a cause"),
    S_LAW(charges, "charged_cycles == scheduler_cycles", "every scheduler-cycle is charged once"),
    S_COUNT(sm_counts, blocks, "blocks", "blocks run"),
    S_COUNT(sm_counts, warps, "warps", "warps run"),
    S_COUNT(sm_counts, warp_cycles, "warp cycles", "cycles of warps on the SM, from the start of their block to their own end"),
    S_COUNT(sm_counts, loads, "instructions", "load instructions of warps"),
    S_COUNT(sm_counts, stores, "instructions", "store instructions of warps"),
    S_COUNT(sm_counts, atomics, "instructions", "atomic instructions of warps"),
    S_COUNT(sm_counts, requests, "requests", "requests to the L1 (lines after coalescing)"),
    S_COUNT(sm_counts, load_requests, "instructions", "warp loads from global memory"),
    S_COUNT(sm_counts, load_lines, "lines", "lines touched by loads from global memory"),
    S_MEAN(sm_counts, lines_per_load, load_lines, load_requests, "lines", "lines per load from global memory (1: fully coalesced)"),
    S_COUNT(sm_counts, shared_accesses, "instructions", "warp instructions that access shared memory"),
    S_COUNT(sm_counts, shared_passes, "passes", "passes through the banks of shared memory"),
    S_MEAN(sm_counts, passes_per_access, shared_passes, shared_accesses, "passes", "passes per shared access (1: no bank conflict)"),
    S_COUNT(sm_counts, constant_accesses, "instructions", "warp instructions that read constants or kernel arguments"),
    S_COUNT(sm_counts, texture_accesses, "instructions", "warp instructions that read textures"),
    S_ARRAY(sm_counts, tensor_cycles, tensor_share_names, TENSOR_SHARES, "cycles", "cycles of asynchronous tensor cores (wgmma) until the last product of a block: busy, or idle while the warp of the next product waited for copies, for earlier products, for other warps at an mbarrier, or did something else"),
    S_COUNT(sm_counts, bank_conflict_cycles, "cycles", "cycles in which operands waited for their register bank"),
    S_COUNT(sm_counts, gap_loads, "instructions", "loads whose answers arrived at different times"),
    S_COUNT(sm_counts, load_gap_cycles, "cycles", "total cycles from first to last answer of gap_loads"),
    S_MEAN(sm_counts, tail_gap, load_gap_cycles, gap_loads, "cycles", "mean cycles from first to last answer of a load"),
    S_END,
};

const struct stat_def sample_stats[] = {
    S_ARRAY(sample_counts, at_most, warp_counter_names, WARP_COUNTERS, "events", "events in the policy's windows at (W,W)"),
    S_ARRAY(sample_counts, at_least, warp_counter_names, WARP_COUNTERS, "events", "events in the policy's windows at (1,1)"),
    S_END,
};

const struct stat_def l1_bypass_stats[] = {
    S_COUNT(l1_bypass_counts, loads, "requests", "loads that bypassed the L1 because their region is kept out"),
    S_COUNT(l1_bypass_counts, merges, "requests", "bypassing loads merged with one already on its way"),
    S_COUNT(l1_bypass_counts, stores, "requests", "stores that bypassed the L1"),
    S_COUNT(l1_bypass_counts, found, "requests", "bypass requests whose line was in the L1 (they count as hits)"),
    S_FORMULA(probes, "loads + merges + stores + found", "requests", "tag lookups of bypass requests"),
    S_END,
};

const struct stat_def l1_stats[] = {
    S_COUNT(l1_counts, loads, "requests", "load requests looked up"),
    S_COUNT(l1_counts, hits, "requests", "load requests that found their line"),
    S_COUNT(l1_counts, misses, "requests", "load requests whose line was neither valid nor outstanding"),
    S_COUNT(l1_counts, merges, "requests", "load requests merged with an outstanding line"),
    S_COUNT(l1_counts, sector_misses, "requests", "load requests that found the line without their sectors"),
    S_RATIO(l1_counts, hit_rate, hits, loads, "hits per load request"),
    S_COUNT(l1_counts, intra_warp_hits, "requests", "hits on a line fetched by the same warp"),
    S_COUNT(l1_counts, inter_warp_hits, "requests", "hits on a line fetched by another warp"),
    S_COUNT(l1_counts, load_sectors, "sectors", "sectors requested by loads from global memory"),
    S_COUNT(l1_counts, load_sectors_missed, "sectors", "requested sectors that were neither valid nor outstanding"),
    S_COUNT(l1_counts, bypasses, "requests", "requests that bypass the cache by instruction: ld.cg, volatile, atomics"),
    S_COUNT(l1_counts, stores, "requests", "store requests"),
    S_COUNT(l1_counts, store_hits, "requests", "store requests that hit"),
    S_COUNT(l1_counts, atomics, "requests", "atomic requests"),
    S_COUNT(l1_counts, fills, "lines", "lines filled"),
    S_COUNT(l1_counts, evictions, "lines", "valid lines evicted"),
    S_COUNT(l1_counts, writebacks, "lines", "dirty lines of local memory written to the L2"),
    S_ARRAY(l1_counts, stall, l1_stall_names, L1_STALL_COUNT, "cycles", "cycles in which the head of the LSU queue was stalled, by cause"),
    S_COUNT(l1_counts, sent, "requests", "requests sent below the L1"),
    S_COUNT(l1_counts, acknowledged, "requests", "requests answered from below the L1"),
    S_COUNT(l1_counts, answered, "requests", "loads and atomics answered from below the L1"),
    S_COUNT(l1_counts, latency_cycles, "cycles", "total miss latency of loads and atomics"),
    S_MEAN(l1_counts, miss_latency, latency_cycles, answered, "cycles", "mean latency of an L1 miss, until its fill (AML)"),
    S_COUNT(l1_counts, l2_hits, "requests", "L1 misses that hit in the L2"),
    S_COUNT(l1_counts, l2_hit_latency_cycles, "cycles", "total latency of L1 misses that hit in the L2"),
    S_MEAN(l1_counts, l2_hit_latency, l2_hit_latency_cycles, l2_hits, "cycles", "mean latency of an L1 miss that hits in the L2 (L2-AHL)"),
    S_COUNT(l1_counts, request_fs, "fs", "total time of misses in the miss queue and the request network"),
    S_COUNT(l1_counts, l2_fs, "fs", "total time of misses in the L2, DRAM excluded"),
    S_COUNT(l1_counts, dram_fs, "fs", "total time of misses from the L2 to DRAM and back"),
    S_COUNT(l1_counts, reply_fs, "fs", "total time of misses in the response queue and the reply network"),
    S_MEAN(l1_counts, request_latency, request_fs, answered, "fs", "mean time of a miss in the miss queue and the request network"),
    S_MEAN(l1_counts, l2_latency, l2_fs, answered, "fs", "mean time of a miss in the L2, DRAM excluded"),
    S_MEAN(l1_counts, dram_latency, dram_fs, answered, "fs", "mean time from the L2 to DRAM and back, over all misses"),
    S_MEAN(l1_counts, reply_latency, reply_fs, answered, "fs", "mean time of a miss in the response queue and the reply network"),
    S_LAW(outcome, "hits + misses + merges == loads", "a lookup ends in one way"),
    S_LAW(owners, "intra_warp_hits + inter_warp_hits == hits", "every line was fetched by one warp"),
    S_LAW(answers, "sent == acknowledged", "every request is answered once"),
    S_END,
};

const struct stat_def ro_cache_stats[] = {
    S_COUNT(ro_cache_counts, accesses, "requests", "lookups"),
    S_COUNT(ro_cache_counts, hits, "requests", "lookups that found the line"),
    S_COUNT(ro_cache_counts, misses, "requests", "lookups that missed"),
    S_RATIO(ro_cache_counts, hit_rate, hits, accesses, "hits per access"),
    S_LAW(outcome, "hits + misses == accesses", "a lookup ends in one way"),
    S_END,
};

const struct stat_def gpu_stats[] = {
    S_COUNT(gpu, kernels, "kernels", "kernels run"),
    S_LEVEL(gpu, pool_left, "requests", "requests still outstanding"),
    S_LAW(drained, "pool_left == 0", "no request is lost"),
    S_END,
};

/* Of a launch: none of it adds up. */
const struct stat_def kernel_record_stats[] = {
    S_LEVEL(kernel_record, number, "kernels", "index of the kernel: kernels started before it"),
    S_LEVEL(kernel_record, launch, "launches", "index of the launch in its program, untimed launches included"),
    S_LEVEL(kernel_record, blocks, "blocks", "blocks in the grid"),
    S_LEVEL(kernel_record, threads_per_block, "threads", "threads in a block"),
    S_LEVEL(kernel_record, registers, "registers", "registers of a thread"),
    S_LEVEL(kernel_record, shared_bytes, "bytes", "shared memory of a block"),
    S_LEVEL(kernel_record, blocks_per_sm, "blocks", "blocks that fit on an SM at once"),
    S_LEVEL(kernel_record, launched, "cycle", "core clock cycle in which the kernel was launched"),
    S_LEVEL(kernel_record, started, "cycle", "core clock cycle in which its first block could start"),
    S_LEVEL(kernel_record, ended, "cycle", "core clock cycle in which its last block ended"),
    {.name = "cycles", .kind = STAT_COUNT, .offset = S_AT(kernel_record, numbers.cycles), .unit = "cycles", .meaning = "cycles from start to end of the kernel"},
    S_END,
};
/* clang-format on */
