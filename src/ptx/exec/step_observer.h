/* Telling a watch (source/step_watch.h) what a step did. */
#ifndef PTX_EXEC_STEP_OBSERVER_H
#define PTX_EXEC_STEP_OBSERVER_H

#include "ptx/exec/warp.h"

/* Where the path was before the step. */
struct step_place {
    const struct function *function;
    const u8 *registers; /* of its frame */
    u32 frame;
};

void watch_step(struct warp *w, const struct op *op, u32 mask, const struct step_place *at);

#endif
