/*
 * The L1 data cache of an SM: in order, one request after the other; a request that cannot proceed
 * stops all behind it, hits included (bandwidth-and-ccn spec 1.3).
 *
 * It takes requests from the LSU (l1_access), sends what it misses through its client, and takes
 * the answers (l1_reply). It knows its SM only as a client: functions for room below, for sending,
 * and for loads and stores that are done. Warp policies, regions, the network between L1s, and the
 * checker of versions are attachments (l1_hooks).
 *
 * Contract: l1_access either takes the request (L1_STALL_NONE) or says what it waits for and has
 * changed nothing. Every request that was taken is answered once, by `loaded` or `stored`, and then
 * freed; a store that goes below is freed when its acknowledgement comes.
 */
#ifndef GPU_L1_L1_H
#define GPU_L1_L1_H

#include "cache/cache.h"
#include "gpu/config.h"
#include "gpu/sm/ticket.h"
#include "gpu/sm/warp_policy.h"
#include "sim/engine.h"

struct l1;
struct way_partition;

enum l1_stall { L1_STALL_CACHE, L1_STALL_MSHR, L1_STALL_L2, L1_STALL_COUNT };
#define L1_STALL_NONE L1_STALL_COUNT
extern const char *const l1_stall_names[];

struct l1_counts {
    u64 loads, hits, misses, merges, sector_misses, bypasses;
    u64 intra_warp_hits, inter_warp_hits;
    u64 load_sectors, load_sectors_missed; /* of global memory */
    u64 stores, store_hits, stores_joined, atomics;
    u64 fills, evictions, writebacks;
    u64 stall[L1_STALL_COUNT];
    /* load misses that have been answered: sums, in core cycles and in femtoseconds */
    u64 answered, latency_cycles;
    u64 request_fs, l2_fs, dram_fs, reply_fs;
    u64 l2_hits, l2_hit_latency_cycles;
    u64 sent, acknowledged; /* requests to the network, answers from it */
};

/* Of regions that are kept out of L1: every request asks the tags, and counts as a hit if its line
 * is still there. */
struct l1_bypass_counts {
    u64 loads, merges, stores, found;
};

/* What an L1 asks of the SM around it. */
struct l1_client_ops {
    /* Is there room below for so many requests? If not, the L1 is asked again when there is. */
    bool (*can_send)(void *sm, u32 requests);
    void (*send)(void *sm, handle_t h, cycle_t now);
    /* A load has its data, which can be used from `ready` on. The request is still there. */
    void (*loaded)(void *sm, const struct request *r, cycle_t ready, cycle_t now);
    /* A store is where it belongs. */
    void (*stored)(void *sm, const struct request *r);
};

/* ---- attachments ------------------------------------------------------------------------ */

struct l1_attachment;

#define L1_EVENTS(X)                                                                               \
    X(arrives)                                                                                     \
    X(kept)                                                                                        \
    X(path)                                                                                        \
    X(started)                                                                                     \
    X(ask)                                                                                         \
    X(found)                                                                                       \
    X(hit)                                                                                         \
    X(missed)                                                                                      \
    X(bypassed)                                                                                    \
    X(placed)                                                                                      \
    X(evicted)                                                                                     \
    X(shows)                                                                                       \
    X(written)                                                                                     \
    X(sent)                                                                                        \
    X(filled)                                                                                      \
    X(replied)

/* For each event, the first attachment that has a hook, or the next one behind an attachment. */
struct l1_lists {
#define X(event) struct l1_attachment *event;
    L1_EVENTS(X)
#undef X
};

#define L1_ELSEWHERE 0x80u

/* A hook changes its own state and the request it is given, and nothing of the L1. */
struct l1_hooks {
    /* A request has come; its line has not been looked up. */
    void (*arrives)(struct l1 *l, struct l1_attachment *a, struct request *r);
    /* Ways of a set that must not be given up. */
    u64 (*kept)(struct l1 *l, struct l1_attachment *a, u32 set);

    /* ---- loads that miss ---- */
    /* The path that a miss would take, with L1_ELSEWHERE if not below; `started`: it takes it;
     * `ask`: the request itself, where it does not go below. */
    u8 (*path)(struct l1 *l, struct l1_attachment *a, const struct request *r);
    void (*started)(struct l1 *l, struct l1_attachment *a, u8 path);
    void (*ask)(struct l1 *l, struct l1_attachment *a, handle_t h, u8 path, cycle_t now);
    /* A load misses or joins a miss. */
    void (*missed)(struct l1 *l, struct l1_attachment *a, const struct request *r, u32 set,
                   bool merged);

    /* ---- lines ---- */
    /* A load or store finds its line. */
    void (*found)(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                  const struct request *r, cycle_t now);
    /* A load is served; `own`: by a line that the same warp brought in. */
    void (*hit)(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                const struct request *r, bool own);
    /* A request with REQUEST_BYPASS_L1 does not find its line. */
    void (*bypassed)(struct l1 *l, struct l1_attachment *a, const struct request *r, cycle_t now);
    void (*placed)(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                   const struct request *r);
    /* The line is still there. */
    void (*evicted)(struct l1 *l, struct l1_attachment *a, u32 set, u32 way);
    /* Others can see this line in the way from now on; NO_LINE: none. */
    void (*shows)(struct l1 *l, struct l1_attachment *a, u32 set, u32 way, u64 line);
    /* A store goes below whose line is there or on its way. */
    void (*written)(struct l1 *l, struct l1_attachment *a, struct cache_place p);

    /* ---- requests below ---- */
    void (*sent)(struct l1 *l, struct l1_attachment *a, struct request *r);
    /* A line has come, to p.way or nowhere, for the requests linked from `waiting`. */
    void (*filled)(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                   const struct request *fill, handle_t waiting, cycle_t now);
    /* An answer has come from the network. */
    void (*replied)(struct l1 *l, struct l1_attachment *a, const struct request *r, cycle_t now);
};

struct l1_attachment {
    const struct l1_hooks *hooks;
    struct l1_lists next;
};

/* ---- the cache -------------------------------------------------------------------------- */

/* Stores on their way out, oldest first. */
struct l1_stores {
    handle_t lines[L1_STORE_ENTRIES];
    u32 count;
    cycle_t free; /* the next may go from then on */
    cycle_t next; /* there is one to go then; CYCLE_NEVER: none, or there was no room below */
};

struct l1 {
    struct cache cache;
    const struct l1_config *config;
    struct pool *requests;
    const struct l1_client_ops *client;
    void *sm;
    struct engine *engine;
    const cycle_t *now; /* the SM's */
    struct l1_lists on; /* what is attached, by event */
    struct agent agent;
    const struct way_partition *split; /* of its ways; NULL: none */
    struct l1_stores stores;
    struct l1_counts counts;
    struct l1_bypass_counts bypass;
    u16 identity[MOST_SM_WARPS]; /* of the warp in each slot, see l1_warp_comes */
};

struct l1_parts {
    const struct l1_config *config;
    u32 line_bytes;
    struct pool *requests;
    const struct l1_client_ops *client;
    void *sm;
    struct engine *engine;
    const cycle_t *now;
    struct agent agent;
    struct policy_choice replacement;
    u64 seed;
};

void l1_init(struct l1 *l, struct arena *arena, const struct l1_parts *parts);
/* Hooks of an event are called in the order of attaching. */
void l1_attach(struct l1 *l, struct l1_attachment *a, const struct l1_hooks *hooks);

/* What it waits for, or L1_STALL_NONE. */
u8 l1_access(struct l1 *l, handle_t h, cycle_t now);
/* The oldest store that waits goes below, if it is its time and there is room. To be called from
 * l->stores.next on, and when there is room again. */
void l1_drain(struct l1 *l, cycle_t now);
/* An answer from the network. */
void l1_reply(struct l1 *l, handle_t h, cycle_t now);
/* The line of a load miss, from below or from another L1. */
void l1_fill(struct l1 *l, handle_t h, cycle_t now);
/* The request goes below. There is room. */
void l1_send(struct l1 *l, handle_t h, cycle_t now);

/* A warp takes a slot; `identity` tells apart the warps that one slot has had. */
static inline void l1_warp_comes(struct l1 *l, u32 slot, u16 identity)
{
    l->identity[slot] = identity;
}

/* It has so many bytes from now on: whole ways, at least one. Nothing is on its way. */
void l1_resize(struct l1 *l, u32 bytes);
/* A fence has emptied it: of lines on their way nothing is kept. */
void l1_empty(struct l1 *l);
/* l1_warm.c: a load of untimed execution leaves its line here, where nothing is under way. */
void l1_warm(struct l1 *l, u64 line, u32 sectors);
/* ... and a store evicts the line, where stores do. */
void l1_warm_store(struct l1 *l, u64 line);
/* Lines of other sockets have ways of their own. */
void l1_divide(struct l1 *l, const struct way_partition *split);

static inline struct request *l1_request(const struct l1 *l, handle_t h)
{
    return pool_get(l->requests, h);
}

#endif
