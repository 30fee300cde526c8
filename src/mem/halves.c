#include "mem/halves.h"

struct halves *halves_create(struct arena *arena, u32 bank, u32 cycles)
{
    struct halves *h = ARENA_NEW(arena, struct halves);
    h->cycles = cycles;
    h->is_upper = bank & 1;
    delay_init(&h->coming, arena, HALVES_ENTRIES);
    return h;
}
