/*
 * Host of lookup: cross sections at random energies (see lookup.cu for its memory behaviour and
 * use).
 *
 * A lookup adds its nuclides in the order of the material's list, with the same operations here and
 * there: every sum is compared exactly.
 */
#include "cross.h"
#include "host.h"
#include "random.h"

#define BLOCK 128

static const struct host_choice choices[] = {
    {"nuclides", "with a grid each", .sizes = {16, 64, 360}},
    {"points", "of a nuclide's grid", .sizes = {200, 1500, 12000}},
    {"lookups", "at random energies", .sizes = {1000, 20000, 3000000}},
    {0},
};

/* Energies ascend from 0 to 1 by random steps. */
static struct point *make_grids(struct host *h, u32 nuclides, u32 points)
{
    struct random e = random_stream(h->seed, "energies"), v = random_stream(h->seed, "values");
    struct point *grids = HOST_ARRAY(h, struct point, (size_t)nuclides * points);
    for (u32 i = 0; i < nuclides * points; i++) {
        float within = (float)(i % points) + 0.9f * random_unit(e, i);
        grids[i].energy = i % points == 0            ? 0
                          : i % points == points - 1 ? 1
                                                     : within / (float)points;
        for (u32 k = 0; k < VALUES; k++)
            grids[i].value[k] = random_unit(v, VALUES * (u64)i + k);
    }
    return grids;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "lookup", choices, argc, argv);
    u32 nuclides = host_measure(&h, "nuclides"), points = host_measure(&h, "points");
    u32 count = host_measure(&h, "lookups"), seed = (u32)h.seed * 0x9e3779b1u, used = 0;
    if (points < 2)
        host_fail(&h, "--points is %u, expected at least 2", points);
    struct point *grids = make_grids(&h, nuclides, points);
    struct random r = random_stream(h.seed, "materials");
    u32 first[MATERIALS + 1] = {0}, *lists = HOST_ARRAY(&h, u32, nuclides + 10 * MATERIALS);
    for (u32 m = 0; m < MATERIALS; m++) { /* fuel has half of all, others a few */
        u32 length = m == 0 ? nuclides / 2 + 1 : 1 + m % 5 * 2;
        for (u32 i = 0; i < length; i++, used++)
            lists[used] = random_below(r, used, nuclides);
        first[m + 1] = used;
    }
    struct library l = {grids, first, lists, points},
                   device = {(const struct point *)host_upload(
                                 &h, grids, (size_t)nuclides * points * sizeof *grids),
                             (const u32 *)host_upload(&h, first, sizeof first),
                             (const u32 *)host_upload(&h, lists, used * sizeof(u32)), points};
    CUdeviceptr out = host_device_alloc(&h, count * sizeof(struct sums));
    host_launch(&h, host_kernel(&h, "lookup"), DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0,
                ARGS(&device, &seed, &out, &count));
    struct sums *expected = HOST_ARRAY(&h, struct sums, count);
    for (u32 n = 0; n < count; n++)
        expected[n] = cross_sections(&l, seed, n);
    host_check_f32(&h, "sums", out, expected[0].value, VALUES * (size_t)count);
    return host_finish(&h);
}
