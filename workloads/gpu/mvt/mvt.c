/*
 * Host of mvt: x1 += A y1, x2 += A^T y2 (see mvt.cu for its memory behaviour and use).
 *
 * The CPU does the same fused operations in the same order. x1 and x2 are compared exactly.
 */
#include "dense.h"

#define BLOCK 128
#define MEMORY_BLOCK 256 /* with sums in memory: Polybench's */

static const struct host_choice choices[] = {
    {"rows", "of A", .sizes = {320, 8192, 65536}},
    {"columns", "of A", .sizes = {96, 416, 4128}},
    DENSE_PITCH("columns"),
    DENSE_SUMS,
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mvt", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), columns = host_measure(&h, "columns");
    if (columns > rows) /* a block's threads have a row each, and then a column each */
        host_fail(&h, "--columns is %u, expected at most the %u rows", columns, rows);
    u32 pitch = dense_pitch(&h, columns);
    u32 block = dense_sums_in_memory(&h) ? MEMORY_BLOCK : BLOCK;
    float *a = dense_make(&h, "a", rows, columns);
    float *x1 = dense_make(&h, "x1", rows, 1), *x2 = dense_make(&h, "x2", columns, 1);
    float *y1 = dense_make(&h, "y1", columns, 1), *y2 = dense_make(&h, "y2", rows, 1);
    CUdeviceptr device_a = dense_upload_pitched(&h, a, rows, columns, pitch);
    CUdeviceptr device_x1 = dense_upload(&h, x1, rows, 1);
    CUdeviceptr device_x2 = dense_upload(&h, x2, columns, 1);
    CUdeviceptr device_y1 = dense_upload(&h, y1, columns, 1);
    CUdeviceptr device_y2 = dense_upload(&h, y2, rows, 1);

    host_launch(
        &h, dense_sum_kernel(&h, "mvt_both", pitch != columns), DIM1(blocks_for(rows, block)),
        DIM1(block), 0,
        ARGS(&device_a, &device_x1, &device_x2, &device_y1, &device_y2, &rows, &columns, &pitch));

    dense_multiply(x1, a, y1, rows, columns);
    dense_multiply_transposed(x2, a, y2, rows, columns);
    dense_compare(&h, "x1", device_x1, x1, rows, 1);
    dense_compare(&h, "x2", device_x2, x2, columns, 1);
    return host_finish(&h);
}
