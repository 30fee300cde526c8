/*
 * Asynchronous tensor cores (wgmma).
 *
 * Each sub-core multiplies the rows of its warp, one product after the other. A product takes
 * sm.group.interval cycles for eight columns, or as long as shared memory needs to deliver its
 * operands; its sums are ready sm.group.cycles after its last column. The warp goes on, and waits
 * where it asks for a group to be complete.
 */
#ifndef GPU_SM_GROUP_MMA_H
#define GPU_SM_GROUP_MMA_H

#include "base/types.h"

struct sm;
struct instruction;

#define MMA_GROUPS 8u

/* Of a warp. */
struct group_mma {
    cycle_t last;             /* when the last product is done */
    cycle_t done[MMA_GROUPS]; /* of the newest groups */
    u32 groups;               /* committed so far */
};

void group_mma_issue(struct sm *sm, u32 slot, u32 scheduler, const struct instruction *i,
                     cycle_t now);

#endif
