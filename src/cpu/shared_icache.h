/*
 * An I-cache that several cores share, over buses: Milic 2017, chapter 5.
 *
 *   cores -> request network -> banks of the cache -> L2 -> memory system
 *   cores <-  data network   <-
 *
 * The cache and the L2 below it are those of a core (cpu/caches.h), one more instance; the buses
 * are two networks behind net/network.h. Each bank has the lines of one remainder, looks up one
 * line a cycle, and has a bus of its own to and from all cores. A bus takes the request of one core
 * a cycle, in turn, and brings a line in pieces of its width. A crossbar has as many ways, but each
 * core a single port.
 *
 * A line that is asked for in cycle t, and waits for nothing, is there in t + bus_cycles +
 * hit_cycles + line_bytes / bus_bytes. A core asks for as many lines at once as it has buffers.
 */
#ifndef CPU_SHARED_ICACHE_H
#define CPU_SHARED_ICACHE_H

#include "cpu/caches.h"
#include "cpu/rate.h"
#include "net/crossbar.h"

#define SHARING_MOST_BUSES 8u

struct icache_counts {
    u64 requests, answers;
    u64 most_waiting;
    u64 contention_cycles; /* of all requests, waiting for a bus there and back */
};

struct shared_icache;

/* A core's end of it. */
struct icache_client {
    struct shared_icache *group;
    u32 number;              /* in the group */
    struct port *out, *in;   /* as many as it has buses; one of a crossbar */
    struct line_trip *trips; /* by line buffer */
};

struct shared_icache {
    unit_id unit;
    stat_node node;
    const struct core_config *config;
    struct engine *engine;
    struct pool *requests;
    struct caches caches;
    struct crossbar_config request_config, data_config;
    struct crossbar request, data;
    u32 cores, buses, ports; /* ports: of a core */
    struct icache_client *clients;
    handle_t *waiting;              /* by client and buffer */
    struct port *lookups, *replies; /* by bus */
    struct timed_queue *found;      /* by bus: lines that can be sent */
    bool is_blocked;                /* no MSHR is free */
    u64 retired;                    /* none: it is an agent without instructions */
    struct icache_counts counts;
};

struct shared_icache_parts {
    domain_id domain;
    const struct core_config *config;
    u32 number, cores, agent, index;
    struct memory_system *memory;
    const struct cache_policies *policies;
    const unit_id *units; /* of the cores */
};

extern const struct stat_def icache_stats[];

u64 shared_icache_most_requests(const struct core_config *c);
void shared_icache_init(struct shared_icache *g, const struct build_site *site,
                        const struct shared_icache_parts *p);
/* A buffer asks for a line; ACCESS_MISS: it will come. Blocked: ask again in a later cycle. */
enum access_answer icache_ask(struct icache_client *k, struct caches *of, u64 address, u32 buffer,
                              cycle_t now);
struct core;
/* Takes lines that came, for the buffers that wait for them. True: what was blocked may be asked
 * for again. */
bool icache_client_tick(struct icache_client *k, struct core *c, cycle_t now);

#endif
