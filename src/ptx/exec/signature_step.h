/* What signatures are collected from (exec/signature.h): the executor tells of each step. */
#ifndef PTX_EXEC_SIGNATURE_STEP_H
#define PTX_EXEC_SIGNATURE_STEP_H

#include "ptx/decode/function.h"
#include "ptx/exec/signature.h"
#include "ptx/exec/warp.h"

/* The counts of a function's instructions; it has not been executed before. */
u64 *collector_function(struct signature_collector *c, const struct function *f);
/* After a step of the warp that accesses memory, before anything else uses its addresses; `kind`:
 * of the machine instruction. */
void collector_access(struct signature_collector *c, const struct warp *w, const struct op *op,
                      u8 kind, u32 mask);

/* `count` instructions from the `first` of the function on were executed, by so many lanes in all.
 */
static inline void collector_count(struct signature_collector *c, const struct function *f,
                                   u32 first, u32 count, u64 lanes)
{
    u64 *counts = c->executed[f->index];
    if (UNLIKELY(!counts))
        counts = collector_function(c, f);
    for (u32 i = 0; i < count; i++)
        counts[first + i]++;
    c->lanes += lanes;
}

/* After a step: the instruction of the function, and the lanes that executed it. */
static inline void collector_step(struct signature_collector *c, const struct warp *w,
                                  const struct function *f, const struct op *op, u32 mask)
{
    u32 index = (u32)(op - f->ops);
    collector_count(c, f, index, 1, (u32)__builtin_popcount(mask));
    if (op->unit == UNIT_MEMORY && mask)
        collector_access(c, w, op, f->instructions[index].kind, mask);
}

#endif
