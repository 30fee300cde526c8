/*
 * Host of tpacf: how often which angle lies between two points (see tpacf.cu for its memory
 * behaviour and use).
 *
 * Cosines come from the same fused multiply-adds in the same order on both sides, and counts are
 * whole numbers: every counter of every histogram is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 256
#define BINS 20
#define COUNTERS (BINS + 2)

/* Even on a sphere; set 0, the data, in a band of it. */
static float *make_sets(struct host *h, u32 sets, u32 points)
{
    struct random height = random_stream(h->seed, "heights"),
                  turn = random_stream(h->seed, "turns");
    float *all = HOST_ARRAY(h, float, (size_t)sets *points * 3);
    for (u32 s = 0; s < sets; s++) {
        float *x = all + (size_t)s * points * 3, *y = x + points, *z = y + points;
        for (u32 i = 0; i < points; i++) {
            u64 n = (u64)s * points + i;
            double up = 2.0 * (double)random_unit(height, n) - 1, around = 6.283185307179586;
            up = s == 0 ? up / 4 : up;
            around *= (double)random_unit(turn, n);
            double out = sqrt(1 - up * up);
            x[i] = (float)(out * cos(around));
            y[i] = (float)(out * sin(around));
            z[i] = (float)up;
        }
    }
    return all;
}

/* Angles of 0.6 to 600 minutes of arc times ten, evenly spaced in their logarithm. */
static void make_borders(float borders[BINS + 1])
{
    for (u32 i = 0; i <= BINS; i++)
        borders[i] = (float)cos(0.002 * pow(900, (double)i / BINS));
}

static u32 bin_of(const float *borders, float dot)
{
    u32 low = 0;
    while (low <= BINS && dot < borders[low])
        low++;
    return low;
}

static void count_pairs(const float *a, const float *b, u32 points, bool own, const float *borders,
                        u32 *counts)
{
    for (u32 i = 0; i < points; i++) {
        for (u32 j = own ? i + 1 : 0; j < points; j++) {
            float dot =
                fmaf(a[i], b[j],
                     fmaf(a[points + i], b[points + j], a[2 * points + i] * b[2 * points + j]));
            counts[bin_of(borders, dot)]++;
        }
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "tpacf", NULL, argc, argv);
    u32 points = host_pick(&h, 200, 896, 10391), sets = host_pick(&h, 3, 4, 16);
    float borders[BINS + 1], *all = make_sets(&h, sets, points);
    make_borders(borders);
    CUdeviceptr device_sets = host_upload(&h, all, (size_t)sets * points * 3 * sizeof(float));
    CUdeviceptr device_borders; /* constant memory */
    CU(&h, cuModuleGetGlobal, (&device_borders, NULL, h.module, "borders"));
    CU(&h, cuMemcpyHtoD, (device_borders, borders, sizeof borders));
    size_t counters = (size_t)sets * COUNTERS;
    CUdeviceptr histograms = host_device_alloc(&h, counters * sizeof(u32));
    CUfunction kernel = host_kernel(&h, "tpacf_pairs");
    u32 *got = HOST_ARRAY(&h, u32, counters);
    for (u32 own = 0; own < 2; own++) {
        u32 *expected = HOST_ARRAY(&h, u32, counters);
        CU(&h, cuMemsetD8, (histograms, 0, counters * sizeof(u32)));
        host_launch(&h, kernel, DIM2(blocks_for(points, BLOCK), sets), DIM1(BLOCK), 0,
                    ARGS(&device_sets, &histograms, &points, &own));
        for (u32 s = 0; s < sets; s++) {
            const float *set = all + (size_t)s * points * 3;
            count_pairs(set, own ? set : all, points, own, borders, expected + s * COUNTERS);
        }
        host_download(&h, got, histograms, counters * sizeof(u32));
        host_compare_u32(&h, own ? "own" : "cross", got, expected, counters);
    }
    return host_finish(&h);
}
