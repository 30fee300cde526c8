/* All programs share all ways: who accesses most has most. */
#include "l2/llc_policy.h"

LLC_POLICY(shared) = {
    .version = POLICY_VERSION,
    .name = "shared",
    .source = "textbook",
};
