// fast Walsh-Hadamard transform in place: large strides in global memory, small ones in shared
//
// Memory: one array. A launch per large stride reads and writes all of it, pairs far apart; the
// last launch does eleven strides at once in shared memory. Where the array fits on chip it is
// arithmetic and shared memory, otherwise bound by DRAM bandwidth. Used by: the studies of shared
// caches (fastwalsh, type A at a size that stays on chip) and of cache regions (one region; --log2
// 24 has 64 MiB); from the definition.
#include "device.h"

#define CHUNK 2048
#define THREADS 256

// Pairs at a distance of `by`, a power of two: one pair per thread.
extern "C" __global__ void fastwalsh_global(float *data, u32 by)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, low = i / by * by * 2 + i % by;
    float a = data[low], b = data[low + by];
    data[low] = a + b;
    data[low + by] = a - b;
}

extern "C" __global__ void __launch_bounds__(THREADS) fastwalsh_shared(float *data)
{
    __shared__ float chunk[CHUNK];
    float *at = &data[blockIdx.x * CHUNK];
    for (u32 i = threadIdx.x; i < CHUNK; i += THREADS)
        chunk[i] = at[i];
    for (u32 by = CHUNK / 2; by > 0; by /= 2) {
        __syncthreads();
        for (u32 i = threadIdx.x; i < CHUNK / 2; i += THREADS) {
            u32 low = i / by * by * 2 + i % by;
            float a = chunk[low], b = chunk[low + by];
            chunk[low] = a + b;
            chunk[low + by] = a - b;
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < CHUNK; i += THREADS)
        at[i] = chunk[i];
}
