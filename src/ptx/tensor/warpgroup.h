/*
 * wgmma: the part of a warp-group product that one of its four warps has, 16 rows of D.
 *
 * A line is 32 bytes along k, of A by rows, of B by columns; those of B of a sparse product are
 * twice as long.
 */
#ifndef PTX_TENSOR_WARPGROUP_H
#define PTX_TENSOR_WARPGROUP_H

#include "ptx/tensor/shape.h"

enum { GROUP_ROWS = 16, GROUP_COLUMNS = 256, GROUP_LINE = 8, GROUP_SPARSE_LINE = 16 };

struct group_product {
    struct mma_shape shape; /* m is 16: one warp's; n up to 256; k as written */
    bool accumulates;       /* else C is 0 */
    u32 a[GROUP_ROWS][GROUP_LINE];
    u32 b[GROUP_COLUMNS][GROUP_SPARSE_LINE];
    const u32 *metadata; /* of a sparse product, the 32 lanes' */
};

/* The modifiers behind mma_async: ".sp", shape, types, ".satfinite". */
bool wgmma_parse(struct mma_shape *s, const char *const *words, u32 count, struct src_pos at,
                 struct err *err);

/* Registers of D that a thread has. */
static inline u32 wgmma_registers(const struct mma_shape *s)
{
    return s->d == MMA_F16 ? s->n / 4u : s->n / 2u;
}

/* D = A x B + D, where D is the registers of the warp. */
void wgmma_execute(const struct group_product *p, u32 *const *d);
/* The same, if all sums are exact and the processor has what it takes (dot_whole.c). False: nothing
 * was done. */
bool wgmma_execute_whole(const struct group_product *p, u32 *const *d);

#endif
