// edges of a grey image by Sobel's operator
//
// Memory: eight bytes around every pixel: a warp's loads are a line or two each, rows are read
// three times, from L1 if it holds them. Hardly any arithmetic: bound by loads, and by DRAM where
// the image is larger than the caches. Used by: the study of shared caches (sobelfilter, type B);
// from the definition.
#include "device.h"

DEVICE_CALL int size_of(int x)
{
    return x < 0 ? -x : x;
}

// The image has a border of one pixel.
extern "C" __global__ void sobelfilter(const u8 *image, u8 *out, u32 width, u32 height)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, row = width + 2;
    if (x >= width || y >= height)
        return;
    const u8 *up = image + y * row + x, *here = up + row, *down = here + row;
    int across = up[2] + 2 * here[2] + down[2] - up[0] - 2 * here[0] - down[0];
    int along = down[0] + 2 * down[1] + down[2] - up[0] - 2 * up[1] - up[2];
    int edge = (size_of(across) + size_of(along)) / 2;
    out[y * width + x] = (u8)(edge < 255 ? edge : 255);
}
