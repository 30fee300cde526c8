/*
 * What the timeline shows of a GPU besides blocks: kernels in lanes, and at
 * every interval the state of each SM and how full the queues are.
 *
 * A state is the class that most of the SM's scheduler-cycles since the last
 * sample were charged to; shares of all classes are with it. Levels of queues
 * are those at the sample's instant. Kernels are sampled at their start and end
 * too, so that no interval mixes two of them.
 */
#ifndef GPU_OBSERVE_WATCH_H
#define GPU_OBSERVE_WATCH_H

#include "gpu/dispatch/dispatch.h"

struct gpu;
struct watch;

/* NULL where there is no timeline. kernels: their first lane. */
struct watch *watch_add(struct gpu *g, track_id kernels, cycle_t interval);
/* Both take NULL; statistics are up to the present. */
void watch_kernel_starts(struct watch *w, struct grid_run *run);
void watch_kernel_ends(struct watch *w, const struct grid_run *run);
/* What a block used since the last sample of it. */
void watch_block(struct watch *w, const struct block_view *v, const struct use_counts *c);

#endif
