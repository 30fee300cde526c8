// copy, add and triad of long f32 vectors: streaming without reuse
//
// Memory: perfectly coalesced, no reuse at all: 8, 12 and 12 bytes of DRAM traffic per element and
// at most one FMA. Bound by DRAM bandwidth; every access misses in L1 and, at size large, in L2.
// Used by: tests and examples; the bandwidth ceiling of a chip (McCalpin's STREAM has these
// kernels).
#include "device.h"

extern "C" __global__ void vector_copy(const float *a, float *out, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i];
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

// out = scale x a + b, rounded once
extern "C" __global__ void vector_triad(const float *a, const float *b, float scale, float *out,
                                        u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = fmaf(scale, a[i], b[i]);
}
