/* Round robin: the next SM with room after that of the last block. */
#include "gpu/block_policy.h"

static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    for (u32 k = 0; k < a->end - a->first; k++) {
        u32 sm = block_sm_after(a, k);
        if (!block_was_given(a, sm) && a->fits(a, sm))
            return sm;
    }
    return NO_SM;
}

BLOCK_POLICY(round_robin) = {
    .version = POLICY_VERSION,
    .name = "round_robin",
    .source = "GPGPU-Sim v3.2.2",
    .choose_sm = choose_sm,
};
