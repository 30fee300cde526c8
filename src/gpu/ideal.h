/*
 * Memory without contention (P_inf, bandwidth-and-ccn spec S2): the L2's tags
 * decide between two latencies, everything else is unlimited.
 */
#ifndef GPU_IDEAL_H
#define GPU_IDEAL_H

#include "gpu/sm.h"

struct ideal {
    const struct gpu_config *config;
    struct engine *engine;
    struct pool *requests;
    const struct address_map *map;
    struct sm *sms;
    unit_id unit;
    struct cache *banks;
    struct delay hits, misses;
    u64 accesses, missed;
};

void ideal_init(struct ideal *m, struct sim *sim, domain_id domain, const struct gpu_config *c,
                u32 banks, const struct address_map *map, struct pool *requests, struct sm *sms,
                struct policy_choice replacement);

#endif
