// Sobol's quasi-random sequences in many dimensions
//
// Memory: a block has one dimension, whose 32 direction numbers it keeps in shared memory; the
// result is a stream of writes, in every pass over the same array again. A thread steps by the
// number of threads, which changes two bits of the Gray code.
// Used by: the studies of shared caches (sobolqrng, type C) and of cache regions (two regions;
// --vectors 100000 --dimensions 100 has 38.2 MB); from the algorithm (Antonov and Saleev 1979).
#include "device.h"

#define BITS 32

// Threads of a dimension are a power of two.
extern "C" __global__ void sobolqrng(const u32 *directions, float *out, u32 vectors)
{
    __shared__ u32 v[BITS];
    u32 dimension = blockIdx.y, stride = gridDim.x * blockDim.x;
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
    if (threadIdx.x < BITS)
        v[threadIdx.x] = directions[dimension * BITS + threadIdx.x];
    __syncthreads();
    u32 log2 = 31 - (u32)__builtin_clz(stride);
    for (u32 gray = i ^ i >> 1, bit = 0; gray; gray >>= 1, bit++)
        x ^= gray & 1 ? v[bit] : 0;
    while (i < vectors) {
        out[dimension * vectors + i] = (float)(x >> 8) * 0x1p-24f;
        // i grows by 2^log2: in the Gray code bit log2 - 1 changes, and the lowest zero above.
        u32 next = log2 + (u32)__builtin_ctz(~(i >> log2));
        x ^= (log2 > 0 ? v[log2 - 1] : 0) ^ v[next];
        i += stride;
    }
}
