/* Doubly linked lists of small integers. Each integer is in one list or in none. Adding and
 * removing take a few instructions anywhere in a list. */
#ifndef BASE_CHAINS_H
#define BASE_CHAINS_H

#include "base/arena.h"

#include <assert.h>

/* Members plus 1, 0 for none. */
struct chains {
    u16 *first; /* by chain */
    u16 *next, *before;
};

static inline void chains_init(struct chains *c, struct arena *arena, u32 chains, u32 members)
{
    assert(members < UINT16_MAX);
    c->first = ARENA_ARRAY(arena, u16, chains);
    c->next = ARENA_ARRAY(arena, u16, members + 1);
    c->before = ARENA_ARRAY(arena, u16, members + 1);
}

static inline void chains_add(struct chains *c, u32 chain, u32 member)
{
    u32 m = member + 1, first = c->first[chain];
    c->next[m] = (u16)first;
    c->before[first] = (u16)m; /* nobody reads that of 0 */
    c->before[m] = 0;
    c->first[chain] = (u16)m;
}

static inline void chains_remove(struct chains *c, u32 chain, u32 member)
{
    u32 m = member + 1, next = c->next[m], before = c->before[m];
    *(before ? &c->next[before] : &c->first[chain]) = (u16)next;
    c->before[next] = (u16)before;
}

/* The members of a chain plus 1, the latest first, then 0:
 * for (u32 m = chains_first(c, chain); m; m = chains_next(c, m)) ... m - 1 ... */
static inline u32 chains_first(const struct chains *c, u32 chain)
{
    return c->first[chain];
}

static inline u32 chains_next(const struct chains *c, u32 m)
{
    return c->next[m];
}

#endif
