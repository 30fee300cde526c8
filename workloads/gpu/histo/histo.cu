// two-dimensional histogram whose counters stop at 255, built in slices in shared memory
//
// Memory: the input is streamed, once for each slice of the histogram, and only the values of the
// slice are counted, with atomics in shared memory; each block adds its part to memory in one burst
// of atomics. Then a pass over the counters cuts them off. Lines are used by one SM only, but for
// the few that two blocks' borders share: hardly any reuse between cores.
// Used by: the cooperative-caching study (histo of Parboil). Published: 10000 x 4 input; size small
// has 512 x 512 values four times.
#include "device.h"

#define BLOCK 256
#define SLICE 4096 // counters of the histogram in shared memory at a time

// Counts the values of the slice that starts at `first`; a block takes every gridDim.x-th stretch.
extern "C" __global__ void __launch_bounds__(BLOCK)
    histo_slice(const u32 *values, u32 *counts, u32 count, u32 first)
{
    __shared__ u32 mine[SLICE];
    for (u32 i = threadIdx.x; i < SLICE; i += BLOCK)
        mine[i] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * BLOCK + threadIdx.x; i < count; i += gridDim.x * BLOCK) {
        u32 bin = values[i] - first;
        if (bin < SLICE)
            atomicAdd(&mine[bin], 1u);
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < SLICE; i += BLOCK) {
        if (mine[i])
            atomicAdd(&counts[first + i], mine[i]);
    }
}

// Counters that stop at 255, four to a word.
extern "C" __global__ void histo_saturate(const u32 *counts, u32 *packed, u32 words)
{
    u32 word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= words)
        return;
    u32 bytes = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 n = counts[4 * word + i];
        bytes |= (n < 255 ? n : 255) << (8 * i);
    }
    packed[word] = bytes;
}
