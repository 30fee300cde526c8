// compression of an image in tiles of 4 x 4 colours (DXT1), trying all cuts into four groups
//
// Memory: a block of 64 threads reads its tile once, shares sorted sums, and tries the 969 cuts;
// the list of cuts is read by all blocks and stays in L1. Nearly all arithmetic. Used by: the
// studies of shared caches (dxtc, type A) and of cache regions (three regions; --side 512 has 1.13
// MiB). Cluster fit, from the algorithm (least squares over all orderings).
#include "cluster.h"

#define THREADS 64

extern "C" __global__ void __launch_bounds__(THREADS)
    dxtc(const u32 *image, const u32 *cuts, u32 *out, u32 width, u32 cut_count)
{
    __shared__ struct colour pixels[PIXELS], sums[PIXELS + 1];
    __shared__ u32 order[PIXELS], at_cut[THREADS], choice[PIXELS];
    __shared__ float errors[THREADS];
    u32 t = threadIdx.x, x = blockIdx.x * 4 + t % 4, y = blockIdx.y * 4 + t / 4 % 4;
    if (t < PIXELS)
        pixels[t] = colour_of(image[y * width + x]);
    __syncthreads();
    if (t < PIXELS) { // the place of a colour: how many are before it
        struct colour axis = {1, 2, 1};
        float mine = dot(pixels[t], axis);
        u32 place = 0;
        for (u32 i = 0; i < PIXELS; i++) {
            float other = dot(pixels[i], axis);
            place += other < mine || (other == mine && i < t);
        }
        order[place] = t;
    }
    __syncthreads();
    if (t <= PIXELS) {
        struct colour sum = {0, 0, 0};
        for (u32 i = 0; i < t; i++)
            sum = mixed(pixels[order[i]], 1, sum, 1);
        sums[t] = sum;
    }
    __syncthreads();
    float least = 1e30f;
    u32 best = 0;
    for (u32 i = t; i < cut_count; i += THREADS) {
        float error = ends_of(sums, cuts[i]).error;
        if (error < least) {
            least = error;
            best = i;
        }
    }
    errors[t] = least;
    at_cut[t] = best;
    __syncthreads();
    for (u32 by = THREADS / 2; by > 0; by /= 2) { // the first of several
        if (t < by && (errors[t + by] < errors[t] ||
                       (errors[t + by] == errors[t] && at_cut[t + by] < at_cut[t]))) {
            errors[t] = errors[t + by];
            at_cut[t] = at_cut[t + by];
        }
        __syncthreads();
    }
    struct ends e = ends_of(sums, cuts[at_cut[0]]);
    if (t < PIXELS)
        choice[t] = nearest(e, pixels[t]) << (2 * t);
    __syncthreads();
    if (t == 0) {
        u32 bits = 0;
        for (u32 i = 0; i < PIXELS; i++)
            bits |= choice[i];
        u32 tile = blockIdx.y * gridDim.x + blockIdx.x;
        out[2 * tile] = packed(e.a) | packed(e.b) << 16;
        out[2 * tile + 1] = bits;
    }
}
