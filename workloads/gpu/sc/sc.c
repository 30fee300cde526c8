/*
 * Host of sc: gains of opening centres in a stream clustering (see sc.cu for its memory behaviour
 * and use).
 *
 * After each candidate the host decides, as the published program does: if what the moving points
 * save exceeds the price of a centre, the candidate is opened and they move. The CPU does the
 * kernel's operations in the kernel's order with the kernel's fused multiply-add. Compared exactly
 * after every candidate: who would move and what it saves; at the end every entry of the table.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 512
#define CENTRES 32 /* columns of the table of savings */
#define PRICE 50.0

struct clustering {
    u32 points, dimensions;
    float *by_dimension;
    float *weight, *cost; /* per point */
    u32 *centre_of;       /* per point */
    float *distance, *saved, *lost;
    u32 *moves;
};

/* As the stream finds them: the first point is the only centre. */
static void clustering_init(struct clustering *c, struct host *h, u32 points, u32 dimensions)
{
    struct random r = random_stream(h->seed, "points"), weight = random_stream(h->seed, "weights");
    *c = (struct clustering){
        .points = points,
        .dimensions = dimensions,
        .by_dimension = HOST_ARRAY(h, float, (size_t)points *dimensions),
        .weight = HOST_ARRAY(h, float, points),
        .cost = HOST_ARRAY(h, float, points),
        .centre_of = HOST_ARRAY(h, u32, points),
        .distance = HOST_ARRAY(h, float, points),
        .saved = HOST_ARRAY(h, float, points),
        .lost = HOST_ARRAY(h, float, (size_t)points *CENTRES),
        .moves = HOST_ARRAY(h, u32, points),
    };
    for (size_t i = 0; i < (size_t)points * dimensions; i++)
        c->by_dimension[i] = random_unit(r, i);
    for (u32 p = 0; p < points; p++)
        c->weight[p] = (float)(1 + random_below(weight, p, 4));
}

static void measure(struct clustering *c, u32 candidate)
{
    for (u32 p = 0; p < c->points; p++)
        c->distance[p] = 0;
    for (u32 d = 0; d < c->dimensions; d++) {
        const float *row = c->by_dimension + (size_t)d * c->points;
        for (u32 p = 0; p < c->points; p++) {
            float apart = row[p] - row[candidate];
            c->distance[p] = fmaf(apart, apart, c->distance[p]);
        }
    }
}

static void gain(struct clustering *c, u32 candidate)
{
    measure(c, candidate);
    for (u32 p = 0; p < c->points; p++) {
        float there = c->distance[p] * c->weight[p], here = c->cost[p];
        c->moves[p] = there < here;
        c->saved[p] = there < here ? here - there : 0;
        if (there >= here)
            c->lost[(size_t)p * CENTRES + c->centre_of[p]] += there - here;
    }
}

/* Opens the candidate as this centre if that pays. */
static bool open_centre(struct clustering *c, u32 centre)
{
    double saved = -PRICE;
    for (u32 p = 0; p < c->points; p++)
        saved += (double)c->saved[p];
    for (u32 p = 0; saved > 0 && p < c->points; p++) {
        if (!c->moves[p])
            continue;
        c->cost[p] = c->distance[p] * c->weight[p];
        c->centre_of[p] = centre;
    }
    return saved > 0;
}

static void check(struct host *h, const struct clustering *c, CUdeviceptr moves, CUdeviceptr saved)
{
    u8 *got = HOST_ARRAY(h, u8, c->points);
    u32 *wide = HOST_ARRAY(h, u32, c->points);
    float *got_saved = HOST_ARRAY(h, float, c->points);
    host_download(h, got, moves, c->points);
    host_download(h, got_saved, saved, c->points * sizeof(float));
    for (u32 p = 0; p < c->points; p++)
        wide[p] = got[p];
    host_compare_u32(h, "moves", wide, c->moves, c->points);
    host_compare_f32(h, "saved", got_saved, c->saved, c->points);
}

static const struct host_choice choices[] = {
    {"points", "of the stream", .sizes = {1000, 16384, 1000000}},
    {"dimensions", "of a point, a multiple of 4", .sizes = {32, 256, 256}},
    {"candidates", "for a centre, one launch each", .sizes = {4, 8, 24}},
    {"candidate", "'s coordinates: copied to shared memory, or read by every warp as Rodinia does",
     .words = {"shared", "global", NULL}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sc", choices, argc, argv);
    struct clustering c;
    clustering_init(&c, &h, host_measure(&h, "points"), host_multiple(&h, "dimensions", 4));
    u32 candidates = host_measure(&h, "candidates"), centres = CENTRES, opened = 1;
    measure(&c, 0);
    for (u32 p = 0; p < c.points; p++)
        c.cost[p] = c.distance[p] * c.weight[p];

    size_t bytes = c.points * sizeof(float), table_bytes = bytes * CENTRES;
    CUdeviceptr by_dimension = host_upload(&h, c.by_dimension, bytes * c.dimensions);
    CUdeviceptr weight = host_upload(&h, c.weight, bytes), cost = host_upload(&h, c.cost, bytes);
    CUdeviceptr centre_of = host_upload(&h, c.centre_of, bytes);
    CUdeviceptr moves = host_device_alloc(&h, c.points), saved = host_device_alloc(&h, bytes);
    CUdeviceptr lost = host_upload(&h, c.lost, table_bytes);
    CUfunction kernel =
        host_kernel(&h, host_chosen(&h, "candidate") == 1 ? "sc_gain_global" : "sc_gain");
    struct random pick = random_stream(h.seed, "candidates");
    for (u32 i = 0; i < candidates; i++) {
        u32 candidate = random_below(pick, i, c.points);
        host_launch(&h, kernel, DIM1(blocks_for(c.points, BLOCK)), DIM1(BLOCK), 0,
                    ARGS(&by_dimension, &weight, &cost, &centre_of, &moves, &saved, &lost,
                         &c.points, &c.dimensions, &candidate, &centres));
        gain(&c, candidate);
        check(&h, &c, moves, saved);
        if (open_centre(&c, opened)) {
            opened++;
            CU(&h, cuMemcpyHtoD, (cost, c.cost, bytes));
            CU(&h, cuMemcpyHtoD, (centre_of, c.centre_of, bytes));
        }
    }

    float *table = HOST_ARRAY(&h, float, (size_t)c.points *CENTRES);
    host_download(&h, table, lost, table_bytes);
    host_compare_f32(&h, "lost", table, c.lost, (size_t)c.points * CENTRES);
    return host_finish(&h);
}
