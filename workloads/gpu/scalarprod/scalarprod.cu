// scalar products of many pairs of vectors, one block each
//
// Memory: two streams, coalesced, used once; a tree of sums in shared memory per pair. Bound by
// DRAM bandwidth unless there is enough other work. Used by: the study of shared caches
// (scalarprod, type E); from the definition.
#include "device.h"

#define BLOCK 128

extern "C" __global__ void __launch_bounds__(BLOCK)
    scalarprod(const float *a, const float *b, float *out, u32 length)
{
    __shared__ float sums[BLOCK];
    u32 t = threadIdx.x, first = blockIdx.x * length;
    float sum = 0;
    for (u32 i = t; i < length; i += BLOCK)
        sum = fmaf(a[first + i], b[first + i], sum);
    sums[t] = sum;
    for (u32 by = BLOCK / 2; by > 0; by /= 2) {
        __syncthreads();
        if (t < by)
            sums[t] += sums[t + by];
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}
