// histogram of bytes: counters of warps in shared memory, then merged
//
// Memory: one stream of words, four atomics in shared memory each; counters of a block go to memory
// once and a second kernel adds them up. Passes go over the same data.
// Used by: the studies of shared caches (histogram, type D) and of cache regions (two regions;
// --words 16777216 has 64 MiB of data); from the algorithm.
#include "device.h"

#define BINS 256
#define WARPS 6

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    histogram(const u32 *data, u32 *partial, u32 words)
{
    __shared__ u32 counters[WARPS][BINS];
    for (u32 i = threadIdx.x; i < WARPS * BINS; i += WARPS * 32)
        counters[i / BINS][i % BINS] = 0;
    __syncthreads();
    u32 *mine = counters[threadIdx.x / 32];
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        u32 word = data[i];
        for (u32 k = 0; k < 32; k += 8)
            atomicAdd(&mine[word >> k & 255], 1u);
    }
    __syncthreads();
    for (u32 bin = threadIdx.x; bin < BINS; bin += WARPS * 32) {
        u32 sum = 0;
        for (u32 w = 0; w < WARPS; w++)
            sum += counters[w][bin];
        partial[blockIdx.x * BINS + bin] = sum;
    }
}

// One block per bin.
extern "C" __global__ void __launch_bounds__(64)
    histogram_merge(const u32 *partial, u32 *result, u32 blocks)
{
    __shared__ u32 sums[64];
    u32 sum = 0, t = threadIdx.x;
    for (u32 i = t; i < blocks; i += 64)
        sum += partial[i * BINS + blockIdx.x];
    sums[t] = sum;
    for (u32 by = 32; by > 0; by /= 2) {
        __syncthreads();
        if (t < by)
            sums[t] += sums[t + by];
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}
