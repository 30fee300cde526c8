#include "mem/halves.h"

struct halves *halves_create(struct arena *arena, u32 bank, u32 cycles)
{
    struct halves *h = ARENA_NEW(arena, struct halves);
    *h = (struct halves){.cycles = cycles, .is_upper = bank & 1};
    ring_init(&h->coming, arena, HALVES_ENTRIES);
    h->due = ARENA_ARRAY(arena, cycle_t, h->coming.mask + 1);
    return h;
}
