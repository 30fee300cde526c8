#include "net/ring.h"

void ring_channel_init(struct ring_channel *c, struct arena *arena, struct ring_shape shape)
{
    u32 nodes = shape.nodes, entries = shape.entries, places = 2;
    assert(nodes >= 2 && nodes <= RING_MOST_NODES && entries >= 1 && entries <= UINT8_MAX);
    while (places <= entries) /* one place more than the queue has */
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
        .unused = ARENA_ARRAY(arena, u16, (size_t)nodes * entries),
        .queues = ARENA_ARRAY(arena, struct ring_queue, nodes),
        .numbers = ARENA_ARRAY(arena, u16, (size_t)nodes * places),
        .mask = places - 1,
        .to = ARENA_ARRAY(arena, u8, nodes),
        .link_free = ARENA_ARRAY(arena, cycle_t, nodes),
    };
    for (u32 k = 0; k < nodes; k++) {
        c->queues[k].first = k * places;
        c->to[k] = (u8)((k + (shape.backwards ? nodes - 1 : 1)) % nodes);
    }
    for (u32 k = nodes * entries; k > 0;)
        c->unused[c->unused_count++] = (u16)--k;
}

u64 ring_channel_ready(const struct ring_channel *c, cycle_t now)
{
    if (c->prompt)
        return c->occupied;
    u64 ready = 0;
    for (u64 left = c->occupied; left;) {
        u32 node = ring_take(&left);
        if (ring_channel_head(c, node)->at <= now && c->link_free[node] <= now)
            ready |= (u64)1 << node;
    }
    return ready;
}

cycle_t ring_channel_next(const struct ring_channel *c, cycle_t now)
{
    if (c->prompt)
        return c->occupied ? now : CYCLE_NEVER;
    cycle_t next = CYCLE_NEVER;
    for (u64 left = c->occupied; left;) {
        u32 node = ring_take(&left);
        next = min_u64(next, max_u64(ring_channel_head(c, node)->at, c->link_free[node]));
    }
    return max_u64(next, now);
}

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

/* The masks follow the queues of these nodes. */
static void settle(struct ring_channel *c, u64 nodes)
{
    while (nodes) {
        u32 node = ring_take(&nodes), count = ring_channel_count(c, node);
        u64 bit = (u64)1 << node;
        assert(count <= c->entries);
        c->occupied = count ? c->occupied | bit : c->occupied & ~bit;
        c->full = count == c->entries ? c->full | bit : c->full & ~bit;
        c->several = count > 1 ? c->several | bit : c->several & ~bit;
    }
}

void ring_channel_push(struct ring_channel *c, u32 node, struct ring_entry e)
{
    assert(ring_channel_count(c, node) < c->entries);
    u16 number = c->unused[--c->unused_count];
    struct ring_queue *q = ring_channel_queue(c, node);
    c->pool[number] = e;
    c->pool[number].hops = (u8)(e.hops - c->turns);
    c->numbers[q->first + (q->tail++ & c->mask)] = number;
    settle(c, (u64)1 << node);
}

struct ring_entry ring_channel_pop(struct ring_channel *c, u32 node)
{
    assert(ring_channel_count(c, node));
    struct ring_queue *q = ring_channel_queue(c, node);
    u16 number = c->numbers[q->first + (q->head++ & c->mask)];
    struct ring_entry e = c->pool[number];
    e.hops = ring_channel_hops(c, &e);
    c->unused[c->unused_count++] = number;
    settle(c, (u64)1 << node);
    return e;
}

struct ring_entry ring_channel_depart(struct ring_channel *c, u32 node, cycle_t now)
{
    struct ring_entry e = ring_channel_pop(c, node);
    c->link_free[node] = now + c->busy_cycles;
    e.hops++;
    return e;
}

/* Most queues have one entry or none, so most of the masks follow from the masks alone: what
 * sends its only entry is empty, what was empty and receives has one. */
static void settle_moves(struct ring_channel *c, u64 moves)
{
    u64 received = ring_channel_receivers(c, moves);
    u64 less = moves & ~received, more = received & ~moves;
    u64 others = c->entries == 1 ? less | more : (less & c->several) | (more & c->occupied);
    c->occupied = (c->occupied & ~less) | more;
    if (others)
        settle(c, others);
}

/* All entries hop, and no queue has two: the queues themselves become those of the next nodes. */
static void turn(struct ring_channel *c)
{
    u32 first = c->first_queue + (c->backwards ? 1 : c->nodes - 1);
    c->first_queue = first < c->nodes ? first : first - c->nodes;
    c->turns++;
    c->occupied = ring_channel_receivers(c, c->occupied);
    c->full = ring_channel_receivers(c, c->full);
}

/* One after the other: the place more in each queue's array is for an entry that comes before
 * the one that makes room for it goes. */
void ring_channel_advance(struct ring_channel *c, u64 moves, cycle_t now)
{
    if (c->prompt && moves == c->occupied && !c->several) {
        turn(c);
        return;
    }
    struct ring_entry *const pool = c->pool;
    u16 *const numbers = c->numbers;
    const u8 *const next = c->to;
    const u32 mask = c->mask;
    const bool prompt = c->prompt;
    for (u64 left = moves; left;) {
        u32 node = ring_take(&left);
        struct ring_queue *from = ring_channel_queue(c, node);
        struct ring_queue *to = ring_channel_queue(c, next[node]);
        u16 number = numbers[from->first + (from->head++ & mask)];
        numbers[to->first + (to->tail++ & mask)] = number;
        pool[number].hops++;
        if (!prompt) {
            pool[number].at = now + c->hop_cycles;
            c->link_free[node] = now + c->busy_cycles;
        }
    }
    settle_moves(c, moves);
}
