/* What the two views of a launched kernel share: ops one by one, or machine instructions. */
#ifndef ISA_EXEC_STEPPING_H
#define ISA_EXEC_STEPPING_H

#include "isa/exec/warp.h"
#include "isa/winst.h"

#define FP_UNKNOWN 0xfeu /* several grids take turns: none can know what is set */

/* Executes the op at which the warp has settled, and says so as instruction i. */
bool ptx_step(struct warp *w, const struct instruction *i, struct winst *out);

/* lowered.c: next and step of struct source_ops */
enum warp_next lowered_next(void *block, u32 warp, const struct instruction **next);
bool lowered_step(void *block, u32 warp, struct winst *out);

#endif
