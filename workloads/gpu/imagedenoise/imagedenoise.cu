// image denoised: every pixel the mean of 7 x 7, weighted by how alike they are
//
// Memory: 49 pixels per result, of which neighbours share most: L1. An exponential per pixel:
// mostly arithmetic, on a stream through DRAM. Used by: the study of shared caches (imagedenoise,
// type B); from the algorithm (Tomasi and Manduchi: ICCV 1998).
#include "denoise.h"

extern "C" __global__ void imagedenoise(const u32 *image, u32 *out, u32 width, u32 height)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = denoised(image, width, x, y);
}
