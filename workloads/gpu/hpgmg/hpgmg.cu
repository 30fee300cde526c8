// geometric multigrid: V-cycles over cubes of cells, from one large down to eight cells
//
// Memory: seven-point stencils on the large levels stream through DRAM with reuse between planes;
// the coarse levels are many kernels of one or two blocks, which only wait. Up and down the levels
// a coarse cell reads or writes eight fine ones. Used by: the study of several sockets (HPGMG, and
// its variant with unified memory: most launches are small, the traffic is in few); finite volumes,
// damped Jacobi, from the textbook.
#include "point.h"

extern "C" __global__ void hpgmg_smooth(const float *b, const float *x, float *next, u32 side)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < side * side * side)
        next[i] = point_smoothed(b, x, i, side);
}

extern "C" __global__ void hpgmg_residual(const float *b, const float *x, float *r, u32 side)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < side * side * side)
        r[i] = point_residual(b, x, i, side);
}

// The mean of eight residuals, times four for twice the spacing; the coarse solution from zero.
extern "C" __global__ void hpgmg_restrict(const float *r, float *b, float *x, u32 side)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= side * side * side)
        return;
    u32 first = finer(i, side);
    float sum = 0;
    for (u32 k = 0; k < 8; k++)
        sum += r[child(first, k, side)];
    b[i] = 0.5f * sum;
    x[i] = 0;
}

extern "C" __global__ void hpgmg_prolong(const float *coarse, float *x, u32 side)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= side * side * side)
        return;
    u32 first = finer(i, side);
    for (u32 k = 0; k < 8; k++)
        x[child(first, k, side)] += coarse[i];
}
