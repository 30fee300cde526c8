#include "base/pool.h"

void pool_init(struct pool *p, struct arena *arena, u32 capacity, u32 object_bytes)
{
    object_bytes = (object_bytes + 7u) & ~7u;
    *p = (struct pool){
        .objects = arena_alloc_sparse(arena, (size_t)capacity * object_bytes),
        .free_stack = arena_alloc_sparse(arena, capacity * sizeof(handle_t)),
        .capacity = capacity,
        .object_bytes = object_bytes,
    };
}

struct pool *pool_part(struct pool *whole, struct arena *arena)
{
    struct pool *p = arena_alloc_aligned(arena, sizeof *p, 64);
    *p = (struct pool){.objects = whole->objects,
                       .free_stack =
                           arena_alloc_aligned(arena, POOL_PART_ROOM * sizeof(handle_t), 64),
                       .capacity = whole->capacity,
                       .object_bytes = whole->object_bytes,
                       .whole = whole,
                       .next = whole->next};
    whole->next = p;
    return p;
}

/* Half of what a part can hold goes one way or the other. */
void pool_part_refill(struct pool *p)
{
    lock_take(&p->whole->lock);
    const struct pool *w = p->whole;
    while (p->free_count < POOL_PART_ROOM / 2 && (w->free_count || w->most_in_use < w->capacity))
        p->free_stack[p->free_count++] = pool_alloc(p->whole);
    lock_give(&p->whole->lock);
}

/* The oldest go. */
void pool_part_return(struct pool *p)
{
    u32 count = POOL_PART_ROOM / 2;
    lock_take(&p->whole->lock);
    for (u32 i = 0; i < count; i++)
        pool_free(p->whole, p->free_stack[i]);
    lock_give(&p->whole->lock);
    p->free_count -= count;
    for (u32 i = 0; i < p->free_count; i++)
        p->free_stack[i] = p->free_stack[i + count];
}

u32 pool_in_use(const struct pool *p)
{
    u32 count = p->most_in_use - p->free_count;
    for (const struct pool *part = p->next; part; part = part->next)
        count -= part->free_count;
    return count;
}
