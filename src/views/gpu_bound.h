/*
 * What bounds a run or a kernel, from what was counted in it: the one answer that a run's summary,
 * its page and `heddle why` start from.
 */
#ifndef VIEWS_GPU_BOUND_H
#define VIEWS_GPU_BOUND_H

#include "gpu/config.h"
#include "gpu/observe/kernel_counters.h"

/* clang-format off */
#define GPU_BOUNDS(X) \
    X(FEW_WARPS,          "parallelism: most scheduler cycles have no warp") \
    X(DRAM,               "DRAM bandwidth") \
    X(ISSUE,              "instruction throughput") \
    X(FETCH,              "instruction fetch") \
    X(LATENCY,            "memory latency: too few independent instructions to hide it") \
    X(ARITHMETIC_LATENCY, "arithmetic latency: too few independent instructions to hide it") \
    X(UNITS,              "execution units") \
    X(POLICY,             "the warp policy: it keeps ready warps back") \
    X(BARRIERS,           "barriers") \
    X(CONFLICTS,          "bank conflicts of shared memory") \
    X(SHARED,             "shared memory throughput") \
    X(L1_MSHRS,           "MSHRs of the L1: more misses than it can track") \
    X(L1_SETS,            "sets of the L1 whose lines are all reserved") \
    X(L2_REPLIES,         "bandwidth of the reply network: L2 banks wait for it") \
    X(L2_DRAM,            "DRAM: L2 miss queues are full") \
    X(L2_PORTS,           "data ports of the L2 banks") \
    X(L2_SETS,            "sets of the L2 whose lines are all reserved") \
    X(L2_MSHRS,           "MSHRs of the L2") \
    X(L1_TO_L2,           "bandwidth between L1 and L2")
/* clang-format on */

#define BOUND_ID(id, words) BOUND_##id,
enum gpu_bound { GPU_BOUNDS(BOUND_ID) BOUND_COUNT };
extern const char *const gpu_bound_words[];

/* peak_dram: bytes per second of the data pins; hz: of the SMs, the mean where it changes. */
enum gpu_bound gpu_bound(const struct gpu_config *c, double peak_dram, double hz,
                         const struct gpu_counters *t);

#endif
