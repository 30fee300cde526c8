// AES-128 encryption of many blocks, with its table in shared memory
//
// Memory: 16 bytes read and written per thread, four words at a stride of 16; lookups in a table of
// 1 KB in shared memory, at random: bank conflicts. Passes encrypt the same data again. Full
// occupancy.
// Used by: the study of shared caches (aes, type D); from FIPS 197.
#include "cipher.h"

__constant__ u32 keys[KEY_WORDS];

extern "C" __global__ void __launch_bounds__(256)
    aes(const u32 *table, const struct state *in, struct state *out, u32 count)
{
    __shared__ u32 own[256];
    own[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < count)
        out[i] = encrypted(own, keys, in[i]);
}
