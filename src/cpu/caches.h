/*
 * The private caches of a core: L1I and L1D above an L2, each non-blocking.
 *
 *   L1I, L1D -> queue -> L2 -> queue -> memory system
 *
 * A lookup takes `hit_cycles`; then the data is there, or the request goes to the next level. Lines
 * come to every level that waits for them in the same cycle. Victims that are dirty go down a
 * level; caches are not inclusive, and take a way when the line comes. The core is told of lines
 * that its own accesses wait for through `arrived`.
 */
#ifndef CPU_CACHES_H
#define CPU_CACHES_H

#include "base/map.h"
#include "base/timed_queue.h"
#include "cpu/config.h"
#include "cpu/prefetcher.h"
#include "mem/agent.h"
#include "cache/cache.h"
#include "memsys/memory_system.h"

struct private_counts {
    u64 accesses, hits, misses, merges;
    u64 loads, load_misses; /* of the L1D: without stores; misses and merges */
    u64 writebacks_in, fills, evictions, writebacks;
    u64 prefetches, useful_prefetches, late_prefetches;
    /* of the L2: lines that came from below */
    u64 answered, latency_cycles, llc_hits, llc_hit_latency_cycles;
};

extern const struct stat_def private_stats[];

/* Where data came from. */
enum memory_level { LEVEL_L1, LEVEL_L2, LEVEL_LLC, LEVEL_DRAM };

/* Who waits for a line: request.ticket. */
enum wait_kind { WAIT_LOAD, WAIT_STORE, WAIT_FETCH, WAIT_PREFETCH, WAIT_L1D, WAIT_L1I };

struct wait_ticket {
    u32 what; /* the core's own number of it */
    u16 kind; /* enum wait_kind */
    u16 spare;
};

struct private_cache {
    const struct private_config *config;
    struct cache cache;
    struct prefetcher prefetcher;
    struct private_counts counts;
};

/* First misses of an L1I apart from others. */
struct touched_lines {
    struct map lines;
    u64 compulsory;
};

extern const struct stat_def touched_stats[];

struct caches {
    struct private_cache l1i, l1d, l2;
    struct engine *engine;
    struct pool *requests;
    struct memory_system *memory;
    const struct address_map *map;
    const struct ideal_config *ideal;
    struct agent agent;
    u8 application;
    u32 line_bytes, address_cycles;
    struct touched_lines *touched; /* which lines the L1I has had; NULL: nobody asks */
    unit_id unit;
    struct port out, in;
    struct timed_queue to_l2, from_l2; /* misses and victims of the L1s; lines that the L2 has */
    struct timed_queue to_memory, from_ideal;
    cycle_t quiet_until; /* nothing of these is due before, unless a reply comes */
    bool is_blocked;     /* what is first in to_l2 */
    bool is_full;        /* to_memory, which is why */
    void *core;
    /* A line that the access `what` of a kind waited for is there. */
    void (*arrived)(void *core, enum wait_kind kind, u32 what, enum memory_level level,
                    cycle_t now);
};

struct cache_policies {
    struct policy_choice l1i, l1d, l2; /* replacement */
    struct policy_choice l1i_prefetch, l1d_prefetch, l2_prefetch;
};

struct caches_parts {
    const struct core_config *config; /* l1i, l1d, l2, lsq.address_cycles */
    u32 index, agent;                 /* of the core; among all agents */
    struct memory_system *memory;     /* its pool, map, line size and ideal model */
    const struct cache_policies *policies;
};

/* An access of the core. */
struct cache_access {
    u64 address, pc;
    enum wait_kind kind; /* WAIT_LOAD, WAIT_STORE or WAIT_FETCH */
    u32 what;
};

enum access_answer { ACCESS_HIT, ACCESS_MISS, ACCESS_BLOCKED };

/* Requests that can be under way at once, for the size of the pool. */
u64 caches_most_requests(const struct core_config *c);
/* `unit` is set once the core's is known; the core is told by `arrived`. */
void caches_init(struct caches *c, const struct build_site *site, const struct caches_parts *p);
/* From now on; before the first run. */
void caches_count_compulsory(struct caches *c, struct arena *arena);
u64 caches_line(const struct caches *c, u64 address);
/* One line. Blocked: no MSHR is free, ask again when a line has come. */
enum access_answer caches_access(struct caches *c, const struct cache_access *a, cycle_t now);
/* What an access leaves behind, here and below, when nothing is under way: without time. */
void caches_warm(struct caches *c, const struct cache_access *a);
/* Takes what has come and passes on what is due; the next cycle in which there is work. True
 * *came: a line came, or an MSHR is free. */
cycle_t caches_work(struct caches *c, cycle_t now, bool *came);

static inline cycle_t caches_tick(struct caches *c, cycle_t now, bool *came)
{
    *came = false;
    if (LIKELY(now < c->quiet_until && !port_ready(&c->in)))
        return c->quiet_until;
    return caches_work(c, now, came);
}
/* After accesses: the next cycle in which the L2 has something to do for them. */
cycle_t caches_next(const struct caches *c, cycle_t now);

#endif
