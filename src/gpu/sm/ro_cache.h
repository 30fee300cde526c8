/*
 * A read-only cache of an SM: instructions, constants or textures. Whole lines and few of them,
 * with MSHRs; a lookup takes no time here, whoever asks adds it.
 *
 * It knows its SM only as a client.
 *
 * Contract: a request that missed is the cache's until its line comes; then the client is told of
 * it once, and it is freed. What `send` is given is answered once, to ro_cache_reply, perhaps
 * before `send` returns.
 */
#ifndef GPU_SM_RO_CACHE_H
#define GPU_SM_RO_CACHE_H

#include "cache/cache.h"
#include "gpu/config.h"

struct ro_cache_counts {
    u64 accesses, hits, misses;
};

enum ro_cache_answer { RO_CACHE_HIT, RO_CACHE_MISS, RO_CACHE_BLOCKED };

struct ro_cache;

/* What it asks of the SM around it. */
struct ro_cache_client_ops {
    /* Can a request be sent? If not, the SM is woken when it can. */
    bool (*can_send)(void *sm);
    void (*send)(void *sm, handle_t h, cycle_t now);
    /* The line of a request that missed has come. */
    void (*came)(void *sm, const struct ro_cache *s, const struct request *r, cycle_t now);
};

struct ro_cache_parts {
    const struct ro_cache_config *config;
    u8 client; /* enum sm_client */
    u16 agent;
    u64 seed;
    struct pool *requests;
    struct policy_choice lru;
    const struct ro_cache_client_ops *ops;
    void *sm;
};

struct ro_cache {
    const struct ro_cache_config *config;
    struct cache cache;
    struct request model; /* of a lookup that is no request yet */
    u64 last;             /* line that a warp came to, with prefetch_on */
    struct ro_cache_counts counts;
    struct ro_cache_parts at;
};

void ro_cache_init(struct ro_cache *s, struct arena *arena, const struct ro_cache_parts *parts);
/* A hit or miss has been counted; a miss takes over the request, which waits. */
enum ro_cache_answer ro_cache_access(struct ro_cache *s, handle_t h, cycle_t now);
/* A line that is there is used. */
bool ro_cache_holds(struct ro_cache *s, u64 line);
/* A line is put there, in no time. False: no way of its set is free. */
bool ro_cache_put(struct ro_cache *s, u64 line);
/* Lines after one that was asked for, as far as there is room; nobody waits for them. */
void ro_cache_prefetch(struct ro_cache *s, const struct request *missed, cycle_t now);
void ro_cache_reply(struct ro_cache *s, handle_t h, cycle_t now);

#endif
