/*
 * The Cooperative Caching Network: L1 caches that answer each other's load
 * misses over a ring (Dublish 2018, chapter 4; bandwidth-and-ccn spec S15), and
 * the oracle that a ring is measured against (S13).
 *
 * One unit of the engine moves the whole ring; it is ticked before the SMs, so it
 * sees every L1 as the cycle before left it, in whatever order the SMs are
 * ticked. A load miss goes from its L1 into the CCN buffer (a port). Each cycle:
 *
 *   request ring   the head of a node's queue is looked up in that node's shadow
 *                  tags; a hit takes a cycle of the L1's port and becomes a
 *                  response, a miss goes on to the next node. A request that has
 *                  come round goes to its own L1's miss queue.
 *   response ring  turns the other way, a line in so many cycles per hop; at the
 *                  node before its home it goes straight into the L1.
 *
 * What comes from the ring goes before what the core injects; a new response
 * goes before one that passes. A full buffer sends misses to L2 (deflection).
 *
 * Unloaded, a hit n nodes away takes 3 + n (2 link_cycles + 3) core cycles with a
 * line of 4 x 32 bytes, 6 + 2 n link_cycles with cut_through; an unanswered request is back in its
 * own queue after 1 + nodes x link_cycles.
 */
#ifndef CCN_CCN_H
#define CCN_CCN_H

#include "base/chains.h"
#include "base/tally.h"
#include "ccn/l1_peer.h"
#include "ccn/throttle.h"
#include "mem/request.h"
#include "l2/sharers.h"
#include "cache/tags.h"
#include "net/ring.h"
#include "sim/sim.h"

struct ccn_counts {
    u64 eligible, ineligible;
    u64 injected, deflected, throttled; /* of the eligible ones */
    u64 unshared;                       /* of the eligible ones: the oracle knew nobody */
    u64 remote_hits, returned;          /* of the injected ones */
    u64 probes, lookups;                /* of others, in this SM's shadow tags */
    u64 answers;                        /* given to others */
    u64 hops, failed_hops;              /* of own requests: answered with the way back, returned */
    u64 reuse_cycles, overhead_cycles;  /* of own requests: answered, returned */
    u64 buffer_cycles, response_cycles; /* of own requests: before the ring, from the hit on */
    u64 wait_response_cycles, wait_below_cycles;
    u64 updates;               /* messages to the sharing tracker */
    u64 epochs_on, epochs_off; /* of the throttler */
};
extern const struct stat_def ccn_stats[];

struct ring_counts {
    u64 injected, delivered, returned;
    u64 request_hops, response_hops;
};
extern const struct stat_def ring_stats[];

/* A line that came into or left an L1, for whoever keeps track. */
struct l1_change {
    u64 line;
    cycle_t at;
    bool came;
};

#define CCN_CHAINS 4096u

/* An SM's part. */
struct ccn_node {
    struct ccn *ccn;
    struct l1_peer peer;
    u32 index;
    struct port buffer; /* CB: from the L1 to the ring */
    u16 *signs;         /* of the first set; see below */
    u64 before;         /* the node from which responses come */
    u64 group;          /* the other SMs that may answer it */
    struct throttle throttle;
    u64 asked_after; /* instructions the throttle knew of when it was last asked */
    /* without a ring: what has changed, and the lines that are shown by set and way */
    struct l1_change *changes;
    u32 change_count;
    u64 *shown;
    struct ccn_counts counts;
};

/* The L1s that it connects, all alike. */
struct ccn_shape {
    u32 nodes;
    u32 line_bytes;
    u32 lines, ways, mshrs; /* of each */
};

struct ccn {
    const struct ccn_config *config;
    struct ccn_shape shape;
    struct engine *engine;
    struct pool *pool; /* what handles stand for */
    struct ccn_node *nodes;
    u32 count;
    u32 busy_cycles; /* of a response link, by one line */
    unit_id unit;
    /* the key of a request is its line, that of a response the cycle of its hit */
    struct ring_channel requests, responses;
    cycle_t responses_next; /* before it none can move */
    cycle_t done_to;        /* cycles before this one are done: others were slept through */
    /* A sign for each line that is valid in an L1, 0 for none: a line whose sign is not there is
     * not there, so most lookups need not be made, and the others are made in the tags themselves,
     * which are what a copy would be. The nodes go in pairs, the first half of them with the
     * second. Of one set there are four signs of node 0 and four of its partner, then their next
     * four, up to the number of ways; then those of node 1 and its partner. */
    u16 *signs;
    u32 sign_pairs;
    u32 sign_words;  /* of four signs: of a node, per set */
    u32 sign_stride; /* from set to set */
    u64 offered;     /* nodes with something in their buffer: their ports' bell */
    u64 waits_below; /* nodes whose head came back and waits for their L1's miss queue */
    u64 held;        /* nodes whose head found its line and waits, if no line came or went since */
    struct ring_counts counts;
    struct tally lookups_again; /* at each node, of requests that had to stay */
    struct tally waits_for_response;
    cycle_t waits_below_since[RING_MOST_NODES];
    struct chains asked; /* requests on the ring, by sign */
    /* Probes by requests that were answered, of each node: more than of the node before it. */
    u64 probe_steps[RING_MOST_NODES + 1];
    u64 answered_hops;                     /* of those requests */
    u64 instructions, instructions_before; /* of all SMs, with throttle.scope chip */
    struct sharers sharers;                /* of the ideal one */
    u64 blocked; /* SMs whose head found no copy, and perhaps waits for the miss queue */
};

/* Before the SMs are added, since the ring is ticked before them. */
void ccn_init(struct ccn *c, struct sim *sim, domain_id domain, const struct ccn_config *config,
              struct ccn_shape shape, struct pool *requests);
/* After that each L1 gets its node; */
struct ccn_node *ccn_attach(struct ccn *c, u32 node, struct l1_peer peer);
/* and after the SMs comes the rest. */
void ccn_finish(struct ccn *c, struct sim *sim, domain_id domain);
/* Never 0, which is the sign of no line. Multiplied by 2^64 over the golden ratio. */
static inline u32 ccn_sign(u64 line)
{
    return (u32)(line * 0x9e3779b97f4a7c15 >> 48 | 1);
}

/* Of a node's first set: where the sign of a way is. */
static inline u32 ccn_sign_at(u32 way)
{
    return way / 4 * 8 + way % 4;
}

static inline u32 ccn_chain(u32 sign)
{
    return sign / 2 % CCN_CHAINS;
}

/* This line came into that node's L1: requests on the ring may find it. */
void ccn_came(struct ccn *c, u32 node, u64 line, cycle_t now) __attribute__((cold, noinline));
/* Everything before this cycle is in the counts, and in the queues. */
void ccn_settle(struct ccn *c, cycle_t now);

/* Do others see this line in that way, or none for NO_LINE? For tests: it holds in every cycle. */
bool ccn_way_shows(const struct ccn_node *n, u32 set, u32 way, u64 line);
cycle_t ccn_tick(void *self, cycle_t now); /* the ring */
/* copies.c: what is ticked instead of it. */
cycle_t ccn_copies_tick(void *self, cycle_t now);  /* ideal: commits the changes, after the SMs */
cycle_t ccn_updates_tick(void *self, cycle_t now); /* tracker: sends the changes to L2 */

/* ---- what an L1 tells the network ---- */

/* Where a load miss goes. */
enum ccn_path {
    CCN_PATH_BELOW,     /* not one for others: local memory, textures, no MSHR */
    CCN_PATH_NOBODY,    /* the oracle knows that nobody has it */
    CCN_PATH_THROTTLED, /* this core does not ask at present */
    CCN_PATH_DEFLECTED, /* the buffer is full */
    CCN_PATH_RING,
    CCN_PATH_FOUND, /* the oracle knows somebody */
};

static inline const struct request *ccn_request(const struct ccn *c, handle_t h)
{
    return pool_get(c->pool, h);
}

static inline bool ccn_path_is_elsewhere(enum ccn_path path)
{
    return path >= CCN_PATH_RING;
}

enum ccn_path ccn_path(struct ccn_node *n, const struct request *r);
/* The SM has issued since a miss was sent below: its throttle may let it on the ring now. */
bool ccn_path_may_change(const struct ccn_node *n);
void ccn_count(struct ccn_node *n, enum ccn_path path);
/* Takes over the request of a path that is elsewhere. */
void ccn_ask(struct ccn_node *n, handle_t h, enum ccn_path path, cycle_t now);
/* One of this L1's requests is over: the line has come from another L1; that none did is known
 * already. */
void ccn_resolved(struct ccn_node *n, const struct request *r, bool hit, cycle_t now);
/* A way of this L1 now holds this valid line, or NO_LINE. */
void ccn_show(struct ccn_node *n, u32 set, u32 way, u64 line, cycle_t now);

#endif
