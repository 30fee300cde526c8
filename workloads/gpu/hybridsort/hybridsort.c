/*
 * Host of hybridsort: floats in ascending order (see hybridsort.cu for its memory behaviour and
 * use).
 *
 * In which order atomics let equal buckets fill up does not show in the sorted result, which has
 * one right answer: compared exactly with the C library's sort, as is the size of every bucket.
 */
#include "host.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define BINS 1024 /* as in hybridsort.cu */
#define INFINITY_BITS 0x7f800000u

static int compare_floats(const void *left, const void *right)
{
    const float *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Limits that give every bucket about as many values, taking a bin's values as evenly spread. */
static void place_pivots(const u32 *bins, u32 count, u32 buckets, float *pivots)
{
    u32 bin = 0, below = 0; /* values in bins before this one */
    for (u32 b = 0; b + 1 < buckets; b++) {
        u32 wanted = (u32)((u64)count * (b + 1) / buckets);
        while (below + bins[bin] < wanted)
            below += bins[bin++];
        float inside = (float)(wanted - below) / (float)bins[bin];
        pivots[b] = ((float)bin + inside) / BINS;
    }
}

struct buckets {
    u32 count, most_fours; /* of one bucket */
    u32 *sizes, *at;       /* count; count + 1, in vectors of four */
    u32 *out_at;           /* count */
};

static void place_buckets(struct buckets *b)
{
    u32 out = 0;
    for (u32 i = 0; i < b->count; i++) {
        u32 fours = blocks_for(b->sizes[i], 4);
        b->at[i + 1] = b->at[i] + fours;
        b->out_at[i] = out;
        out += b->sizes[i];
        b->most_fours = fours > b->most_fours ? fours : b->most_fours;
    }
}

static void check(struct host *h, const float *values, u32 count, const struct buckets *b,
                  const float *pivots, CUdeviceptr out)
{
    float *sorted = HOST_ARRAY(h, float, count), *got = HOST_ARRAY(h, float, count);
    u32 *sizes = HOST_ARRAY(h, u32, b->count), bucket = 0;
    memcpy(sorted, values, count * sizeof(float));
    qsort(sorted, count, sizeof(float), compare_floats);
    for (u32 i = 0; i < count; i++) {
        while (bucket + 1 < b->count && sorted[i] >= pivots[bucket])
            bucket++;
        sizes[bucket]++;
    }
    host_download(h, got, out, count * sizeof(float));
    host_compare_u32(h, "sizes", b->sizes, sizes, b->count);
    host_compare_f32(h, "sorted", got, sorted, count);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "hybridsort", NULL, argc, argv);
    u32 count = host_pick(&h, 6000, 393216, 16777216);
    u32 blocks = host_pick(&h, 4, 90, 1024);
    struct buckets b = {.count = host_pick(&h, 16, 1024, BINS)};
    struct random r = random_stream(h.seed, "values");
    float *values = HOST_ARRAY(&h, float, count), *pivots = HOST_ARRAY(&h, float, b.count);
    for (u32 i = 0; i < count; i++) /* denser towards 0 */
        values[i] = random_unit(r, 2 * (u64)i) * random_unit(r, 2 * (u64)i + 1);

    size_t bytes = count * sizeof(float), bucket_bytes = b.count * sizeof(u32);
    CUdeviceptr device_values = host_upload(&h, values, bytes);
    CUdeviceptr device_bins = host_device_alloc(&h, BINS * sizeof(u32));
    CU(&h, cuMemsetD32, (device_bins, 0, BINS));
    struct dim grid = DIM1(blocks), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "sort_histogram"), grid, block, 0,
                ARGS(&device_values, &device_bins, &count));
    u32 bins[BINS];
    host_download(&h, bins, device_bins, sizeof bins);
    place_pivots(bins, count, b.count, pivots);

    CUdeviceptr device_pivots = host_upload(&h, pivots, bucket_bytes);
    CUdeviceptr bucket_of = host_device_alloc(&h, bytes), turn_of = host_device_alloc(&h, bytes);
    CUdeviceptr block_counts = host_device_alloc(&h, blocks * bucket_bytes);
    CUdeviceptr sizes = host_device_alloc(&h, bucket_bytes);
    host_launch(&h, host_kernel(&h, "sort_count"), grid, block, 0,
                ARGS(&device_values, &device_pivots, &bucket_of, &turn_of, &block_counts, &count,
                     &b.count));
    host_launch(&h, host_kernel(&h, "sort_offsets"), DIM1(blocks_for(b.count, BLOCK)), block, 0,
                ARGS(&block_counts, &sizes, &blocks, &b.count));
    b.sizes = HOST_ARRAY(&h, u32, b.count);
    b.at = HOST_ARRAY(&h, u32, b.count + 1);
    b.out_at = HOST_ARRAY(&h, u32, b.count);
    host_download(&h, b.sizes, sizes, bucket_bytes);
    place_buckets(&b);

    u32 fours = b.at[b.count];
    CUdeviceptr at = host_upload(&h, b.at, bucket_bytes + sizeof(u32));
    CUdeviceptr out_at = host_upload(&h, b.out_at, bucket_bytes);
    CUdeviceptr runs[2];
    for (u32 i = 0; i < 2; i++)
        runs[i] = host_device_alloc(&h, 16 * (size_t)fours);
    CU(&h, cuMemsetD32, (runs[0], INFINITY_BITS, 4 * (size_t)fours)); /* the padding */
    host_launch(
        &h, host_kernel(&h, "sort_split"), grid, block, 0,
        ARGS(&device_values, &runs[0], &bucket_of, &turn_of, &block_counts, &at, &count, &b.count));
    host_launch(&h, host_kernel(&h, "sort_fours"), DIM1(blocks_for(fours, BLOCK)), block, 0,
                ARGS(&runs[0], &fours));
    CUfunction merge = host_kernel(&h, "sort_merge");
    u32 from = 0;
    for (u32 run = 1; run < b.most_fours; run *= 2, from = 1 - from) {
        u32 threads = blocks_for(b.most_fours, 2 * run);
        host_launch(&h, merge, DIM1(blocks_for(b.count * threads, BLOCK)), block, 0,
                    ARGS(&runs[from], &runs[1 - from], &at, &b.count, &run, &threads));
    }
    CUdeviceptr out = host_device_alloc(&h, bytes);
    host_launch(&h, host_kernel(&h, "sort_pack"), DIM1(b.count), block, 0,
                ARGS(&runs[from], &out, &at, &sizes, &out_at));
    check(&h, values, count, &b, pivots, out);
    return host_finish(&h);
}
