/*
 * The numbers of a part of a run on a GPU: of a kernel, of the time in which any ran, of all.
 *
 * One row each: the field of struct gpu_counters, its name in a kernel's record (NULL: it is not
 * there, only summaries or energy need it) and the statistic whose difference it is. A row more
 * is a number more in every kernel's record, its pages and its database.
 */
#ifndef GPU_OBSERVE_KERNEL_COUNTERS_H
#define GPU_OBSERVE_KERNEL_COUNTERS_H

#include "gpu/sm/sm.h"
#include "stats/snapshot.h"

/* Parts of a GPU that have such statistics; a machine may lack the optional ones. */
/* clang-format off */
#define GPU_PARTS(X) \
    /* id       path               table           there: always, or not; then its rows are 0, or left out */ \
    X(SM,       "sm",              sm_stats,       PART_ALWAYS) \
    X(L1,       "sm.l1",           l1_stats,       PART_ALWAYS) \
    X(ICACHE,   "sm.icache",       ro_cache_stats,     PART_ALWAYS) \
    X(CONSTANT, "sm.constant",     ro_cache_stats,     PART_ALWAYS) \
    X(TEXTURE,  "sm.texture",      ro_cache_stats,     PART_ALWAYS) \
    X(CCN,      "sm.ccn",          ccn_stats,      PART_OR_ZERO) \
    X(RING,     "ring",            ring_stats,     PART_OR_ZERO) \
    X(SAMPLES,  "sm.samples",      sample_stats,   PART_OR_NONE) \
    X(L1_BYPASS,  "sm.l1.bypass",      l1_bypass_stats,  PART_OR_ZERO) \
    X(L2,       "l2",              bank_stats,     PART_OR_ZERO) \
    X(L2_BYPASS,  "l2.bypass",         bank_bypass_stats, PART_OR_ZERO) \
    X(L2_WAYS,  "l2.ways",         bank_ways_stats, PART_OR_ZERO) \
    X(DRAM,     "dram",            dram_stats,     PART_OR_ZERO) \
    X(HOME,     "sm.home",         home_asks_stats, PART_OR_NONE) \
    X(REQUEST,  "request_network", network_stats, PART_OR_ZERO) \
    X(REPLY,    "reply_network",   network_stats, PART_OR_ZERO)

#define GPU_NUMBERS(X) \
    /* field                 elements          in a kernel's record     part      statistic */ \
    X(cycles,                ,                 NULL,                    SM,       NULL) /* of the core clock */ \
    X(warp_instructions,     ,                 "warp_instructions",     SM,       "warp_instructions") \
    X(thread_instructions,   ,                 "thread_instructions",   SM,       "thread_instructions") \
    X(scheduler_slots,       [SLOT_COUNT],     "scheduler_slots",       SM,       "scheduler_slots") \
    X(core_slots,            [SLOT_COUNT],     "core_slots",            SM,       "core_slots") \
    X(tensor_cycles,         [TENSOR_SHARES],  "tensor_cycles",         SM,       "tensor_cycles") \
    X(load_requests,         ,                 "load_requests",         SM,       "load_requests") \
    X(load_lines,            ,                 "load_lines",            SM,       "load_lines") \
    X(warp_cycles,           ,                 "warp_cycles",           SM,       "warp_cycles") \
    X(shared_accesses,       ,                 "shared_accesses",       SM,       "shared_accesses") \
    X(shared_passes,         ,                 "shared_passes",         SM,       "shared_passes") \
    X(l1_loads,              ,                 "l1_loads",              L1,       "loads") \
    X(l1_hits,               ,                 "l1_hits",               L1,       "hits") \
    X(l1_misses,             ,                 "l1_misses",             L1,       "misses") \
    X(l1_sectors,            ,                 "l1_sectors",            L1,       "load_sectors") \
    X(l1_sectors_missed,     ,                 "l1_sectors_missed",     L1,       "load_sectors_missed") \
    X(miss_latency_cycles,   ,                 "miss_latency_cycles",   L1,       "latency_cycles") \
    X(misses_answered,       ,                 "misses_answered",       L1,       "answered") \
    X(l2_accesses,           ,                 "l2_accesses",           L2,       "accesses") \
    X(l2_hits,               ,                 "l2_hits",               L2,       "hits") \
    X(l2_read_sectors,       ,                 "l2_read_sectors",       L2,       "load_sectors") \
    X(l2_read_sectors_missed,,                 "l2_read_sectors_missed",L2,       "load_sectors_missed") \
    X(l2_read_sectors_across,,                 "l2_read_sectors_across",L2,       "load_sectors_across") \
    X(l2_write_sectors,      ,                 "l2_write_sectors",      L2,       "store_sectors") \
    X(l2_atomic_sectors,     ,                 "l2_atomic_sectors",     L2,       "atomic_sectors") \
    X(l2_reduction_sectors,  ,                 "l2_reduction_sectors",  L2,       "reduction_sectors") \
    X(dram_read_bytes,       ,                 "dram_read_bytes",       DRAM,     "bytes_read") \
    X(dram_written_bytes,    ,                 "dram_written_bytes",    DRAM,     "bytes_written") \
    X(dram_busy_clocks,      ,                 "dram_busy_clocks",      DRAM,     "bus_busy_cycles") \
    X(dram_pending_clocks,   ,                 "dram_pending_clocks",   DRAM,     "pending_cycles") \
    X(request_bytes,         ,                 "request_bytes",         REQUEST,  "bytes") \
    X(reply_bytes,           ,                 "reply_bytes",           REPLY,    "bytes") \
    X(local_requests,        ,                 "local_requests",        HOME,     "local") \
    X(remote_requests,       ,                 "remote_requests",       HOME,     "remote") \
    X(intra_warp_hits,       ,                 "intra_warp_hits",       L1,       "intra_warp_hits") \
    X(inter_warp_hits,       ,                 "inter_warp_hits",       L1,       "inter_warp_hits") \
    X(l2_hit_latency_cycles, ,                 "l2_hit_latency_cycles", L1,       "l2_hit_latency_cycles") \
    X(l2_hits_answered,      ,                 "l2_hits_answered",      L1,       "l2_hits") \
    X(request_fs,            ,                 "latency_fs.request",    L1,       "request_fs") \
    X(l2_fs,                 ,                 "latency_fs.l2",         L1,       "l2_fs") \
    X(dram_fs,               ,                 "latency_fs.dram",       L1,       "dram_fs") \
    X(reply_fs,              ,                 "latency_fs.reply",      L1,       "reply_fs") \
    X(sampled_most,          [WARP_COUNTERS],  "sampled_most",          SAMPLES,  "at_most") \
    X(sampled_least,         [WARP_COUNTERS],  "sampled_least",         SAMPLES,  "at_least") \
    X(l1_stall,              [L1_STALL_COUNT], "l1_stall",              L1,       "stall") \
    X(l2_stall,              [STALL_COUNT],    "l2_stall",              L2,       "stall") \
    X(l2_queue,              [OCCUPANCY_BINS], "l2_queue",              L2,       "access_queue") \
    X(dram_queue,            [OCCUPANCY_BINS], "dram_queue",            DRAM,     "queue_occupancy") \
    X(unit_instructions,     [UNIT_COUNT],     NULL,                    SM,       "unit_instructions") \
    X(loads,                 ,                 NULL,                    SM,       "loads") \
    X(stores,                ,                 NULL,                    SM,       "stores") \
    X(atomics,               ,                 NULL,                    SM,       "atomics") \
    X(requests,              ,                 NULL,                    SM,       "requests") \
    X(constant_accesses,     ,                 NULL,                    SM,       "constant_accesses") \
    X(texture_accesses,      ,                 NULL,                    SM,       "texture_accesses") \
    X(l1_fills,              ,                 NULL,                    L1,       "fills") \
    X(fetches,               ,                 NULL,                    ICACHE,   "accesses") \
    X(constant_lookups,      ,                 NULL,                    CONSTANT, "accesses") \
    X(texture_lookups,       ,                 NULL,                    TEXTURE,  "accesses") \
    X(l2_misses,             ,                 NULL,                    L2,       "misses") \
    X(l1_bypass_loads,         ,                 NULL,                    L1_BYPASS,  "loads") \
    X(l1_bypass_merges,        ,                 NULL,                    L1_BYPASS,  "merges") \
    X(l1_bypass_stores,        ,                 NULL,                    L1_BYPASS,  "stores") \
    X(l1_bypass_found,         ,                 NULL,                    L1_BYPASS,  "found") \
    X(l2_bypass_loads,         ,                 NULL,                    L2_BYPASS,  "loads") \
    X(l2_bypass_merges,        ,                 NULL,                    L2_BYPASS,  "merges") \
    X(l2_bypass_stores,        ,                 NULL,                    L2_BYPASS,  "stores") \
    X(l2_bypass_writebacks,    ,                 NULL,                    L2_BYPASS,  "writebacks") \
    X(l2_bypass_found,         ,                 NULL,                    L2_BYPASS,  "found") \
    X(l2_bypass_bytes,         ,                 NULL,                    L2_BYPASS,  "bytes") \
    X(l2_gated_way_cycles,   ,                 NULL,                    L2_WAYS,  "gated_way_cycles") \
    X(request_flits,         ,                 NULL,                    REQUEST,  "flits") \
    X(reply_flits,           ,                 NULL,                    REPLY,    "flits") \
    X(ring_request_hops,     ,                 NULL,                    RING,     "request_hops") \
    X(ring_line_hops,        ,                 NULL,                    RING,     "response_hops") \
    X(ring_answers,          ,                 NULL,                    CCN,      "answers") \
    X(shadow_lookups,        ,                 NULL,                    CCN,      "lookups") \
    X(dram_bus_bytes,        ,                 NULL,                    DRAM,     "bus_bytes") \
    X(dram_activates,        ,                 NULL,                    DRAM,     "activates") \
    X(dram_refreshes,        ,                 NULL,                    DRAM,     "refreshes")
/* clang-format on */

#define GPU_NUMBER_FIELD(field, elements, name, part, statistic) u64 field elements;
struct gpu_counters {
    GPU_NUMBERS(GPU_NUMBER_FIELD)
};
#undef GPU_NUMBER_FIELD

/* As snapshots have them: a struct gpu_counters is an array of u64. */
#define GPU_NUMBERS_SIZE (sizeof(struct gpu_counters) / sizeof(u64))
extern const struct snapshot_def gpu_counters_def;
/* The same where the shared cache has another name in the statistics than "l2". */
const struct snapshot_def *gpu_counters_with(const char *cache_name, struct arena *arena);

static inline void gpu_counters_subtract(struct gpu_counters *after,
                                         const struct gpu_counters *before)
{
    snapshot_subtract((u64 *)(void *)after, (const u64 *)(const void *)before, GPU_NUMBERS_SIZE);
}

#endif
