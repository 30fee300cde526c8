/*
 * Host of mri-g: samples spread over a grid (see mri-g.cu for its memory behaviour and use).
 *
 * What a sample adds to a point is rounded to a whole number, so the order inside a cell does not
 * matter: where every cell begins, and every point, are compared exactly.
 */
#include "mapreduce.h"
#include "random.h"

#include <math.h>

#define BLOCK 64

struct sample {
    float x, y, z, value;
};

struct grid {
    u32 width, height, depth;
};

/* Denser towards the middle, as the spokes of a radial scan are. */
static struct sample *make_samples(struct host *h, struct grid g, u32 count)
{
    struct random r = random_stream(h->seed, "samples");
    struct sample *samples = HOST_ARRAY(h, struct sample, count);
    const u32 sides[] = {g.width, g.height, g.depth};
    for (u32 i = 0; i < count; i++) {
        float place[3];
        for (u32 d = 0; d < 3; d++) {
            float a = random_unit(r, 8 * (u64)i + 2 * d),
                  b = random_unit(r, 8 * (u64)i + 2 * d + 1);
            place[d] = (a + b) / 2 * (float)(sides[d] - 1);
        }
        samples[i] = (struct sample){place[0], place[1], place[2],
                                     4096 * random_unit(r, 8 * (u64)i + 6) - 2048};
    }
    return samples;
}

static u32 cell_of(const struct sample *s, struct grid g)
{
    return ((u32)s->z * g.height + (u32)s->y) * g.width + (u32)s->x;
}

static void sort_samples(struct host *h, const struct sample *samples, u32 count, struct grid g,
                         struct sample *sorted, u32 *begin)
{
    u32 cells = g.width * g.height * g.depth, *at = HOST_ARRAY(h, u32, cells + 1);
    for (u32 i = 0; i < count; i++)
        begin[cell_of(&samples[i], g) + 1]++;
    for (u32 c = 0; c < cells; c++) {
        begin[c + 1] += begin[c];
        at[c] = begin[c];
    }
    for (u32 i = 0; i < count; i++)
        sorted[at[cell_of(&samples[i], g)]++] = samples[i];
}

static int gather(const struct sample *sorted, const u32 *begin, struct grid g, u32 at)
{
    u32 px = at % g.width, py = at / g.width % g.height, pz = at / g.width / g.height;
    int sum = 0;
    for (u32 n = 0; n < 27; n++) {
        u32 x = px + n % 3 - 1, y = py + n / 3 % 3 - 1, z = pz + n / 9 - 1;
        if (x >= g.width || y >= g.height || z >= g.depth)
            continue;
        u32 cell = (z * g.height + y) * g.width + x;
        for (u32 i = begin[cell]; i < begin[cell + 1]; i++) {
            const struct sample *s = &sorted[i];
            float dx = s->x - (float)px, dy = s->y - (float)py, dz = s->z - (float)pz;
            float distance = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
            float weight = 1 - distance;
            if (weight > 0)
                sum += (int)rintf(s->value * weight * weight);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mri-g", NULL, argc, argv);
    u32 side = host_pick(&h, 8, 32, 64), count = host_pick(&h, 500, 60000, 2000000);
    struct grid g = {side, side, side / 2};
    u32 cells = g.width * g.height * g.depth, *begin = HOST_ARRAY(&h, u32, cells + 1);
    struct sample *samples = make_samples(&h, g, count);
    struct sample *sorted = HOST_ARRAY(&h, struct sample, count);
    size_t bytes = count * sizeof(struct sample);
    CUdeviceptr device_samples = host_upload(&h, samples, bytes);
    CUdeviceptr device_sorted = host_device_alloc(&h, bytes);
    CUdeviceptr device_begin = host_upload(&h, begin, (cells + 1) * sizeof(u32)); /* zeros */
    CUdeviceptr turns = host_device_alloc(&h, count * sizeof(u32));
    CUdeviceptr device_points = host_device_alloc(&h, cells * sizeof(int));

    struct dim grid = DIM1(blocks_for(count, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "gridding_count"), grid, block, 0,
                ARGS(&device_samples, &device_begin, &turns, &g, &count));
    mapreduce_scan(&h, device_begin, cells + 1);
    host_launch(&h, host_kernel(&h, "gridding_reorder"), grid, block, 0,
                ARGS(&device_samples, &device_begin, &turns, &device_sorted, &g, &count));
    host_launch(&h, host_kernel(&h, "gridding_gather"), DIM1(blocks_for(cells, BLOCK)), block, 0,
                ARGS(&device_sorted, &device_begin, &device_points, &g));

    sort_samples(&h, samples, count, g, sorted, begin);
    int *points = HOST_ARRAY(&h, int, cells), *got = HOST_ARRAY(&h, int, cells);
    for (u32 i = 0; i < cells; i++)
        points[i] = gather(sorted, begin, g, i);
    mapreduce_check_u32(&h, "begin", device_begin, begin, cells + 1);
    host_download(&h, got, device_points, cells * sizeof(int));
    host_compare_u32(&h, "points", (const u32 *)got, (const u32 *)points, cells);
    return host_finish(&h);
}
