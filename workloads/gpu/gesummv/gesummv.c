/*
 * Host of gesummv: y = alpha x A x + beta x B x (see gesummv.cu for its memory behaviour and use).
 *
 * The CPU does the same operations in the same order, fused where the kernels fuse them. The two
 * products and y are compared exactly.
 */
#include "dense.h"

#define BLOCK 256

static const struct host_choice choices[] = {
    {"rows", "of A and B", .sizes = {320, 23040, 65536}},
    {"columns", "of A and B", .sizes = {96, 160, 2080}},
    DENSE_PITCH("columns"),
    DENSE_SUMS,
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "gesummv", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), columns = host_measure(&h, "columns");
    u32 pitch = dense_pitch(&h, columns);
    float *a = dense_make(&h, "a", rows, columns), *b = dense_make(&h, "b", rows, columns);
    float *x = dense_make(&h, "x", columns, 1);
    float *ax = HOST_ARRAY(&h, float, rows), *bx = HOST_ARRAY(&h, float, rows);
    float *y = HOST_ARRAY(&h, float, rows);
    CUdeviceptr device_a = dense_upload_pitched(&h, a, rows, columns, pitch);
    CUdeviceptr device_b = dense_upload_pitched(&h, b, rows, columns, pitch);
    CUdeviceptr device_x = dense_upload(&h, x, columns, 1);
    CUdeviceptr device_ax = dense_upload(&h, ax, rows, 1),
                device_bx = dense_upload(&h, bx, rows, 1);
    CUdeviceptr device_y = host_device_alloc(&h, rows * sizeof(float));

    float alpha = 1.5f, beta = 1.25f;
    struct dim grid = DIM1(blocks_for(rows, BLOCK)), block = DIM1(BLOCK);
    host_launch(
        &h, dense_sum_kernel(&h, "gesummv_products", pitch != columns), grid, block, 0,
        ARGS(&device_a, &device_b, &device_x, &device_ax, &device_bx, &rows, &columns, &pitch));
    host_launch(&h, host_kernel(&h, "gesummv_sum"), grid, block, 0,
                ARGS(&device_ax, &device_bx, &device_y, &alpha, &beta, &rows));

    dense_multiply(ax, a, x, rows, columns);
    dense_multiply(bx, b, x, rows, columns);
    for (u32 i = 0; i < rows; i++)
        y[i] = fmaf(alpha, ax[i], beta * bx[i]);
    dense_compare(&h, "ax", device_ax, ax, rows, 1);
    dense_compare(&h, "bx", device_bx, bx, rows, 1);
    dense_compare(&h, "y", device_y, y, rows, 1);
    return host_finish(&h);
}
