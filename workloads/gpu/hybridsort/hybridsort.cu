// sort of floats: a split into buckets, then a merge sort of vectors of four in each
//
// Memory: the histogram and the search for the bucket read the input coalesced and contend for
// atomics in shared memory; the split scatters single floats over all buckets. A merging thread
// walks two runs of its bucket, four floats at a time: lanes are far apart, each line is needed
// again soon, and there are half as many threads after every pass. Several passes over arrays
// larger than L2.
// Used by: the bandwidth and cooperative-caching studies (hybridsort of Rodinia, after Sintorn and
// Assarsson, JPDC 2008). Published: 4194304 floats; size small has 393216, so that each array is
// still twice as large as L2, and smaller buckets.
#include "device.h"

#define BINS 1024 // of the histogram; at most as many buckets; hybridsort.c has the same

#ifndef __NVCC__
typedef float float4 __attribute__((ext_vector_type(4)));
#endif

DEVICE_CALL u32 global_thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// How many values (from 0 to below 1) lie in each of BINS equal intervals.
extern "C" __global__ void sort_histogram(const float *values, u32 *bins, u32 count)
{
    __shared__ u32 mine[BINS];
    for (u32 b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (u32 i = global_thread(); i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[(u32)(values[i] * BINS)], 1u);
    __syncthreads();
    for (u32 b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}

// Which bucket each value belongs to (pivots[b - 1] <= value < pivots[b]) and its turn among those
// of the same block and bucket. block_counts has a row of buckets per block.
extern "C" __global__ void sort_count(const float *values, const float *pivots, u32 *bucket_of,
                                      u32 *turn_of, u32 *block_counts, u32 count, u32 buckets)
{
    __shared__ float limit[BINS];
    __shared__ u32 members[BINS];
    for (u32 b = threadIdx.x; b < buckets; b += blockDim.x) {
        limit[b] = b + 1 < buckets ? pivots[b] : __builtin_inff();
        members[b] = 0;
    }
    __syncthreads();
    for (u32 i = global_thread(); i < count; i += gridDim.x * blockDim.x) {
        float value = values[i];
        u32 low = 0, high = buckets - 1; // the first bucket whose limit is larger
        while (low < high) {
            u32 middle = (low + high) / 2;
            if (value < limit[middle])
                high = middle;
            else
                low = middle + 1;
        }
        bucket_of[i] = low;
        turn_of[i] = atomicAdd(&members[low], 1u);
    }
    __syncthreads();
    for (u32 b = threadIdx.x; b < buckets; b += blockDim.x)
        block_counts[blockIdx.x * buckets + b] = members[b];
}

// One thread per bucket: from how many each block has to where its first one goes in the bucket.
extern "C" __global__ void sort_offsets(u32 *block_counts, u32 *bucket_counts, u32 blocks,
                                        u32 buckets)
{
    u32 bucket = global_thread(), sum = 0;
    if (bucket >= buckets)
        return;
    for (u32 b = 0; b < blocks; b++) {
        u32 more = block_counts[b * buckets + bucket];
        block_counts[b * buckets + bucket] = sum;
        sum += more;
    }
    bucket_counts[bucket] = sum;
}

// With the grid of sort_count. bucket_at counts vectors of four.
extern "C" __global__ void sort_split(const float *values, float *split, const u32 *bucket_of,
                                      const u32 *turn_of, const u32 *block_offsets,
                                      const u32 *bucket_at, u32 count, u32 buckets)
{
    for (u32 i = global_thread(); i < count; i += gridDim.x * blockDim.x) {
        u32 bucket = bucket_of[i];
        u32 place = block_offsets[blockIdx.x * buckets + bucket] + turn_of[i];
        split[bucket_at[bucket] * 4 + place] = values[i];
    }
}

DEVICE_CALL void exchange(float *a, float *b)
{
    float low = *b < *a ? *b : *a, high = *b < *a ? *a : *b;
    *a = low;
    *b = high;
}

// Four numbers that rise and then fall, or fall and then rise.
DEVICE_CALL void sort_bitonic(float v[4])
{
    exchange(&v[0], &v[2]);
    exchange(&v[1], &v[3]);
    exchange(&v[0], &v[1]);
    exchange(&v[2], &v[3]);
}

DEVICE_CALL void load(float v[4], const float4 *from)
{
    float4 four = *from;
    v[0] = four.x;
    v[1] = four.y;
    v[2] = four.z;
    v[3] = four.w;
}

DEVICE_CALL void store(float4 *to, const float v[4])
{
    float4 four = {v[0], v[1], v[2], v[3]};
    *to = four;
}

// Every vector of four by itself.
extern "C" __global__ void sort_fours(float4 *fours, u32 count)
{
    u32 i = global_thread();
    if (i >= count)
        return;
    float v[4];
    load(v, &fours[i]);
    exchange(&v[0], &v[1]);
    exchange(&v[3], &v[2]);
    sort_bitonic(v);
    store(&fours[i], v);
}

// One thread merges two sorted runs of `run` vectors: always the vector with the smaller head next,
// of the eight numbers at hand the lower four leave.
extern "C" __global__ void sort_merge(const float4 *from, float4 *to, const u32 *bucket_at,
                                      u32 buckets, u32 run, u32 threads_per_bucket)
{
    u32 bucket = global_thread() / threads_per_bucket, part = global_thread() % threads_per_bucket;
    if (bucket >= buckets)
        return;
    u32 end = bucket_at[bucket + 1], a = bucket_at[bucket] + part * 2 * run;
    if (a >= end)
        return;
    u32 a_end = a + run < end ? a + run : end, b = a_end;
    u32 b_end = b + run < end ? b + run : end, out = a;
    float carry[4], next[4], a_head[4], b_head[4];
    load(carry, &from[a++]);
    if (a < a_end)
        load(a_head, &from[a]);
    if (b < b_end)
        load(b_head, &from[b]);
    while (a < a_end || b < b_end) {
        bool take_a = b == b_end || (a < a_end && a_head[0] < b_head[0]);
        for (u32 i = 0; i < 4; i++)
            next[i] = take_a ? a_head[i] : b_head[i];
        if (take_a && ++a < a_end)
            load(a_head, &from[a]);
        if (!take_a && ++b < b_end)
            load(b_head, &from[b]);
        for (u32 i = 0; i < 4; i++)
            exchange(&carry[i], &next[3 - i]);
        sort_bitonic(carry);
        sort_bitonic(next);
        store(&to[out++], carry);
        for (u32 i = 0; i < 4; i++)
            carry[i] = next[i];
    }
    store(&to[out], carry);
}

// One block per bucket: without the padding, to the bucket's place in the result.
extern "C" __global__ void sort_pack(const float *sorted, float *out, const u32 *bucket_at,
                                     const u32 *bucket_counts, const u32 *out_at)
{
    u32 bucket = blockIdx.x;
    for (u32 i = threadIdx.x; i < bucket_counts[bucket]; i += blockDim.x)
        out[out_at[bucket] + i] = sorted[bucket_at[bucket] * 4 + i];
}
