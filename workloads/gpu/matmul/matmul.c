/*
 * Host of matmul: C = A x B (see matmul.cu for its memory behaviour and use).
 *
 * The elements of A and B are whole numbers from -8 to 8, so every partial sum is a whole number of
 * at most 64 x depth < 2^24: exact in f32 in any order, fused or not. C is compared exactly.
 */
#include "host.h"
#include "random.h"

#define TILE 16

static float *make_matrix(struct host *h, const char *name, u32 rows, u32 columns)
{
    struct random r = random_stream(h->seed, name);
    size_t count = (size_t)rows * columns;
    float *m = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++)
        m[i] = (float)((int)random_below(r, i, 17) - 8);
    return m;
}

static float *multiply(struct host *h, const float *a, const float *b, u32 rows, u32 columns,
                       u32 depth)
{
    float *c = HOST_ARRAY(h, float, (size_t)rows *columns);
    for (u32 i = 0; i < rows; i++) {
        float *to = c + (size_t)i * columns;
        for (u32 k = 0; k < depth; k++) {
            float factor = a[(size_t)i * depth + k];
            const float *from = b + (size_t)k * columns;
            for (u32 j = 0; j < columns; j++)
                to[j] += factor * from[j];
        }
    }
    return c;
}

static const struct host_choice choices[] = {
    {"rows", "of A and C, a multiple of 16", .sizes = {64, 384, 2048}},
    {"columns", "of B and C, a multiple of 16", .sizes = {96, 320, 3072}},
    {"depth", "columns of A, a multiple of 16", .sizes = {80, 256, 1024}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "matmul", choices, argc, argv);
    /* Three different lengths, so that mixing them up is noticed; multiples of TILE. */
    u32 rows = host_multiple(&h, "rows", TILE);
    u32 columns = host_multiple(&h, "columns", TILE);
    u32 depth = host_multiple(&h, "depth", TILE);

    float *a = make_matrix(&h, "a", rows, depth), *b = make_matrix(&h, "b", depth, columns);
    size_t c_count = (size_t)rows * columns;
    CUdeviceptr device_a = host_upload(&h, a, (size_t)rows * depth * sizeof(float));
    CUdeviceptr device_b = host_upload(&h, b, (size_t)depth * columns * sizeof(float));
    CUdeviceptr device_c = host_device_alloc(&h, c_count * sizeof(float));

    host_launch(&h, host_kernel(&h, "matmul_tiled"), DIM2(columns / TILE, rows / TILE),
                DIM2(TILE, TILE), 0, ARGS(&device_a, &device_b, &device_c, &columns, &depth));

    float *c = HOST_ARRAY(&h, float, c_count);
    host_download(&h, c, device_c, c_count * sizeof(float));
    host_compare_f32(&h, "c", c, multiply(&h, a, b, rows, columns, depth), c_count);
    return host_finish(&h);
}
