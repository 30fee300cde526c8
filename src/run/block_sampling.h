/*
 * A long kernel of which only the first blocks are timed.
 *
 * Blocks are counted in waves, as many as the chip holds at once. When the last WAVES waves took
 * equally long for what they executed, no more blocks go out; the blocks that are under way are
 * timed to their end, so the kernel's beginning and its tail are measured, and what lies between
 * is predicted at the rate of those waves. The blocks that were left out are executed, so how much
 * they do is known exactly.
 *
 * Until a kernel has filled L2 once it writes little back to DRAM and runs faster than afterwards:
 * the waves that are compared begin after that, unless all of the kernel fills less.
 */
#ifndef RUN_BLOCK_SAMPLING_H
#define RUN_BLOCK_SAMPLING_H

#include "gpu/observe/kernel_counters.h"
#include "ptx/kernel_source.h"

struct dispatcher;
struct gpu;
struct grid_run;

#define WAVES 4u /* that must agree */

struct wave_mark {
    double instructions; /* executed so far, as PTX counts */
    struct gpu_counters numbers;
};

struct block_sampling {
    struct gpu *gpu;
    const struct ptx_source *source;
    double precision, least;           /* instructions that are timed before anything is left out */
    u64 wave, blocks, seen;            /* blocks of a wave; of the kernel; that have ended */
    struct wave_mark marks[WAVES + 1]; /* the newest last */
    u64 filled;                        /* bytes that came into L2 before the kernel */
    u32 count;
    bool has_cut;
};

/* Watches a kernel that is about to be launched; nothing, where it has too few blocks. `before`:
 * the chip's numbers now. */
void block_sampling_begin(struct block_sampling *b, struct gpu *gpu,
                          const struct ptx_source *source, const struct grid_source *grid,
                          double precision, double least, const struct gpu_counters *before);
void block_sampling_end(struct block_sampling *b);

/* The rates of the waves: of each value the mean by instruction, and the relative variance of one
 * wave's. values: an array of counters, as struct gpu_counters has them. */
void waves_rate(const struct wave_mark *marks, u32 value, double *rate, double *variance);
/* Does the value's rate differ by more than so much of it between the first and the last half? */
bool waves_drift(const struct wave_mark *marks, u32 value, double tolerance);
/* Has a cache of so many bytes been filled, by what came into it since `filled`, before the waves;
 * or will it not be before the kernel's end? */
bool waves_fill(const struct wave_mark *marks, u64 filled, double waves_left, u64 cache_bytes);
/* Can the cycles of so many waves that are left be predicted within the precision? */
bool waves_agree(const struct wave_mark *marks, double waves_left, double precision);

#endif
