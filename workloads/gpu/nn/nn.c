/*
 * Host of nn: the records nearest to a query (see nn.cu for its memory behaviour and use).
 *
 * Differences, one product, one fused multiply-add and the root are rounded alike here and there:
 * every distance is compared exactly, and so are the nearest records, the nearest first and the
 * earlier of two at the same distance.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 256
#define NEAREST 10

/* By insertion into a short list. */
static void pick(const float *distance, u32 count, u32 *nearest)
{
    u32 have = 0;
    for (u32 i = 0; i < count; i++) {
        if (have == NEAREST && distance[i] >= distance[nearest[NEAREST - 1]])
            continue;
        u32 at = have < NEAREST ? have++ : NEAREST - 1;
        for (; at > 0 && distance[i] < distance[nearest[at - 1]]; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = i;
    }
}

static const struct host_choice choices[] = {
    {"records", "of a place each, at least 10", .sizes = {20000, 1000000, 64000000}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "nn", choices, argc, argv);
    u32 count = host_measure(&h, "records");
    if (count < NEAREST)
        host_fail(&h, "--records is %u, expected at least %u", count, NEAREST);
    float latitude = 30, longitude = 90;

    struct random r = random_stream(h.seed, "records");
    float *records = HOST_ARRAY(&h, float, 2 * (size_t)count);
    float *expected = HOST_ARRAY(&h, float, count), *distance = HOST_ARRAY(&h, float, count);
    for (size_t i = 0; i < count; i++) {
        records[2 * i] = 180 * random_unit(r, 2 * i) - 90;
        records[2 * i + 1] = 360 * random_unit(r, 2 * i + 1) - 180;
        float north = latitude - records[2 * i], east = longitude - records[2 * i + 1];
        expected[i] = sqrtf(fmaf(north, north, east * east));
    }

    CUdeviceptr device_records = host_upload(&h, records, 2 * (size_t)count * sizeof(float));
    CUdeviceptr device_distance = host_device_alloc(&h, count * sizeof(float));
    host_launch(&h, host_kernel(&h, "nn_distances"), DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0,
                ARGS(&device_records, &device_distance, &count, &latitude, &longitude));
    host_download(&h, distance, device_distance, count * sizeof(float));
    host_compare_f32(&h, "distance", distance, expected, count);

    u32 nearest[NEAREST], expected_nearest[NEAREST];
    pick(distance, count, nearest);
    pick(expected, count, expected_nearest);
    host_compare_u32(&h, "nearest", nearest, expected_nearest, NEAREST);
    return host_finish(&h);
}
