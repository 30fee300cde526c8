/*
 * ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16-bit elements between rows in shared memory
 * and one register per lane.
 *
 * Lane 4r + p holds elements 2p and 2p + 1 of row r, the first in the low half; transposed, of
 * column r. Row r of matrix i is at the address that lane 8i + r gives.
 */
#ifndef PTX_TENSOR_MATRIX_H
#define PTX_TENSOR_MATRIX_H

#include "base/types.h"

enum { MATRIX_ROW_BYTES = 16 };

/* `count` matrices (1, 2 or 4); rows[i] is what lane i's address points at, i < 8 x count. */
void ldmatrix(u32 count, bool transposed, const u8 (*rows)[MATRIX_ROW_BYTES], u32 *const *to);
void stmatrix(u32 count, bool transposed, const u32 *const *from, u8 (*rows)[MATRIX_ROW_BYTES]);

/* Transposes; `to` may be `from`. */
void movmatrix(const u32 *from, u32 *to);

#endif
