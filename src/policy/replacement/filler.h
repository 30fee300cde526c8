/* Which core brought a line in: hits of a sampled core on lines of others say how much data the
 * cores share, which hides from it what it loses (policy/llc/core_sampling.h). */
#ifndef POLICY_REPLACEMENT_FILLER_H
#define POLICY_REPLACEMENT_FILLER_H

#include "cache/replacement.h"

struct filler_counts {
    u64 own_hits, foreign_hits;
};

static const struct stat_def filler_stats[] = {
    S_COUNT(filler_counts, own_hits, "accesses", "hits of the first sampled core on its own lines"),
    S_COUNT(filler_counts, foreign_hits, "accesses",
            "hits of the first sampled core on lines of other cores"),
    S_END,
};

static inline size_t fillers_bytes(u32 sets, u32 ways)
{
    return (size_t)sets * ways * sizeof(u16);
}

static inline void filler_hit(struct filler_counts *c, u32 filler, const struct request *access)
{
    c->own_hits += filler == access->agent;
    c->foreign_hits += filler != access->agent;
}

#endif
