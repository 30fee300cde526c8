/*
 * A bounded queue between two units: the only way anything crosses a boundary.
 *
 * What is pushed at one instant can be popped strictly later, and the room that
 * a pop makes can be used strictly later. So the order in which units tick at
 * one instant cannot change a result. A push wakes the consumer; a producer that
 * was refused is woken when there is room. Every push and pop counts as progress.
 *
 * Producer and consumer may tick at the same time on two threads. Each side has its end and where
 * that was before this instant. The other side reads the end first and then the instant at which it
 * last moved: if that is not now, the end that was read is the one from before.
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
    u32 *slots;
    u32 mask, capacity;
    /* the producer's */
    u32 tail, tail_before; /* before push_fs */
    u64 push_fs;
    /* the consumer's */
    u32 head, head_before; /* before pop_fs */
    u64 pop_fs;
    bool refused;        /* the producer wanted to push and could not */
    u64 *bell, bell_bit; /* set by a push, for a consumer of many ports; NULL: none */
    struct port_counts counts;
    const char *name;
    unit_id producer, consumer;
};

/* Registers with the engine, which shows the port in the report of a hang. */
void port_init(struct port *p, struct engine *e, const char *name, u32 capacity);
void port_connect(struct port *p, unit_id producer, unit_id consumer);

#define PORT_READ(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define PORT_WRITE(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELEASE)

/* Entries inside, seen from nowhere in particular: for statistics and reports. */
static inline u32 port_count(const struct port *p)
{
    return PORT_READ(p->tail) - PORT_READ(p->head);
}

/* Producer's side: free entries as they were before this instant's pops. */
static inline u32 port_room(const struct port *p)
{
    u32 head = PORT_READ(p->head);
    if (PORT_READ(p->pop_fs) == p->engine->now_fs)
        head = p->head_before;
    return p->capacity - (p->tail - head);
}

/* The producer is woken by the next pop, or now by one of this instant: the second of the two sees
 * the first. */
static inline void port_refuse(struct port *p)
{
    if (LIKELY(!p->engine->parallel))
        p->refused = true;
    else
        __atomic_store_n(&p->refused, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&p->pop_fs, __ATOMIC_SEQ_CST) == p->engine->now_fs) {
        PORT_WRITE(p->refused, false);
        engine_wake(p->engine, p->producer);
    }
}

/* Room for so many? If not, the producer is woken when a pop has made some; it may have
 * to ask more than once. */
static inline bool port_has_room(struct port *p, u32 entries)
{
    if (LIKELY(port_room(p) >= entries))
        return true;
    port_refuse(p);
    return false;
}

static inline bool port_can_push(struct port *p)
{
    return port_has_room(p, 1);
}

static inline void port_ring(struct port *p)
{
    if (LIKELY(!p->engine->parallel))
        *p->bell |= p->bell_bit;
    else
        engine_keep_bell(p); /* the consumer may look at its bells just now */
}

static inline void port_push(struct port *p, u32 value)
{
    u32 tail = p->tail;
    assert(port_count(p) < p->capacity);
    if (p->push_fs != p->engine->now_fs) {
        p->tail_before = tail;
        PORT_WRITE(p->push_fs, p->engine->now_fs);
        if (p->bell)
            port_ring(p);
    }
    p->slots[tail & p->mask] = value;
    PORT_WRITE(p->tail, tail + 1);
    p->counts.pushed++;
    engine_progress(p->engine);
    engine_wake(p->engine, p->consumer);
}

/* Consumer's side: entries that were pushed before this instant. */
static inline u32 port_ready(const struct port *p)
{
    u32 tail = PORT_READ(p->tail), head = p->head;
    if (tail != head && PORT_READ(p->push_fs) == p->engine->now_fs)
        tail = p->tail_before;
    return tail - head;
}

static inline u32 port_head(const struct port *p)
{
    assert(port_ready(p) > 0);
    return p->slots[p->head & p->mask];
}

/* The i-th of those that are ready; 0 is the head. */
static inline u32 port_peek(const struct port *p, u32 i)
{
    assert(i < port_ready(p));
    return p->slots[(p->head + i) & p->mask];
}

static inline u32 port_pop(struct port *p)
{
    assert(port_ready(p) > 0);
    u32 head = p->head, value = p->slots[head & p->mask];
    if (p->pop_fs != p->engine->now_fs) {
        p->head_before = head;
        if (LIKELY(!p->engine->parallel))
            PORT_WRITE(p->pop_fs, p->engine->now_fs);
        else
            __atomic_store_n(&p->pop_fs, p->engine->now_fs, __ATOMIC_SEQ_CST);
    }
    PORT_WRITE(p->head, head + 1);
    p->counts.popped++;
    engine_progress(p->engine);
    if (__atomic_load_n(&p->refused, __ATOMIC_SEQ_CST)) {
        PORT_WRITE(p->refused, false);
        engine_wake(p->engine, p->producer);
    }
    return value;
}

/* Takes the i-th of those that are ready; those in front of it keep their order. */
static inline u32 port_take(struct port *p, u32 i)
{
    u32 value = port_peek(p, i);
    for (; i > 0; i--)
        p->slots[(p->head + i) & p->mask] = p->slots[(p->head + i - 1) & p->mask];
    p->slots[p->head & p->mask] = value;
    return port_pop(p);
}

#endif
