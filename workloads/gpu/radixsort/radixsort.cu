// radix sort of keys with values, four bits per pass
//
// Memory: a pass reads keys twice and values once as streams and scatters both to 16 places that
// move on; counters of all blocks are added up digit by digit between. Scattered writes, bound by
// DRAM and L2. Used by: the study of cache regions (radixsort: six regions); from the algorithm
// (Satish, Harris, Garland: IPDPS 2009).
#include "device.h"

#define DIGITS 16
#define BLOCK 256
#define WARPS (BLOCK / 32)

// Lanes of the warp with the same digit.
DEVICE_CALL u32 alike(u32 digit)
{
    u32 lanes = ALL_LANES;
    for (u32 bit = 0; bit < 4; bit++) {
        u32 with = __ballot_sync(ALL_LANES, digit >> bit & 1);
        lanes &= digit >> bit & 1 ? with : ~with;
    }
    return lanes;
}

// counters[digit][block]: how many keys of the block have the digit. Keys are a multiple of 256.
extern "C" __global__ void __launch_bounds__(BLOCK)
    radixsort_count(const u32 *keys, u32 *counters, u32 shift)
{
    __shared__ u32 own[DIGITS];
    if (threadIdx.x < DIGITS)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[keys[blockIdx.x * BLOCK + threadIdx.x] >> shift & (DIGITS - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counters[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

// offsets[digit][block]: the sum of the digit's counters before; totals: of all. A block per digit.
extern "C" __global__ void __launch_bounds__(BLOCK)
    radixsort_scan(const u32 *counters, u32 *offsets, u32 *totals, u32 count)
{
    __shared__ u32 sums[BLOCK];
    counters += blockIdx.x * count;
    offsets += blockIdx.x * count;
    u32 t = threadIdx.x, each = (count + BLOCK - 1) / BLOCK, first = t * each, sum = 0;
    for (u32 i = first; i < first + each && i < count; i++)
        sum += counters[i];
    sums[t] = sum;
    __syncthreads();
    for (u32 by = 1; by < BLOCK; by *= 2) {
        u32 before = t >= by ? sums[t - by] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (t == BLOCK - 1)
        totals[blockIdx.x] = sums[t];
    sum = sums[t] - sum;
    for (u32 i = first; i < first + each && i < count; i++) {
        offsets[i] = sum;
        sum += counters[i];
    }
}

// A key's place: lower digits, the same in blocks before, and how many are before it in its own.
extern "C" __global__ void __launch_bounds__(BLOCK)
    radixsort_scatter(const u32 *keys, const u32 *values, u32 *to_keys, u32 *to_values,
                      const u32 *offsets, const u32 *totals, u32 shift)
{
    __shared__ u32 before[WARPS][DIGITS];
    u32 t = threadIdx.x, lane = t % 32, warp = t / 32, key = keys[blockIdx.x * BLOCK + t];
    u32 digit = key >> shift & (DIGITS - 1), lanes = alike(digit);
    if (t < WARPS * DIGITS)
        before[t / DIGITS][t % DIGITS] = 0;
    __syncthreads();
    u32 rank = (u32)__builtin_popcount(lanes & ((1u << lane) - 1));
    if (rank == 0)
        before[warp][digit] = (u32)__builtin_popcount(lanes);
    __syncthreads();
    if (t < DIGITS) {
        u32 sum = offsets[t * gridDim.x + blockIdx.x];
        for (u32 d = 0; d < t; d++)
            sum += totals[d];
        for (u32 w = 0; w < WARPS; w++) {
            u32 count = before[w][t];
            before[w][t] = sum;
            sum += count;
        }
    }
    __syncthreads();
    u32 place = before[warp][digit] + rank;
    to_keys[place] = key;
    to_values[place] = values[blockIdx.x * BLOCK + t];
}
