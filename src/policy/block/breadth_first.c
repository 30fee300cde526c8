/* Breadth first: the SM with the most free warps, of equals the next one after that of the last
 * block. */
#include "gpu/dispatch/block_policy.h"

static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    u32 best = NO_SM, most = 0;
    for (u32 k = 0; k < a->end - a->first; k++) {
        u32 sm = block_sm_after(a, k);
        if (a->fits(a, sm) && block_rank(a, sm) > most) {
            most = block_rank(a, sm);
            best = sm;
        }
    }
    return best == NO_SM || block_was_given(a, best) ? NO_SM : best;
}

BLOCK_POLICY(breadth_first) = {
    .version = POLICY_VERSION,
    .name = "breadth_first",
    .source = "textbook",
    .choose_sm = choose_sm,
};
