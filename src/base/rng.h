/*
 * Random numbers that depend on nothing but a seed, a name and a position.
 *
 * Counter-based (Philox4x32-10: Salmon et al., SC 2011): the n-th number of
 * the stream "sm3.replacement" under seed 7 is the same no matter which other streams are drawn
 * from, and in which order. Streams are cheap; give each component its own.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include "base/types.h"

struct rng {
    u64 key, position;
    u64 spare; /* second half of the last block */
};

void rng_init(struct rng *r, u64 seed, const char *stream);
u64 rng_u64(struct rng *r);
/* Uniform in 0..bound-1, without bias. bound > 0. */
u64 rng_below(struct rng *r, u64 bound);
/* Uniform in [0, 1). */
double rng_unit(struct rng *r);
/* The n-th number of a stream, without moving any position. */
u64 rng_at(u64 key, u64 n);

#endif
