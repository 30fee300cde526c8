// sum of an array by trees in shared memory, pass after pass
//
// Memory: one stream, two elements per thread and step, hardly anything written; passes over the
// same array again, so that a cache that holds it serves all but the first. Full occupancy.
// Used by: the studies of shared caches (reduction, type D) and of cache regions (two regions;
// --elements 16777216 has 64 MiB); from the algorithm (Harris 2007).
#include "device.h"

#define BLOCK 256

extern "C" __global__ void __launch_bounds__(BLOCK) reduction(const u32 *in, u32 *out, u32 count)
{
    __shared__ u32 sums[BLOCK];
    u32 sum = 0, t = threadIdx.x;
    for (u32 i = blockIdx.x * BLOCK * 2 + t; i < count; i += gridDim.x * BLOCK * 2)
        sum += in[i] + (i + BLOCK < count ? in[i + BLOCK] : 0);
    sums[t] = sum;
    for (u32 by = BLOCK / 2; by > 0; by /= 2) {
        __syncthreads();
        if (t < by)
            sums[t] += sums[t + by];
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}
