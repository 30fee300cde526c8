// matrix product C = a A B + b C with sums in registers
//
// Memory: a block of 64 threads makes 64 x 16 elements: a thread has a row of 16 sums in registers,
// reads its own row of A (stored by columns, so neighbours read neighbours) and shares a tile of B
// in shared memory. 16 fused multiply-adds per load of A: bound by arithmetic.
// Used by: the studies of block scheduling and of cache regions (Parboil's sgemm, three regions;
// here from Volkov and Demmel: SC 2008). Size small has 3.4 MiB in all.
#include "device.h"

#define ROWS 64
#define COLUMNS 16
#define DEPTH 16

// Rows are a multiple of 64, columns and depth of 16. A and C by columns, B by rows.
extern "C" __global__ void __launch_bounds__(ROWS)
    sgemm(const float *a, const float *b, float *c, u32 rows, u32 columns, u32 depth, float alpha,
          float beta)
{
    __shared__ float tile[DEPTH][COLUMNS];
    u32 t = threadIdx.x, row = blockIdx.x * ROWS + t, column = blockIdx.y * COLUMNS;
    float sums[COLUMNS];
    for (u32 j = 0; j < COLUMNS; j++)
        sums[j] = 0;
    for (u32 k = 0; k < depth; k += DEPTH) {
        for (u32 i = t; i < DEPTH * COLUMNS; i += ROWS)
            tile[i / COLUMNS][i % COLUMNS] = b[(k + i / COLUMNS) * columns + column + i % COLUMNS];
        __syncthreads();
        for (u32 i = 0; i < DEPTH; i++) {
            float x = a[(k + i) * rows + row];
#pragma unroll
            for (u32 j = 0; j < COLUMNS; j++)
                sums[j] = fmaf(x, tile[i][j], sums[j]);
        }
        __syncthreads();
    }
    for (u32 j = 0; j < COLUMNS; j++) {
        float *at = &c[(column + j) * rows + row];
        *at = fmaf(beta, *at, alpha * sums[j]);
    }
}
