// double SHA-256 of a block header with ever other nonces: the smallest hash of every thread
//
// Memory: none to speak of; constants come from constant memory, words stay in registers. Bound by
// integer arithmetic. Few blocks that run long: 60 do not fill a large chip.
// Used by: the study of several sockets (Bitcoin: one launch of 60 blocks); from FIPS 180-4.
#include "sha256.h"

__constant__ u32 constants[64];

struct best {
    u32 hash, nonce; // the most significant word of the hash as a number
};

extern "C" __global__ void bitcoin(struct digest half, const u32 *tail, struct best *best, u32 each)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    struct best mine = {0xffffffffu, 0xffffffffu};
    for (u32 i = 0; i < each; i++) {
        u32 nonce = i * threads + thread;
        u32 top = header_hash(half, tail, nonce, constants).word[7];
        u32 hash = __builtin_bswap32(top);
        if (hash < mine.hash) {
            mine.hash = hash;
            mine.nonce = nonce;
        }
    }
    best[thread] = mine;
}
