// finite differences in time on a 3D grid, a star of radius 4, tiles marching along z
//
// Memory: a thread keeps nine points of its column in registers; a plane's tile with its border is
// in shared memory. Every point is read about once from DRAM, borders again from caches, and
// written once. Used by: the study of cache regions (fdtd3d: two regions); from the definition.
#include "device.h"

#define RADIUS 4
#define WIDE 32
#define HIGH 8

__constant__ float taps[RADIUS + 1];

// The grid has a border of RADIUS on all sides, which stays.
extern "C" __global__ void __launch_bounds__(WIDE *HIGH)
    fdtd3d(const float *from, float *to, u32 width, u32 height, u32 depth)
{
    __shared__ float tile[HIGH + 2 * RADIUS][WIDE + 2 * RADIUS];
    u32 row = width + 2 * RADIUS, plane = row * (height + 2 * RADIUS);
    u32 left = blockIdx.x * WIDE, top = blockIdx.y * HIGH, tx = threadIdx.x, ty = threadIdx.y;
    u32 x = left + tx, y = top + ty, at = (y + RADIUS) * row + x + RADIUS;
    bool inside = x < width && y < height;
    float column[2 * RADIUS + 1];
    for (u32 k = 0; k < 2 * RADIUS; k++)
        column[k + 1] = inside ? from[at + k * plane] : 0;
    for (u32 z = 0; z < depth; z++) {
        for (u32 k = 0; k < 2 * RADIUS; k++)
            column[k] = column[k + 1];
        column[2 * RADIUS] = inside ? from[at + (z + 2 * RADIUS) * plane] : 0;
        __syncthreads();
        for (u32 i = ty * WIDE + tx; i < (HIGH + 2 * RADIUS) * (WIDE + 2 * RADIUS);
             i += WIDE * HIGH) {
            u32 ix = left + i % (WIDE + 2 * RADIUS), iy = top + i / (WIDE + 2 * RADIUS);
            tile[i / (WIDE + 2 * RADIUS)][i % (WIDE + 2 * RADIUS)] =
                ix < row && iy < height + 2 * RADIUS ? from[(z + RADIUS) * plane + iy * row + ix]
                                                     : 0;
        }
        __syncthreads();
        float sum = taps[0] * column[RADIUS];
        for (u32 k = 1; k <= RADIUS; k++) {
            float around = tile[ty + RADIUS][tx + RADIUS - k] + tile[ty + RADIUS][tx + RADIUS + k];
            around += tile[ty + RADIUS - k][tx + RADIUS] + tile[ty + RADIUS + k][tx + RADIUS];
            around += column[RADIUS - k] + column[RADIUS + k];
            sum = fmaf(taps[k], around, sum);
        }
        if (inside)
            to[at + (z + RADIUS) * plane] = sum;
    }
}
