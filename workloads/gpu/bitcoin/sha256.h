/* One step of SHA-256 (FIPS 180-4) and the hash of a block header: shared by kernel and host. */
#ifndef BITCOIN_SHA256_H
#define BITCOIN_SHA256_H

#include "both.h"

struct digest {
    u32 word[8];
};

BOTH struct digest sha256_start(void)
{
    struct digest d = {{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu,
                        0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u}};
    return d;
}

BOTH u32 rotated(u32 x, u32 by)
{
    return x >> by | x << (32 - by);
}

/* The 64 constants are passed in: constant memory on one side, an array on the other. w: the 16
 * words of the block, which are used up. */
BOTH struct digest sha256_step(struct digest d, u32 *w, const u32 *constants)
{
    u32 a = d.word[0], b = d.word[1], c = d.word[2], e = d.word[4], f = d.word[5], g = d.word[6];
    u32 h = d.word[7], top = d.word[3];
    for (u32 i = 0; i < 64; i++) {
        if (i >= 16) {
            u32 x = w[(i - 15) % 16], y = w[(i - 2) % 16];
            w[i % 16] += (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[(i - 7) % 16] +
                         (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
        }
        u32 first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) +
                    constants[i] + w[i % 16];
        u32 second =
            (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = top + first, top = c, c = b, b = a, a = first + second;
    }
    u32 now[8] = {a, b, c, top, e, f, g, h};
    for (u32 i = 0; i < 8; i++)
        d.word[i] += now[i];
    return d;
}

/* The header's last 16 bytes with a nonce, then the hash of the hash. half: of its first 64. */
BOTH struct digest header_hash(struct digest half, const u32 *tail, u32 nonce, const u32 *constants)
{
    u32 w[16] = {tail[0], tail[1], tail[2], nonce, 0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 640};
    struct digest d = sha256_step(half, w, constants);
    for (u32 i = 0; i < 16; i++)
        w[i] = i < 8 ? d.word[i] : i == 8 ? 0x80000000u : i == 15 ? 256 : 0;
    return sha256_step(sha256_start(), w, constants);
}

#endif
