// a warp on 1, 2, 4, ... 32 paths: branch divergence
//
// Memory: one store per thread. The lanes of a warp take `paths` paths one after the other, each
// with the same amount of integer arithmetic: time grows with the number of paths, the active lanes
// fall to 32 / paths. Bound by instruction issue.
// Used by: divergence checks of a chip.
#include "device.h"

// Lane l takes path l % paths.
static __device__ void take_paths(u32 *out, u32 paths, u32 rounds, u32 start)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, mine = threadIdx.x % paths;
    u32 value = start + thread;
#pragma unroll 1
    for (u32 path = 0; path < paths; path++) {
        if (path == mine) {
#pragma unroll 1
            for (u32 round = 0; round < rounds; round++)
                value = (value * 1664525 + path) ^ (value >> 7);
        }
    }
    out[thread] = value;
}

// A kernel for each number of paths, so that each has its own line in a profile.
#define KERNEL(paths)                                                                              \
    extern "C" __global__ void diverge_##paths(u32 *out, u32 rounds, u32 start)                    \
    {                                                                                              \
        take_paths(out, paths, rounds, start);                                                     \
    }
KERNEL(1)
KERNEL(2)
KERNEL(4)
KERNEL(8)
KERNEL(16)
KERNEL(32)
