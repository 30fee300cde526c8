/* Greedy then oldest, with all warps that are there. */
#include "policy/warp/greedy.h"

static u32 gto_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    return greedy_pick(p->state, p->view, scheduler, candidates);
}

WARP_POLICY(gto) = {
    .version = POLICY_VERSION,
    .name = "gto",
    .source = "Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling, MICRO 2012",
    .state_bytes = sizeof(struct greedy),
    .pick = gto_pick,
};
