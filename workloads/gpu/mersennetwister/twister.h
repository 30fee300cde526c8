/*
 * A small Mersenne Twister per thread (Matsumoto and Nishimura: ACM TOMACS 1998, with 19 words
 * instead of 624): shared by the kernel and the host. Every thread has parameters of its own, which
 * are random here; how long the period is with them is not known.
 */
#ifndef MERSENNETWISTER_TWISTER_H
#define MERSENNETWISTER_TWISTER_H

#include "elementary.h"

#define WORDS 19
#define MIDDLE 9

struct parameters {
    u32 matrix, mask_b, mask_c, seed;
};

struct twister {
    u32 state[WORDS], at;
};

BOTH void twister_start(struct twister *t, u32 seed)
{
    t->state[0] = seed;
    for (u32 i = 1; i < WORDS; i++)
        t->state[i] = 1812433253u * (t->state[i - 1] ^ t->state[i - 1] >> 30) + i;
    t->at = 0;
}

/* From above 0 to below 1. */
BOTH float twister_next(struct twister *t, struct parameters p)
{
    u32 i = t->at, next = i + 1 < WORDS ? i + 1 : 0, far = i + MIDDLE;
    u32 y = (t->state[i] & 0xfffffffeu) | (t->state[next] & 1);
    y = t->state[far < WORDS ? far : far - WORDS] ^ y >> 1 ^ (y & 1 ? p.matrix : 0);
    t->state[i] = y;
    t->at = next;
    y ^= y >> 12;
    y ^= y << 7 & p.mask_b;
    y ^= y << 15 & p.mask_c;
    y ^= y >> 18;
    return ((float)(y >> 9) + 0.5f) * 0x1p-23f;
}

/* Two uniform numbers become two normal ones (Box and Muller 1958). */
BOTH void normal_pair(float *a, float *b)
{
    float radius = sqrtf(-2 * el_log(*a)), turns = *b;
    *a = radius * el_cos_turns(turns);
    *b = radius * el_sin_turns(turns);
}

#endif
