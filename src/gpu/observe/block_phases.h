/*
 * Phases of thread blocks, and how alike a block is from launch to launch (sm.block_phases;
 * statistics `phases`; context-management spec 2.1, 3.1).
 *
 * A block is known by its stream and number: those of the next launch of a pipeline go on where
 * the last one's ended. What it uses of the memory pipeline and of the floating-point units is
 * sampled every microsecond. For kernels that are launched again and again, what a block executes
 * is compared with what the block of the same number executed the time before: the correlation over
 * the blocks of a launch, averaged over launches. No timing.
 */
#ifndef GPU_OBSERVE_BLOCK_PHASES_H
#define GPU_OBSERVE_BLOCK_PHASES_H

#include "base/arena.h"
#include "gpu/dispatch/block_policy.h"
#include "gpu/observe/phases.h"

#define PHASE_STREAMS 64u
#define PHASE_BLOCKS 21845u /* of a stream: as many as the resource usage table has */
#define PHASE_KERNELS 64u
#define PHASE_LENGTHS 5u

struct phase_counts {
    u64 blocks, sampled;        /* that are known by number; with a whole window of samples */
    u64 samples;                /* microseconds of blocks */
    u64 phases, ended;          /* ended or not; ended */
    u64 shifts_mem, shifts_fpu; /* of one metric alone */
    u64 length_us;              /* of phases that have ended, together */
    u64 lengths[PHASE_LENGTHS]; /* of those: how many below 0.1, 1, 10, 100 ms, longer */
    u64 compared, likeness;     /* blocks of launches; correlation + 1, in millionths of 2 */
};
extern const struct stat_def phase_stats[];

/* Sums of a correlation. */
struct phase_pairs {
    double n, x, y, xx, yy, xy;
};

/* The correlation of what was added; false: one of the two does not vary. */
bool pairs_correlation(const struct phase_pairs *p, double *r);
static inline void pairs_add(struct phase_pairs *p, double x, double y)
{
    p->n++;
    p->x += x;
    p->y += y;
    p->xx += x * x;
    p->yy += y * y;
    p->xy += x * y;
}

struct block_phase {
    struct phases phases;
    struct use_counts rest; /* not sampled yet: less than a microsecond */
};

struct phase_stream {
    u64 queue;
    u8 application;
    struct block_phase *blocks;
    u32 count;
};

struct phase_kernel {
    char name[96];
    u64 queue;
    u8 application;
    double *before, *now; /* by block: executed in the launch before, in this one; below 0: none */
    u32 count;
    u64 launch;
    struct phase_pairs pairs;
};

struct block_phases {
    struct arena *arena;
    u64 cycles_per_us;
    struct phase_stream streams[PHASE_STREAMS];
    struct phase_kernel kernels[PHASE_KERNELS];
    u32 stream_count, kernel_count;
    struct phase_counts counts;
};

struct block_phases *block_phases_add(struct arena *arena, u64 clock_hz);
/* A kernel starts: there is room for its blocks. */
void block_phases_kernel(struct block_phases *p, const struct grid_source *g, u64 launch);
/* How alike its blocks were to those of the launch before; NAN: there is none, or all are equal. */
double block_phases_kernel_ended(struct block_phases *p, const struct grid_source *g);
/* What a block has used since it was last told of; `all`: since it came, and it has ended; NULL. */
void block_phases_used(struct block_phases *p, const struct block_view *v,
                       const struct use_counts *sample, const struct use_counts *all);
/* Before statistics are read. */
void block_phases_settle(struct block_phases *p);

#endif
