/*
 * Host of atax: y = A^T (A x) (see atax.cu for its memory behaviour and use).
 *
 * The CPU does the same fused operations in the same order. A x and y are compared exactly.
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
    host_init(&h, "atax", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), columns = host_measure(&h, "columns");
    u32 pitch = dense_pitch(&h, columns);
    u32 block = dense_sums_in_memory(&h) ? MEMORY_BLOCK : BLOCK;
    float *a = dense_make(&h, "a", rows, columns), *x = dense_make(&h, "x", columns, 1);
    float *ax = HOST_ARRAY(&h, float, rows), *y = HOST_ARRAY(&h, float, columns);
    CUdeviceptr device_a = dense_upload_pitched(&h, a, rows, columns, pitch);
    CUdeviceptr device_x = dense_upload(&h, x, columns, 1);
    CUdeviceptr device_ax = dense_upload(&h, ax, rows, 1);
    CUdeviceptr device_y = dense_upload(&h, y, columns, 1);

    CUfunction product = dense_sum_kernel(&h, "atax_product", pitch != columns);
    CUfunction transposed = dense_sum_kernel(&h, "atax_transposed", pitch != columns);
    host_launch(&h, product, DIM1(blocks_for(rows, block)), DIM1(block), 0,
                ARGS(&device_a, &device_x, &device_ax, &rows, &columns, &pitch));
    host_launch(&h, transposed, DIM1(blocks_for(columns, block)), DIM1(block), 0,
                ARGS(&device_a, &device_ax, &device_y, &rows, &columns, &pitch));

    dense_multiply(ax, a, x, rows, columns);
    dense_multiply_transposed(y, a, ax, rows, columns);
    dense_compare(&h, "ax", device_ax, ax, rows, 1);
    dense_compare(&h, "y", device_y, y, columns, 1);
    return host_finish(&h);
}
