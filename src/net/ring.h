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
 *   - injecting an entry that may go round leaves one place free (the bubble).
 */
#ifndef NET_RING_H
#define NET_RING_H

#include "base/arena.h"
#include "base/types.h"
#include "net/calendar.h"

#include <assert.h>

#define RING_MOST_NODES 64u

struct ring_entry {
    u64 key;    /* the owner's */
    u64 stops;  /* nodes at which the owner looks at it; at others it just goes on */
    cycle_t at; /* it can be seen from this cycle on */
    u32 value;  /* the owner's: usually a handle */
    u8 home;    /* node that it belongs to */
    u8 hops;    /* before it came into this channel: ring_channel_hops() while it is in it */
    u8 from;    /* node at which it came in */
    bool waits; /* it came in behind others, and is there */
};

/* Of an entry that comes in. */
struct ring_origin {
    u64 stops;
    cycle_t at;
    u32 home;
    u32 hops; /* so far, elsewhere */
};

/* Of a node: numbers of entries, each of which knows the one behind it. */
struct ring_queue {
    u16 head, tail; /* if there are any */
    u32 count;
};

/* Entries stay where they are, their numbers go round. In a prompt channel an entry that is alone
 * at its node and goes on in every cycle is in a slot: the slots turn with the ring, so all of them
 * hop by nothing but a new beginning of the slots. What must wait, or comes where something waits,
 * is in the queue of its node; a node has a slot or a queue in use, and one that stands still costs
 * nothing. In other channels all are in queues.
 *
 * What is in a slot need not be asked where it is, either: it is on the agenda of the turn that
 * brings it to its next stop. Until then the owner need not look, and may turn the ring by many
 * steps at once. What is on the agenda may be in a queue or gone by then: it is checked. */
struct ring_channel {
    u32 nodes, entries;
    u32 hop_cycles, busy_cycles;
    bool backwards; /* from k to k - 1 instead of k + 1 */
    /* what came in one cycle can go on in the next, whatever went before; and one alone is not
     * nearly full */
    bool prompt;
    u8 turns;    /* of the slots */
    u8 on, rest; /* a hop in a set of nodes is a turn by `on` bits, `rest` more are all */
    u32 first;   /* the slot that is node 0's at present */
    struct ring_entry *pool;
    u16 *slots;  /* numbers of entries */
    u16 *unused; /* numbers of entries that are nowhere */
    u32 unused_count;
    struct ring_queue *queues;
    u16 *behind;        /* of an entry, in its queue */
    u8 *to, *before;    /* next node, and the one before */
    cycle_t *link_free; /* of the link that leaves a node */
    /* If not prompt: nodes whose head can be seen and sent in this cycle, and when others' can. */
    u64 ready;
    cycle_t ready_at;
    struct calendar later;
    u64 all, occupied, full;     /* bit per node */
    u64 nearly;                  /* ... that has one place free at most */
    u64 queued;                  /* ... whose entries are in its queue */
    u64 stopped;                 /* ... whose head is in a queue and at one of its stops */
    u64 fresh;                   /* ... whose head has not hopped yet */
    u64 agenda[RING_MOST_NODES]; /* by turn: nodes at which one in a slot then stops */
    u64 agenda_used;             /* bit per turn */
};

struct ring_shape {
    u32 nodes;
    u32 entries; /* of every queue, 255 at most */
    bool backwards;
    u32 hop_cycles;  /* until an entry can be seen at the next node */
    u32 busy_cycles; /* of a link, by one entry */
};

void ring_channel_init(struct ring_channel *c, struct arena *arena, struct ring_shape shape);

/* ---- sets of nodes ---- */

/* Takes the lowest node out of a set: for loops over the nodes of a mask. */
static inline u32 ring_take(u64 *nodes)
{
    u32 node = (u32)__builtin_ctzll(*nodes);
    *nodes &= *nodes - 1;
    return node;
}

/* Each bit at the node before it: from those that would receive to those that would send. */
static inline u64 ring_channel_senders(const struct ring_channel *c, u64 receivers)
{
    u64 nodes = receivers & c->all;
    return (nodes << c->rest | nodes >> c->on) & c->all;
}

static inline u64 ring_channel_receivers(const struct ring_channel *c, u64 senders)
{
    return (senders << c->on | senders >> c->rest) & c->all;
}

/* ---- what is there ---- */

static inline u32 ring_channel_slot(const struct ring_channel *c, u32 node)
{
    u32 at = node + c->first;
    return at < c->nodes ? at : at - c->nodes;
}

static inline u32 ring_channel_count(const struct ring_channel *c, u32 node)
{
    return (u32)((c->occupied & ~c->queued) >> node & 1) + c->queues[node].count;
}

/* The i-th of a node. */
static inline struct ring_entry *ring_channel_entry(const struct ring_channel *c, u32 node, u32 i)
{
    assert(i < ring_channel_count(c, node));
    if (!(c->queued >> node & 1))
        return &c->pool[c->slots[ring_channel_slot(c, node)]];
    u32 number = c->queues[node].head;
    while (i-- > 0)
        number = c->behind[number];
    return &c->pool[number];
}

/* By which an entry is known, as long as it is in the channel. */
static inline u32 ring_channel_number(const struct ring_channel *c, const struct ring_entry *e)
{
    return (u32)(e - c->pool);
}

static inline struct ring_entry *ring_channel_head(const struct ring_channel *c, u32 node)
{
    return ring_channel_entry(c, node, 0);
}

/* The head of this node came home by a hop. */
static inline bool ring_channel_is_back(const struct ring_channel *c, u32 node)
{
    return ring_channel_head(c, node)->home == node && !(c->fresh >> node & 1);
}

/* Hops of the i-th of a node: what is where it came in has made none, or gone round. */
static inline u8 ring_channel_hops(const struct ring_channel *c, u32 node, u32 i)
{
    const struct ring_entry *e = ring_channel_entry(c, node, i);
    u32 from = c->backwards ? node : e->from, to = c->backwards ? e->from : node;
    bool fresh = i ? e->waits : c->fresh >> node & 1;
    return (u8)(e->hops + (fresh ? 0 : to > from ? to - from : to + c->nodes - from));
}

/* ---- when ---- */

u64 ring_channel_ready_of(struct ring_channel *c, cycle_t now);
/* Nodes whose head can be seen and whose link is idle: asked before anything is done in a
 * cycle, since what is done can be seen in the next at the earliest. Code that puts something into
 * a channel that is not prompt has asked in that cycle. */
static inline u64 ring_channel_ready(struct ring_channel *c, cycle_t now)
{
    return LIKELY(c->prompt) ? c->occupied : ring_channel_ready_of(c, now);
}

/* The first cycle from `now` on with such a node; CYCLE_NEVER: nothing is there. */
static inline cycle_t ring_channel_next(const struct ring_channel *c, cycle_t now)
{
    if (c->prompt ? c->occupied : c->ready)
        return now;
    return c->occupied ? max_u64(calendar_next(&c->later, c->ready_at), now) : CYCLE_NEVER;
}

u64 ring_channel_due_of(const struct ring_channel *c, u64 ready);
/* Of the heads in `ready`, those that are at one of their stops. One that came in at home and is
 * still there may be left out. */
static inline u64 ring_channel_due(const struct ring_channel *c, u64 ready)
{
    return c->prompt ? ring_channel_due_of(c, ready) : ready & c->stopped;
}
/* Those, and some that are not: for callers that check each one anyway. */
static inline u64 ring_channel_may_stop(const struct ring_channel *c, u64 ready)
{
    return ready & ((c->agenda[c->turns % RING_MOST_NODES] & ~c->queued) | c->stopped);
}
/* Prompt ones: the first cycle from `now` on in which one is, or some might be held up. */
static inline cycle_t ring_channel_next_due(const struct ring_channel *c, cycle_t now)
{
    u32 turn = c->turns % RING_MOST_NODES;
    u64 used = c->agenda_used;
    assert(c->prompt);
    if (c->queued)
        return now;
    if (!c->occupied || !used)
        return CYCLE_NEVER;
    return now + (u32)__builtin_ctzll(turn ? used >> turn | used << (64 - turn) : used);
}
/* Prompt ones: all hop so many times, with no stop in between. */
void ring_channel_turn(struct ring_channel *c, u32 turns);
/* The entry of this number is to be looked at there, too. */
void ring_channel_add_stop(struct ring_channel *c, u32 number, u32 stop);

/* ---- moving ---- */

u64 ring_channel_moves_of(const struct ring_channel *c, u64 go, u64 past, u64 leaves, u64 taken);
/* Of the heads in `go`, those that can hop now. leaves: heads that leave the ring instead;
 * taken: nodes that take in something else this cycle, and nothing from the link;
 * past: heads of `go` that need no place at the next node. */
static inline u64 ring_channel_moves(const struct ring_channel *c, u64 go, u64 past, u64 leaves,
                                     u64 taken)
{
    bool all = !(taken | (c->full & ~leaves));
    return LIKELY(all) ? go : ring_channel_moves_of(c, go, past, leaves, taken);
}

void ring_channel_place(struct ring_channel *c, u32 node, u32 number);
/* The caller fills in what is its own. */
static inline struct ring_entry *ring_channel_push(struct ring_channel *c, u32 node,
                                                   struct ring_origin o)
{
    assert(ring_channel_count(c, node) < c->entries);
    u32 number = c->unused[--c->unused_count];
    struct ring_entry *e = &c->pool[number];
    e->stops = o.stops;
    e->at = o.at;
    e->home = (u8)o.home;
    e->from = (u8)node;
    e->hops = (u8)o.hops;
    ring_channel_place(c, node, number);
    return e;
}

/* The head. What comes out is there until the next push. */
const struct ring_entry *ring_channel_pop(struct ring_channel *c, u32 node);
/* The head goes over the link, and out. */
const struct ring_entry *ring_channel_depart(struct ring_channel *c, u32 node, cycle_t now);

u64 ring_channel_advance_queues(struct ring_channel *c, u64 moves, cycle_t now);
u64 ring_channel_advance_slots(struct ring_channel *c, u64 moves);
/* The heads of these nodes hop: once in a cycle, also if there are none. Heads that leave must have
 * been popped before, and what comes in is pushed after it. Returns the nodes that one came to. */
static inline u64 ring_channel_advance(struct ring_channel *c, u64 moves, cycle_t now)
{
    u32 turn = c->turns % RING_MOST_NODES;
    if (UNLIKELY(!c->prompt))
        return ring_channel_advance_queues(c, moves, now);
    if (c->queued || moves != c->occupied || c->agenda[turn] & moves)
        return ring_channel_advance_slots(c, moves);
    /* all are in slots and hop, and none was at a stop */
    c->agenda[turn] = 0;
    c->agenda_used &= ~((u64)1 << turn);
    c->turns++;
    c->first = c->before[c->first];
    c->fresh = 0;
    return c->occupied = ring_channel_receivers(c, moves);
}

#endif
