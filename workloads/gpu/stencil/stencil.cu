// seven-point Jacobi iterations on a 3D grid of f32, x-y tiles marching along z
//
// Memory: a thread has one column of the grid and keeps the points below, at and above its own in
// registers; the neighbours in x and y come from the tile's plane in shared memory, or, at the
// tile's border, from global memory, where the next tile has just read or will soon read the same
// lines. Every plane comes from DRAM about once and is written once: 8 bytes per point for some 60
// instructions (threads at the tile's border go their own ways), two barriers per plane. DRAM
// bandwidth and instruction throughput are nearly in balance.
// Used by: the bandwidth and cooperative-caching studies (Parboil's stencil, 512 x 512 x 64; here
// from the algorithm), also those of region-based power, context switches and TAP. Small is a
// quarter of the published planes and half as many, still 20 times L2.
#include "device.h"

#define TILE_X 64
#define TILE_Y 4

// to = side x (((((W + E) + N) + S) + B) + A) - centre x here, nothing fused; the border stays.
extern "C" __global__ void __launch_bounds__(TILE_X *TILE_Y)
    stencil_step(const float *from, float *to, u32 width, u32 height, u32 depth, float centre,
                 float side)
{
    __shared__ float plane[TILE_Y][TILE_X];
    u32 tx = threadIdx.x, ty = threadIdx.y;
    u32 x = blockIdx.x * TILE_X + tx, y = blockIdx.y * TILE_Y + ty;
    bool on_grid = x < width && y < height;
    bool inner = on_grid && x > 0 && x < width - 1 && y > 0 && y < height - 1;
    u32 i = y * width + x, step = width * height;
    float below = on_grid ? from[i] : 0, here = on_grid ? from[i + step] : 0;
    for (u32 z = 1; z < depth - 1; z++) {
        i += step;
        float above = on_grid ? from[i + step] : 0;
        plane[ty][tx] = here;
        __syncthreads();
        if (inner) {
            float sum = tx > 0 ? plane[ty][tx - 1] : from[i - 1];
            sum = sum + (tx < TILE_X - 1 ? plane[ty][tx + 1] : from[i + 1]);
            sum = sum + (ty > 0 ? plane[ty - 1][tx] : from[i - width]);
            sum = sum + (ty < TILE_Y - 1 ? plane[ty + 1][tx] : from[i + width]);
            to[i] = side * (sum + below + above) - centre * here;
        }
        __syncthreads();
        below = here;
        here = above;
    }
}
