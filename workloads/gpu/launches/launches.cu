// many empty and tiny kernels, each after the other: the cost of a launch
//
// Memory: none in the empty kernel, one line read and written in the tiny one. Bound by what a
// launch costs: dispatch, draining, and on a real GPU the driver. Used by: launch checks of a chip;
// programs of many small kernels (MapReduce) have this cost.
#include "device.h"

extern "C" __global__ void launches_empty(void)
{
}

// The order of the launches is in the result.
extern "C" __global__ void launches_count(u32 *counters, u32 launch)
{
    counters[threadIdx.x] = counters[threadIdx.x] * 5 + launch;
}
