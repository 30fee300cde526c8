#include "base/ring.h"

void ring_init(struct ring *r, struct arena *arena, u32 capacity)
{
    u32 slots = 1;
    while (slots < capacity)
        slots *= 2;
    *r = (struct ring){
        .slots = ARENA_ARRAY(arena, u32, slots),
        .mask = slots - 1,
        .capacity = capacity,
    };
}
