/*
 * Host of sobolqrng: quasi-random sequences (see sobolqrng.cu for its memory behaviour and use).
 *
 * Whole numbers until the last, exact conversion: every number is compared exactly with one made
 * from its Gray code.
 */
#include "sobol.h"

static const struct host_choice choices[] = {
    {"vectors", "of one number per dimension", .sizes = {1000, 32000, 100000}},
    {"dimensions", "with direction numbers each", .sizes = {8, 40, 100}},
    {"passes", "over the same array", .sizes = {1, 2, 4}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sobolqrng", choices, argc, argv);
    u32 vectors = host_measure(&h, "vectors"), dimensions = host_measure(&h, "dimensions");
    u32 *v = sobol_directions(&h, dimensions);
    size_t count = (size_t)vectors * dimensions;
    CUdeviceptr directions = host_upload(&h, v, dimensions * SOBOL_BITS * sizeof(u32));
    CUdeviceptr out = host_device_alloc(&h, count * sizeof(float));
    for (u32 i = 0, passes = host_measure(&h, "passes"); i < passes; i++)
        host_launch(&h, host_kernel(&h, "sobolqrng"), DIM2(4, dimensions), DIM1(64), 0,
                    ARGS(&directions, &out, &vectors));
    float *expected = HOST_ARRAY(&h, float, count);
    for (size_t i = 0; i < count; i++) {
        u32 x = sobol_at(v + i / vectors * SOBOL_BITS, (u32)(i % vectors));
        expected[i] = (float)(x >> 8) * 0x1p-24f;
    }
    host_check_f32(&h, "out", out, expected, count);
    return host_finish(&h);
}
