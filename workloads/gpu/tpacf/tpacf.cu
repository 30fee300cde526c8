// two-point angular correlation of points on a sphere: histograms of the angles of all pairs
//
// Memory: a block holds a tile of points in shared memory while its threads walk over all others,
// so every block reads the same few thousand points, at about the same time: other L1s often have
// the lines. Comparisons with the borders of the bins, in constant memory, take nearly all the
// time; counters are in shared memory.
// Used by: the cooperative-caching study (tpacf of Parboil). Published: 10391 points and 100 random
// sets; size small has 896 points and 4 sets.
#include "device.h"

#define BLOCK 256
#define BINS 20 // and one below and one above

__constant__ float borders[BINS + 1]; // cosines, falling

// Pairs of set `blockIdx.y` with itself (own: each pair once) or with the data set; the histogram
// is `blockIdx.y`'s. Sets lie one after the other: all x, all y, all z.
extern "C" __global__ void __launch_bounds__(BLOCK)
    tpacf_pairs(const float *sets, u32 *histograms, u32 points, u32 own)
{
    __shared__ float x[BLOCK], y[BLOCK], z[BLOCK];
    __shared__ u32 counts[BINS + 2];
    const float *a = sets + blockIdx.y * points * 3, *b = own ? a : sets;
    u32 first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    if (threadIdx.x < BINS + 2)
        counts[threadIdx.x] = 0;
    if (i < points) {
        x[threadIdx.x] = a[i];
        y[threadIdx.x] = a[points + i];
        z[threadIdx.x] = a[2 * points + i];
    }
    __syncthreads();
    u32 tile = points - first < BLOCK ? points - first : BLOCK;
    for (u32 j = threadIdx.x; j < points; j += BLOCK) {
        float bx = b[j], by = b[points + j], bz = b[2 * points + j];
        for (u32 k = 0; k < tile; k++) {
            if (own && j <= first + k)
                continue;
            float dot = fmaf(x[k], bx, fmaf(y[k], by, z[k] * bz));
            u32 low = 0, high = BINS + 1; // the first border that is not above it
            while (low < high) {
                u32 middle = (low + high) / 2;
                if (dot < borders[middle])
                    low = middle + 1;
                else
                    high = middle;
            }
            atomicAdd(&counts[low], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < BINS + 2)
        atomicAdd(&histograms[blockIdx.y * (BINS + 2) + threadIdx.x], counts[threadIdx.x]);
}
