/*
 * Runs the blocks of a source without any timing: each warp that can goes one
 * step, in turn. A test looks at the steps through a callback.
 */
#ifndef SOURCE_SOURCE_DRIVER_H
#define SOURCE_SOURCE_DRIVER_H

#include "source/warp_instruction.h"

/* What a test sees of one step. */
typedef void step_seen(void *context, u64 block, u32 warp, const struct winst *w);

/* Warps that could not go on when nobody else could: 0 when the block ended. */
static inline u32 drive_block(const struct grid_source *g, u64 block, step_seen *seen,
                              void *context)
{
    static const cycle_t clock = 0;
    void *b = g->ops->block_begin(g->self, block, &(struct sm_place){.sm = 0, .clock = &clock});
    u32 stuck;
    for (bool moved = true; moved;) {
        moved = false;
        stuck = 0;
        for (u32 w = 0; w < g->warps_per_block; w++) {
            const struct instruction *next = NULL;
            enum warp_next state = g->ops->next(b, w, &next);
            stuck += state == NEXT_WAITS;
            if (state != NEXT_READY)
                continue;
            struct winst out;
            if (!g->ops->step(b, w, &out)) {
                g->ops->block_end(g->self, b);
                return UINT32_MAX; /* a fault */
            }
            assert_ptr_equal(out.instruction, next);
            if (seen)
                seen(context, block, w, &out);
            moved = true;
        }
    }
    g->ops->block_end(g->self, b);
    return stuck;
}

static inline void drive_grid(const struct grid_source *g, step_seen *seen, void *context)
{
    for (u64 b = 0; b < g->blocks; b++)
        assert_int_equal(drive_block(g, b, seen, context), 0);
}

#endif
