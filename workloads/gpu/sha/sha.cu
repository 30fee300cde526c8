// SHA-1 of many messages, one per thread
//
// Memory: a thread walks through its own message: the loads of a warp are 32 lines, of which each
// serves several loads if it stays in L1 that long. Streams with much integer arithmetic, unrolled.
// Used by: the study of shared caches (sha, type E); from FIPS 180-4.
#include "sha1.h"

extern "C" __global__ void sha(const u32 *messages, struct digest *out, u32 blocks, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = sha1_of(messages + i * blocks * 16, blocks);
}
