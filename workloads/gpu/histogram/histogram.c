/*
 * Host of histogram: how often each byte occurs (see histogram.cu for its memory behaviour and
 * use).
 *
 * Whole numbers, so the order of atomics does not matter: every counter is compared exactly.
 */
#include "host.h"

#define BINS 256

static const struct host_choice choices[] = {
    {"words", "of four bytes", .sizes = {6000, 600000, 16777216}},
    {"passes", "over the data", .sizes = {2, 3, 16}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "histogram", choices, argc, argv);
    u32 words = host_measure(&h, "words"), blocks = host_pick(&h, 8, 240, 240);
    u32 *data = host_random_u32(&h, "data", words, 0xffffffffu), counts[BINS] = {0};
    for (u32 i = 0; i < words; i++) {
        data[i] &= 0x3fff7fff; /* lower values are more frequent */
        for (u32 k = 0; k < 32; k += 8)
            counts[data[i] >> k & 255]++;
    }
    CUdeviceptr device_data = host_upload(&h, data, words * sizeof(u32));
    CUdeviceptr partial = host_device_alloc(&h, blocks * BINS * sizeof(u32));
    CUdeviceptr result = host_device_alloc(&h, sizeof counts);
    for (u32 i = 0, passes = host_measure(&h, "passes"); i < passes; i++) {
        host_launch(&h, host_kernel(&h, "histogram"), DIM1(blocks), DIM1(192), 0,
                    ARGS(&device_data, &partial, &words));
        host_launch(&h, host_kernel(&h, "histogram_merge"), DIM1(BINS), DIM1(64), 0,
                    ARGS(&partial, &result, &blocks));
    }
    host_check_u32(&h, "counts", result, counts, BINS);
    return host_finish(&h);
}
