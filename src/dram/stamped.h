/*
 * A bounded first-in first-out queue of requests, each with the cycle it is due.
 *
 * Cycles never decrease from one entry to the next. The slot after the last entry is
 * never due, so that to ask for the next due cycle is one load.
 */
#ifndef DRAM_STAMPED_H
#define DRAM_STAMPED_H

#include "base/arena.h"
#include "base/pool.h"

#include <assert.h>

struct stamped_entry {
    cycle_t due;
    handle_t request;
};

struct stamped {
    struct stamped_entry *slots;
    u32 head, tail; /* free-running; tail - head = entries */
    u32 mask, capacity;
};

static inline void stamped_init(struct stamped *s, struct arena *arena, u32 capacity)
{
    u32 slots = 1;
    while (slots < capacity + 1)
        slots *= 2;
    *s = (struct stamped){
        .slots = ARENA_ARRAY(arena, struct stamped_entry, slots),
        .mask = slots - 1,
        .capacity = capacity,
    };
    s->slots[0].due = CYCLE_NEVER;
}

static inline u32 stamped_count(const struct stamped *s)
{
    return s->tail - s->head;
}

static inline bool stamped_is_full(const struct stamped *s)
{
    return stamped_count(s) == s->capacity;
}

static inline void stamped_push(struct stamped *s, cycle_t due, handle_t request)
{
    assert(!stamped_is_full(s));
    s->slots[s->tail++ & s->mask] = (struct stamped_entry){.due = due, .request = request};
    s->slots[s->tail & s->mask].due = CYCLE_NEVER;
}

/* The i-th oldest entry. */
static inline const struct stamped_entry *stamped_peek(const struct stamped *s, u32 i)
{
    assert(i < stamped_count(s));
    return &s->slots[(s->head + i) & s->mask];
}

static inline handle_t stamped_pop(struct stamped *s)
{
    assert(stamped_count(s) > 0);
    return s->slots[s->head++ & s->mask].request;
}

/* When the i-th oldest entry is due; CYCLE_NEVER if there are exactly i. */
static inline cycle_t stamped_due(const struct stamped *s, u32 i)
{
    assert(i <= stamped_count(s));
    return s->slots[(s->head + i) & s->mask].due;
}

#endif
