/* Depth first: an SM is filled before the next one gets a block. */
#include "gpu/dispatch/block_policy.h"

static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    for (u32 sm = a->first; sm < a->end; sm++) {
        if (a->fits(a, sm)) /* not full yet: it gets the next block, next cycle */
            return block_was_given(a, sm) ? NO_SM : sm;
    }
    return NO_SM;
}

BLOCK_POLICY(depth_first) = {
    .version = POLICY_VERSION,
    .name = "depth_first",
    .source = "textbook",
    .choose_sm = choose_sm,
};
