#include "power/ccn_cost.h"

/* Table 4.3: a queued request has 26 bits of tag and 4 of core; a shadow tag has address bits
 * 39 to 16, whatever the number of sets, and a valid bit (spec section 5 item 12). */
#define REQUEST_BITS 30u
#define SHADOW_BITS 25u
#define CORE_BITS 4u

struct ccn_storage ccn_storage(const struct gpu_config *c)
{
    u64 lines = c->sm.l1.size_bytes / c->line_bytes;
    return (struct ccn_storage){
        .shadow_bits = lines * SHADOW_BITS,
        .buffer_bits = (u64)c->ccn.buffer_entries * REQUEST_BITS,
        .request_bits = (u64)c->ccn.request_entries * REQUEST_BITS,
        .response_bits = (u64)c->ccn.response_entries * (c->line_bytes * 8 + CORE_BITS),
    };
}

void ccn_cost(const struct gpu_config *c, struct ccn_cost_row rows[CCN_COST_ROWS])
{
    struct ccn_storage s = ccn_storage(c);
    double area = CCN_RING_AND_TAGS_MM2 + CCN_QUEUES_MM2;
    const struct ccn_cost_row all[CCN_COST_ROWS] = {
        {"shadow tags of an SM", "bytes", (double)s.shadow_bits / 8},
        {"shadow tags of the chip", "KiB", (double)s.shadow_bits * c->sm.count / 8 / 1024},
        {"queues of an SM", "bytes",
         (double)(s.buffer_bits + s.request_bits + s.response_bits) / 8},
        {"ring and shadow tags, as published", "mm2", CCN_RING_AND_TAGS_MM2},
        {"queues, as published", "mm2", CCN_QUEUES_MM2},
        {"together", "mm2", area},
        {"of the die", "ratio", area / CCN_DIE_MM2},
        {"more energy, as published", "ratio", CCN_ENERGY_MORE},
    };
    for (u32 i = 0; i < CCN_COST_ROWS; i++)
        rows[i] = all[i];
}
