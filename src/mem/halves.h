/*
 * An L2 of two halves, as an H200 shows it: an SM reads a line of the other half through its own,
 * which keeps a copy, so the first read takes longer.
 *
 * Banks stay where addresses put them. Each belongs to a half, and each of its lines says (in
 * `slot`, which only an L1 needs otherwise) which sectors the other half has too. That such copies
 * take room there is not modelled. One instance per bank, owned by it.
 */
#ifndef MEM_HALVES_H
#define MEM_HALVES_H

#include "mem/delay.h"
#include "mem/tags.h"

#define HALVES_ENTRIES 512u /* answers on their way to the other half */
#define HALVES_PAIR 2u      /* SMs: pairs lie in the halves in turn, as banks do */

struct halves {
    struct delay coming; /* answers on their way across */
    u32 cycles;          /* that one takes */
    bool is_upper;       /* in which half the bank is */
};

struct halves *halves_create(struct arena *arena, u32 bank, u32 cycles);

/* An SM reads or writes sectors of a line, and a read brings some more along. True: a read that the
 * other half makes for the first time. From now on it has them, as it has what it writes; what this
 * half writes makes its copy old. */
static inline bool halves_access(const struct halves *h, struct line *l, u32 core, u32 sectors,
                                 u32 brought, bool is_write)
{
    bool across = (core / HALVES_PAIR & 1) != h->is_upper;
    bool first = across && !is_write && sectors & ~(u32)l->slot;
    if (across)
        l->slot = (u8)(l->slot | (is_write ? sectors : brought));
    else if (is_write)
        l->slot = (u8)(l->slot & ~sectors);
    return first;
}

static inline bool halves_is_full(const struct halves *h)
{
    return ring_is_full(&h->coming.ring);
}

#endif
