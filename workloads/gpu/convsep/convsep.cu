// separable convolution of an image with 17 taps: rows, then columns, tiles in shared memory
//
// Memory: a row's block reads its piece and eight pixels on both sides, a column's block a tile of
// 16 columns with rows above and below; both write once. Streams through DRAM where the image is
// larger than the caches.
// Used by: the studies of shared caches (convsep, type B) and of cache regions (two regions per
// kernel); from the definition.
#include "device.h"

#define RADIUS 8
#define ROW 128 // pixels of a row's block
#define WIDE 16
#define HIGH 32 // a column's block

__constant__ float taps[2 * RADIUS + 1];

extern "C" __global__ void __launch_bounds__(ROW)
    convsep_rows(const float *in, float *out, u32 width, u32)
{
    __shared__ float piece[ROW + 2 * RADIUS];
    u32 y = blockIdx.y, first = blockIdx.x * ROW;
    for (u32 i = threadIdx.x; i < ROW + 2 * RADIUS; i += ROW) {
        u32 x = first + i - RADIUS;
        piece[i] = x < width ? in[y * width + x] : 0;
    }
    __syncthreads();
    u32 x = first + threadIdx.x;
    float sum = 0;
    for (u32 k = 0; k <= 2 * RADIUS; k++)
        sum = fmaf(taps[k], piece[threadIdx.x + k], sum);
    if (x < width)
        out[y * width + x] = sum;
}

extern "C" __global__ void __launch_bounds__(WIDE * 8)
    convsep_columns(const float *in, float *out, u32 width, u32 height)
{
    __shared__ float tile[HIGH + 2 * RADIUS][WIDE];
    u32 x = blockIdx.x * WIDE + threadIdx.x, first = blockIdx.y * HIGH;
    for (u32 i = threadIdx.y; i < HIGH + 2 * RADIUS; i += 8) {
        u32 y = first + i - RADIUS;
        tile[i][threadIdx.x] = x < width && y < height ? in[y * width + x] : 0;
    }
    __syncthreads();
    for (u32 i = threadIdx.y; i < HIGH && first + i < height; i += 8) {
        float sum = 0;
        for (u32 k = 0; k <= 2 * RADIUS; k++)
            sum = fmaf(taps[k], tile[i + k][threadIdx.x], sum);
        if (x < width)
            out[(first + i) * width + x] = sum;
    }
}
