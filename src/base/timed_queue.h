/*
 * A bounded first-in first-out queue of 32-bit values (usually pool handles), each with the cycle
 * in which it comes out.
 *
 * Order is that of the pushes: an entry waits for those in front of it, even if it is due earlier.
 * The capacity is exact. The slot after the last entry is never due, so the next due cycle is one
 * load.
 */
#ifndef BASE_TIMED_QUEUE_H
#define BASE_TIMED_QUEUE_H

#include "base/arena.h"
#include "base/types.h"

#include <assert.h>

struct timed_entry {
    cycle_t due;
    u32 value;
};

struct timed_queue {
    struct timed_entry *slots;
    u32 head, tail; /* free-running; tail - head = entries */
    u32 mask, capacity;
};

static inline void timed_init(struct timed_queue *q, struct arena *arena, u32 capacity)
{
    u32 slots = 1;
    while (slots < capacity + 1)
        slots *= 2;
    *q = (struct timed_queue){
        .slots = ARENA_ARRAY(arena, struct timed_entry, slots),
        .mask = slots - 1,
        .capacity = capacity,
    };
    q->slots[0].due = CYCLE_NEVER;
}

static inline u32 timed_count(const struct timed_queue *q)
{
    return q->tail - q->head;
}

static inline bool timed_is_empty(const struct timed_queue *q)
{
    return q->tail == q->head;
}

static inline bool timed_is_full(const struct timed_queue *q)
{
    return timed_count(q) == q->capacity;
}

static inline void timed_push(struct timed_queue *q, u32 value, cycle_t due)
{
    assert(!timed_is_full(q));
    q->slots[q->tail++ & q->mask] = (struct timed_entry){.due = due, .value = value};
    q->slots[q->tail & q->mask].due = CYCLE_NEVER;
}

/* The i-th oldest entry. */
static inline u32 timed_peek(const struct timed_queue *q, u32 i)
{
    assert(i < timed_count(q));
    return q->slots[(q->head + i) & q->mask].value;
}

static inline u32 timed_pop(struct timed_queue *q)
{
    assert(!timed_is_empty(q));
    return q->slots[q->head++ & q->mask].value;
}

/* When the i-th oldest entry is due; CYCLE_NEVER if there are exactly i. */
static inline cycle_t timed_due(const struct timed_queue *q, u32 i)
{
    assert(i <= timed_count(q));
    return q->slots[(q->head + i) & q->mask].due;
}

/* When the first comes out, or CYCLE_NEVER. */
static inline cycle_t timed_next(const struct timed_queue *q)
{
    return timed_due(q, 0);
}

#endif
