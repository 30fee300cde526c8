/*
 * Greedy then oldest: keep issuing the same warp until it stalls, then the
 * oldest that can (Rogers et al., MICRO 2012; Poise spec 2).
 */
#include "gpu/warp_policy.h"

struct gto {
    u32 last[4]; /* by scheduler: slot, and age of the warp in it */
    u64 age[4];
};

static void gto_init(struct warp_policy *p, struct arena *arena)
{
    p->state = ARENA_NEW(arena, struct gto);
}

static u32 gto_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct gto *g = p->state;
    u32 last = g->last[scheduler];
    if (candidates >> last & 1 && p->view->age[last] == g->age[scheduler])
        return last;
    last = warp_oldest(p->view, candidates);
    g->last[scheduler] = last;
    g->age[scheduler] = p->view->age[last];
    return last;
}

const struct warp_policy_ops warp_policy_gto = {
    .name = "gto",
    .source = "Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling, MICRO 2012",
    .init = gto_init,
    .pick = gto_pick,
};
