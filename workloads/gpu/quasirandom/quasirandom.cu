// quasi-random numbers of three dimensions, and their normal distribution
//
// Memory: one array, written by the first kernel and read and written in place by the second; the
// generator's numbers are in constant memory. Few blocks walk over it, several times: where it fits
// into a cache the later passes hit.
// Used by: the studies of shared caches (quasirandom, type C) and of cache regions (one region;
// --numbers 1048576 has 12 MiB); from the algorithm (Bratley, Fox, Niederreiter 1992).
#include "normal.h"

#define DIMENSIONS 3
#define BITS 31

__constant__ u32 directions[DIMENSIONS][BITS];

// out[dimension][i]: from the binary digits of i, half a step above.
extern "C" __global__ void quasirandom(float *out, u32 numbers)
{
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < numbers; i += gridDim.x * blockDim.x) {
        u32 x = 0;
        for (u32 digits = i, bit = 0; digits; digits >>= 1, bit++)
            x ^= digits & 1 ? directions[blockIdx.y][bit] : 0;
        out[blockIdx.y * numbers + i] = ((float)(x >> 9) + 0.5f) * 0x1p-23f;
    }
}

extern "C" __global__ void quasirandom_normal(float *out, u32 count)
{
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = normal_of(out[i]);
}
