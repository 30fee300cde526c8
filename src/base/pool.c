#include "base/pool.h"

void pool_init(struct pool *p, struct arena *arena, u32 capacity, u32 object_bytes)
{
    object_bytes = (object_bytes + 7u) & ~7u;
    *p = (struct pool){
        .objects = arena_alloc_aligned(arena, (size_t)capacity * object_bytes, 64),
        .free_stack = ARENA_ARRAY(arena, handle_t, capacity),
        .capacity = capacity,
        .object_bytes = object_bytes,
    };
}
