// conjugate gradients with a spectral-element operator
//
// Memory: a block has an element: its 512 values are read once, derived along three directions in
// shared memory, and written once; points that elements share are added through an index, which is
// a gather over neighbours; vector updates and dot products are streams. Five kernels per
// iteration. Used by: the study of several sockets (Nekbone); from the algorithm (Deville, Fischer,
// Mund 2002).
#include "element.h"

__constant__ float derivative[N * N];

extern "C" __global__ void __launch_bounds__(POINTS)
    nekbone_apply(const float *p, const float *weights, float *w)
{
    __shared__ float values[POINTS], parts[3][POINTS];
    u32 t = threadIdx.x, at = blockIdx.x * POINTS + t;
    values[t] = p[at];
    __syncthreads();
    for (u32 k = 0; k < 3; k++)
        parts[k][t] = weights[at] * derived(values, derivative, t, k, false);
    __syncthreads();
    float sum = 0.1f * values[t];
    for (u32 k = 0; k < 3; k++)
        sum += derived(parts[k], derivative, t, k, true);
    w[at] = sum;
}

// Points that several elements have: the sum of their copies, in a fixed order, to all of them.
extern "C" __global__ void nekbone_join(const u32 *first, const u32 *copies, float *w, u32 shared)
{
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= shared)
        return;
    float sum = 0;
    for (u32 i = first[n]; i < first[n + 1]; i++)
        sum += w[copies[i]];
    for (u32 i = first[n]; i < first[n + 1]; i++)
        w[copies[i]] = sum;
}

// Block by block: sums of a x b x share, where share is 1 over the number of copies of a point.
extern "C" __global__ void __launch_bounds__(256)
    nekbone_dot(const float *a, const float *b, const float *share, float *sums, u32 count)
{
    __shared__ float tree[256];
    u32 t = threadIdx.x;
    float sum = 0;
    for (u32 i = blockIdx.x * 256 + t; i < count; i += gridDim.x * 256)
        sum = fmaf(a[i] * share[i], b[i], sum);
    tree[t] = sum;
    for (u32 by = 128; by > 0; by /= 2) {
        __syncthreads();
        if (t < by)
            tree[t] += tree[t + by];
    }
    if (t == 0)
        sums[blockIdx.x] = tree[0];
}

// x += a p, r -= a w
extern "C" __global__ void nekbone_update(float *x, float *r, const float *p, const float *w,
                                          float a, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        x[i] = fmaf(a, p[i], x[i]);
        r[i] = fmaf(-a, w[i], r[i]);
    }
}

// p = r + b p
extern "C" __global__ void nekbone_direction(float *p, const float *r, float b, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        p[i] = fmaf(b, p[i], r[i]);
}
