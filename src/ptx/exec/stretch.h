/*
 * A stretch of a warp's instructions, executed when the first of them is issued.
 *
 * Ops that follow each other and that no other thread can be waiting for execute together;
 * what the timing model asks of each as it is issued comes from a compact record. So a warp's
 * registers are in the host's caches for all of them, and not once for each. What a program without
 * races computes does not depend on it (docs/mechanisms/gpu.md says what others may see).
 */
#ifndef PTX_EXEC_STRETCH_H
#define PTX_EXEC_STRETCH_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

struct arena;

/* Of each op of a function how many from there on are one stretch. */
void function_find_stretches(struct program *p, struct function *f, struct arena *scratch);
/* Bytes that a warp needs for its record. */
#define STRETCH_RECORD_BYTES 1536u

/* Executes the stretch at which the warp has settled; false: there is none worth while. */
bool stretch_execute(struct warp *w);
/* What the next of its instructions did. */
void stretch_step(struct warp *w, struct winst *out);

static inline bool stretch_is_under_way(const struct warp *w)
{
    return w->stretch.left > 0;
}

#endif
