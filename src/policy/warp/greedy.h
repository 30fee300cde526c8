/*
 * Greedy then oldest: keep issuing the same warp until it stalls, then the
 * oldest that can (Rogers et al., MICRO 2012; Poise spec 2). What most warp
 * policies do with the warps they let issue.
 */
#ifndef POLICY_WARP_GREEDY_H
#define POLICY_WARP_GREEDY_H

#include "gpu/sm/warp_policy.h"

struct greedy {
    u32 last[4]; /* by scheduler: slot, and age of the warp in it */
    u64 age[4];
};

static inline u32 greedy_pick(struct greedy *g, const struct warp_view *v, u32 scheduler,
                              u64 candidates)
{
    u32 last = g->last[scheduler];
    if (candidates >> last & 1 && v->age[last] == g->age[scheduler])
        return last;
    last = warp_oldest(v, candidates);
    g->last[scheduler] = last;
    g->age[scheduler] = v->age[last];
    return last;
}

/* Warps that may no longer issue are preferred by no scheduler (Poise spec 2 item 3). */
static inline void greedy_forget(struct greedy *g, const struct warp_view *v, u64 may_issue)
{
    for (u32 s = 0; s < v->schedulers; s++) {
        if (!(may_issue >> g->last[s] & 1))
            g->age[s] = UINT64_MAX;
    }
}

#endif
