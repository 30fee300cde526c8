/*
 * The common memory instructions: all lanes load or store words of 32 or 64 bits, inside one
 * allocation or in shared memory, and do not fault. What is anything else (false) goes the long way
 * of access.h; no lane has been served then.
 */
#ifndef PTX_EXEC_WORDS_H
#define PTX_EXEC_WORDS_H

#include "ptx/exec/warp.h"

bool words_load(struct warp *w, const struct op *op, u32 mask);
/* Rows alone: no two lanes store to one place. */
bool words_store(struct warp *w, const struct op *op, u32 mask);

#endif
