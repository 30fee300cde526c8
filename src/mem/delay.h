/* A first-in first-out queue whose entries come out at a time set when they went in. */
#ifndef MEM_DELAY_H
#define MEM_DELAY_H

#include "base/ring.h"

struct delay {
    struct ring ring;
    cycle_t *due; /* by position in the ring's storage */
};

static inline void delay_init(struct delay *d, struct arena *arena, u32 entries)
{
    ring_init(&d->ring, arena, entries);
    d->due = ARENA_ARRAY(arena, cycle_t, d->ring.mask + 1);
}

static inline void delay_push(struct delay *d, u32 value, cycle_t due)
{
    d->due[d->ring.tail & d->ring.mask] = due;
    ring_push(&d->ring, value);
}

/* When the first comes out, whoever is behind it. */
static inline cycle_t delay_next(const struct delay *d)
{
    return ring_is_empty(&d->ring) ? CYCLE_NEVER : d->due[d->ring.head & d->ring.mask];
}

static inline u32 delay_pop(struct delay *d)
{
    return ring_pop(&d->ring);
}

#endif
