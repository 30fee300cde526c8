/* Every packet may take every channel, and leaves its queue when its turn comes: the baseline. */
#include "net/mesh/noc_policy.h"

NOC_POLICY(shared) = {
    .version = POLICY_VERSION,
    .name = "shared",
    .source = "Lee 2013, table 11 (no partition)",
};
