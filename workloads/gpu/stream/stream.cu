// read, write and copy of a long vector: DRAM bandwidth by direction
//
// Memory: perfectly coalesced, no reuse, almost no arithmetic. Reading adds up what a thread meets
// (4 bytes of traffic per element), writing needs no input (4), copying does both (8). A full chip
// of blocks walks over the vector, neighbours staying together. Bound by DRAM bandwidth.
// Used by: bandwidth checks of a chip.
#include "device.h"

extern "C" __global__ void stream_read(const u32 *in, u32 *sums, u32 count)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (u32 i = thread; i < count; i += gridDim.x * blockDim.x)
        sum += in[i];
    sums[thread] = sum;
}

extern "C" __global__ void stream_write(u32 *out, u32 first, u32 count)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 i = thread; i < count; i += gridDim.x * blockDim.x)
        out[i] = first + i;
}

extern "C" __global__ void stream_copy(const u32 *in, u32 *out, u32 count)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 i = thread; i < count; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
