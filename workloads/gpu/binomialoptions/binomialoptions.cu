// prices of options by binomial trees, one block per option
//
// Memory: a block walks down its tree's values in pieces: a piece and what lies beyond it go to
// shared memory, 16 steps are made there, and the piece goes back: in L1 and L2 all the time.
// Mostly shared memory, barriers and arithmetic. Used by: the study of cache regions
// (binomialoptions: two regions; --options 1024 --steps 2048 has 8 MiB); from the algorithm (Cox,
// Ross, Rubinstein 1979).
#include "device.h"

#define THREADS 128
#define DEEP 16 // steps at a time
#define PIECE (2 * THREADS)
#define MOST_OPTIONS 1024

struct option {
    float up, down; // discounted chances
};

__constant__ struct option options[MOST_OPTIONS];

// steps is a multiple of 16; row: steps + 1 values of the option.
extern "C" __global__ void __launch_bounds__(THREADS)
    binomialoptions(float *values, float *prices, u32 steps)
{
    __shared__ float from[PIECE + DEEP], to[PIECE + DEEP];
    struct option o = options[blockIdx.x];
    float *row = &values[blockIdx.x * (steps + 1)];
    for (u32 left = steps; left > 0; left -= DEEP) {
        u32 last = left - DEEP; // of the values after these steps
        for (u32 first = 0; first <= last; first += PIECE) {
            for (u32 i = threadIdx.x; i < PIECE + DEEP; i += THREADS)
                from[i] = first + i <= left ? row[first + i] : 0;
            __syncthreads();
            for (u32 d = 0; d < DEEP; d += 2) {
                for (u32 i = threadIdx.x; i < PIECE + DEEP - 1; i += THREADS)
                    to[i] = fmaf(o.up, from[i + 1], o.down * from[i]);
                __syncthreads();
                for (u32 i = threadIdx.x; i < PIECE + DEEP - 2; i += THREADS)
                    from[i] = fmaf(o.up, to[i + 1], o.down * to[i]);
                __syncthreads();
            }
            for (u32 i = threadIdx.x; i < PIECE && first + i <= last; i += THREADS)
                row[first + i] = from[i];
            __syncthreads();
        }
    }
    if (threadIdx.x == 0)
        prices[blockIdx.x] = row[0];
}
