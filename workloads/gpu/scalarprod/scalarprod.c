/*
 * Host of scalarprod: scalar products of pairs of vectors (see scalarprod.cu for its memory
 * behaviour and use).
 *
 * The CPU adds as the threads of a block do, in the same order: every product is compared exactly.
 */
#include "host.h"

#include <math.h>

#define BLOCK 128

static const struct host_choice choices[] = {
    {"pairs", "of vectors", .sizes = {12, 768, 8192}},
    {"length", "of a vector", .sizes = {1000, 8192, 8192}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "scalarprod", choices, argc, argv);
    u32 pairs = host_measure(&h, "pairs"), length = host_measure(&h, "length");
    size_t count = (size_t)pairs * length;
    float *a = host_random_f32(&h, "a", count, -1, 1), *b = host_random_f32(&h, "b", count, -1, 1);
    float *expected = HOST_ARRAY(&h, float, pairs);
    CUdeviceptr device_a = host_upload(&h, a, count * sizeof(float));
    CUdeviceptr device_b = host_upload(&h, b, count * sizeof(float));
    CUdeviceptr out = host_device_alloc(&h, pairs * sizeof(float));
    host_launch(&h, host_kernel(&h, "scalarprod"), DIM1(pairs), DIM1(BLOCK), 0,
                ARGS(&device_a, &device_b, &out, &length));
    for (u32 p = 0; p < pairs; p++) {
        float sums[BLOCK] = {0};
        for (u32 i = 0; i < length; i++)
            sums[i % BLOCK] =
                fmaf(a[(size_t)p * length + i], b[(size_t)p * length + i], sums[i % BLOCK]);
        for (u32 by = BLOCK / 2; by > 0; by /= 2) {
            for (u32 t = 0; t < by; t++)
                sums[t] += sums[t + by];
        }
        expected[p] = sums[0];
    }
    host_check_f32(&h, "products", out, expected, pairs);
    return host_finish(&h);
}
