#include "net/ring.h"

void ring_channel_init(struct ring_channel *c, struct arena *arena, u32 nodes, u32 entries,
                       bool backwards)
{
    assert(nodes >= 2 && nodes <= RING_MOST_NODES && entries >= 1 && entries <= UINT8_MAX);
    *c = (struct ring_channel){
        .nodes = nodes,
        .entries = entries,
        .backwards = backwards,
        .all = nodes == 64 ? ~(u64)0 : ((u64)1 << nodes) - 1,
        .slots = ARENA_ARRAY(arena, struct ring_entry, (size_t)nodes * entries),
        .head = ARENA_ARRAY(arena, u8, nodes),
        .count = ARENA_ARRAY(arena, u32, nodes),
        .link_free = ARENA_ARRAY(arena, cycle_t, nodes),
    };
}

u64 ring_channel_ready(const struct ring_channel *c, cycle_t now)
{
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
    cycle_t next = CYCLE_NEVER;
    for (u64 left = c->occupied; left;) {
        u32 node = ring_take(&left);
        next = min_u64(next, max_u64(ring_channel_head(c, node)->at, c->link_free[node]));
    }
    return max_u64(next, now);
}

u64 ring_channel_moves(const struct ring_channel *c, u64 go, u64 past, u64 leaves, u64 taken)
{
    u64 moves = go, before;
    do {
        before = moves;
        u64 accepts = ~taken & (~c->full | leaves | moves);
        moves = go & (past | ring_channel_senders(c, accepts));
    } while (moves != before);
    return moves;
}

static inline void put(struct ring_channel *c, u32 node, const struct ring_entry *e)
{
    u32 slot = c->head[node] + c->count[node]++;
    u64 bit = (u64)1 << node;
    assert(c->count[node] <= c->entries);
    c->slots[node * c->entries + (slot < c->entries ? slot : slot - c->entries)] = *e;
    c->occupied |= bit;
    c->full |= c->count[node] == c->entries ? bit : 0;
}

static inline void take(struct ring_channel *c, u32 node, struct ring_entry *e)
{
    u64 bit = (u64)1 << node;
    u32 next = c->head[node] + 1u;
    *e = *ring_channel_head(c, node);
    c->head[node] = (u8)(next < c->entries ? next : 0);
    c->full &= ~bit;
    c->occupied &= --c->count[node] ? ~(u64)0 : ~bit;
}

void ring_channel_push(struct ring_channel *c, u32 node, struct ring_entry e)
{
    put(c, node, &e);
}

struct ring_entry ring_channel_pop(struct ring_channel *c, u32 node)
{
    struct ring_entry e;
    take(c, node, &e);
    return e;
}

struct ring_entry ring_channel_depart(struct ring_channel *c, u32 node, cycle_t now,
                                      u32 busy_cycles)
{
    struct ring_entry e;
    take(c, node, &e);
    c->link_free[node] = now + busy_cycles;
    e.hops++;
    return e;
}

void ring_channel_advance(struct ring_channel *c, u64 moves, cycle_t now, u32 hop_cycles,
                          u32 busy_cycles)
{
    struct ring_entry moving[RING_MOST_NODES];
    for (u64 left = moves; left;) {
        u32 node = ring_take(&left);
        take(c, node, &moving[node]);
        c->link_free[node] = now + busy_cycles;
    }
    for (u64 left = moves; left;) {
        u32 from = ring_take(&left), to = ring_channel_to(c, from);
        struct ring_entry *e = &moving[from];
        e->hops++;
        e->returned |= to == e->home;
        e->seen = false;
        e->at = now + hop_cycles;
        put(c, to, e);
    }
}
