/*
 * Host of quasirandom: quasi-random numbers (see quasirandom.cu for its memory behaviour and use).
 *
 * The CPU does the same operations in the same order: every number is compared exactly.
 */
#include "normal.h"
#include "sobol.h"

#define DIMENSIONS 3
#define BITS 31

static const struct host_choice choices[] = {
    {"numbers", "of each of three dimensions", .sizes = {1500, 60000, 1048576}},
    {"passes", "over the array, two kernels each", .sizes = {2, 3, 8}},
    {"blocks", "of 128 threads per dimension", .sizes = {4, 16, 128}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "quasirandom", choices, argc, argv);
    u32 numbers = host_measure(&h, "numbers"), count = DIMENSIONS * numbers;
    u32 *v = sobol_directions(&h, DIMENSIONS), table[DIMENSIONS][BITS];
    for (u32 d = 0; d < DIMENSIONS; d++) {
        for (u32 b = 0; b < BITS; b++)
            table[d][b] = v[d * SOBOL_BITS + b];
    }
    CUdeviceptr constant, out = host_device_alloc(&h, count * sizeof(float));
    size_t bytes;
    CU(&h, cuModuleGetGlobal, (&constant, &bytes, h.module, "directions"));
    CU(&h, cuMemcpyHtoD, (constant, table, sizeof table));
    u32 blocks = host_measure(&h, "blocks");
    for (u32 i = 0, passes = host_measure(&h, "passes"); i < passes; i++) {
        host_launch(&h, host_kernel(&h, "quasirandom"), DIM2(blocks, DIMENSIONS), DIM1(128), 0,
                    ARGS(&out, &numbers));
        host_launch(&h, host_kernel(&h, "quasirandom_normal"), DIM1(DIMENSIONS * blocks), DIM1(128),
                    0, ARGS(&out, &count));
    }
    float *expected = HOST_ARRAY(&h, float, count);
    for (u32 i = 0; i < count; i++) {
        u32 x = 0, n = i % numbers;
        for (u32 b = 0; b < BITS; b++)
            x ^= n >> b & 1 ? table[i / numbers][b] : 0;
        expected[i] = normal_of(((float)(x >> 9) + 0.5f) * 0x1p-23f);
    }
    host_check_f32(&h, "out", out, expected, count);
    return host_finish(&h);
}
