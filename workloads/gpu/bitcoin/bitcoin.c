/*
 * Host of bitcoin: double SHA-256 of a header with many nonces (see bitcoin.cu for its memory
 * behaviour and use).
 *
 * Whole numbers: every thread's best is compared exactly. That the hash is SHA-256 is checked with
 * the first block of the chain, whose hash is known.
 */
#include "host.h"
#include "sha256.h"

#define BLOCK 128

static const u32 constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const struct host_choice choices[] = {
    {"blocks", "of 128 threads", .sizes = {4, 60, 60}},
    {"each", "nonces of a thread", .sizes = {1, 6, 1000}},
    {0},
};

struct best {
    u32 hash, nonce;
};

/* Block 0 of January 2009: header words, and the first and last words of its double hash. */
static void check_known(struct host *h)
{
    u32 words[16] = {0x01000000, 0,          0,          0,          0,          0,
                     0,          0,          0,          0x3ba3edfd, 0x7a7b12b2, 0x7ac72c3e,
                     0x67768f61, 0x7fc81bc3, 0x888a5132, 0x3a9fb8aa};
    u32 tail[3] = {0x4b1e5e4a, 0x29ab5f49, 0xffff001d}, nonce = 0x1dac2b7c;
    struct digest half = sha256_step(sha256_start(), words, constants);
    struct digest d = header_hash(half, tail, nonce, constants);
    u32 known[2] = {0x6fe28c0a, 0}, got[2] = {d.word[0], d.word[7]};
    host_compare_u32(h, "known", got, known, 2);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "bitcoin", choices, argc, argv);
    check_known(&h);
    u32 blocks = host_measure(&h, "blocks"), each = host_measure(&h, "each");
    u32 threads = blocks * BLOCK, *words = host_random_u32(&h, "header", 19, 0xffffffffu);
    struct digest half = sha256_step(sha256_start(), words, constants);
    CUdeviceptr device_constants, tail = host_upload(&h, words + 16, 3 * sizeof(u32));
    size_t bytes;
    CU(&h, cuModuleGetGlobal, (&device_constants, &bytes, h.module, "constants"));
    CU(&h, cuMemcpyHtoD, (device_constants, constants, sizeof constants));
    CUdeviceptr device_best = host_device_alloc(&h, threads * sizeof(struct best));
    host_launch(&h, host_kernel(&h, "bitcoin"), DIM1(blocks), DIM1(BLOCK), 0,
                ARGS(&half, &tail, &device_best, &each));
    struct best *best = HOST_ARRAY(&h, struct best, threads);
    for (u32 t = 0; t < threads; t++) {
        best[t] = (struct best){0xffffffffu, 0xffffffffu};
        for (u32 i = 0; i < each; i++) {
            u32 nonce = i * threads + t;
            u32 hash = __builtin_bswap32(header_hash(half, words + 16, nonce, constants).word[7]);
            if (hash < best[t].hash)
                best[t] = (struct best){hash, nonce};
        }
    }
    host_check_u32(&h, "best", device_best, &best[0].hash, 2 * (size_t)threads);
    return host_finish(&h);
}
