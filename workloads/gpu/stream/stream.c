/*
 * Host of stream: read, write and copy of a vector (see stream.cu for its memory behaviour and
 * use).
 *
 * Whole numbers, sums modulo 2^32. Every thread's sum, every element written and every element
 * copied are compared exactly.
 */
#include "host.h"
#include "random.h"

#define BLOCK 256

static void check(struct host *h, const char *name, CUdeviceptr from, const u32 *expected,
                  u32 count)
{
    u32 *got = HOST_ARRAY(h, u32, count);
    host_download(h, got, from, count * sizeof(u32));
    host_compare_u32(h, name, got, expected, count);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "stream", NULL, argc, argv);
    u32 count = host_pick(&h, 50001, 4000001, 128000001); /* not a multiple of the threads */
    u32 blocks = host_pick(&h, 15, 90, 1056), threads = blocks * BLOCK;
    struct random r = random_stream(h.seed, "values");

    u32 *values = HOST_ARRAY(&h, u32, count), *written = HOST_ARRAY(&h, u32, count);
    u32 *sums = HOST_ARRAY(&h, u32, threads), first = (u32)random_u64(r, count);
    for (u32 i = 0; i < count; i++) {
        values[i] = (u32)random_u64(r, i);
        written[i] = first + i;
        sums[i % threads] += values[i];
    }
    CUdeviceptr in = host_upload(&h, values, count * sizeof(u32));
    CUdeviceptr device_sums = host_device_alloc(&h, threads * sizeof(u32));
    CUdeviceptr filled = host_device_alloc(&h, count * sizeof(u32));
    CUdeviceptr copied = host_device_alloc(&h, count * sizeof(u32));

    struct dim grid = DIM1(blocks), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "stream_read"), grid, block, 0,
                ARGS(&in, &device_sums, &count));
    host_launch(&h, host_kernel(&h, "stream_write"), grid, block, 0, ARGS(&filled, &first, &count));
    host_launch(&h, host_kernel(&h, "stream_copy"), grid, block, 0, ARGS(&in, &copied, &count));

    check(&h, "sums", device_sums, sums, threads);
    check(&h, "written", filled, written, count);
    check(&h, "copied", copied, values, count);
    return host_finish(&h);
}
