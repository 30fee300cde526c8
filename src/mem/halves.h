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

#include "base/arena.h"
#include "base/ring.h"
#include "base/pool.h"
#include "mem/tags.h"

#define HALVES_ENTRIES 512u /* answers on their way to the other half */
#define HALVES_PAIR 2u      /* SMs: pairs lie in the halves in turn, as banks do */

struct halves {
    u32 cycles;         /* that an answer takes across */
    bool is_upper;      /* in which half the bank is */
    struct ring coming; /* answers on their way across */
    cycle_t *due;       /* by position in its storage */
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
    return ring_is_full(&h->coming);
}

static inline cycle_t halves_next(const struct halves *h)
{
    return ring_is_empty(&h->coming) ? CYCLE_NEVER : h->due[h->coming.head & h->coming.mask];
}

static inline void halves_send(struct halves *h, handle_t request, cycle_t now)
{
    h->due[h->coming.tail & h->coming.mask] = now + h->cycles;
    ring_push(&h->coming, request);
}

#endif
