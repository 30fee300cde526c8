/*
 * Mbarriers of a traced block: which copies a warp has waited for.
 *
 * A trace says where a warp looked at an mbarrier (SYNCS.PHASECHK), how often in vain as it was
 * then, and to which mbarrier a bulk copy reports; not which phase. Looks one after the other at
 * one mbarrier are one wait. Of the T copies of a block that report to it, a warp that waits W
 * times has seen T (j + 1) / W, rounded down, behind its j-th wait. A warp that makes such copies
 * itself waits for no more than it has made. Mbarriers to which no copy of the block reports, those
 * that warps alone complete, or copies of other blocks of a cluster, hold no warp back.
 */
#ifndef SOURCE_SASS_PHASES_H
#define SOURCE_SASS_PHASES_H

#include "base/map.h"
#include "source/sass/block.h"

/* What one warp has to do with one mbarrier; also, for all warps, its copies. */
struct phase_use {
    u32 waits, copies;  /* in the whole trace of the warp; of `all` the copies of the block */
    u32 waited, issued; /* so far; of `all`, issued: copies that have arrived */
};

struct phase_warp {
    u64 looked_at; /* the last mbarrier since it did something else; 0: none */
};

struct trace_phases {
    struct map index; /* of a use, by mbarrier and warp */
    struct phase_use *uses;
    u32 count, room;
    struct phase_warp *warps;
};

void trace_phases_init(struct trace_phases *p, struct arena *arena, u32 warps);
void trace_phases_fini(struct trace_phases *p);
/* The block has been read. */
void trace_phases_find(struct trace_phases *p, const struct trace_block *b,
                       const struct trace_program *program);
/* May the warp go on behind this look? A copy is noted with its token, NO_TOKEN: no warp waits. */
bool trace_phases_look(struct trace_phases *p, u32 warp, u64 barrier);
u32 trace_phases_copy(struct trace_phases *p, u32 warp, u64 barrier);
/* It did something else that ends a wait. */
static inline void trace_phases_work(struct trace_phases *p, u32 warp)
{
    p->warps[warp].looked_at = 0;
}
void trace_phases_arrived(struct trace_phases *p, u32 token);

/* Of an address, wherever the tracer counts shared memory from; never 0. */
static inline u64 trace_barrier(u64 address)
{
    return (address & 0xffffff) + 1;
}

#endif
