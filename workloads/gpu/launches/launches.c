/*
 * Host of launches: many empty and tiny kernels (see launches.cu for their memory behaviour and
 * use).
 *
 * Each tiny kernel multiplies the counters and adds its number, modulo 2^32: the result is right
 * only if every launch ran once, after the one before. All counters are compared exactly.
 */
#include "host.h"
#include "random.h"

#define THREADS 32

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "launches", NULL, argc, argv);
    u32 launches = host_pick(&h, 50, 1000, 10000);
    struct random r = random_stream(h.seed, "counters");

    u32 counters[THREADS], got[THREADS];
    for (u32 i = 0; i < THREADS; i++)
        counters[i] = (u32)random_u64(r, i);
    CUdeviceptr device_counters = host_upload(&h, counters, sizeof counters);
    CUfunction empty = host_kernel(&h, "launches_empty"), count = host_kernel(&h, "launches_count");
    for (u32 launch = 0; launch < launches; launch++) {
        host_launch(&h, empty, DIM1(1), DIM1(THREADS), 0, NULL);
        host_launch(&h, count, DIM1(1), DIM1(THREADS), 0, ARGS(&device_counters, &launch));
        for (u32 i = 0; i < THREADS; i++)
            counters[i] = counters[i] * 5 + launch;
    }

    host_download(&h, got, device_counters, sizeof got);
    host_compare_u32(&h, "counters", got, counters, THREADS);
    return host_finish(&h);
}
