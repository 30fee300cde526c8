// LU decomposition of a dense f32 matrix in place, in 16 x 16 blocks, without pivoting
//
// Memory: three kernels per block of the diagonal. The diagonal one is half a warp, the perimeter
// one a warp per remaining block whose halves go different ways; both mostly wait. The internal one
// is the work: it reads two blocks into shared memory, coalesced in runs of 64 bytes, and uses each
// value 16 times; blocks of one row or column of the grid read the same ones. Bound by instruction
// throughput while the remaining matrix is large, by latency at its end.
// Used by: the cooperative-caching study (Rodinia's lud, 2048 x 2048; here from the algorithm),
// also those of region-based power and context switches. Small is 544 x 544, larger than L2: the
// small kernels, which grow with the side alone, weigh more than in the published run.
#include "device.h"

#define TILE 16

// Every element goes through the operations of the plain algorithm in its order: for k = 0, 1, ...
// minus L[row][k] x U[k][column], fused; then, below the diagonal, divided by U[column][column].

// The block at (at, at), by TILE threads: alternately a column of L and a row of U.
extern "C" __global__ void __launch_bounds__(TILE) lud_diagonal(float *m, u32 n, u32 at)
{
    __shared__ float tile[TILE][TILE];
    u32 t = threadIdx.x, corner = at * n + at;
    for (u32 row = 0; row < TILE; row++)
        tile[row][t] = m[corner + row * n + t];
    __syncthreads();
    for (u32 i = 0; i < TILE - 1; i++) {
        if (t > i) {
            float value = tile[t][i];
            for (u32 k = 0; k < i; k++)
                value = fmaf(-tile[t][k], tile[k][i], value);
            tile[t][i] = value / tile[i][i];
        }
        __syncthreads();
        if (t > i) {
            float value = tile[i + 1][t];
            for (u32 k = 0; k <= i; k++)
                value = fmaf(-tile[i + 1][k], tile[k][t], value);
            tile[i + 1][t] = value;
        }
        __syncthreads();
    }
    for (u32 row = 1; row < TILE; row++)
        m[corner + row * n + t] = tile[row][t];
}

// The blocks right of and below (at, at), one of each per block of 2 x TILE threads: a thread of
// the first half has a column of the right one, a thread of the second a row of the lower one.
extern "C" __global__ void __launch_bounds__(2 * TILE) lud_perimeter(float *m, u32 n, u32 at)
{
    __shared__ float diagonal[TILE][TILE], strips[2][TILE][TILE];
    u32 half = threadIdx.x / TILE, t = threadIdx.x % TILE, next = at + (blockIdx.x + 1) * TILE;
    u32 corner = half == 0 ? at * n + next : next * n + at;
    float(*strip)[TILE] = strips[half];
    for (u32 row = half; row < TILE; row += 2)
        diagonal[row][t] = m[(at + row) * n + at + t];
    for (u32 row = 0; row < TILE; row++)
        strip[row][t] = m[corner + row * n + t];
    __syncthreads();
    if (half == 0) {
        for (u32 i = 1; i < TILE; i++) {
            float value = strip[i][t];
            for (u32 k = 0; k < i; k++)
                value = fmaf(-diagonal[i][k], strip[k][t], value);
            strip[i][t] = value;
        }
    } else {
        for (u32 i = 0; i < TILE; i++) {
            float value = strip[t][i];
            for (u32 k = 0; k < i; k++)
                value = fmaf(-strip[t][k], diagonal[k][i], value);
            strip[t][i] = value / diagonal[i][i];
        }
    }
    __syncthreads();
    for (u32 row = 0; row < TILE; row++)
        m[corner + row * n + t] = strip[row][t];
}

// All blocks right of and below those: minus the product of their row's and their column's strip.
extern "C" __global__ void __launch_bounds__(TILE *TILE) lud_internal(float *m, u32 n, u32 at)
{
    __shared__ float left[TILE][TILE], upper[TILE][TILE];
    u32 tx = threadIdx.x, ty = threadIdx.y;
    u32 row = at + (blockIdx.y + 1) * TILE + ty, column = at + (blockIdx.x + 1) * TILE + tx;
    left[ty][tx] = -m[row * n + at + tx];
    upper[ty][tx] = m[(at + ty) * n + column];
    __syncthreads();
    float value = m[row * n + column];
#pragma unroll
    for (u32 k = 0; k < TILE; k++)
        value = fmaf(left[ty][k], upper[k][tx], value);
    m[row * n + column] = value;
}
