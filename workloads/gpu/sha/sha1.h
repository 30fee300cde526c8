/* A message block of SHA-1 (FIPS 180-4): shared by the kernel and the host. */
#ifndef SHA_SHA1_H
#define SHA_SHA1_H

#include "both.h"

struct digest {
    u32 word[5];
};

BOTH struct digest sha1_start(void)
{
    struct digest d = {{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
    return d;
}

BOTH u32 turned(u32 x, u32 by)
{
    return x << by | x >> (32 - by);
}

/* w: the 16 words of the block, which are used up. */
BOTH struct digest sha1_step(struct digest d, u32 *w)
{
    u32 a = d.word[0], b = d.word[1], c = d.word[2], e = d.word[4], m = d.word[3];
    for (u32 i = 0; i < 80; i++) {
        if (i >= 16)
            w[i % 16] = turned(w[(i - 3) % 16] ^ w[(i - 8) % 16] ^ w[(i - 14) % 16] ^ w[i % 16], 1);
        u32 f = i < 20              ? (b & c) | (~b & m)
                : i >= 40 && i < 60 ? (b & c) | (b & m) | (c & m)
                                    : b ^ c ^ m;
        u32 constant = i < 20   ? 0x5a827999u
                       : i < 40 ? 0x6ed9eba1u
                       : i < 60 ? 0x8f1bbcdcu
                                : 0xca62c1d6u;
        u32 next = turned(a, 5) + f + e + constant + w[i % 16];
        e = m, m = c, c = turned(b, 30), b = a, a = next;
    }
    u32 now[5] = {a, b, c, m, e};
    for (u32 i = 0; i < 5; i++)
        d.word[i] += now[i];
    return d;
}

/* A message of whole blocks; its words as they lie in memory are the words of the hash. */
BOTH struct digest sha1_of(const u32 *message, u32 blocks)
{
    struct digest d = sha1_start();
    u32 w[16];
    for (u32 b = 0; b < blocks; b++) {
        for (u32 i = 0; i < 16; i++)
            w[i] = message[16 * b + i];
        d = sha1_step(d, w);
    }
    for (u32 i = 0; i < 16; i++)
        w[i] = i == 0 ? 0x80000000u : i == 15 ? blocks * 512 : 0;
    return sha1_step(d, w);
}

#endif
