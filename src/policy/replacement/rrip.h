/*
 * Re-reference interval prediction: each line has a guess in 2 bits of how far away its next use
 * is. A hit makes it 0; the victim is a line at 3, and where there is none all grow older first.
 * New lines begin at 2 (SRRIP), or mostly at 3 (BRRIP). Jaleel et al., ISCA 2010.
 */
#ifndef POLICY_REPLACEMENT_RRIP_H
#define POLICY_REPLACEMENT_RRIP_H

#include "base/map.h"
#include "policy/replacement/duel.h"

#define RRIP_FAR 3u

struct rrip {
    struct duel duel; /* SRRIP against BRRIP */
    u64 fills;        /* of BRRIP, for its chance */
};

/* A cache's guesses are the beginning of its table. */
static inline u8 *rrip_rrpvs(const struct replacement *r, u32 set)
{
    return (u8 *)r->table + (size_t)set * r->ways;
}

/* Empty ways count as far. */
static inline void rrip_init(struct replacement *r)
{
    u8 *g = r->table;
    for (size_t i = 0; i < (size_t)r->sets * r->ways; i++)
        g[i] = RRIP_FAR;
}

/* The lowest way among the oldest candidates: asking changes nothing. */
static inline u32 rrip_oldest(const struct replacement *r, u32 set, u64 candidates)
{
    const u8 *g = rrip_rrpvs(r, set);
    u32 oldest = (u32)__builtin_ctzll(candidates);
    for (u64 left = candidates; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (g[way] > g[oldest])
            oldest = way;
    }
    return oldest;
}

/* The line that went had been the oldest: all grow older by what it lacked, once it is gone. */
static inline void rrip_age(const struct replacement *r, u32 set, u32 gone)
{
    u8 *g = rrip_rrpvs(r, set), gap = (u8)(RRIP_FAR - g[gone]);
    for (u32 w = 0; w < r->ways; w++)
        g[w] = (u8)(g[w] + gap < RRIP_FAR ? g[w] + gap : RRIP_FAR);
}

static inline u8 rrip_bimodal(const struct replacement *r, struct rrip *s, u32 near_percent)
{
    return hash_u64(r->seed + ++s->fills) % 100 < near_percent ? RRIP_FAR - 1 : RRIP_FAR;
}

#endif
