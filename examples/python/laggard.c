/*
 * A warp policy in one file: of the warps that are ready, the one that has issued least issues, so
 * that all warps of an SM stay together. examples/python/own_policy.py builds and measures it.
 */
#include "gpu/sm/warp_policy.h"

struct laggard_state {
    u64 issued[MOST_SM_WARPS];
    u64 age[MOST_SM_WARPS]; /* of the warp that was counted: a slot may have another one since */
};

static u64 issued_by(const struct warp_policy *p, u32 slot)
{
    const struct laggard_state *s = p->state;
    return s->age[slot] == p->view->age[slot] ? s->issued[slot] : 0;
}

/* The oldest of them wins a tie. */
static u32 laggard_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    (void)scheduler;
    u64 least = UINT64_MAX, behind = 0;
    for (u64 left = candidates; left; left &= left - 1) {
        u32 slot = (u32)__builtin_ctzll(left);
        u64 issued = issued_by(p, slot);
        if (issued < least)
            behind = 0;
        if (issued <= least) {
            least = issued;
            behind |= 1ull << slot;
        }
    }
    return warp_oldest(p->view, behind);
}

static void laggard_issued(struct warp_policy *p, const struct warp_issue *i)
{
    struct laggard_state *s = p->state;
    s->issued[i->slot] = issued_by(p, i->slot) + 1;
    s->age[i->slot] = p->view->age[i->slot];
}

WARP_POLICY(laggard) = {
    .version = POLICY_VERSION,
    .name = "laggard",
    .source = "example",
    .state_bytes = sizeof(struct laggard_state),
    .pick = laggard_pick,
    .issued = laggard_issued,
};
