/*
 * Memory without contention (P_inf, bandwidth-and-ccn spec S2): the L2's tags
 * decide between two latencies, everything else is unlimited.
 */
#ifndef MEMSYS_IDEAL_H
#define MEMSYS_IDEAL_H

#include "base/timed_queue.h"
#include "memsys/config.h"

struct memory_client;

struct ideal {
    const struct ideal_config *config;
    struct engine *engine;
    struct pool *requests;
    const struct address_map *map;
    const struct memory_client *clients;
    u32 client_count;
    unit_id unit;
    struct cache *banks;
    struct timed_queue hits, misses;
    u64 accesses, missed;
};

struct ideal_parts {
    const struct build_site *site;
    domain_id domain; /* of the clients */
    const struct memory_config *config;
    u32 banks;
    const struct address_map *map;
    struct pool *requests;
    const struct memory_client *clients; /* copied */
    u32 client_count;
    struct policy_choice replacement;
};

void ideal_init(struct ideal *m, const struct ideal_parts *parts);

#endif
