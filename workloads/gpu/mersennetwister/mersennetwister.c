/*
 * Host of mersennetwister: normally distributed numbers (see mersennetwister.cu for its memory
 * behaviour and use).
 *
 * The CPU does the same operations in the same order: every number is compared exactly.
 */
#include "host.h"
#include "twister.h"

#define BLOCK 128

static const struct host_choice choices[] = {
    {"threads", "with a generator each, a multiple of 128", .sizes = {256, 4096, 4096}},
    {"each", "numbers of a thread, even", .sizes = {20, 200, 5864}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mersennetwister", choices, argc, argv);
    u32 threads = host_multiple(&h, "threads", BLOCK), each = host_multiple(&h, "each", 2);
    size_t count = (size_t)threads * each;
    struct parameters *p =
        (struct parameters *)(void *)host_random_u32(&h, "parameters", 4 * threads, 0xffffffffu);
    CUdeviceptr parameters = host_upload(&h, p, threads * sizeof *p);
    CUdeviceptr out = host_device_alloc(&h, count * sizeof(float));
    host_launch(&h, host_kernel(&h, "mersennetwister"), DIM1(threads / BLOCK), DIM1(BLOCK), 0,
                ARGS(&parameters, &out, &each));
    host_launch(&h, host_kernel(&h, "mersennetwister_normal"), DIM1(threads / BLOCK), DIM1(BLOCK),
                0, ARGS(&out, &each));
    float *expected = HOST_ARRAY(&h, float, count);
    for (u32 t = 0; t < threads; t++) {
        struct twister twister;
        twister_start(&twister, p[t].seed);
        for (u32 i = 0; i < each; i++)
            expected[(size_t)i * threads + t] = twister_next(&twister, p[t]);
        for (u32 i = 0; i < each; i += 2)
            normal_pair(&expected[(size_t)i * threads + t],
                        &expected[(size_t)(i + 1) * threads + t]);
    }
    host_check_f32(&h, "out", out, expected, count);
    return host_finish(&h);
}
