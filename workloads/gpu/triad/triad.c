/*
 * Host of triad: a = b + s c (see triad.cu for its memory behaviour and use).
 *
 * One fused multiply-add per element, compared exactly; the vectors change roles from launch to
 * launch, so that each counts.
 */
#include "host.h"

#include <math.h>

#define BLOCK 256

static const struct host_choice choices[] = {
    {"elements", "of a vector", .sizes = {20000, 3000000, 67108864}},
    {"launches", "of the kernel", .sizes = {5, 5, 20}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "triad", choices, argc, argv);
    u32 count = host_measure(&h, "elements"), launches = host_measure(&h, "launches");
    size_t bytes = count * sizeof(float);
    float *v[3] = {host_random_f32(&h, "a", count, -1, 1), host_random_f32(&h, "b", count, -1, 1),
                   host_random_f32(&h, "c", count, -1, 1)};
    CUdeviceptr device[3];
    for (u32 i = 0; i < 3; i++)
        device[i] = host_upload(&h, v[i], bytes);
    float s = 0.5f;
    for (u32 n = 0; n < launches; n++) {
        u32 a = n % 3, b = (n + 1) % 3, c = (n + 2) % 3;
        host_launch(&h, host_kernel(&h, "triad"), DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0,
                    ARGS(&device[a], &device[b], &device[c], &s, &count));
        for (u32 i = 0; i < count; i++)
            v[a][i] = fmaf(s, v[c][i], v[b][i]);
    }
    for (u32 i = 0; i < 3; i++)
        host_check_f32(&h, "vector", device[i], v[i], count);
    return host_finish(&h);
}
