// k-means clustering: points to the nearest of a few centres, iterated
//
// Memory: points are transposed once to one row per feature, so that a warp reads features
// coalesced; a thread then walks its features once per centre, and the 34 lines of a warp are gone
// from L1 before it needs them again. Centres are in constant memory. Compute and memory balance;
// a larger L1 helps. One transposition and one launch per iteration; the host averages.
// With --reads texture points come through the texture cache, as in Rodinia's kernel: L1 then has
// the transposition alone. Used by: the cooperative-caching and warp-scheduling studies (kmeans of
// Rodinia, 8 kernels). Published: 204800 points x 34 features; size small has 30720, still some
// five times what L2 holds.
#include "device.h"
#include "texture_device.h"

#define MOST_NUMBERS 1024 // clusters x features at most

__constant__ float centres[MOST_NUMBERS];

// From one row per point to one row per feature: strided reads, coalesced writes.
extern "C" __global__ void kmeans_transpose(const float *points, float *by_feature, u32 count,
                                            u32 features)
{
    u32 point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    for (u32 f = 0; f < features; f++)
        by_feature[f * count + point] = points[point * features + f];
}

// The nearest centre; the first of several.
template <typename FEATURES>
DEVICE_CALL void assign(FEATURES by_feature, u32 *nearest, u32 count, u32 features, u32 clusters)
{
    u32 point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    float least = __builtin_inff();
    u32 best = 0;
    for (u32 c = 0; c < clusters; c++) {
        float distance = 0;
        for (u32 f = 0; f < features; f++) {
            float apart = texture_read(by_feature, f * count + point) - centres[c * features + f];
            distance = fmaf(apart, apart, distance);
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[point] = best;
}

extern "C" __global__ void kmeans_assign(const float *by_feature, u32 *nearest, u32 count,
                                         u32 features, u32 clusters)
{
    assign(by_feature, nearest, count, features, clusters);
}

// Last, so that the others lie where they lay.
extern "C" __global__ void kmeans_assign_texture(u64 by_feature, u32 *nearest, u32 count,
                                                 u32 features, u32 clusters)
{
    assign(by_feature, nearest, count, features, clusters);
}
