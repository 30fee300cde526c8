/*
 * Host of bicg: s = A^T r, q = A p (see bicg.cu for its memory behaviour and use).
 *
 * The CPU does the same fused operations in the same order. s and q are compared exactly.
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
    host_init(&h, "bicg", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), columns = host_measure(&h, "columns");
    u32 pitch = dense_pitch(&h, columns);
    u32 block = dense_sums_in_memory(&h) ? MEMORY_BLOCK : BLOCK;
    float *a = dense_make(&h, "a", rows, columns);
    float *r = dense_make(&h, "r", rows, 1), *p = dense_make(&h, "p", columns, 1);
    float *s = HOST_ARRAY(&h, float, columns), *q = HOST_ARRAY(&h, float, rows);
    CUdeviceptr device_a = dense_upload_pitched(&h, a, rows, columns, pitch);
    CUdeviceptr device_r = dense_upload(&h, r, rows, 1);
    CUdeviceptr device_p = dense_upload(&h, p, columns, 1);
    CUdeviceptr device_s = dense_upload(&h, s, columns, 1);
    CUdeviceptr device_q = dense_upload(&h, q, rows, 1);

    CUfunction of_s = dense_sum_kernel(&h, "bicg_s", pitch != columns);
    CUfunction of_q = dense_sum_kernel(&h, "bicg_q", pitch != columns);
    host_launch(&h, of_s, DIM1(blocks_for(columns, block)), DIM1(block), 0,
                ARGS(&device_a, &device_r, &device_s, &rows, &columns, &pitch));
    host_launch(&h, of_q, DIM1(blocks_for(rows, block)), DIM1(block), 0,
                ARGS(&device_a, &device_p, &device_q, &rows, &columns, &pitch));

    dense_multiply_transposed(s, a, r, rows, columns);
    dense_multiply(q, a, p, rows, columns);
    dense_compare(&h, "s", device_s, s, columns, 1);
    dense_compare(&h, "q", device_q, q, rows, 1);
    return host_finish(&h);
}
