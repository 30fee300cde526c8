// gridding of MRI samples: scattered samples are spread over the points of a regular grid
//
// Memory: samples are counted into the cells of the grid with atomics and moved to their cell's
// place; then every grid point gathers the samples of the 27 cells around it. A warp's points are
// neighbours and so are their cells, but the samples of a cell are many lines apart from the next
// cell's. Neighbouring blocks share a border of cells, no more.
// Used by: the cooperative-caching study (mri-g: mri-gridding of Parboil). Published: 61 MB of
// samples; size small has 60000 samples on a grid of 32 x 32 x 16.
#include "device_math.h"
#include "mapreduce_device.h"

#define BLOCK 64

struct sample {
    float x, y, z, value; // place in units of the grid
};

struct grid {
    u32 width, height, depth;
};

DEVICE_CALL u32 cell_of(struct sample s, struct grid g)
{
    return ((u32)s.z * g.height + (u32)s.y) * g.width + (u32)s.x;
}

// Counts the samples of every cell; each remembers how many came before it. Whose turn it is when
// is left to chance: sums of whole numbers do not depend on it.
extern "C" __global__ void gridding_count(const struct sample *samples, u32 *counts, u32 *turns,
                                          struct grid g, u32 count)
{
    u32 i = global_thread();
    if (i < count)
        turns[i] = atomicAdd(&counts[cell_of(samples[i], g)], 1u);
}

// begin: where each cell's samples begin, from its counts.
extern "C" __global__ void gridding_reorder(const struct sample *samples, const u32 *begin,
                                            const u32 *turns, struct sample *sorted, struct grid g,
                                            u32 count)
{
    u32 i = global_thread();
    if (i >= count)
        return;
    struct sample s = samples[i];
    sorted[begin[cell_of(s, g)] + turns[i]] = s;
}

// One thread per grid point: every sample nearer than 1 adds its value by (1 - distance^2)^2. A
// cell without samples has equal begin and end.
extern "C" __global__ void __launch_bounds__(BLOCK)
    gridding_gather(const struct sample *sorted, const u32 *begin, int *points, struct grid g)
{
    u32 at = global_thread();
    if (at >= g.width * g.height * g.depth)
        return;
    u32 px = at % g.width, py = at / g.width % g.height, pz = at / g.width / g.height;
    int sum = 0;
    for (u32 n = 0; n < 27; n++) {
        u32 x = px + n % 3 - 1, y = py + n / 3 % 3 - 1, z = pz + n / 9 - 1; // may be below 0
        if (x >= g.width || y >= g.height || z >= g.depth)
            continue;
        u32 cell = (z * g.height + y) * g.width + x;
        for (u32 i = begin[cell]; i < begin[cell + 1]; i++) {
            struct sample s = sorted[i];
            float dx = s.x - (float)px, dy = s.y - (float)py, dz = s.z - (float)pz;
            float distance = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
            float weight = 1 - distance;
            if (weight > 0)
                sum += (int)rintf(s.value * weight * weight);
        }
    }
    points[at] = sum;
}
