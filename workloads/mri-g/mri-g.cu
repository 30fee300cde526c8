// gridding of MRI samples: scattered samples are spread over the points of a regular grid
//
// Memory: samples are brought into the order of their grid cells by a sort, one launch per step,
// and moved there by a gather; then every grid point gathers the samples of the 27 cells around it.
// A warp's points are neighbours and so are their cells, but the samples of a cell are many lines
// apart from the next cell's. Neighbouring blocks share a border of cells, no more.
// Used by: the cooperative-caching study (mri-g: mri-gridding of Parboil). Published: 61 MB of
// samples; size small has 20000 samples on a grid of 32 x 32 x 16.
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

// The index to sort: key_bytes holds the cell, key the sample.
extern "C" __global__ void gridding_index(const struct sample *samples, uint4 *index, struct grid g,
                                          u32 count)
{
    u32 i = global_thread();
    if (i >= count)
        return;
    struct record r = {i, cell_of(samples[i], g), 0, 0};
    record_store(&index[i], r);
}

DEVICE_CALL bool cell_less(struct record a, struct record b, const u8 *)
{
    return a.key_bytes != b.key_bytes ? a.key_bytes < b.key_bytes : a.key < b.key;
}

extern "C" __global__ void gridding_sort_step(uint4 *index, const u8 *keys, u32 count, u32 flip,
                                              u32 by)
{
    sort_step<cell_less>(index, keys, count, flip, by);
}

// Samples in the order of the index, and where the samples of each cell begin and end.
extern "C" __global__ void gridding_reorder(const struct sample *samples, const uint4 *index,
                                            struct sample *sorted, u32 *begin, u32 *end, u32 count)
{
    u32 i = global_thread();
    if (i >= count)
        return;
    struct record r = record_load(&index[i]);
    sorted[i] = samples[r.key];
    if (i == 0 || record_load(&index[i - 1]).key_bytes != r.key_bytes)
        begin[r.key_bytes] = i;
    if (i + 1 == count || record_load(&index[i + 1]).key_bytes != r.key_bytes)
        end[r.key_bytes] = i + 1;
}

// One thread per grid point: every sample nearer than 1 adds its value by (1 - distance^2)^2. A
// cell without samples has equal begin and end.
extern "C" __global__ void __launch_bounds__(BLOCK)
    gridding_gather(const struct sample *sorted, const u32 *begin, const u32 *end, float *points,
                    struct grid g)
{
    u32 at = global_thread();
    if (at >= g.width * g.height * g.depth)
        return;
    u32 px = at % g.width, py = at / g.width % g.height, pz = at / g.width / g.height;
    float sum = 0;
    for (u32 n = 0; n < 27; n++) {
        u32 x = px + n % 3 - 1, y = py + n / 3 % 3 - 1, z = pz + n / 9 - 1; // may be below 0
        if (x >= g.width || y >= g.height || z >= g.depth)
            continue;
        u32 cell = (z * g.height + y) * g.width + x;
        for (u32 i = begin[cell]; i < end[cell]; i++) {
            struct sample s = sorted[i];
            float dx = s.x - (float)px, dy = s.y - (float)py, dz = s.z - (float)pz;
            float distance = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
            float weight = 1 - distance;
            if (weight > 0)
                sum = fmaf(s.value * weight, weight, sum);
        }
    }
    points[at] = sum;
}
