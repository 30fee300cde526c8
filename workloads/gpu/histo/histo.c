/*
 * Host of histo: a histogram of 256 x 64 bins (see histo.cu for its memory behaviour and use).
 *
 * Whole numbers: counts and cut-off counters are compared exactly, after every round. Values crowd
 * around the middle as those of Parboil do, so that some counters stop and most of the edge is
 * empty.
 */
#include "host.h"
#include "random.h"

#define BLOCK 256
#define SLICE 4096
#define COLUMNS 256
#define ROWS 64
#define BINS (COLUMNS * ROWS)

/* The sum of four draws lies near the middle. */
static u32 around_middle(struct random r, u64 n, u32 bound)
{
    u32 sum = 0;
    for (u32 i = 0; i < 4; i++)
        sum += random_below(r, 4 * n + i, bound);
    return sum / 4;
}

static u32 *make_values(struct host *h, u32 count, u32 round)
{
    struct random x = random_stream(h->seed + round, "x"), y = random_stream(h->seed + round, "y");
    u32 *values = HOST_ARRAY(h, u32, count);
    for (u32 i = 0; i < count; i++)
        values[i] = around_middle(y, i, ROWS) * COLUMNS + around_middle(x, i, COLUMNS);
    return values;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "histo", NULL, argc, argv);
    u32 count = host_pick(&h, 8192, 262144, 16777216), rounds = host_pick(&h, 2, 4, 4);
    u32 words = BINS / 4;
    CUdeviceptr counts = host_device_alloc(&h, BINS * sizeof(u32));
    CUdeviceptr packed = host_device_alloc(&h, words * sizeof(u32));
    CUfunction slice = host_kernel(&h, "histo_slice"), cut = host_kernel(&h, "histo_saturate");
    u32 *expected = HOST_ARRAY(&h, u32, BINS), *bytes = HOST_ARRAY(&h, u32, words);
    u32 *got = HOST_ARRAY(&h, u32, BINS);
    CU(&h, cuMemsetD8, (counts, 0, BINS * sizeof(u32)));
    for (u32 round = 0; round < rounds; round++) {
        u32 *values = make_values(&h, count, round);
        CUdeviceptr device_values = host_upload(&h, values, count * sizeof(u32));
        struct dim grid = DIM1(blocks_for(count, 16 * BLOCK));
        for (u32 first = 0; first < BINS; first += SLICE)
            host_launch(&h, slice, grid, DIM1(BLOCK), 0,
                        ARGS(&device_values, &counts, &count, &first));
        host_launch(&h, cut, DIM1(blocks_for(words, BLOCK)), DIM1(BLOCK), 0,
                    ARGS(&counts, &packed, &words));
        for (u32 i = 0; i < count; i++)
            expected[values[i]]++;
        host_download(&h, got, counts, BINS * sizeof(u32));
        host_compare_u32(&h, "counts", got, expected, BINS);
        for (u32 w = 0; w < words; w++) {
            bytes[w] = 0;
            for (u32 i = 0; i < 4; i++) {
                u32 n = expected[4 * w + i];
                bytes[w] |= (n < 255 ? n : 255) << (8 * i);
            }
        }
        host_download(&h, got, packed, words * sizeof(u32));
        host_compare_u32(&h, "packed", got, bytes, words);
    }
    return host_finish(&h);
}
