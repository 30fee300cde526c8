/*
 * Which features of a kernel make its cycles doubtful: what kernels with them were off by when the
 * chip was compared with silicon (docs/internals/fidelity.md). Only of a chip that was
 * (device.compared); a feature is told from the kernel's own counters.
 */
#ifndef VIEWS_GPU_DOUBTS_H
#define VIEWS_GPU_DOUBTS_H

#include "base/text.h"
#include "gpu/config.h"
#include "gpu/observe/kernel_counters.h"

#define DOUBT_LIMIT 10.2 /* percent that all kernels were off in the mean */
#define DOUBT_FEW_KERNELS 3u

/* What a kernel's features are told from: sums over its launches. */
struct doubt_numbers {
    double cycles, launches;
    double issued, fetch, data_mem, data_alu, structural_mem, barrier, no_warp, all_slots;
    double l2_read_sectors, l2_atomic_sectors, shared_passes;
    double dram_bytes;
};

enum gpu_doubt {
    DOUBT_SHORT,
    DOUBT_L2_READS,
    DOUBT_DRAM,
    DOUBT_LSU,
    DOUBT_ATOMICS,
    DOUBT_SHARED,
    DOUBT_BARRIERS,
    DOUBT_ARITHMETIC,
    DOUBT_INSTRUCTIONS,
    DOUBT_FETCH,
    DOUBT_FEW_WARPS,
    DOUBT_COUNT
};

/* What was measured of kernels with the feature, in percent; by kernel of a program. */
struct doubt_error {
    const char *id, *words;
    u32 kernels;
    double mean, signed_mean;
    u32 past_20;
};
extern const struct doubt_error gpu_doubt_errors[DOUBT_COUNT];

/* Of one launch. */
struct doubt_numbers doubt_numbers_of(const struct gpu_counters *t);
/* The features that it has, a bit each. */
u32 gpu_features(const struct gpu_config *c, const struct doubt_numbers *n);
/* Those of them that are not validated: kernels with them were further off than all were in the
 * mean, or too few were measured. 0 where the chip was not compared. */
u32 gpu_doubts(const struct gpu_config *c, const struct doubt_numbers *n);
/* "bank conflicts (12 % off, 8 kernels), ..." */
void gpu_doubts_text(u32 doubts, struct text *out);

#endif
