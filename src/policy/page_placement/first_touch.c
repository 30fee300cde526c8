/* First touch: the socket that asks for a page first has it from then on. */
#include "mem/page_placement.h"

static u32 find(struct home *h, u64 address, u32 asker)
{
    return home_page(h, address, asker);
}

HOME_POLICY(first_touch) = {
    .version = POLICY_VERSION,
    .name = "first_touch",
    .source = "NUMA-aware GPU, locality-optimised runtime",
    .find = find,
};
