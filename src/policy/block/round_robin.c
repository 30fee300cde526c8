/* Round robin: the next SM with room after that of the last block. */
#include "gpu/dispatch/block_policy.h"

static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    return block_next_sm(a);
}

BLOCK_POLICY(round_robin) = {
    .version = POLICY_VERSION,
    .name = "round_robin",
    .source = "GPGPU-Sim v3.2.2",
    .choose_sm = choose_sm,
};
