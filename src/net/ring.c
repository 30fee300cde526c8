#include "net/ring.h"

#include <string.h>

void ring_channel_init(struct ring_channel *c, struct arena *arena, struct ring_shape shape)
{
    u32 nodes = shape.nodes, entries = shape.entries, places = 2;
    assert(nodes >= 2 && nodes <= RING_MOST_NODES && entries >= 1 && entries <= UINT8_MAX);
    while (places < entries) /* one more than are behind a head: one comes before another goes */
        places *= 2;
    *c = (struct ring_channel){
        .nodes = nodes,
        .entries = entries,
        .hop_cycles = shape.hop_cycles,
        .busy_cycles = shape.busy_cycles,
        .backwards = shape.backwards,
        .prompt = shape.hop_cycles == 1 && shape.busy_cycles == 1,
        .all = nodes == 64 ? ~(u64)0 : ((u64)1 << nodes) - 1,
        .pool = ARENA_ARRAY(arena, struct ring_entry, (size_t)nodes * entries),
        .heads = ARENA_ARRAY(arena, u16, nodes),
        .unused = ARENA_ARRAY(arena, u16, (size_t)nodes * entries),
        .behind = ARENA_ARRAY(arena, struct ring_queue, nodes),
        .numbers = ARENA_ARRAY(arena, u16, (size_t)nodes * places),
        .mask = places - 1,
        .to = ARENA_ARRAY(arena, u8, nodes),
        .link_free = ARENA_ARRAY(arena, cycle_t, nodes),
        .when = ARENA_ARRAY(arena, cycle_t, nodes),
    };
    for (u32 k = 0; k < nodes; k++) {
        c->behind[k].first = k * places;
        c->to[k] = (u8)((k + (shape.backwards ? nodes - 1 : 1)) % nodes);
    }
    for (u32 k = nodes * entries; k > 0;)
        c->unused[c->unused_count++] = (u16)--k;
}

/* ---- when ---------------------------------------------------------------------------------- */

u64 ring_channel_ready(const struct ring_channel *c, cycle_t now)
{
    if (c->prompt)
        return c->occupied;
    u64 ready = 0;
    for (u64 left = c->occupied; left;) {
        u32 node = ring_take(&left);
        ready |= (u64)(c->when[node] <= now) << node;
    }
    return ready;
}

cycle_t ring_channel_next(const struct ring_channel *c, cycle_t now)
{
    if (c->prompt)
        return c->occupied ? now : CYCLE_NEVER;
    cycle_t next = CYCLE_NEVER;
    for (u64 left = c->occupied; left;)
        next = min_u64(next, c->when[ring_take(&left)]);
    return max_u64(next, now);
}

/* ---- stops --------------------------------------------------------------------------------- */

/* Hops from a node to the first of these nodes; there is one. */
static inline u32 hops_to(const struct ring_channel *c, u32 node, u64 stops)
{
    if (c->backwards) {
        u64 up_to = stops << (63 - node);
        u32 top = 63 - (u32)__builtin_clzll(stops);
        return up_to ? (u32)__builtin_clzll(up_to) : node + c->nodes - top;
    }
    u64 from = stops >> node;
    return from ? (u32)__builtin_ctzll(from) : c->nodes - node + (u32)__builtin_ctzll(stops);
}

/* When the head of this node, in that slot, can be seen and sent: at its next stop, if the
 * channel is prompt. */
static inline void plan(struct ring_channel *c, u32 node, u32 slot, u32 number)
{
    const struct ring_entry *e = &c->pool[number];
    if (!c->prompt) {
        c->when[node] = max_u64(e->at, c->link_free[node]);
        return;
    }
    if (!e->stops)
        return;
    /* one that comes in at home is on its way out */
    bool leaves = e->home == node && c->fresh >> node & 1;
    u32 hops = leaves ? 1 + hops_to(c, c->to[node], e->stops) : hops_to(c, node, e->stops);
    u32 turn = (c->turns + hops) % RING_MOST_NODES;
    c->agenda[turn] |= (u64)1 << slot;
    c->agenda_used |= (u64)1 << turn;
}

u64 ring_channel_due_of(const struct ring_channel *c, u64 ready)
{
    u64 due = 0, left = ready;
    if (c->prompt) {
        u64 slots = c->agenda[c->turns % RING_MOST_NODES];
        left &= c->first ? slots >> c->first | slots << (c->nodes - c->first) : slots;
    }
    while (left) {
        u32 node = ring_take(&left);
        due |= ring_channel_head(c, node)->stops & (u64)1 << node;
    }
    return due;
}

cycle_t ring_channel_next_due(const struct ring_channel *c, cycle_t now)
{
    assert(c->prompt);
    u32 turn = c->turns % RING_MOST_NODES;
    u64 used = c->agenda_used;
    if (!c->occupied || !used)
        return CYCLE_NEVER;
    if (c->several)
        return now;
    return now + (u32)__builtin_ctzll(turn ? used >> turn | used << (64 - turn) : used);
}

void ring_channel_add_stop(struct ring_channel *c, u32 node, u32 i, u32 stop)
{
    ring_channel_entry(c, node, i)->stops |= (u64)1 << stop;
    u32 slot = ring_channel_slot(c, node);
    if (i == 0)
        plan(c, node, slot, c->heads[slot]);
}

/* ---- in and out ---------------------------------------------------------------------------- */

u64 ring_channel_moves(const struct ring_channel *c, u64 go, u64 past, u64 leaves, u64 taken)
{
    if (LIKELY(!(taken | (c->full & ~leaves))))
        return go;
    u64 moves = go, before;
    do {
        before = moves;
        u64 accepts = ~taken & (~c->full | leaves | moves);
        moves = go & (past | ring_channel_senders(c, accepts));
    } while (moves != before);
    return moves;
}

/* The masks follow what is behind the head of a node that has one. */
static void settle(struct ring_channel *c, u32 node)
{
    u32 more = c->behind[node].tail - c->behind[node].head;
    u64 bit = (u64)1 << node;
    assert(more < c->entries);
    c->several = more ? c->several | bit : c->several & ~bit;
    c->full = more + 1 == c->entries ? c->full | bit : c->full & ~bit;
}

static inline void put_behind(struct ring_channel *c, u32 node, u32 number)
{
    struct ring_queue *q = &c->behind[node];
    c->numbers[q->first + (q->tail++ & c->mask)] = (u16)number;
}

static inline void set_head(struct ring_channel *c, u32 node, u32 slot, u32 number)
{
    c->heads[slot] = (u16)number;
    plan(c, node, slot, number);
}

/* The first of those behind becomes the head. */
static inline void take_behind(struct ring_channel *c, u32 node, u32 slot)
{
    struct ring_queue *q = &c->behind[node];
    u32 number = c->numbers[q->first + (q->head++ & c->mask)];
    struct ring_entry *e = &c->pool[number];
    if (e->waits) {
        e->waits = false;
        c->fresh |= (u64)1 << node;
    }
    set_head(c, node, slot, number);
}

/* The head is gone: the next one, if there is one. */
static void next_head(struct ring_channel *c, u32 node)
{
    u64 bit = (u64)1 << node;
    c->fresh &= ~bit;
    if (c->several & bit) {
        take_behind(c, node, ring_channel_slot(c, node));
        settle(c, node);
    } else {
        c->occupied &= ~bit;
        c->full &= ~bit;
    }
}

static void put(struct ring_channel *c, u32 node, u32 number)
{
    if (c->occupied >> node & 1) {
        put_behind(c, node, number);
        settle(c, node);
    } else {
        c->occupied |= (u64)1 << node;
        if (c->entries == 1)
            c->full = c->occupied;
        set_head(c, node, ring_channel_slot(c, node), number);
    }
}

struct ring_entry *ring_channel_push(struct ring_channel *c, u32 node, struct ring_origin o)
{
    assert(ring_channel_count(c, node) < c->entries);
    u64 bit = (u64)1 << node;
    u16 number = c->unused[--c->unused_count];
    struct ring_entry *e = &c->pool[number];
    e->stops = o.stops;
    e->at = o.at;
    e->home = (u8)o.home;
    e->from = (u8)node;
    e->hops = (u8)o.hops;
    e->waits = c->occupied & bit;
    c->fresh |= bit & ~c->occupied;
    put(c, node, number);
    return e;
}

const struct ring_entry *ring_channel_pop(struct ring_channel *c, u32 node)
{
    struct ring_entry *e = ring_channel_head(c, node);
    e->hops = ring_channel_hops(c, node, 0);
    c->unused[c->unused_count++] = c->heads[ring_channel_slot(c, node)];
    next_head(c, node);
    return e;
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
    if (c->entries == 1)
        c->full = c->occupied;
}

static void turn_once(struct ring_channel *c)
{
    u32 last = c->nodes - 1;
    if (c->backwards)
        c->first = c->first == last ? 0 : c->first + 1;
    else
        c->first = c->first ? c->first - 1 : last;
    c->turns++;
}

/* A head has gone and others are behind it: what came goes last, the first of them becomes the
 * head. A busy ring spends its time here, so all is read once. */
static void change_head(struct ring_channel *c, u32 node, bool received)
{
    struct ring_queue *const q = &c->behind[node];
    u16 *const numbers = c->numbers + q->first, *const head = &c->heads[ring_channel_slot(c, node)];
    const u32 mask = c->mask, at = q->head;
    const u16 number = numbers[at & mask];
    struct ring_entry *const e = &c->pool[number];
    q->head = at + 1;
    if (LIKELY(received))
        numbers[q->tail++ & mask] = *head;
    *head = number;
    if (UNLIKELY(e->waits)) {
        e->waits = false;
        c->fresh |= (u64)1 << node;
    }
    plan(c, node, (u32)(head - c->heads), number);
    if (!received)
        settle(c, node);
}

/* All slots turn, then those nodes are seen to where a head stayed or others are behind it. */
static void advance_slots(struct ring_channel *c, u64 moves)
{
    u64 stay = c->occupied & ~moves, received = ring_channel_receivers(c, moves);
    u64 mended = stay | c->several;
    u32 turn = c->turns % RING_MOST_NODES, before = c->first;
    u64 again = c->agenda[turn]; /* slots */
    u16 heads[RING_MOST_NODES];
    if (stay)
        memcpy(heads, c->heads, c->nodes * sizeof *heads);
    c->agenda[turn] = 0;
    c->agenda_used &= ~((u64)1 << turn);
    turn_once(c);
    c->fresh &= stay;
    c->occupied = mended | received;
    if (c->entries == 1)
        c->full = c->occupied;
    while (mended) {
        u32 node = ring_take(&mended), was = node + before;
        u64 bit = (u64)1 << node;
        if (!(stay & bit)) {
            change_head(c, node, received & bit);
        } else {
            u32 slot = ring_channel_slot(c, node);
            if (received & bit) {
                put_behind(c, node, c->heads[slot]);
                settle(c, node);
            }
            set_head(c, node, slot, heads[was < c->nodes ? was : was - c->nodes]);
        }
        received &= ~bit;
    }
    while (again) {
        u32 slot = ring_take(&again), node = slot + (slot < c->first ? c->nodes : 0) - c->first;
        if (received >> node & 1)
            plan(c, node, slot, c->heads[slot]);
    }
}

/* One after the other, first out of all queues and then into them. */
static void advance_each(struct ring_channel *c, u64 moves, cycle_t now)
{
    u16 numbers[RING_MOST_NODES];
    for (u64 left = moves; left;) {
        u32 node = ring_take(&left), number = c->heads[node];
        numbers[node] = (u16)number;
        c->pool[number].at = now + c->hop_cycles;
        c->link_free[node] = now + c->busy_cycles;
        next_head(c, node);
    }
    for (u64 left = moves; left;) {
        u32 node = ring_take(&left);
        put(c, c->to[node], numbers[node]);
    }
}

void ring_channel_advance(struct ring_channel *c, u64 moves, cycle_t now)
{
    if (!moves)
        return;
    if (c->prompt)
        advance_slots(c, moves);
    else
        advance_each(c, moves, now);
}
