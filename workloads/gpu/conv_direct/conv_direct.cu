// convolution layer of a network, directly: windows of the image slide through shared memory
//
// Memory: a block makes 16 x 16 pixels of 16 filters: plane by plane, the tile with its border goes
// to shared memory, and a thread adds nine products to each of 16 sums. Weights are read by all
// blocks, one at a time for all lanes: L1. Bound by arithmetic and shared memory.
// Used by: the study of several sockets (cuda-convnet2's layer of AlexNet); from the definition.
#include "device.h"

#define SIDE 16
#define FILTERS 16

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    conv_direct(const float *image, const float *weights, float *out, u32 channels, u32 width,
                u32 height, u32 pixels)
{
    __shared__ float tile[SIDE + 2][SIDE + 2];
    u32 t = threadIdx.y * SIDE + threadIdx.x, across = width / SIDE, down = height / SIDE;
    u32 of = blockIdx.x / (across * down), left = blockIdx.x % across * SIDE;
    u32 top = blockIdx.x / across % down * SIDE, filter = blockIdx.y * FILTERS;
    float sums[FILTERS] = {};
    for (u32 c = 0; c < channels; c++) {
        const float *plane = &image[(of * channels + c) * (width + 2) * (height + 2)];
        for (u32 i = t; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
            u32 y = i / (SIDE + 2), x = i % (SIDE + 2);
            tile[y][x] = plane[(top + y) * (width + 2) + left + x];
        }
        __syncthreads();
        for (u32 f = 0; f < FILTERS; f++) {
            const float *w = &weights[((filter + f) * channels + c) * 9];
            for (u32 k = 0; k < 9; k++)
                sums[f] = fmaf(w[k], tile[threadIdx.y + k / 3][threadIdx.x + k % 3], sums[f]);
        }
        __syncthreads();
    }
    u32 at = (of * height + top + threadIdx.y) * width + left + threadIdx.x;
    for (u32 f = 0; f < FILTERS; f++)
        out[(filter + f) * pixels + at] = sums[f];
}
