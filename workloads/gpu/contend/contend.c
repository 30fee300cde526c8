/*
 * Host of contend: atomic additions to few and many addresses (see contend.cu for its memory
 * behaviour and use). One launch for each number of counters.
 *
 * Additions modulo 2^32 give the same sums in any order: every counter is compared exactly.
 */
#include "host.h"
#include "random.h"

#define BLOCK 256
#define CASES 4
#define SCATTERED 2654435761u

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "contend", NULL, argc, argv);
    u32 blocks = host_pick(&h, 15, 90, 2112), rounds = host_pick(&h, 4, 8, 16);
    u32 counters[CASES] = {1, 32, 1024, host_pick(&h, 1u << 14, 1u << 20, 1u << 26)};
    struct random r = random_stream(h.seed, "counters"); /* what is in them before */

    static const char *const names[CASES] = {"contend_1", "contend_32", "contend_1024",
                                             "contend_many"};
    for (u32 i = 0; i < CASES; i++) {
        u32 count = counters[i], spread = i == CASES - 1 ? SCATTERED : 1;
        u32 *got = HOST_ARRAY(&h, u32, count), *expected = HOST_ARRAY(&h, u32, count);
        for (u32 k = 0; k < count; k++)
            expected[k] = (u32)random_u64(r, k);
        CUdeviceptr counter = host_upload(&h, expected, count * sizeof(u32));
        host_launch(&h, host_kernel(&h, names[i]), DIM1(blocks), DIM1(BLOCK), 0,
                    ARGS(&counter, &count, &rounds));
        for (u32 t = 0; t < blocks * BLOCK; t++) {
            for (u32 round = 0; round < rounds; round++)
                expected[(t * spread + round * 32) % count] += t % 64 + 1;
        }
        host_download(&h, got, counter, count * sizeof(u32));
        host_compare_u32(&h, names[i], got, expected, count);
    }
    return host_finish(&h);
}
