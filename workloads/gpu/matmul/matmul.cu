// dense matrix product C = A x B in f32, tiled through shared memory
//
// Memory: each block reads 2 x 16 x 16 floats per step into shared memory, coalesced, and uses each
// 16 times; neighbouring blocks read the same rows of A and columns of B, which L2 catches. Shared
// loads of A are broadcasts, those of B have no bank conflicts. Bound by shared memory and FMA.
// Used by: tests and examples; no published study measures it (their `mm` is a MapReduce program).
#include "device.h"

#define TILE 16

// A is rows x depth, B is depth x columns; all three are multiples of TILE. One thread per element
// of C, one block of TILE x TILE threads per tile of C.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul_tiled(const float *a, const float *b, float *c, u32 columns, u32 depth)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    u32 x = threadIdx.x, y = threadIdx.y;
    u32 row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (u32 k = 0; k < depth; k += TILE) {
        tile_a[y][x] = a[row * depth + k + x];
        tile_b[y][x] = b[(k + y) * columns + column];
        __syncthreads();
        for (u32 i = 0; i < TILE; i++)
            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        __syncthreads();
    }
    c[row * columns + column] = sum;
}
