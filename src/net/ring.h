/*
 * One channel of a ring: a bounded queue at every node, and a link from each
 * node to the next. A ring that works both ways has two of them.
 *
 * Nothing here is a unit: the owner ticks it, decides what the heads of the
 * queues are to do, and asks which of them can. All decisions of a cycle are
 * taken on the state before it and done together, so the nodes have no order.
 *
 * An entry that leaves a node holds its place in the next queue from that moment
 * (a credit), and can be seen there when its hop is over. What makes a channel
 * free of deadlock (bandwidth-and-ccn spec S15):
 *
 *   - a full queue whose head leaves takes another in the same cycle. Which heads
 *     move is the largest set for which that works out, so a ring that is full at
 *     every node turns by one step;
 *   - who injects something that may go round leaves one place free (the bubble).
 */
#ifndef NET_RING_H
#define NET_RING_H

#include "base/arena.h"
#include "base/types.h"

#include <assert.h>

#define RING_MOST_NODES 64u

struct ring_entry {
    u64 key;       /* the owner's, with what it needs at every node */
    cycle_t at;    /* it can be seen from this cycle on */
    u32 value;     /* the owner's: usually a handle */
    u32 place;     /* the owner's */
    u8 home;       /* node that it belongs to */
    u8 hops;       /* so far */
    bool returned; /* it has come into its home's queue by a hop */
    bool seen;     /* the owner's, for this node: a hop clears it */
};

struct ring_channel {
    u32 nodes, entries;
    bool backwards; /* from k to k - 1 instead of k + 1 */
    struct ring_entry *slots;
    u8 *head;
    u32 *count;
    cycle_t *link_free;      /* of the link that leaves a node */
    u64 all, occupied, full; /* bit per node */
};

/* entries: of every queue, 255 at most. */
void ring_channel_init(struct ring_channel *c, struct arena *arena, u32 nodes, u32 entries,
                       bool backwards);

/* Nodes whose head can be seen and whose link is idle. */
u64 ring_channel_ready(const struct ring_channel *c, cycle_t now);
/* The first cycle from `now` on with such a node; CYCLE_NEVER: nothing is there. */
cycle_t ring_channel_next(const struct ring_channel *c, cycle_t now);

/* Of the heads in `go`, those that can hop now. leaves: heads that leave the ring instead;
 * taken: nodes that take in something else this cycle, and nothing from the link;
 * past: heads of `go` that need no place at the next node. */
u64 ring_channel_moves(const struct ring_channel *c, u64 go, u64 past, u64 leaves, u64 taken);

void ring_channel_push(struct ring_channel *c, u32 node, struct ring_entry e);
struct ring_entry ring_channel_pop(struct ring_channel *c, u32 node);
/* The head goes over the link and is the caller's; the link is busy so long. */
struct ring_entry ring_channel_depart(struct ring_channel *c, u32 node, cycle_t now,
                                      u32 busy_cycles);
/* The heads of these nodes hop: they can be seen after hop_cycles, their links are busy
 * for busy_cycles. Heads that leave must have been popped before. */
void ring_channel_advance(struct ring_channel *c, u64 moves, cycle_t now, u32 hop_cycles,
                          u32 busy_cycles);

static inline u32 ring_channel_to(const struct ring_channel *c, u32 node)
{
    if (c->backwards)
        return node ? node - 1 : c->nodes - 1;
    return node + 1 < c->nodes ? node + 1 : 0;
}

static inline struct ring_entry *ring_channel_head(const struct ring_channel *c, u32 node)
{
    assert(c->count[node]);
    return &c->slots[node * c->entries + c->head[node]];
}

/* Every bit one node up or down. */
static inline u64 ring_turn(const struct ring_channel *c, u64 nodes, bool up)
{
    u64 turned = up ? nodes << 1 | nodes >> (c->nodes - 1) : nodes >> 1 | nodes << (c->nodes - 1);
    return turned & c->all;
}

/* Each bit at the node before it: from those that would receive to those that would send. */
static inline u64 ring_channel_senders(const struct ring_channel *c, u64 receivers)
{
    return ring_turn(c, receivers & c->all, c->backwards);
}

static inline u64 ring_channel_receivers(const struct ring_channel *c, u64 senders)
{
    return ring_turn(c, senders & c->all, !c->backwards);
}

/* Takes the lowest node out of a set: for loops over the nodes of a mask. */
static inline u32 ring_take(u64 *nodes)
{
    u32 node = (u32)__builtin_ctzll(*nodes);
    *nodes &= *nodes - 1;
    return node;
}

#endif
