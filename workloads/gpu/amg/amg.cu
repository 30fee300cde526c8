// algebraic multigrid: V-cycles over a hierarchy of sparse matrices
//
// Memory: rows of sparse matrices, one thread each: values and columns run in short pieces, the
// vector is gathered from anywhere, for unknowns are numbered at random on every level as in an
// unstructured problem. Coarse levels are ever smaller kernels. Bound by gathers and DRAM
// bandwidth. Used by: the study of several sockets (AMG); aggregation of neighbours, damped Jacobi
// smoothing, from the textbook (Briggs et al. 2000).
#include "rows.h"

extern "C" __global__ void amg_smooth(struct rows a, const float *b, const float *x, float *next,
                                      u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        next[i] = fmaf(DAMPING, row_residual(&a, i, b, x) / a.diagonal[i], x[i]);
}

extern "C" __global__ void amg_residual(struct rows a, const float *b, const float *x, float *r,
                                        u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        r[i] = row_residual(&a, i, b, x);
}

// The coarse problem: an aggregate's residuals added up, from zero.
extern "C" __global__ void amg_restrict(const u32 *members, const float *r, float *coarse_b,
                                        float *coarse_x, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0;
    for (u32 k = 0; k < MEMBERS; k++)
        sum += r[members[MEMBERS * i + k]];
    coarse_b[i] = sum;
    coarse_x[i] = 0;
}

extern "C" __global__ void amg_prolong(const u32 *members, const float *coarse_x, float *x,
                                       u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 k = 0; i < count && k < MEMBERS; k++)
        x[members[MEMBERS * i + k]] += coarse_x[i]; // an unknown is in one aggregate
}
