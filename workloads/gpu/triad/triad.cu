// stream triad a = b + s c, one element per thread, launched several times
//
// Memory: three streams, coalesced, no reuse: bound by DRAM bandwidth. A block has its own part of
// the vectors, the same in every launch, so that what is local to a socket stays so.
// Used by: the study of several sockets (Stream-Triad: 5 launches of 699,051 blocks).
#include "device.h"

extern "C" __global__ void triad(float *a, const float *b, const float *c, float s, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] = fmaf(s, c[i], b[i]);
}
