/*
 * Fixed-size objects named by 32-bit handles.
 *
 * The pool is sized when the chip is built and never grows: back-pressure
 * bounds what can be in flight, so an empty pool is our bug, and asserted.
 * Handle 0 is never handed out and means "none". Freed objects are reused last
 * in, first out, so that the same objects stay warm in the cache. An object that
 * was never needed is never touched: room for the worst case costs addresses only.
 *
 * Threads that take and give back at the same time do so through parts of the pool: each keeps a
 * few free handles and exchanges them with the whole by the dozen. A handle names the same object
 * in all parts.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/arena.h"
#include "base/lock.h"
#include "base/types.h"

#include <assert.h>

typedef u32 handle_t;
#define HANDLE_NONE 0u

struct pool {
    u8 *objects;
    handle_t *free_stack;
    u32 free_count, capacity;
    u32 most_in_use; /* handles 1 to this one have been handed out */
    u32 object_bytes;
    struct pool *whole, *next; /* of a part; NULL: it is none. Of the whole: its first part */
    struct lock lock;          /* of the whole */
};

void pool_init(struct pool *p, struct arena *arena, u32 capacity, u32 object_bytes);
/* The whole has room for POOL_PART_ROOM more objects for each part. */
#define POOL_PART_ROOM 64u
struct pool *pool_part(struct pool *whole, struct arena *arena);
void pool_part_refill(struct pool *p);
void pool_part_return(struct pool *p);
/* Objects that are not free; of the whole, while no part is used. */
u32 pool_in_use(const struct pool *p);

static inline void *pool_get(const struct pool *p, handle_t h)
{
    assert(h != HANDLE_NONE && h <= p->capacity);
    return p->objects + (size_t)(h - 1) * p->object_bytes;
}

/* The object keeps whatever bytes it had: the caller fills all fields. */
static inline handle_t pool_alloc(struct pool *p)
{
    if (UNLIKELY(!p->free_count) && p->whole)
        pool_part_refill(p);
    if (p->free_count)
        return p->free_stack[--p->free_count];
    assert(p->most_in_use < p->capacity && "a pool is sized for all that can be in flight");
    return ++p->most_in_use;
}

static inline void pool_free(struct pool *p, handle_t h)
{
    assert(h != HANDLE_NONE && h <= p->capacity);
    if (p->whole && UNLIKELY(p->free_count == POOL_PART_ROOM))
        pool_part_return(p);
    p->free_stack[p->free_count++] = h;
}

#endif
