/* Round robin: pages go round the sockets. */
#include "mem/page_placement.h"

static u32 find(struct home *h, u64 address, u32 asker)
{
    (void)asker;
    return (u32)(address / h->page_bytes % h->sockets);
}

HOME_POLICY(round_robin) = {
    .version = POLICY_VERSION,
    .name = "round_robin",
    .source = "NUMA-aware GPU, page policies",
    .find = find,
};
