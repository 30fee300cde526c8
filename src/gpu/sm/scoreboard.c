#include "gpu/sm/scoreboard.h"

#include <string.h>

#define HOST_LINE 64u

void scoreboard_init(struct scoreboard *s, u32 slots)
{
    *s = (struct scoreboard){.slots = slots};
}

/* A row begins a line of the host's caches. */
void scoreboard_reserve(struct scoreboard *s, struct arena *arena, u32 registers)
{
    u32 old = s->registers, in_line = HOST_LINE / sizeof *s->ready;
    registers = (registers + in_line - 1) / in_line * in_line;
    if (registers <= old)
        return;
    size_t bytes = (size_t)s->slots * registers * sizeof *s->ready;
    u32 *more = arena_alloc_aligned(arena, bytes, HOST_LINE);
    for (u32 slot = 0; old && slot < s->slots; slot++)
        memcpy(more + (size_t)slot * registers, s->ready + (size_t)slot * old,
               old * sizeof *s->ready);
    s->ready = more;
    s->registers = registers;
}

void scoreboard_clear(struct scoreboard *s, u32 slot)
{
    memset(s->ready + (size_t)slot * s->registers, 0, s->registers * sizeof *s->ready);
}

void scoreboard_move_start(struct scoreboard *s, cycle_t ready)
{
    cycle_t half = SCOREBOARD_CYCLES / 2, start = (ready / half - 1) * half;
    u64 moved = READY(start - s->start, 0);
    for (size_t k = 0; k < (size_t)s->slots * s->registers; k++) {
        u32 r = s->ready[k];
        s->ready[k] = r == UINT32_MAX ? r : r > moved ? (u32)(r - moved) : 0;
    }
    s->start = start;
}
