/*
 * Host of km: clusters of points (see km.cu for its memory behaviour and use).
 *
 * Whole numbers throughout: the grouped index and the new centres are compared exactly after every
 * iteration.
 */
#include "mapreduce.h"
#include "random.h"

#include <string.h>

#define BLOCK 256
#define CLUSTERS 24
#define DIMENSIONS 3
#define SPACE 1000 /* coordinates are below */

static int *make_points(struct host *h, u32 count)
{
    struct random r = random_stream(h->seed, "points");
    int *points = HOST_ARRAY(h, int, (size_t)count *DIMENSIONS);
    for (size_t i = 0; i < (size_t)count * DIMENSIONS; i++)
        points[i] = (int)random_below(r, i, SPACE);
    return points;
}

static u32 nearest(const int *point, const int *centres)
{
    u32 best = 0, least = UINT32_MAX;
    for (u32 c = 0; c < CLUSTERS; c++) {
        u32 distance = 0;
        for (u32 d = 0; d < DIMENSIONS; d++) {
            int apart = point[d] - centres[c * DIMENSIONS + d];
            distance += (u32)(apart * apart);
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

/* The index after the sort, and the centres after the reduction. */
static void iterate(struct host *h, const int *points, u32 count, int *centres,
                    struct record *grouped)
{
    u32 members[CLUSTERS] = {0}, at[CLUSTERS] = {0}, *cluster = HOST_ARRAY(h, u32, count);
    int sums[CLUSTERS * DIMENSIONS] = {0};
    for (u32 p = 0; p < count; p++) {
        u32 c = cluster[p] = nearest(points + (size_t)p * DIMENSIONS, centres);
        members[c]++;
        for (u32 d = 0; d < DIMENSIONS; d++)
            sums[c * DIMENSIONS + d] += points[(size_t)p * DIMENSIONS + d];
    }
    for (u32 c = 1; c < CLUSTERS; c++)
        at[c] = at[c - 1] + members[c - 1];
    for (u32 p = 0; p < count; p++)
        grouped[at[cluster[p]]++] = (struct record){p * 4, 4, p * 4, 4};
    for (u32 i = 0; i < CLUSTERS * DIMENSIONS; i++) {
        if (members[i / DIMENSIONS] > 0)
            centres[i] = sums[i] / (int)members[i / DIMENSIONS];
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "km", NULL, argc, argv);
    u32 count = host_pick(&h, 600, 10000, 200000), iterations = host_pick(&h, 1, 2, 3);
    u32 dimensions = DIMENSIONS, clusters = CLUSTERS;
    int *points = make_points(&h, count), centres[CLUSTERS * DIMENSIONS];
    int got[CLUSTERS * DIMENSIONS];
    memcpy(centres, points, sizeof centres); /* the first points */
    CUdeviceptr device_points = host_upload(&h, points, (size_t)count * DIMENSIONS * sizeof(int));
    CUdeviceptr device_centres = host_upload(&h, centres, sizeof centres);
    struct record *grouped = HOST_ARRAY(&h, struct record, count);
    struct dim grid = DIM1(blocks_for(count, BLOCK)), block = DIM1(BLOCK);
    for (u32 i = 0; i < iterations; i++) {
        struct emission e = emission_create(&h, count);
        host_launch(&h, host_kernel(&h, "km_map_count"), grid, block, 0, ARGS(&e.device, &count));
        emission_place(&h, &e);
        host_launch(
            &h, host_kernel(&h, "km_map"), grid, block, 0,
            ARGS(&device_points, &device_centres, &e.device, &count, &dimensions, &clusters));
        struct emission_arrays *m = &e.device;
        mapreduce_sort(&h, "km_group_step", m->records, m->keys, e.records);
        struct grouping g = mapreduce_group(&h, &e);
        host_launch(&h, host_kernel(&h, "km_reduce"), DIM1(1), DIM1(32), 0,
                    ARGS(&device_points, &m->records, &m->keys, &m->values, &g.at, &device_centres,
                         &count, &g.groups, &dimensions));
        iterate(&h, points, count, centres, grouped);
        mapreduce_check_records(&h, "grouped", m->records, grouped, count);
        host_download(&h, got, device_centres, sizeof got);
        host_compare_u32(&h, "centres", (const u32 *)got, (const u32 *)centres,
                         CLUSTERS * DIMENSIONS);
    }
    return host_finish(&h);
}
