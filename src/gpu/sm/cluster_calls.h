/*
 * Messages between the SMs of a cluster: a barrier of the cluster has opened, a phase of an
 * mbarrier is complete. Each takes sm.cluster_cycles.
 */
#ifndef GPU_SM_CLUSTER_CALLS_H
#define GPU_SM_CLUSTER_CALLS_H

#include "base/types.h"
#include "source/warp_instruction.h"

struct sm;

#define MOST_CALLS 64u

struct cluster_call {
    const void *block; /* the source's */
    cycle_t at;
    enum cluster_event event;
};

struct cluster_calls {
    struct cluster_call calls[MOST_CALLS];
    u32 count;
    cycle_t next; /* when the first is there; CYCLE_NEVER: there is none */
};

/* struct sm_place.call: the context is the SM that is called. */
void sm_called(void *context, const void *block, enum cluster_event event, cycle_t now);
/* Those that have come. */
void calls_take(struct sm *sm, cycle_t now);

#endif
