/*
 * The warps of a grid, stepped to their end without timing.
 *
 * As many blocks as fit on the chip are there at once. They take turns, and in a
 * turn each of a block's warps goes on to its next memory access or barrier:
 * no warp runs far ahead, so blocks and warps may wait for each other, and a spinning warp does not
 * spin much longer than on a machine.
 */
#ifndef PTX_UNTIMED_H
#define PTX_UNTIMED_H

#include "ptx/launch.h"
#include "source/warp_instruction.h"

struct untimed {
    u32 sms;              /* blocks go round them */
    u64 max_instructions; /* of warps, over all grids; 0: no limit */
    u64 instructions;     /* so far */
    cycle_t clock;        /* what %clock reads: the same */
};

/* False: a fault, with the sentence. */
bool untimed_run(struct untimed *u, const struct grid_source *grid, u32 resident_blocks,
                 enum launch_fault *fault, struct err *err);

#endif
