/*
 * Host of gaussian: elimination of a linear system (see gaussian.cu for its memory behaviour and
 * use).
 *
 * The CPU does the same operations in the same order: the eliminated matrix and the right side are
 * compared exactly. The diagonal dominates, so no pivots are needed.
 */
#include "host.h"

#include <math.h>

static const struct host_choice choices[] = {
    {"side", "of the matrix", .sizes = {24, 208, 2048}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "gaussian", choices, argc, argv);
    u32 n = host_measure(&h, "side");
    float *a = host_random_f32(&h, "a", (size_t)n * n, -1, 1),
          *b = host_random_f32(&h, "b", n, -1, 1);
    for (u32 i = 0; i < n; i++)
        a[(size_t)i * n + i] += (float)n;
    CUdeviceptr device_a = host_upload(&h, a, (size_t)n * n * sizeof(float));
    CUdeviceptr device_b = host_upload(&h, b, n * sizeof(float));
    CUdeviceptr m = host_device_alloc(&h, n * sizeof(float));
    CUfunction multipliers = host_kernel(&h, "gaussian_multipliers");
    CUfunction subtract = host_kernel(&h, "gaussian_subtract");
    for (u32 column = 0; column + 1 < n; column++) {
        u32 below = n - column - 1;
        host_launch(&h, multipliers, DIM1(blocks_for(below, 256)), DIM1(256), 0,
                    ARGS(&device_a, &m, &n, &column));
        host_launch(&h, subtract, DIM2(blocks_for(below + 1, 16), blocks_for(below, 16)),
                    DIM2(16, 16), 0, ARGS(&device_a, &device_b, &m, &n, &column));
        const float *from = a + (size_t)column * n;
        for (u32 row = column + 1; row < n; row++) {
            float *to = a + (size_t)row * n, times = to[column] / from[column];
            for (u32 x = column; x < n; x++)
                to[x] = fmaf(-times, from[x], to[x]);
            b[row] = fmaf(-times, b[column], b[row]);
        }
    }
    host_check_f32(&h, "a", device_a, a, (size_t)n * n);
    host_check_f32(&h, "b", device_b, b, n);
    return host_finish(&h);
}
