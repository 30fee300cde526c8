/*
 * Host of kmeans: clusters of points (see kmeans.cu for its memory behaviour and use).
 *
 * The CPU does the kernel's operations in the kernel's order with the kernel's fused multiply-add,
 * and the centres of both are averaged by the same code, in f64 and rounded once. After every
 * iteration the cluster of every point is compared exactly; the transposed points as well.
 */
#include "host.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define BLOCK 256
#define CLUSTERS 5
#define FEATURES 34

/* Around CLUSTERS corners of a cube, each with as much noise as lies between them. */
static float *make_points(struct host *h, u32 count)
{
    struct random corner = random_stream(h->seed, "corners"), r = random_stream(h->seed, "points");
    float *points = HOST_ARRAY(h, float, (size_t)count *FEATURES);
    for (size_t i = 0; i < (size_t)count * FEATURES; i++) {
        u64 side = i / FEATURES % CLUSTERS * FEATURES + i % FEATURES;
        points[i] = (float)random_below(corner, side, 2) + 2 * random_unit(r, i);
    }
    return points;
}

static void assign(const float *points, const float *centres, u32 *nearest, u32 count)
{
    for (u32 p = 0; p < count; p++) {
        const float *point = points + (size_t)p * FEATURES;
        float least = INFINITY;
        for (u32 c = 0; c < CLUSTERS; c++) {
            float distance = 0;
            for (u32 f = 0; f < FEATURES; f++) {
                float apart = point[f] - centres[c * FEATURES + f];
                distance = fmaf(apart, apart, distance);
            }
            if (distance < least) {
                least = distance;
                nearest[p] = c;
            }
        }
    }
}

/* A cluster without points keeps its centre. */
static void average(const float *points, const u32 *nearest, u32 count, float *centres)
{
    double sums[CLUSTERS * FEATURES] = {0};
    u32 members[CLUSTERS] = {0};
    for (u32 p = 0; p < count; p++) {
        u32 c = nearest[p];
        members[c]++;
        for (u32 f = 0; f < FEATURES; f++)
            sums[c * FEATURES + f] += (double)points[(size_t)p * FEATURES + f];
    }
    for (u32 i = 0; i < CLUSTERS * FEATURES; i++) {
        u32 of = members[i / FEATURES];
        if (of > 0)
            centres[i] = (float)(sums[i] / of);
    }
}

static void check_transposed(struct host *h, CUdeviceptr by_feature, const float *points, u32 count)
{
    size_t numbers = (size_t)count * FEATURES;
    float *got = HOST_ARRAY(h, float, numbers), *expected = HOST_ARRAY(h, float, numbers);
    for (size_t i = 0; i < numbers; i++)
        expected[i % FEATURES * count + i / FEATURES] = points[i];
    host_download(h, got, by_feature, numbers * sizeof(float));
    host_compare_f32(h, "by_feature", got, expected, numbers);
}

static const struct host_choice choices[] = {
    {"points", "to cluster", .sizes = {2000, 30720, 1000000}},
    {"iterations", "of the clustering", .sizes = {3, 7, 20}, .most = 1000},
    {"reads", "of points: plain loads, or through the texture cache as Rodinia does",
     .words = {"global", "texture", NULL}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "kmeans", choices, argc, argv);
    u32 count = host_measure(&h, "points"), iterations = host_measure(&h, "iterations");
    u32 features = FEATURES, clusters = CLUSTERS;
    size_t bytes = (size_t)count * FEATURES * sizeof(float);

    float *points = make_points(&h, count), centres[CLUSTERS * FEATURES];
    memcpy(centres, points, sizeof centres); /* the first points */
    CUdeviceptr device_points = host_upload(&h, points, bytes);
    CUdeviceptr by_feature = host_device_alloc(&h, bytes);
    CUdeviceptr device_nearest = host_device_alloc(&h, count * sizeof(u32));
    CUdeviceptr device_centres; /* constant memory */
    CU(&h, cuModuleGetGlobal, (&device_centres, NULL, h.module, "centres"));

    struct dim grid = DIM1(blocks_for(count, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "kmeans_transpose"), grid, block, 0,
                ARGS(&device_points, &by_feature, &count, &features));
    check_transposed(&h, by_feature, points, count);
    bool textured = host_chosen(&h, "reads") == 1;
    CUfunction kernel = host_kernel(&h, textured ? "kmeans_assign_texture" : "kmeans_assign");
    CUtexObject texture = textured ? host_texture(&h, by_feature, bytes) : 0;
    u32 *got = HOST_ARRAY(&h, u32, count), *nearest = HOST_ARRAY(&h, u32, count);
    for (u32 i = 0; i < iterations; i++) {
        CU(&h, cuMemcpyHtoD, (device_centres, centres, sizeof centres));
        host_launch(&h, kernel, grid, block, 0,
                    ARGS(textured ? (void *)&texture : &by_feature, &device_nearest, &count,
                         &features, &clusters));
        host_download(&h, got, device_nearest, count * sizeof(u32));
        assign(points, centres, nearest, count);
        host_compare_u32(&h, "nearest", got, nearest, count);
        average(points, nearest, count, centres);
    }
    if (textured)
        CU(&h, cuTexObjectDestroy, (texture));
    return host_finish(&h);
}
