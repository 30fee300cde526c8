/* Telling a watch (isa/step_watch.h) what a step did. */
#ifndef ISA_EXEC_WATCHING_H
#define ISA_EXEC_WATCHING_H

#include "isa/exec/warp.h"

/* Where the path was before the step. */
struct step_place {
    const struct function *function;
    const u8 *registers; /* of its frame */
    u32 frame;
};

void watch_step(struct warp *w, const struct op *op, u32 mask, const struct step_place *at);

#endif
