// cosine transform of an image in tiles of 8 x 8, and back after quantisation
//
// Memory: a block has four tiles side by side: one read and one write per pixel and kernel, two
// products of 8 x 8 matrices in shared memory between. Streams with enough arithmetic to hide them.
// Used by: the study of shared caches (dct8x8, type E); from the definition.
#include "device.h"

#define N 8
#define TILES 4

__constant__ float basis[N][N];

// Tile by tile: to = L x from x L^T with L the basis or its transpose; `step` quantises, 0: not.
template <bool back> DEVICE_CALL void transform(const float *in, float *out, u32 width, float step)
{
    __shared__ float tile[TILES][N][N], half[TILES][N][N];
    u32 t = threadIdx.z, x = threadIdx.x, y = threadIdx.y;
    u32 at = (blockIdx.y * N + y) * width + (blockIdx.x * TILES + t) * N + x;
    tile[t][y][x] = in[at];
    __syncthreads();
    float sum = 0;
    for (u32 k = 0; k < N; k++)
        sum = fmaf(back ? basis[k][y] : basis[y][k], tile[t][k][x], sum);
    half[t][y][x] = sum;
    __syncthreads();
    sum = 0;
    for (u32 k = 0; k < N; k++)
        sum = fmaf(half[t][y][k], back ? basis[k][x] : basis[x][k], sum);
    out[at] = step > 0 ? __builtin_rintf(sum / step) * step : sum;
}

extern "C" __global__ void __launch_bounds__(N *N *TILES)
    dct8x8(const float *in, float *out, u32 width, float step)
{
    transform<false>(in, out, width, step);
}

extern "C" __global__ void __launch_bounds__(N *N *TILES)
    dct8x8_back(const float *in, float *out, u32 width, float step)
{
    transform<true>(in, out, width, step);
}
