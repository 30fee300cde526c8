// peak rate of arithmetic: chains of fused multiply-adds, chains of reciprocal roots
//
// Memory: one load and one store per thread. Each thread has independent chains, so that a few
// warps hide the latency: bound by the FMA units in one kernel, by the special function units in
// the other. Used by: throughput checks of a chip.
#include "device.h"
#include "device_math.h"

#define CHAINS 8
#define UNROLLED 16 // steps of each chain between two branches

// value + i grows by i + 1 in every step; all values are whole numbers below 2^24.
extern "C" __global__ void peak_fma(const float *in, float *out, float one, u32 rounds)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    float chain[CHAINS], sum = 0;
#pragma unroll
    for (u32 i = 0; i < CHAINS; i++)
        chain[i] = in[thread] + (float)i;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (u32 step = 0; step < UNROLLED; step++) {
#pragma unroll
            for (u32 i = 0; i < CHAINS; i++)
                chain[i] = fmaf(chain[i], one, (float)(i + 1));
        }
    }
#pragma unroll
    for (u32 i = 0; i < CHAINS; i++)
        sum += chain[i];
    out[thread] = sum;
}

// x becomes 1 / sqrt(x), which halves the logarithm and so the error made before. out has an array
// for each chain.
extern "C" __global__ void peak_sfu(const float *in, float *out, u32 rounds)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float chain[CHAINS];
#pragma unroll
    for (u32 i = 0; i < CHAINS; i++)
        chain[i] = in[thread] + (float)i;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (u32 step = 0; step < UNROLLED; step++) {
#pragma unroll
            for (u32 i = 0; i < CHAINS; i++)
                chain[i] = rsqrtf(chain[i]);
        }
    }
#pragma unroll
    for (u32 i = 0; i < CHAINS; i++)
        out[i * threads + thread] = chain[i];
}
