/*
 * Host of sgemm: a matrix product with sums in registers (see sgemm.cu for its memory behaviour and
 * use).
 *
 * The CPU adds up in the kernel's order with the kernel's fused multiply-adds: every element is
 * compared exactly.
 */
#include "host.h"

#include <math.h>

static const struct host_choice choices[] = {
    {"rows", "of A and C, a multiple of 64", .sizes = {64, 576, 1024}},
    {"columns", "of B and C, a multiple of 16", .sizes = {64, 528, 1024}},
    {"depth", "columns of A, rows of B, a multiple of 16", .sizes = {64, 528, 1024}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sgemm", choices, argc, argv);
    u32 rows = host_multiple(&h, "rows", 64), columns = host_multiple(&h, "columns", 16);
    u32 depth = host_multiple(&h, "depth", 16);
    float alpha = 0.75f, beta = 0.5f;
    float *a = host_random_f32(&h, "a", (size_t)rows * depth, -1, 1);
    float *b = host_random_f32(&h, "b", (size_t)depth * columns, -1, 1);
    float *c = host_random_f32(&h, "c", (size_t)rows * columns, -1, 1);
    CUdeviceptr device_a = host_upload(&h, a, (size_t)rows * depth * sizeof(float));
    CUdeviceptr device_b = host_upload(&h, b, (size_t)depth * columns * sizeof(float));
    CUdeviceptr device_c = host_upload(&h, c, (size_t)rows * columns * sizeof(float));
    host_launch(&h, host_kernel(&h, "sgemm"), DIM2(rows / 64, columns / 16), DIM1(64), 0,
                ARGS(&device_a, &device_b, &device_c, &rows, &columns, &depth, &alpha, &beta));

    float *sums = HOST_ARRAY(&h, float, rows);
    for (u32 j = 0; j < columns; j++) {
        for (u32 i = 0; i < rows; i++)
            sums[i] = 0;
        for (u32 k = 0; k < depth; k++) {
            float y = b[(size_t)k * columns + j];
            for (u32 i = 0; i < rows; i++)
                sums[i] = fmaf(a[(size_t)k * rows + i], y, sums[i]);
        }
        for (u32 i = 0; i < rows; i++) {
            float *at = &c[(size_t)j * rows + i];
            *at = fmaf(beta, *at, alpha * sums[i]);
        }
    }
    host_check_f32(&h, "c", device_c, c, (size_t)rows * columns);
    return host_finish(&h);
}
