// normally distributed numbers from one Mersenne Twister per thread
//
// Memory: the generator's words are in local memory, one line per word and warp: L1. Numbers go out
// as a stream, side by side; the second kernel reads and writes them in place, in pairs far apart.
// Used by: the study of cache regions (mersennetwister: two regions; --each 5860 with 4096 threads
// has 91.6 MiB); from the algorithm.
#include "twister.h"

extern "C" __global__ void mersennetwister(const struct parameters *parameters, float *out,
                                           u32 each)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    struct parameters p = parameters[thread];
    struct twister t;
    twister_start(&t, p.seed);
    for (u32 i = 0; i < each; i++)
        out[i * threads + thread] = twister_next(&t, p);
}

extern "C" __global__ void mersennetwister_normal(float *out, u32 each)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (u32 i = 0; i + 1 < each; i += 2)
        normal_pair(&out[i * threads + thread], &out[(i + 1) * threads + thread]);
}
