// atomic additions to 1, 32, 1024 or many addresses: contention
//
// Memory: every thread adds to a few counters, in L2, where atomics are done. With 1 counter all
// lanes of all warps meet at one address; with 32 a warp covers one line; with 1024 the line
// follows the warp; with many each lane has a line of its own somewhere. Bound by the atomic units
// of the L2 banks, all on one bank at first, spread over all at last. Used by: checks of a chip's
// atomics.
#include "device.h"

#define SCATTERED 2654435761u // Knuth's multiplier: neighbouring threads land far apart

// Round r of thread t adds t % 64 + 1 to counter (t x spread + r x 32) modulo `counters`.
static __device__ void add_all(u32 *counter, u32 counters, u32 spread, u32 rounds)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++)
        atomicAdd(&counter[(thread * spread + round * 32) % counters], thread % 64 + 1);
}

// A kernel for each number of counters, so that each has its own line in a profile. Only
// contend_many uses `counters`.
#define KERNEL(name, count, spread)                                                                \
    extern "C" __global__ void contend_##name(u32 *counter, u32 counters, u32 rounds)              \
    {                                                                                              \
        (void)counters;                                                                            \
        add_all(counter, count, spread, rounds);                                                   \
    }
KERNEL(1, 1, 1)
KERNEL(32, 32, 1)
KERNEL(1024, 1024, 1)
KERNEL(many, counters, SCATTERED)
