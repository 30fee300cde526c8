#include "policy/noc/storage.h"

#define COUNTER_BITS 32u

/* With N channels a port has N configurations: none is split, 1:N-1, ... N-1:1. The pool's entries
 * are linked into a list for each type and one of free entries, each with a first and a last. */
void vcp_storage(const struct mesh_config *c, struct storage tables[VCP_TABLES])
{
    u32 entry = storage_bits_for(c->injection_packets), tried = 1 + c->vcs / 2;
    struct storage router = {.mechanism = "vcp", .source = "Lee 2013, 5.4 (parts; no number)"};
    struct storage central = {.mechanism = "fvcp", .source = "Lee 2013, 5.4 (parts; no number)"};
    storage_add(&router, "configuration in force", 1, storage_bits_for(c->vcs), false);
    storage_add(&router, "links of the injection queue", c->injection_packets, entry, false);
    storage_add(&router, "first and last of its three lists", 6, entry, false);
    storage_add(&central, "retired instructions by split, type", tried * 2, COUNTER_BITS, false);
    storage_add(&central, "cycles of the period", 1, COUNTER_BITS, false);
    storage_add(&central, "split that is tried", 1, storage_bits_for(tried + 1), false);
    tables[0] = router;
    tables[1] = central;
}
