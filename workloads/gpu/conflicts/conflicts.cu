// loads from shared memory at strides 1 to 32: bank conflicts
//
// Memory: global memory only at start and end. Lane l reads word l x stride and on: with 32 banks
// and a stride of 2^k, 2^k lanes want one bank, and a load takes 2^k cycles. The loads are
// independent: bound by the bandwidth of shared memory.
// Used by: shared-memory checks of a chip.
#include "device.h"

#define LOADS 32 // per round, each one word further
#define MOST_ROUNDS 32
#define WORDS (31 * 32 + LOADS * MOST_ROUNDS)

// Every round reads other words, so that no load can be saved.
static __device__ void read_all(const u32 *in, u32 *sums, u32 stride, u32 rounds)
{
    __shared__ u32 words[WORDS];
    for (u32 i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = in[i];
    __syncthreads();
    const u32 *at = words + threadIdx.x % 32 * stride;
    u32 sum = 0;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++, at += LOADS) {
#pragma unroll
        for (u32 i = 0; i < LOADS; i++)
            sum += at[i];
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A kernel for each stride, so that each has its own line in a profile. rounds <= MOST_ROUNDS
#define KERNEL(stride)                                                                             \
    extern "C" __global__ void conflicts_stride_##stride(const u32 *in, u32 *sums, u32 rounds)     \
    {                                                                                              \
        read_all(in, sums, stride, rounds);                                                        \
    }
KERNEL(1)
KERNEL(2)
KERNEL(4)
KERNEL(8)
KERNEL(16)
KERNEL(32)
