/*
 * A synthetic kernel: a loop of instructions in given proportions, with memory
 * accesses in given patterns, as a source of warp instructions.
 *
 * The loop is laid out once: instruction kinds and access patterns are spread so
 * evenly that every turn has the proportions asked for to within one instruction.
 * What a warp does depends on the seed, the block, the warp and the position in
 * the loop and on nothing else, so results are the same in whatever order blocks
 * run. A kernel has one phase or several, one after the other; each is a loop of
 * its own.
 */
#ifndef SOURCE_SYNTHETIC_KERNEL_H
#define SOURCE_SYNTHETIC_KERNEL_H

#include "base/err.h"
#include "config/param.h"
#include "source/warp_instruction.h"

struct arena;

/* Lines that patterns count in, whatever the caches' lines are. */
#define SYNTHETIC_LINE_BYTES 128u

/* Shares of the kinds of instructions. */
struct synthetic_mix {
    u32 integer, fp32, fp64, fp16, sfu, tensor;
    u32 load, store, atomic, shared_load, shared_store, branch;
};

/* Where global loads, stores and atomics go. */
struct synthetic_access {
    u32 stream, private_reuse, shared_reuse, random, chase; /* shares of the patterns */
    u64 footprint_bytes;
    u64 stride_bytes;
    u64 block_offset_bytes;
    double neighbour_fraction;
    u32 run_lines;
    u32 requests_per_load;
    u32 lane_bytes;
    u32 cache_operator; /* enum cache_operator */
};

struct synthetic_phase {
    u64 instructions;
    u32 code_bytes;
    u32 dependence_distance;
    u32 barrier_every;
    u32 shared_conflicts;
    double divergence;
    u32 active_lanes;
    struct synthetic_mix mix;
    struct synthetic_access access;
};

struct synthetic_kernel {
    const char *name;
    u64 blocks;
    u32 threads_per_block, registers_per_thread, shared_bytes;
    u64 stream;
    const struct synthetic_phase *phases;
    u32 phase_count;
};

/* What each field means, its range and default. */
extern const struct param synthetic_kernel_params[];
extern const struct param synthetic_phase_params[];

/* All fields at their defaults; no phases. */
struct synthetic_kernel synthetic_kernel_initial(void);
struct synthetic_phase synthetic_phase_initial(void);

/* What no single range can say. `at` is for messages. */
bool synthetic_phase_check(const struct synthetic_phase *p, u32 shared_bytes, struct src_pos at,
                           struct err *err);

/* Of a kernel whose phases are in range and checked. All that the source needs is copied
 * into the arena, and lives as long as it. */
struct grid_source synthetic_source(const struct synthetic_kernel *kernel, u64 seed,
                                    struct arena *arena);

#endif
