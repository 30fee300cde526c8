// five-point Jacobi iterations on a 2D grid of f32 with a fixed border
//
// Memory: each point is read by five threads; west and east come from the same or the next line,
// north and south from rows that neighbouring blocks also read, so L1 and L2 decide how often a row
// comes from DRAM. One pass over two grids per iteration, 8 bytes of compulsory traffic per point.
// Used by: tests and examples; reuse between blocks.
#include "device.h"

// to = centre x C + side x (((N + S) + W) + E): the sum rounded after every addition, then the
// product with `side` fused with the (rounded) product of the centre. The host does the same.
extern "C" __global__ void stencil2d_step(const float *from, float *to, u32 width, u32 height,
                                          float centre, float side)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    u32 i = y * width + x;
    float sum = from[i - width] + from[i + width];
    sum = sum + from[i - 1];
    sum = sum + from[i + 1];
    to[i] = fmaf(side, sum, centre * from[i]);
}
