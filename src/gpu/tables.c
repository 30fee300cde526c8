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
    S_COUNT(sm_counts, cycles, "cycles", "of the core clock"),
    S_COUNT(sm_counts, warp_instructions, "instructions", "issued, of warps"),
    S_COUNT(sm_counts, thread_instructions, "instructions", "executed, of threads: active lanes"),
    S_MEAN(sm_counts, ipc, warp_instructions, cycles, "instructions/cycle", "warp instructions issued per cycle"),
    S_MEAN(sm_counts, active_lanes, thread_instructions, warp_instructions, "lanes", "that execute a warp instruction"),
    S_ARRAY(sm_counts, unit_instructions, unit_names, UNIT_COUNT, "instructions", "issued, by unit"),
    S_ARRAY(sm_counts, scheduler_slots, slot_names, SLOT_COUNT, "cycles", "of the schedulers, each charged to one cause"),
    S_ARRAY(sm_counts, core_slots, slot_names, SLOT_COUNT, "cycles", "of the SM: issued if any scheduler did, else charged to one cause"),
    S_COUNT(sm_counts, scheduler_cycles, "cycles", "of all schedulers"),
    S_COUNT(sm_counts, charged_cycles, "cycles", "that were charged"),
    S_LAW(charges, "charged_cycles == scheduler_cycles", "every scheduler-cycle is charged once"),
    S_COUNT(sm_counts, blocks, "blocks", "run"),
    S_COUNT(sm_counts, warps, "warps", "run"),
    S_COUNT(sm_counts, warp_cycles, "warp cycles", "of warps on the SM, from their block's start until they end"),
    S_COUNT(sm_counts, loads, "instructions", "loads, of warps"),
    S_COUNT(sm_counts, stores, "instructions", "stores, of warps"),
    S_COUNT(sm_counts, atomics, "instructions", "atomics, of warps"),
    S_COUNT(sm_counts, requests, "requests", "to L1: lines after coalescing"),
    S_COUNT(sm_counts, load_requests, "instructions", "loads from global memory, of warps"),
    S_COUNT(sm_counts, load_lines, "lines", "that loads from global memory touched"),
    S_MEAN(sm_counts, lines_per_load, load_lines, load_requests, "lines", "that a load from global memory touches: 1 is coalesced"),
    S_COUNT(sm_counts, shared_accesses, "instructions", "to shared memory"),
    S_COUNT(sm_counts, shared_passes, "passes", "through the banks of shared memory"),
    S_MEAN(sm_counts, passes_per_access, shared_passes, shared_accesses, "passes", "through the banks: 1 is free of conflicts"),
    S_COUNT(sm_counts, constant_accesses, "instructions", "to constants and kernel arguments"),
    S_COUNT(sm_counts, texture_accesses, "instructions", "to textures"),
    S_ARRAY(sm_counts, tensor_cycles, tensor_share_names, TENSOR_SHARES, "cycles", "of tensor cores that go on by themselves (wgmma), to the last product of a block: busy, or idle while the next product's warp waited for copies, for earlier products, for other warps at an mbarrier, or did something else"),
    S_COUNT(sm_counts, bank_conflict_cycles, "cycles", "that operands waited for their register bank"),
    S_COUNT(sm_counts, gap_loads, "instructions", "loads whose answers came one after the other"),
    S_COUNT(sm_counts, load_gap_cycles, "cycles", "from the first to the last answer of such loads"),
    S_MEAN(sm_counts, tail_gap, load_gap_cycles, gap_loads, "cycles", "from the first to the last answer of a load"),
    S_END,
};

const struct stat_def sample_stats[] = {
    S_ARRAY(sample_counts, at_most, warp_counter_names, WARP_COUNTERS, "events", "in the policy's windows at (W,W)"),
    S_ARRAY(sample_counts, at_least, warp_counter_names, WARP_COUNTERS, "events", "in its windows at (1,1)"),
    S_END,
};

const struct stat_def l1_bypass_stats[] = {
    S_COUNT(l1_bypass_counts, loads, "requests", "loads that took no line: their region is kept out"),
    S_COUNT(l1_bypass_counts, merges, "requests", "loads that joined one on its way"),
    S_COUNT(l1_bypass_counts, stores, "requests", "stores that went below"),
    S_COUNT(l1_bypass_counts, found, "requests", "whose line was there, so that they count as hits"),
    S_FORMULA(probes, "loads + merges + stores + found", "requests", "that asked the tags whether to go past"),
    S_END,
};

const struct stat_def l1_stats[] = {
    S_COUNT(l1_counts, loads, "requests", "looked up"),
    S_COUNT(l1_counts, hits, "requests", "found their line"),
    S_COUNT(l1_counts, misses, "requests", "found no line, valid or outstanding"),
    S_COUNT(l1_counts, merges, "requests", "merged with an outstanding line"),
    S_COUNT(l1_counts, sector_misses, "requests", "found the line without the sectors"),
    S_RATIO(l1_counts, hit_rate, hits, loads, "hits per load request"),
    S_COUNT(l1_counts, intra_warp_hits, "requests", "hit a line fetched by their own warp"),
    S_COUNT(l1_counts, inter_warp_hits, "requests", "hit a line fetched by another warp"),
    S_COUNT(l1_counts, load_sectors, "sectors", "that loads of global memory asked for"),
    S_COUNT(l1_counts, load_sectors_missed, "sectors", "of those, neither valid nor outstanding"),
    S_COUNT(l1_counts, bypasses, "requests", "bypassed the cache: ld.cg, volatile, atomics"),
    S_COUNT(l1_counts, stores, "requests", "stores"),
    S_COUNT(l1_counts, store_hits, "requests", "stores that hit"),
    S_COUNT(l1_counts, atomics, "requests", "atomics"),
    S_COUNT(l1_counts, fills, "lines", "filled"),
    S_COUNT(l1_counts, evictions, "lines", "valid lines evicted"),
    S_COUNT(l1_counts, writebacks, "lines", "dirty lines of local memory sent to L2"),
    S_ARRAY(l1_counts, stall, l1_stall_names, L1_STALL_COUNT, "cycles", "the head of the LSU queue could not proceed, by cause"),
    S_COUNT(l1_counts, sent, "requests", "sent below"),
    S_COUNT(l1_counts, acknowledged, "requests", "answered"),
    S_COUNT(l1_counts, answered, "requests", "loads and atomics answered"),
    S_COUNT(l1_counts, latency_cycles, "cycles", "that loads and atomics took from the miss to the answer, together"),
    S_MEAN(l1_counts, miss_latency, latency_cycles, answered, "cycles", "from an L1 miss to its fill (AML)"),
    S_COUNT(l1_counts, l2_hits, "requests", "answered by L2"),
    S_COUNT(l1_counts, l2_hit_latency_cycles, "cycles", "that those answered by L2 took, together"),
    S_MEAN(l1_counts, l2_hit_latency, l2_hit_latency_cycles, l2_hits, "cycles", "from an L1 miss to its fill by an L2 hit (L2-AHL)"),
    S_COUNT(l1_counts, request_fs, "fs", "in the miss queue and the request network"),
    S_COUNT(l1_counts, l2_fs, "fs", "in L2, without DRAM"),
    S_COUNT(l1_counts, dram_fs, "fs", "from L2 to DRAM and back"),
    S_COUNT(l1_counts, reply_fs, "fs", "in the response queue and the reply network"),
    S_MEAN(l1_counts, request_latency, request_fs, answered, "fs", "in the miss queue and the request network"),
    S_MEAN(l1_counts, l2_latency, l2_fs, answered, "fs", "in L2, without DRAM"),
    S_MEAN(l1_counts, dram_latency, dram_fs, answered, "fs", "from L2 to DRAM and back, over all misses"),
    S_MEAN(l1_counts, reply_latency, reply_fs, answered, "fs", "in the response queue and the reply network"),
    S_LAW(outcome, "hits + misses + merges == loads", "a lookup ends in one way"),
    S_LAW(owners, "intra_warp_hits + inter_warp_hits == hits", "a line was brought by somebody"),
    S_LAW(answers, "sent == acknowledged", "every request is answered once"),
    S_END,
};

const struct stat_def ro_cache_stats[] = {
    S_COUNT(ro_cache_counts, accesses, "requests", "looked up"),
    S_COUNT(ro_cache_counts, hits, "requests", "found their line"),
    S_COUNT(ro_cache_counts, misses, "requests", "did not"),
    S_RATIO(ro_cache_counts, hit_rate, hits, accesses, "hits per access"),
    S_LAW(outcome, "hits + misses == accesses", "a lookup ends in one way"),
    S_END,
};

const struct stat_def gpu_stats[] = {
    S_COUNT(gpu, kernels, "kernels", "run"),
    S_LEVEL(gpu, pool_left, "requests", "still outstanding"),
    S_LAW(drained, "pool_left == 0", "no request is lost"),
    S_END,
};

/* Of a launch: none of it adds up. */
const struct stat_def kernel_record_stats[] = {
    S_LEVEL(kernel_record, number, "kernels", "started before it"),
    S_LEVEL(kernel_record, launch, "launches", "of its program before it, timed or not"),
    S_LEVEL(kernel_record, blocks, "blocks", "of its grid"),
    S_LEVEL(kernel_record, threads_per_block, "threads", "of a block"),
    S_LEVEL(kernel_record, registers, "registers", "of a thread"),
    S_LEVEL(kernel_record, shared_bytes, "bytes", "of shared memory that a block takes"),
    S_LEVEL(kernel_record, blocks_per_sm, "blocks", "that fit on an SM at once"),
    S_LEVEL(kernel_record, launched, "cycle", "of the core clock in which it was launched"),
    S_LEVEL(kernel_record, started, "cycle", "in which its first block could go out"),
    S_LEVEL(kernel_record, ended, "cycle", "in which its last block ended"),
    {.name = "cycles", .kind = STAT_COUNT, .offset = S_AT(kernel_record, numbers.cycles), .unit = "cycles", .meaning = "from its start to its end"},
    S_END,
};
/* clang-format on */
