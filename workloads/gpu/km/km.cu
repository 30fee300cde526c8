// k-means clustering as MapReduce: map to the nearest centre, group by sort, reduce to new centres
//
// Memory: a map task reads one point and all centres, which every SM keeps in its L1. The sort
// gathers two keys of four bytes for every comparison, one launch per step, from the same small
// array on all SMs: what one L1 misses another has, the nearer the more. The reduction has one
// thread per centre: latency.
// Used by: the cooperative-caching study (km of Mars). Published: 10000 points of 3 coordinates, 24
// clusters; size small has the same, twice iterated.
#include "mapreduce_device.h"

// Whole numbers, so that sums do not depend on their order. The nearest, the first of several.
DEVICE_CALL u32 nearest(const int *points, const int *centres, u32 point, u32 dimensions,
                        u32 clusters)
{
    u32 best = 0, least = 0xffffffffu;
    for (u32 c = 0; c < clusters; c++) {
        u32 distance = 0;
        for (u32 d = 0; d < dimensions; d++) {
            int apart = points[point * dimensions + d] - centres[c * dimensions + d];
            distance += (u32)(apart * apart);
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

extern "C" __global__ void km_map_count(struct emission out, u32 count)
{
    u32 task = global_thread();
    if (task >= count)
        return;
    struct cursor c = {};
    cursor_count(&c, sizeof(u32), sizeof(u32));
    cursor_save(c, &out, task);
}

// Emits the point with its cluster as key.
extern "C" __global__ void km_map(const int *points, const int *centres, struct emission out,
                                  u32 count, u32 dimensions, u32 clusters)
{
    u32 task = global_thread();
    if (task >= count)
        return;
    struct cursor c = cursor_load(&out, task);
    *(u32 *)(out.keys + c.key) = nearest(points, centres, task, dimensions, clusters);
    *(u32 *)(out.values + c.value) = task;
    cursor_emit(&c, &out, sizeof(u32), sizeof(u32));
}

// Clusters as numbers, equal ones in the order of the points.
DEVICE_CALL bool cluster_less(struct record a, struct record b, const u8 *keys)
{
    u32 x = *(const u32 *)(keys + a.key), y = *(const u32 *)(keys + b.key);
    return x != y ? x < y : a.key < b.key;
}

extern "C" __global__ void km_group_step(uint4 *records, const u8 *keys, u32 count, u32 flip,
                                         u32 by)
{
    sort_step<cluster_less>(records, keys, count, flip, by);
}

// The mean of a cluster's points, rounded down, becomes its centre; a cluster without points has no
// group and keeps its own.
extern "C" __global__ void km_reduce(const int *points, const uint4 *records, const u8 *keys,
                                     const u8 *values, const u32 *group_at, int *centres, u32 count,
                                     u32 groups, u32 dimensions)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    u32 first = group_at[group], end = group + 1 < groups ? group_at[group + 1] : count;
    u32 cluster = *(const u32 *)(keys + record_load(&records[first]).key);
    for (u32 d = 0; d < dimensions; d++) {
        int sum = 0;
        for (u32 i = first; i < end; i++) {
            u32 point = *(const u32 *)(values + record_load(&records[i]).value);
            sum += points[point * dimensions + d];
        }
        centres[cluster * dimensions + d] = sum / (int)(end - first);
    }
}
