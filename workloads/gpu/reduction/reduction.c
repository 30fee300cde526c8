/*
 * Host of reduction: the sum of an array (see reduction.cu for its memory behaviour and use).
 *
 * Whole numbers modulo 2^32: blocks' sums and the total are compared exactly.
 */
#include "host.h"

#define BLOCK 256

static const struct host_choice choices[] = {
    {"elements", "of the array", .sizes = {20000, 1000000, 16777216}},
    {"passes", "over the array", .sizes = {2, 6, 32}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "reduction", choices, argc, argv);
    u32 count = host_measure(&h, "elements"), blocks = host_pick(&h, 16, 240, 512), total = 0;
    u32 *values = host_random_u32(&h, "values", count, 0xffffffffu);
    u32 *sums = HOST_ARRAY(&h, u32, blocks);
    for (u32 i = 0; i < count; i++) {
        sums[i / (2 * BLOCK) % blocks] += values[i];
        total += values[i];
    }
    CUdeviceptr in = host_upload(&h, values, count * sizeof(u32));
    CUdeviceptr out = host_device_alloc(&h, blocks * sizeof(u32));
    CUdeviceptr last = host_device_alloc(&h, sizeof(u32));
    CUfunction kernel = host_kernel(&h, "reduction");
    for (u32 i = 0, passes = host_measure(&h, "passes"); i < passes; i++) {
        host_launch(&h, kernel, DIM1(blocks), DIM1(BLOCK), 0, ARGS(&in, &out, &count));
        host_launch(&h, kernel, DIM1(1), DIM1(BLOCK), 0, ARGS(&out, &last, &blocks));
    }
    host_check_u32(&h, "sums", out, sums, blocks);
    host_check_u32(&h, "total", last, &total, 1);
    return host_finish(&h);
}
