/*
 * Host of vecadd: copy, add and triad over vectors (see vecadd.cu for their memory behaviour and
 * use).
 *
 * Each element is one operation rounded once, here and there: compared exactly.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 256

static float *make_vector(struct host *h, const char *name, u32 count)
{
    struct random r = random_stream(h->seed, name);
    float *v = HOST_ARRAY(h, float, count);
    for (u32 i = 0; i < count; i++)
        v[i] = 2 * random_unit(r, i) - 1;
    return v;
}

static void check(struct host *h, const char *name, CUdeviceptr out, const float *expected,
                  u32 count)
{
    float *got = HOST_ARRAY(h, float, count);
    host_download(h, got, out, count * sizeof(float));
    host_compare_f32(h, name, got, expected, count);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "vecadd", NULL, argc, argv);
    u32 count = host_pick(&h, 20001, 3000001, 64000001); /* the last block is not full */
    float scale = 3;

    float *a = make_vector(&h, "a", count), *b = make_vector(&h, "b", count);
    CUdeviceptr device_a = host_upload(&h, a, count * sizeof(float));
    CUdeviceptr device_b = host_upload(&h, b, count * sizeof(float));
    CUdeviceptr copied = host_device_alloc(&h, count * sizeof(float));
    CUdeviceptr added = host_device_alloc(&h, count * sizeof(float));
    CUdeviceptr triad = host_device_alloc(&h, count * sizeof(float));

    struct dim grid = DIM1(blocks_for(count, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "vector_copy"), grid, block, 0,
                ARGS(&device_a, &copied, &count));
    host_launch(&h, host_kernel(&h, "vector_add"), grid, block, 0,
                ARGS(&device_a, &device_b, &added, &count));
    host_launch(&h, host_kernel(&h, "vector_triad"), grid, block, 0,
                ARGS(&device_a, &device_b, &scale, &triad, &count));

    check(&h, "copy", copied, a, count);
    float *expected = HOST_ARRAY(&h, float, count);
    for (u32 i = 0; i < count; i++)
        expected[i] = a[i] + b[i];
    check(&h, "add", added, expected, count);
    for (u32 i = 0; i < count; i++)
        expected[i] = fmaf(scale, a[i], b[i]);
    check(&h, "triad", triad, expected, count);
    return host_finish(&h);
}
