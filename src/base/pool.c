#include "base/pool.h"

void pool_init(struct pool *p, struct arena *arena, u32 capacity, u32 object_bytes)
{
    object_bytes = (object_bytes + 7u) & ~7u;
    *p = (struct pool){
        .objects = arena_alloc_aligned(arena, (size_t)capacity * object_bytes, 64),
        .free_stack = ARENA_ARRAY(arena, handle_t, capacity),
        .free_count = capacity,
        .capacity = capacity,
        .object_bytes = object_bytes,
        .low_water = capacity,
    };
    for (u32 i = 0; i < capacity; i++)
        p->free_stack[i] = capacity - i; /* handle 1 goes out first */
}
