/* Loose round robin: the first ready warp after the one that issued last. */
#include "gpu/sm/warp_policy.h"

struct lrr {
    u32 last[4]; /* by scheduler */
};

static u32 lrr_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct lrr *r = p->state;
    u32 from = r->last[scheduler] + 1;
    u64 after = from < 64 ? candidates & ~(u64)0 << from : 0;
    r->last[scheduler] = (u32)__builtin_ctzll(after ? after : candidates);
    return r->last[scheduler];
}

WARP_POLICY(lrr) = {
    .version = POLICY_VERSION,
    .name = "lrr",
    .source = "textbook",
    .state_bytes = sizeof(struct lrr),
    .pick = lrr_pick,
};
