/*
 * A packet inside a network, and a first-in first-out queue of packets.
 *
 * The queue is sized when the chip is built. One of its first packets may leave
 * before those in front of it; they keep their order.
 */
#ifndef NET_MESH_PACKET_H
#define NET_MESH_PACKET_H

#include "base/arena.h"
#include "base/pool.h"
#include "base/types.h"

#include <assert.h>

struct packet {
    handle_t request;
    u32 to; /* output of the network */
    u32 bytes, flits;
    u32 line_cycles; /* that its flits hold a line of the network */
    cycle_t entered;
};

struct packet_queue {
    struct packet *slots;
    u32 head, count, mask;
};

static inline void packet_queue_init(struct packet_queue *q, struct arena *arena, u32 capacity)
{
    u32 slots = 1;
    while (slots < capacity)
        slots *= 2;
    *q =
        (struct packet_queue){.slots = ARENA_ARRAY(arena, struct packet, slots), .mask = slots - 1};
}

/* The i-th oldest packet. */
static inline struct packet *packet_queue_at(const struct packet_queue *q, u32 i)
{
    assert(i < q->count);
    return &q->slots[(q->head + i) & q->mask];
}

/* A new youngest packet, for the caller to fill. */
static inline struct packet *packet_queue_add(struct packet_queue *q)
{
    assert(q->count <= q->mask);
    return &q->slots[(q->head + q->count++) & q->mask];
}

/* Takes out the i-th oldest packet; the cost is that of moving those before it. */
static inline void packet_queue_remove(struct packet_queue *q, u32 i)
{
    assert(i < q->count);
    for (; i > 0; i--)
        *packet_queue_at(q, i) = *packet_queue_at(q, i - 1);
    q->head++;
    q->count--;
}

#endif
