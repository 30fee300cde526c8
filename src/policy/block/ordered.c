/* Ordered: the SM with the most free warps, of equals the one with the lowest number. */
#include "gpu/dispatch/block_policy.h"

static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    u32 best = NO_SM, most = 0;
    for (u32 k = 0; k < a->end - a->first; k++) {
        u32 sm = a->first + k;
        if (a->fits(a, sm) && block_rank(a, sm) > most) {
            most = block_rank(a, sm);
            best = sm;
        }
    }
    return best == NO_SM || block_was_given(a, best) ? NO_SM : best;
}

BLOCK_POLICY(ordered) = {
    .version = POLICY_VERSION,
    .name = "ordered",
    .source = "as measured on an H200",
    .choose_sm = choose_sm,
};
