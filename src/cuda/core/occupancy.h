/*
 * How many blocks of a kernel an SM can hold at a time.
 *
 * The smallest of four limits: resident blocks, resident warps, registers
 * (given out by the warp, in units, each sub-core on its own) and shared memory
 * (in units, with a part of each block reserved for the system).
 */
#ifndef CUDA_CORE_OCCUPANCY_H
#define CUDA_CORE_OCCUPANCY_H

#include "cuda/core/core.h"

/* What of a kernel matters here. */
struct cu_occupancy_need {
    u32 block_threads;
    u32 registers;     /* per thread */
    u32 shared_static; /* per block */
    u64 shared_dynamic;
};

u32 cu_occupancy_of(const struct cuda_device_props *p, const struct cu_occupancy_need *need);

/* 0 when a block cannot be launched at all. */
CU_SHARED u32 cu_occupancy_blocks(CUfunction function, u32 block_threads, u64 shared_dynamic);
/* Clusters of a kernel that the device holds at once; 0: none fits. */
CU_SHARED u32 cu_occupancy_clusters(CUfunction function, u32 block_threads, u64 shared_dynamic,
                                    u32 cluster_blocks);
/* The largest of 16, 8, 4, 2, 1 blocks whose cluster fits and is allowed. */
CU_SHARED u32 cu_occupancy_cluster_size(CUfunction function, u32 block_threads, u64 shared_dynamic);
/* The largest block that launches: by launch bounds and by registers. */
CU_SHARED u32 cu_occupancy_max_threads(CUfunction function);
/* Dynamic shared memory per block that still lets `blocks` of them fit. */
CU_SHARED u64 cu_occupancy_shared(CUfunction function, u32 blocks);
/* The block size, at most `limit`, that fills an SM best, and the grid that fills the device. */
CU_SHARED void cu_occupancy_best(CUfunction function, CUoccupancyB2DSize shared_of_block,
                                 u64 shared_dynamic, u32 limit, u32 *block, u32 *grid);

#endif
