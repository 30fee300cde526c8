// image enlarged by bicubic interpolation
//
// Memory: 16 pixels per result, of which neighbours share most; rows come from DRAM about once, the
// result is a stream of writes. Small blocks limit what is resident. Where the image is larger than
// the caches they do not help.
// Used by: the study of shared caches (bicubic, type B); cubic B-splines, from the definition.
#include "spline.h"

extern "C" __global__ void bicubic(const float *image, float *out, u32 width, u32 height,
                                   u32 out_width, u32 out_height, float times)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out_width && y < out_height)
        out[y * out_width + x] = spline_at(image, width, height, x, y, times);
}
