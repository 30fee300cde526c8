/* What the two views of a launched kernel share: ops one by one, or machine instructions. */
#ifndef PTX_EXEC_STEP_H
#define PTX_EXEC_STEP_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

#define FP_UNKNOWN 0xfeu /* several grids take turns: none can know what is set */

/* Executes the op at which the warp has settled, and says so as instruction i. */
bool ptx_step(struct warp *w, const struct instruction *i, struct winst *out);

/* A branch before it executes; lowered.c. */
struct lower_departure {
    const struct op *op;
    const struct machine *machine;
    u32 pc, lanes;
    bool others_come; /* to where it goes, by another way */
};
struct lower_departure lowered_before_branch(const struct warp *w);
/* Lanes have taken it: where they go beside the ops. */
void lowered_after_branch(struct warp *w, const struct lower_departure *d, u32 taken);
/* Lanes for which the op about to execute takes ptxas's subroutine. */
u32 lowered_slow_lanes(const struct warp *w, const struct op *op, enum lower_slow slow);

/* lowered.c: next and step of struct source_ops */
enum warp_next lowered_next(void *block, u32 warp, const struct instruction **next);
bool lowered_step(void *block, u32 warp, struct winst *out);

#endif
