// prices of options by Monte-Carlo: means over paths that all options share
//
// Memory: every block, one per option, reads the same array of normal numbers from end to end: it
// streams through L1 and stays in L2 if it fits there. An exponential per number: arithmetic hides
// the loads. Short launches, a few options each.
// Used by: the studies of shared caches (montecarlo, type E) and of cache regions (two regions;
// --paths 262144 has 1.05 MB); from the algorithm (Boyle 1977).
#include "path.h"

__constant__ struct option options[MOST_OPTIONS];

struct sums {
    float sum, squares;
};

extern "C" __global__ void __launch_bounds__(THREADS)
    montecarlo(const float *normals, struct sums *out, u32 first, u32 paths)
{
    __shared__ float sum[THREADS], squares[THREADS];
    u32 t = threadIdx.x;
    struct option o = options[first + blockIdx.x];
    float s = 0, q = 0;
    for (u32 i = t; i < paths; i += THREADS) {
        float worth = payoff(o, normals[i]);
        s += worth;
        q = fmaf(worth, worth, q);
    }
    sum[t] = s;
    squares[t] = q;
    for (u32 by = THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if (t < by) {
            sum[t] += sum[t + by];
            squares[t] += squares[t + by];
        }
    }
    if (t == 0) {
        out[first + blockIdx.x].sum = sum[0];
        out[first + blockIdx.x].squares = squares[0];
    }
}
