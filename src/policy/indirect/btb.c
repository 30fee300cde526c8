/* Where it went last, as the branch target buffer has it: Lee and Smith, IEEE Computer 1984. */
#include "cpu/indirect_predictor.h"

static u64 storage_bits(const void *config)
{
    (void)config; /* the buffer is there anyway */
    return 0;
}

INDIRECT_PREDICTOR(btb) = {
    .version = POLICY_VERSION,
    .name = "btb",
    .source = "Lee and Smith, IEEE Computer 1984",
    .storage_bits = storage_bits,
};
