// separable convolution of an image with 17 taps: rows, then columns, through the texture cache
//
// Memory: every thread reads its 17 pixels itself, as a texture: neighbours share them in the
// texture cache, not in shared memory; with --reads global they are plain loads. Streams through
// DRAM where the image is larger than the caches. Used by: the studies of shared caches (convtex,
// type B) and of cache regions (two regions per kernel); from the definition.
#include "device.h"
#include "texture_device.h"

#define RADIUS 8

__constant__ float taps[2 * RADIUS + 1];

// at: the coordinate that moves, of `size`, by `step` pixels.
template <typename IMAGE>
DEVICE_CALL void filter(IMAGE in, float *out, u32 i, u32 at, u32 size, u32 step)
{
    float sum = 0;
    for (u32 k = 0; k <= 2 * RADIUS; k++) {
        u32 to = at + k - RADIUS;
        sum = fmaf(taps[k], to < size ? texture_read(in, i + (k - RADIUS) * step) : 0, sum);
    }
    out[i] = sum;
}

template <typename IMAGE> DEVICE_CALL void rows(IMAGE in, float *out, u32 width, u32 height)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        filter(in, out, y * width + x, x, width, 1);
}

template <typename IMAGE> DEVICE_CALL void columns(IMAGE in, float *out, u32 width, u32 height)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        filter(in, out, y * width + x, y, height, width);
}

extern "C" __global__ void convtex_rows(u64 in, float *out, u32 width, u32 height)
{
    rows(in, out, width, height);
}

extern "C" __global__ void convtex_columns(u64 in, float *out, u32 width, u32 height)
{
    columns(in, out, width, height);
}

extern "C" __global__ void convtex_rows_global(const float *in, float *out, u32 width, u32 height)
{
    rows(in, out, width, height);
}

extern "C" __global__ void convtex_columns_global(const float *in, float *out, u32 width,
                                                  u32 height)
{
    columns(in, out, width, height);
}
