/*
 * Host of conflicts: strided loads from shared memory (see conflicts.cu for its memory behaviour
 * and use). One launch for each stride: 1, 2, 4, 8, 16, 32.
 *
 * Whole numbers, sums modulo 2^32: every thread's sum at every stride is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <stdio.h>

#define BLOCK 256
#define LOADS 32
#define MOST_ROUNDS 32
#define WORDS (31 * 32 + LOADS * MOST_ROUNDS)

static u32 sum_of_lane(const u32 *words, u32 lane, u32 stride, u32 rounds)
{
    u32 sum = 0;
    for (u32 i = 0; i < rounds * LOADS; i++)
        sum += words[lane * stride + i];
    return sum;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "conflicts", NULL, argc, argv);
    u32 blocks = host_pick(&h, 15, 90, 2112), rounds = host_pick(&h, 2, 12, MOST_ROUNDS);
    u32 threads = blocks * BLOCK;

    struct random r = random_stream(h.seed, "words");
    u32 *words = HOST_ARRAY(&h, u32, WORDS);
    for (u32 i = 0; i < WORDS; i++)
        words[i] = (u32)random_u64(r, i);
    CUdeviceptr in = host_upload(&h, words, WORDS * sizeof(u32));
    CUdeviceptr sums = host_device_alloc(&h, threads * sizeof(u32));

    u32 *got = HOST_ARRAY(&h, u32, threads), *expected = HOST_ARRAY(&h, u32, threads);
    for (u32 stride = 1; stride <= 32; stride *= 2) {
        char name[32];
        snprintf(name, sizeof name, "conflicts_stride_%u", stride);
        host_launch(&h, host_kernel(&h, name), DIM1(blocks), DIM1(BLOCK), 0,
                    ARGS(&in, &sums, &rounds));
        host_download(&h, got, sums, threads * sizeof(u32));
        for (u32 t = 0; t < threads; t++)
            expected[t] = t < 32 ? sum_of_lane(words, t, stride, rounds) : expected[t % 32];
        host_compare_u32(&h, name, got, expected, threads);
    }
    return host_finish(&h);
}
