/*
 * Host of reduce: sums and the maximum of a vector (see reduce.cu for its memory behaviour and
 * use).
 *
 * Whole numbers add up modulo 2^32 in any order. The floats are -1, 0 or 1 and at most 2^24 of
 * them, so that every partial sum is exact in f32, whatever the order of the atomics. Compared
 * exactly: the sum of every block, the total in two stages, the total and the maximum by atomics,
 * the sum of the floats.
 */
#include "host.h"
#include "random.h"

#define BLOCK 256

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "reduce", NULL, argc, argv);
    u32 count = host_pick(&h, 50000, 3000000, 1 << 24);
    u32 blocks = host_pick(&h, 24, 240, 1056);
    struct random r = random_stream(h.seed, "values"), s = random_stream(h.seed, "signs");

    u32 *values = HOST_ARRAY(&h, u32, count), *partial = HOST_ARRAY(&h, u32, blocks);
    float *signs = HOST_ARRAY(&h, float, count);
    u32 totals[3] = {0}; /* in two stages; by atomics; the maximum */
    float sum = 0;
    for (u32 i = 0; i < count; i++) {
        values[i] = (u32)random_u64(r, i);
        signs[i] = (float)((int)random_below(s, i, 3) - 1);
        partial[i / BLOCK % blocks] += values[i];
        totals[0] += values[i];
        totals[2] = values[i] > totals[2] ? values[i] : totals[2];
        sum += signs[i];
    }
    totals[1] = totals[0];

    CUdeviceptr device_values = host_upload(&h, values, count * sizeof(u32));
    CUdeviceptr device_signs = host_upload(&h, signs, count * sizeof(float));
    CUdeviceptr device_partial = host_device_alloc(&h, blocks * sizeof(u32));
    CUdeviceptr total = host_device_alloc(&h, sizeof totals), sum_max = total + sizeof(u32);
    CUdeviceptr device_sum = host_device_alloc(&h, sizeof sum);
    CU(&h, cuMemsetD32, (total, 0, 3));
    CU(&h, cuMemsetD32, (device_sum, 0, 1));

    CUfunction stage = host_kernel(&h, "reduce_blocks");
    struct dim grid = DIM1(blocks), block = DIM1(BLOCK);
    host_launch(&h, stage, grid, block, 0, ARGS(&device_values, &count, &device_partial));
    host_launch(&h, stage, DIM1(1), block, 0, ARGS(&device_partial, &blocks, &total));
    host_launch(&h, host_kernel(&h, "reduce_atomic"), grid, block, 0,
                ARGS(&device_values, &count, &sum_max));
    host_launch(&h, host_kernel(&h, "reduce_float"), grid, block, 0,
                ARGS(&device_signs, &count, &device_sum));

    u32 *got_partial = HOST_ARRAY(&h, u32, blocks), got_totals[3];
    float got_sum;
    host_download(&h, got_partial, device_partial, blocks * sizeof(u32));
    host_download(&h, got_totals, total, sizeof got_totals);
    host_download(&h, &got_sum, device_sum, sizeof got_sum);
    host_compare_u32(&h, "partial", got_partial, partial, blocks);
    host_compare_u32(&h, "totals", got_totals, totals, 3);
    host_compare_f32(&h, "sum", &got_sum, &sum, 1);
    return host_finish(&h);
}
