/*
 * Host of diverge: warps on several paths (see diverge.cu for its memory behaviour and use). One
 * launch for each number of paths: 1, 2, 4, 8, 16, 32.
 *
 * Whole numbers modulo 2^32: every thread's value is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <stdio.h>

#define BLOCK 256

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "diverge", NULL, argc, argv);
    u32 blocks = host_pick(&h, 15, 90, 2112), threads = blocks * BLOCK;
    u32 rounds = host_pick(&h, 5, 20, 200);
    u32 start = (u32)random_u64(random_stream(h.seed, "start"), 0);

    CUdeviceptr out = host_device_alloc(&h, threads * sizeof(u32));
    u32 *got = HOST_ARRAY(&h, u32, threads), *expected = HOST_ARRAY(&h, u32, threads);
    for (u32 paths = 1; paths <= 32; paths *= 2) {
        char name[32];
        snprintf(name, sizeof name, "diverge_%u", paths);
        host_launch(&h, host_kernel(&h, name), DIM1(blocks), DIM1(BLOCK), 0,
                    ARGS(&out, &rounds, &start));
        for (u32 t = 0; t < threads; t++) {
            u32 value = start + t;
            for (u32 round = 0; round < rounds; round++)
                value = (value * 1664525 + t % BLOCK % paths) ^ (value >> 7);
            expected[t] = value;
        }
        host_download(&h, got, out, threads * sizeof(u32));
        host_compare_u32(&h, name, got, expected, threads);
    }
    return host_finish(&h);
}
