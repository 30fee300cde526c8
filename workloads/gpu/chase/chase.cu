// pointer chase by one thread through a footprint that L1, L2 or only DRAM holds
//
// Memory: one load at a time, each address being what the load before brought: one pointer per
// 128-byte line, the lines in random order. Cycles per step are the latency of the level that holds
// the footprint (--footprint l1, l2 or dram). The launch before, once around, fills that level.
// Used by: latency checks of a chip, the bandwidth study's among them.
#include "device.h"

extern "C" __global__ void chase_steps(void **start, u32 steps, void **end)
{
    void **at = start;
#pragma unroll 1
    for (u32 i = 0; i < steps; i++)
        at = (void **)*at;
    *end = at;
}
