/* The oldest ready warp, whoever issued last. */
#include "gpu/sm/warp_policy.h"

static u32 oldest_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    (void)scheduler;
    return warp_oldest(p->view, candidates);
}

WARP_POLICY(oldest) = {
    .version = POLICY_VERSION,
    .name = "oldest",
    .source = "textbook",
    .pick = oldest_pick,
};
