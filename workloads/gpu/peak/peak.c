/*
 * Host of peak: peak rates of FMA and special function units (see peak.cu for their memory
 * behaviour and use).
 *
 * FMA: whole numbers below 2^24, compared exactly with the closed form. Reciprocal roots: the GPU's
 * has a relative error below 2^-22 and the CPU's below 2^-23; each step halves the error before it,
 * so both stay within 2^-21 of the true value and within 2^-20 of each other. Every thread's result
 * is compared.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 256
#define CHAINS 8
#define UNROLLED 16
#define MOST_VALUE 1000

/* What `steps` reciprocal roots make of each whole number the chains start with. */
static float *make_roots(struct host *h, u32 steps)
{
    float *roots = HOST_ARRAY(h, float, MOST_VALUE + CHAINS);
    for (u32 value = 1; value < MOST_VALUE + CHAINS; value++) {
        roots[value] = (float)value;
        for (u32 step = 0; step < steps; step++)
            roots[value] = 1 / sqrtf(roots[value]);
    }
    return roots;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "peak", NULL, argc, argv);
    u32 blocks = host_pick(&h, 15, 90, 2112), threads = blocks * BLOCK;
    u32 rounds = host_pick(&h, 4, 40, 400), sfu_rounds = rounds / 4;
    float one = 1;

    struct random r = random_stream(h.seed, "values");
    float *in = HOST_ARRAY(&h, float, threads), *sums = HOST_ARRAY(&h, float, threads);
    float *roots = HOST_ARRAY(&h, float, (size_t)CHAINS *threads);
    float *roots_of = make_roots(&h, sfu_rounds * UNROLLED);
    for (u32 t = 0; t < threads; t++) {
        u32 value = 1 + random_below(r, t, MOST_VALUE);
        in[t] = (float)value;
        for (u32 i = 0; i < CHAINS; i++) {
            sums[t] += (float)(value + i + (i + 1) * rounds * UNROLLED);
            roots[i * threads + t] = roots_of[value + i];
        }
    }
    CUdeviceptr device_in = host_upload(&h, in, threads * sizeof(float));
    CUdeviceptr device_sums = host_device_alloc(&h, threads * sizeof(float));
    CUdeviceptr device_roots = host_device_alloc(&h, (size_t)CHAINS * threads * sizeof(float));

    host_launch(&h, host_kernel(&h, "peak_fma"), DIM1(blocks), DIM1(BLOCK), 0,
                ARGS(&device_in, &device_sums, &one, &rounds));
    host_launch(&h, host_kernel(&h, "peak_sfu"), DIM1(blocks), DIM1(BLOCK), 0,
                ARGS(&device_in, &device_roots, &sfu_rounds));

    float *got = HOST_ARRAY(&h, float, (size_t)CHAINS *threads);
    host_download(&h, got, device_sums, threads * sizeof(float));
    host_compare_f32(&h, "sums", got, sums, threads);
    host_download(&h, got, device_roots, (size_t)CHAINS * threads * sizeof(float));
    host_compare_f32_within(&h, "roots", got, roots, (size_t)CHAINS * threads, 0, 0x1p-20);
    return host_finish(&h);
}
