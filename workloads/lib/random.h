/*
 * Random numbers by position: the n-th number of the stream "edges" under seed 7 is always the
 * same, so inputs can be made in any order, twice, and on any machine.
 *
 * The mixing function of SplitMix64 (Steele, Lea, Flood: OOPSLA 2014) over a counter.
 */
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include "types.h"

#define RANDOM_STEP 0x9e3779b97f4a7c15ull /* 2^64 divided by the golden ratio */

struct random {
    u64 key;
};

static inline u64 random_mix(u64 x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static inline struct random random_stream(u64 seed, const char *name)
{
    u64 hash = 0xcbf29ce484222325ull; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (u8)*name) * 0x100000001b3ull;
    return (struct random){random_mix(seed * RANDOM_STEP + hash)};
}

static inline u64 random_u64(struct random r, u64 n)
{
    return random_mix(r.key + (n + 1) * RANDOM_STEP);
}

/* 0 to bound-1; the bias is below bound / 2^32. */
static inline u32 random_below(struct random r, u64 n, u32 bound)
{
    return (u32)(((random_u64(r, n) >> 32) * bound) >> 32);
}

/* 0 to below 1, in steps of 2^-24: every value is a float. */
static inline float random_unit(struct random r, u64 n)
{
    return (float)(random_u64(r, n) >> 40) * 0x1p-24f;
}

#endif
