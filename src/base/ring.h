/*
 * A bounded first-in first-out queue of 32-bit values (usually pool handles).
 *
 * The capacity is exact, whatever its value; the storage behind it is the next
 * power of two so that positions wrap with a mask.
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/arena.h"
#include "base/types.h"

#include <assert.h>

struct ring {
    u32 *slots;
    u32 head, tail; /* free-running; tail - head = entries */
    u32 mask, capacity;
};

void ring_init(struct ring *r, struct arena *arena, u32 capacity);

static inline u32 ring_count(const struct ring *r)
{
    return r->tail - r->head;
}

static inline bool ring_is_empty(const struct ring *r)
{
    return r->tail == r->head;
}

static inline bool ring_is_full(const struct ring *r)
{
    return ring_count(r) == r->capacity;
}

static inline void ring_push(struct ring *r, u32 value)
{
    assert(!ring_is_full(r));
    r->slots[r->tail++ & r->mask] = value;
}

/* The i-th oldest entry. */
static inline u32 ring_peek(const struct ring *r, u32 i)
{
    assert(i < ring_count(r));
    return r->slots[(r->head + i) & r->mask];
}

/* Takes the i-th oldest entry out; those behind it move up. */
static inline u32 ring_remove(struct ring *r, u32 i)
{
    u32 value = ring_peek(r, i);
    for (u32 at = r->head + i; at + 1 != r->tail; at++)
        r->slots[at & r->mask] = r->slots[(at + 1) & r->mask];
    r->tail--;
    return value;
}

static inline u32 ring_pop(struct ring *r)
{
    assert(!ring_is_empty(r));
    return r->slots[r->head++ & r->mask];
}

#endif
