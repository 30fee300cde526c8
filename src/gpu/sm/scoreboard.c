#include "gpu/sm/scoreboard.h"

#include <string.h>

void scoreboard_init(struct scoreboard *s, u32 slots)
{
    *s = (struct scoreboard){.slots = slots};
}

void scoreboard_reserve(struct scoreboard *s, struct arena *arena, u32 registers)
{
    u32 old = s->registers;
    if (registers <= old)
        return;
    u64 *more = ARENA_ARRAY(arena, u64, (size_t)s->slots * registers);
    for (u32 slot = 0; old && slot < s->slots; slot++)
        memcpy(more + (size_t)slot * registers, s->ready + (size_t)slot * old, old * sizeof(u64));
    s->ready = more;
    s->registers = registers;
}

void scoreboard_clear(struct scoreboard *s, u32 slot)
{
    memset(s->ready + (size_t)slot * s->registers, 0, s->registers * sizeof(u64));
}
