#include "net/ring.h"

void ring_channel_init(struct ring_channel *c, struct arena *arena, struct ring_shape shape)
{
    u32 nodes = shape.nodes, entries = shape.entries;
    u64 all = ~(u64)0 >> (64 - nodes);
    assert(nodes >= 2 && nodes <= RING_MOST_NODES && entries >= 1 && entries <= UINT8_MAX);
    *c = (struct ring_channel){
        .nodes = nodes,
        .entries = entries,
        .hop_cycles = shape.hop_cycles,
        .busy_cycles = shape.busy_cycles,
        .backwards = shape.backwards,
        .prompt = shape.hop_cycles == 1 && shape.busy_cycles == 1 && entries > 2,
        .on = (u8)(shape.backwards ? nodes - 1 : 1),
        .rest = (u8)(shape.backwards ? 1 : nodes - 1),
        .all = all,
        .nearly = entries == 1 ? all : 0,
        .pool = ARENA_ARRAY(arena, struct ring_entry, (size_t)nodes * entries),
        .slots = ARENA_ARRAY(arena, u16, nodes),
        .unused = ARENA_ARRAY(arena, u16, (size_t)nodes * entries),
        .queues = ARENA_ARRAY(arena, struct ring_queue, nodes),
        .behind = ARENA_ARRAY(arena, u16, (size_t)nodes * entries),
        .to = ARENA_ARRAY(arena, u8, nodes),
        .before = ARENA_ARRAY(arena, u8, nodes),
        .link_free = ARENA_ARRAY(arena, cycle_t, nodes),
    };
    calendar_init(&c->later, arena, nodes, (u32)max_u64(shape.hop_cycles, shape.busy_cycles));
    for (u32 k = 0; k < nodes; k++) {
        c->to[k] = (u8)((k + c->on) % nodes);
        c->before[k] = (u8)((k + c->rest) % nodes);
    }
    for (u32 k = nodes * entries; k > 0;)
        c->unused[c->unused_count++] = (u16)--k;
}

/* ---- when ---------------------------------------------------------------------------------- */

u64 ring_channel_ready_of(struct ring_channel *c, cycle_t now)
{
    for (cycle_t next; (next = calendar_next(&c->later, c->ready_at)) <= now; c->ready_at = next)
        c->ready |= calendar_take(&c->later, next, 0);
    c->ready_at = now;
    return c->ready;
}

/* ---- stops --------------------------------------------------------------------------------- */

/* Puts the entry in this node's slot on the agenda of its next stop. leaves: it came in at home,
 * and is on its way out. */
static inline void plan(struct ring_channel *c, u32 node, const struct ring_entry *e, bool leaves)
{
    u64 ahead;
    u32 stop, hops;
    if (!e->stops)
        return;
    if (c->backwards) {
        ahead = e->stops & ((((u64)2 >> leaves) << node) - 1);
        stop = 63 - (u32)__builtin_clzll(ahead ? ahead : e->stops);
        hops = node - stop;
    } else {
        ahead = e->stops & (~(u64)leaves << node);
        stop = (u32)__builtin_ctzll(ahead ? ahead : e->stops);
        hops = stop - node;
    }
    u32 turn = (c->turns + hops + (ahead ? 0 : c->nodes)) % RING_MOST_NODES;
    c->agenda[turn] |= (u64)1 << stop;
    c->agenda_used |= (u64)1 << turn;
}

/* A queue has another head; it is neither fresh nor stopped so far. */
static inline void new_head(struct ring_channel *c, u32 node, u32 number)
{
    struct ring_entry *e = &c->pool[number];
    u64 bit = (u64)1 << node, at_stop = e->stops & bit;
    if (UNLIKELY(e->waits)) {
        e->waits = false;
        c->fresh |= bit;
        if (e->home == node)
            at_stop = 0;
    }
    c->stopped |= at_stop;
    if (c->prompt)
        return;
    cycle_t when = max_u64(e->at, c->link_free[node]);
    assert(when <= c->ready_at + c->later.wheel.mask); /* or it would come round too early */
    if (when <= c->ready_at)
        c->ready |= bit;
    else
        calendar_add(&c->later, when, node);
}

u64 ring_channel_due_of(const struct ring_channel *c, u64 ready)
{
    u64 may = ring_channel_may_stop(c, ready), due = may & c->stopped;
    for (u64 left = may & ~due; left;) {
        u32 node = ring_take(&left);
        due |= ring_channel_head(c, node)->stops & (u64)1 << node;
    }
    return due;
}

void ring_channel_add_stop(struct ring_channel *c, u32 number, u32 stop)
{
    struct ring_entry *e = &c->pool[number];
    e->stops |= (u64)1 << stop;
    for (u64 left = c->occupied & ~c->queued; left;) {
        u32 node = ring_take(&left);
        if (c->slots[ring_channel_slot(c, node)] == number)
            plan(c, node, e, e->home == node && c->fresh >> node & 1);
    }
    if (c->queued >> stop & 1 && c->queues[stop].head == number)
        c->stopped |= (u64)1 << stop;
}

/* ---- in and out ---------------------------------------------------------------------------- */

/* Those before a node that has a place do, those before them if they are full, and so on. There is
 * one that takes none, or all would move: so nobody waits for himself, all around the ring. */
u64 ring_channel_moves_of(const struct ring_channel *c, u64 go, u64 past, u64 leaves, u64 taken)
{
    u64 full = c->full & ~leaves, makes_room = full & ~taken;
    if (!(taken | (full & ~go)))
        return go;
    u64 moves = go & (past | ring_channel_senders(c, ~(full | taken)));
    for (u64 more = moves; more;) {
        u64 place = more & makes_room;
        more = go & ~moves & (place << c->rest | place >> c->on); /* the senders */
        moves |= more;
    }
    return moves;
}

/* Behind others. */
static inline void add_to_queue(struct ring_channel *c, u32 node, u32 number)
{
    struct ring_queue *q = &c->queues[node];
    c->behind[q->tail] = (u16)number;
    q->tail = (u16)number;
    q->count++;
}

/* This one has one more than before. */
static inline void gain_one(struct ring_channel *c, u32 node)
{
    u32 count = c->queues[node].count;
    assert(count <= c->entries);
    if (UNLIKELY(count + 1 >= c->entries)) {
        c->full |= (u64)(count == c->entries) << node;
        c->nearly |= (u64)1 << node;
    }
}

/* These have one less than before. */
static inline void lose_one(struct ring_channel *c, u64 nodes)
{
    c->nearly &= ~nodes | c->full;
    c->full &= ~nodes;
}

static inline void put_in_queue(struct ring_channel *c, u32 node, u32 number)
{
    u64 bit = (u64)1 << node;
    if (c->queued & bit) {
        add_to_queue(c, node, number);
    } else {
        c->queued |= bit;
        c->queues[node] = (struct ring_queue){(u16)number, (u16)number, 1};
        new_head(c, node, number);
    }
    gain_one(c, node);
}

/* The head of a queue goes: its number. The caller has seen to the node's bits in `fresh` and
 * `stopped`, and will see to those in the others. */
static inline u32 take_from_queue(struct ring_channel *c, u32 node, u64 *emptied)
{
    struct ring_queue *q = &c->queues[node];
    u32 number = q->head;
    if (--q->count) {
        q->head = c->behind[number];
        new_head(c, node, q->head);
    } else {
        *emptied |= (u64)1 << node;
    }
    return number;
}

/* The one in this node's slot stays, or another comes behind it: into the queue. */
static inline void start_queue(struct ring_channel *c, u32 node)
{
    u32 number = c->slots[ring_channel_slot(c, node)];
    c->pool[number].waits = c->fresh >> node & 1;
    put_in_queue(c, node, number);
}

/* Where nothing flows, or something is there already. */
static __attribute__((noinline)) void place_in_queue(struct ring_channel *c, u32 node, u32 number)
{
    u64 bit = (u64)1 << node;
    if (c->prompt && !(c->queued & bit))
        start_queue(c, node);
    c->pool[number].waits = true; /* until it is the head */
    c->occupied |= bit;
    put_in_queue(c, node, number);
}

void ring_channel_place(struct ring_channel *c, u32 node, u32 number)
{
    u64 bit = (u64)1 << node;
    struct ring_entry *e = &c->pool[number];
    if (UNLIKELY(c->occupied & bit || !c->prompt)) {
        place_in_queue(c, node, number);
        return;
    }
    e->waits = false;
    c->occupied |= bit;
    c->fresh |= bit;
    c->slots[ring_channel_slot(c, node)] = (u16)number;
    plan(c, node, e, e->home == node);
}

const struct ring_entry *ring_channel_pop(struct ring_channel *c, u32 node)
{
    u64 bit = (u64)1 << node, emptied = bit;
    u32 number;
    lose_one(c, bit);
    c->fresh &= ~bit;
    c->ready &= ~bit;
    if (LIKELY(!(c->queued & bit))) {
        number = c->slots[ring_channel_slot(c, node)];
    } else {
        emptied = 0;
        c->stopped &= ~bit;
        number = take_from_queue(c, node, &emptied);
        c->queued &= ~emptied;
    }
    c->occupied &= ~emptied;
    c->unused[c->unused_count++] = (u16)number;
    return &c->pool[number];
}

const struct ring_entry *ring_channel_depart(struct ring_channel *c, u32 node, cycle_t now)
{
    c->link_free[node] = now + c->busy_cycles;
    return ring_channel_pop(c, node);
}

/* ---- hops ---------------------------------------------------------------------------------- */

void ring_channel_turn(struct ring_channel *c, u32 turns)
{
    assert(c->prompt && ring_channel_next_due(c, 0) >= turns && turns <= RING_MOST_NODES);
    u32 by = turns;
    while (by >= c->nodes)
        by -= c->nodes;
    u32 up = c->backwards ? c->nodes - by : by, first = c->first + c->nodes - up;
    u64 nodes = c->occupied;
    if (by) {
        c->first = first < c->nodes ? first : first - c->nodes;
        c->occupied = (nodes << up | nodes >> (c->nodes - up)) & c->all;
    }
    c->turns = (u8)(c->turns + turns);
    c->fresh = 0;
}

/* The heads of these queues, by node. */
static inline void take_from_queues(struct ring_channel *c, u64 nodes, u16 *sent)
{
    u64 emptied = 0;
    for (u64 left = nodes; left;) {
        u32 node = ring_take(&left);
        sent[node] = (u16)take_from_queue(c, node, &emptied);
    }
    c->queued &= ~emptied;
}

/* What came to these queues goes into them, from slots or other queues. One that sent something
 * has as many as before. */
static inline void add_to_queues(struct ring_channel *c, u64 nodes, u64 from_queues,
                                 const u16 *sent, u64 moves)
{
    for (u64 left = nodes; left;) {
        u32 node = ring_take(&left);
        bool was_queued = from_queues >> node & 1;
        add_to_queue(c, node,
                     was_queued ? sent[c->before[node]] : c->slots[ring_channel_slot(c, node)]);
    }
    for (u64 left = nodes & ~moves; left;)
        gain_one(c, ring_take(&left));
}

/* All slots turn; what must stay goes into its queue before. */
u64 ring_channel_advance_slots(struct ring_channel *c, u64 moves)
{
    u64 in_slots = c->occupied & ~c->queued, received = ring_channel_receivers(c, moves);
    u64 from_queues = ring_channel_receivers(c, moves & ~in_slots);
    u32 turn = c->turns++ % RING_MOST_NODES;
    u64 stopped_in_slots = moves & in_slots & c->agenda[turn];
    u16 sent[RING_MOST_NODES];
    c->agenda[turn] = 0;
    c->agenda_used &= ~((u64)1 << turn);
    c->stopped &= ~moves;
    c->fresh &= ~moves;
    lose_one(c, moves & ~received);
    for (u64 left = in_slots & ~moves; left;)
        start_queue(c, ring_take(&left));
    take_from_queues(c, moves & ~in_slots, sent);
    c->first = c->before[c->first];
    c->occupied = c->queued | received;
    add_to_queues(c, received & c->queued, from_queues, sent, moves);
    for (u64 left = from_queues & ~c->queued; left;) {
        u32 node = ring_take(&left), number = sent[c->before[node]];
        c->slots[ring_channel_slot(c, node)] = (u16)number;
        plan(c, node, &c->pool[number], false);
    }
    for (u64 left = ring_channel_receivers(c, stopped_in_slots) & ~c->queued; left;) {
        u32 node = ring_take(&left);
        plan(c, node, &c->pool[c->slots[ring_channel_slot(c, node)]], false);
    }
    return received;
}

/* One after the other, first out of all queues and then into them. */
u64 ring_channel_advance_queues(struct ring_channel *c, u64 moves, cycle_t now)
{
    u64 received = ring_channel_receivers(c, moves);
    u16 sent[RING_MOST_NODES];
    c->stopped &= ~moves;
    c->fresh &= ~moves;
    lose_one(c, moves);
    c->ready &= ~moves;
    for (u64 left = moves; left;)
        c->link_free[ring_take(&left)] = now + c->busy_cycles;
    take_from_queues(c, moves, sent);
    for (u64 left = moves; left;) {
        u32 node = ring_take(&left);
        c->pool[sent[node]].at = now + c->hop_cycles;
        put_in_queue(c, c->to[node], sent[node]);
    }
    c->occupied = c->queued;
    return received;
}
