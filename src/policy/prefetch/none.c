/* Nothing is fetched before it is asked for. */
#include "cpu/prefetcher.h"

PREFETCHER(none) = {
    .version = POLICY_VERSION,
    .name = "none",
    .source = "textbook",
};
