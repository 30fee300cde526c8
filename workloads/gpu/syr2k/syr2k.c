/*
 * Host of syr2k: C = alpha x (A x B^T + B x A^T) + beta x C (see syr2k.cu for its memory behaviour
 * and use).
 *
 * alpha, beta and all elements are whole numbers, and no partial sum exceeds 3 x 128 x depth + 16
 * < 2^24: exact in f32 in any order, fused or not. C is compared exactly.
 */
#include "dense.h"

#define ALPHA 3
#define BETA 2
#define BLOCK_X 32
#define BLOCK_Y 8

static int dot(const float *x, const float *y, u32 length)
{
    int sum = 0;
    for (u32 k = 0; k < length; k++)
        sum += (int)(x[k] * y[k]);
    return sum;
}

static void update(float *c, const float *a, const float *b, u32 rows, u32 depth)
{
    for (u32 i = 0; i < rows; i++) {
        for (u32 j = 0; j < rows; j++) {
            size_t row_i = (size_t)i * depth, row_j = (size_t)j * depth;
            int sum = dot(a + row_i, b + row_j, depth) + dot(b + row_i, a + row_j, depth);
            float *element = c + (size_t)i * rows + j;
            *element = (float)(BETA * (int)*element + ALPHA * sum);
        }
    }
}

static const struct host_choice choices[] = {
    {"rows", "of A, B and C", .sizes = {72, 192, 2048}},
    {"depth", "columns of A and B", .sizes = {48, 160, 1056}},
    DENSE_PITCH("depth"),
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "syr2k", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), depth = host_measure(&h, "depth");
    u32 pitch = dense_pitch(&h, depth);
    float *a = dense_make(&h, "a", rows, depth), *b = dense_make(&h, "b", rows, depth);
    float *c = dense_make(&h, "c", rows, rows);
    CUdeviceptr device_a = dense_upload_pitched(&h, a, rows, depth, pitch);
    CUdeviceptr device_b = dense_upload_pitched(&h, b, rows, depth, pitch);
    CUdeviceptr device_c = dense_upload(&h, c, rows, rows);

    float alpha = ALPHA, beta = BETA;
    host_launch(&h, dense_kernel(&h, "syr2k_element", pitch != depth),
                DIM2(blocks_for(rows, BLOCK_X), blocks_for(rows, BLOCK_Y)), DIM2(BLOCK_X, BLOCK_Y),
                0, ARGS(&device_a, &device_b, &device_c, &alpha, &beta, &rows, &depth, &pitch));

    update(c, a, b, rows, depth);
    dense_compare(&h, "c", device_c, c, rows, rows);
    return host_finish(&h);
}
