// sum and maximum of a vector by shuffles, shared memory and atomics
//
// Memory: one coalesced pass over the input (4 bytes per element, no reuse); then a few values per
// warp through shared memory and one or two atomics per block on a single address. Bound by DRAM
// bandwidth, with a tail of contended atomics.
// Used by: tests and examples; atomics and shuffles on a chip.
#include "device.h"

#define MOST_WARPS 32

static __device__ u32 add(u32 a, u32 b)
{
    return a + b;
}
static __device__ float add(float a, float b)
{
    return a + b;
}
static __device__ u32 larger(u32 a, u32 b)
{
    return a > b ? a : b;
}

// The block's result, in thread 0. The block is a multiple of 32 threads, all of which call this.
template <typename T, T (*combine)(T, T)> static __device__ T block_reduce(T value, T none)
{
    __shared__ T warps[MOST_WARPS];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (u32 by = 16; by > 0; by /= 2)
        value = combine(value, __shfl_down_sync(ALL_LANES, value, by));
    if (lane == 0)
        warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < blockDim.x / 32 ? warps[lane] : none;
        for (u32 by = 16; by > 0; by /= 2)
            value = combine(value, __shfl_xor_sync(ALL_LANES, value, by));
    }
    __syncthreads();
    return value;
}

// Two stages: partial[block] here, then one more launch with one block over the partial sums.
extern "C" __global__ void reduce_blocks(const u32 *in, u32 count, u32 *partial)
{
    u32 sum = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_reduce<u32, add>(sum, 0);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

// One stage: every block adds its sum and its maximum to the result.
extern "C" __global__ void reduce_atomic(const u32 *in, u32 count, u32 *sum_max)
{
    u32 sum = 0, most = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        sum += in[i];
        most = larger(most, in[i]);
    }
    sum = block_reduce<u32, add>(sum, 0);
    most = block_reduce<u32, larger>(most, 0);
    if (threadIdx.x == 0) {
        atomicAdd(&sum_max[0], sum);
        atomicMax(&sum_max[1], most);
    }
}

// The same for floats, with one atomic per warp instead of one per block.
extern "C" __global__ void reduce_float(const float *in, u32 count, float *sum)
{
    float mine = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += in[i];
    for (u32 by = 16; by > 0; by /= 2)
        mine = add(mine, __shfl_xor_sync(ALL_LANES, mine, by));
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}
