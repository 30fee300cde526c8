/*
 * mma.sync and wmma.mma: D = A x B + C over the registers of a whole warp.
 *
 * An operand is an array of pointers to registers, each the 32 lanes' values: u32[32], or u64[32]
 * for f64. D may share registers with A, B or C. Results are those of an H200, bit for bit
 * (dot_exact.c says how it adds); integers wrap unless the shape says satfinite.
 */
#ifndef PTX_TENSOR_MMA_H
#define PTX_TENSOR_MMA_H

#include "ptx/tensor/fragment.h"
#include "ptx/tensor/shape.h"

/* Registers of an operand, 64-bit ones for f64. */
u32 mma_registers(const struct mma_shape *s, enum fragment_kind kind);

void mma_execute(const struct mma_shape *s, const u32 *const *a, const u32 *const *b,
                 const u32 *const *c, u32 *const *d);
/* mma.sp: `metadata` is a register, the 32 lanes' values. */
void mma_execute_sparse(const struct mma_shape *s, const u32 *const *a, const u32 *const *b,
                        const u32 *const *c, const u32 *metadata, u32 *const *d);

#endif
