/* Greedy then round robin: stays with a warp while it can issue, then takes the first ready one
 * after it. */
#include "gpu/sm/warp_policy.h"

struct gtrr {
    u32 last[4]; /* by scheduler: slot, and age of the warp in it */
    u64 age[4];
};

static u32 gtrr_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct gtrr *g = p->state;
    u32 last = g->last[scheduler], from = last + 1;
    if (candidates >> last & 1 && p->view->age[last] == g->age[scheduler])
        return last;
    u64 after = from < 64 ? candidates & ~(u64)0 << from : 0;
    last = (u32)__builtin_ctzll(after ? after : candidates);
    g->last[scheduler] = last;
    g->age[scheduler] = p->view->age[last];
    return last;
}

WARP_POLICY(gtrr) = {
    .version = POLICY_VERSION,
    .name = "gtrr",
    .source = "Milic 2017, table 6.1: greedy, then round robin",
    .state_bytes = sizeof(struct gtrr),
    .pick = gtrr_pick,
};
