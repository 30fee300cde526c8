/*
 * Registers that live within a stretch (exec/stretch.h): an op writes them, ops of the same stretch
 * read them, and then nobody does. In PTX that is most of them.
 *
 * While a stretch executes they lie in memory of the host thread's own, which stays in its nearest
 * cache, and the lines of the warp's frame that they would have had are not touched. A stretch that
 * ends between write and read (its record is full) moves them to the frame; ops that execute one by
 * one, and the rest of such a stretch, find them there.
 */
#ifndef PTX_EXEC_TEMPORARIES_H
#define PTX_EXEC_TEMPORARIES_H

#include "ptx/decode/function.h"

#define TEMPORARY_BYTES 16384u /* those that lie further into a frame stay there */

/* Live before op i: those at offsets[first[i]] to before offsets[first[i + 1]] of the frame. */
struct temporaries {
    u32 *first, *offsets;
};

/* Of a function whose stretches are known; they have at most so many ops. Fills unwritten, too. */
void function_find_temporaries(struct program *p, struct function *f, u32 most_ops,
                               struct arena *scratch);
/* Lanes of a mask: those live before an op go to the frame. */
void temporaries_keep(const struct function *f, u32 op, u8 *frame, const u8 *area, u32 mask);

/* A stretch that begins at that op needs nothing of an area that it has not written. */
static inline bool temporaries_may_begin(const struct function *f, u32 op)
{
    const struct temporaries *t = f->temporaries;
    return t && t->first[op] == t->first[op + 1];
}

#endif
