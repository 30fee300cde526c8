/*
 * A bounded queue between two units: the only way anything crosses a boundary.
 *
 * What is pushed at one instant can be popped strictly later, and the room that
 * a pop makes can be used strictly later. So the order in which units tick at
 * one instant cannot change a result. A push wakes the consumer; a producer that
 * was refused is woken when there is room. Every push and pop counts as progress.
 */
#ifndef SIM_PORT_H
#define SIM_PORT_H

#include "base/types.h"
#include "sim/engine.h"

#include <assert.h>

struct port_counts {
    u64 pushed, popped;
};

struct port {
    struct engine *engine;
    const char *name;
    unit_id producer, consumer;
    u32 *slots;
    u32 head, tail, mask, capacity;
    u32 pushed_now, popped_now; /* at the instants below */
    u64 push_fs, pop_fs;
    bool refused;        /* the producer wanted to push and could not */
    u64 *bell, bell_bit; /* set by a push, for a consumer of many ports; NULL: none */
    struct port_counts counts;
};

/* Registers with the engine, which shows the port in the report of a hang. */
void port_init(struct port *p, struct engine *e, const char *name, u32 capacity);
void port_connect(struct port *p, unit_id producer, unit_id consumer);

/* Entries inside, seen from nowhere in particular: for statistics and reports. */
static inline u32 port_count(const struct port *p)
{
    return p->tail - p->head;
}

/* Producer's side: free entries as they were before this instant's pops. */
static inline u32 port_room(const struct port *p)
{
    u32 freed_now = p->pop_fs == p->engine->now_fs ? p->popped_now : 0;
    return p->capacity - port_count(p) - freed_now;
}

/* Room for so many? If not, the producer is woken when a pop has made some; it may have
 * to ask more than once. */
static inline bool port_has_room(struct port *p, u32 entries)
{
    if (LIKELY(port_room(p) >= entries))
        return true;
    p->refused = true;
    if (p->pop_fs == p->engine->now_fs) /* the room that was made now can be used next time */
        engine_wake(p->engine, p->producer);
    return false;
}

static inline bool port_can_push(struct port *p)
{
    return port_has_room(p, 1);
}

/* Producers of several threads may share the word. */
static inline void port_ring(const struct port *p)
{
    if (LIKELY(!p->engine->parallel))
        *p->bell |= p->bell_bit;
    else if (!(__atomic_load_n(p->bell, __ATOMIC_RELAXED) & p->bell_bit))
        __atomic_fetch_or(p->bell, p->bell_bit, __ATOMIC_RELAXED);
}

static inline void port_push(struct port *p, u32 value)
{
    assert(port_count(p) < p->capacity);
    p->slots[p->tail++ & p->mask] = value;
    if (p->push_fs == p->engine->now_fs) {
        p->pushed_now++;
    } else {
        p->push_fs = p->engine->now_fs;
        p->pushed_now = 1;
    }
    p->counts.pushed++;
    if (p->bell)
        port_ring(p);
    engine_progress(p->engine);
    engine_wake(p->engine, p->consumer);
}

/* Consumer's side: entries that were pushed before this instant. */
static inline u32 port_ready(const struct port *p)
{
    u32 pushed_now = p->push_fs == p->engine->now_fs ? p->pushed_now : 0;
    return port_count(p) - pushed_now;
}

static inline u32 port_head(const struct port *p)
{
    assert(port_ready(p) > 0);
    return p->slots[p->head & p->mask];
}

static inline u32 port_pop(struct port *p)
{
    assert(port_ready(p) > 0);
    u32 value = p->slots[p->head++ & p->mask];
    if (p->pop_fs == p->engine->now_fs) {
        p->popped_now++;
    } else {
        p->pop_fs = p->engine->now_fs;
        p->popped_now = 1;
    }
    p->counts.popped++;
    engine_progress(p->engine);
    if (p->refused) {
        p->refused = false;
        engine_wake(p->engine, p->producer);
    }
    return value;
}

#endif
