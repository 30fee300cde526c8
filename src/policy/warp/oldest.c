/* The oldest ready warp, whoever issued last. */
#include "gpu/warp_policy.h"

static void oldest_init(struct warp_policy *p, struct arena *arena)
{
    (void)arena;
    p->state = NULL;
}

static u32 oldest_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    (void)scheduler;
    return warp_oldest(p->view, candidates);
}

const struct warp_policy_ops warp_policy_oldest = {
    .name = "oldest",
    .source = "textbook",
    .init = oldest_init,
    .pick = oldest_pick,
};
