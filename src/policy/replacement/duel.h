/*
 * Set duelling, for each program by itself: in a few sets one of two ways to insert lines is tried
 * for a program, in as many the other; the program does elsewhere what misses less there. Others do
 * in such a set what they do anyway. Qureshi et al., ISCA 2007; Jaleel et al., PACT 2008.
 */
#ifndef POLICY_REPLACEMENT_DUEL_H
#define POLICY_REPLACEMENT_DUEL_H

#include "cache/replacement.h"

/* A selector has 10 bits; it is kept as the distance from its start, 512. */
#define PSEL_HIGHEST 511
#define PSEL_LOWEST (-512)

struct duel {
    i64 psel[MOST_APPLICATIONS]; /* 0 and above: the highest bit is set, the second side wins */
};

enum leads { LEADS_NONE, LEADS_FIRST, LEADS_SECOND };

/* Which side a set tries for a program; `leaders`: sets of the whole cache for each side, dealt out
 * evenly to its banks. Each bank has a selector of its own, which moves by its own leader sets. */
static inline enum leads duel_leads(const struct replacement *r, u32 leaders, u32 set,
                                    u32 application)
{
    u32 groups = 2 * MOST_APPLICATIONS, in_bank = leaders > r->banks ? leaders / r->banks : 1;
    u32 stride = r->sets / in_bank < groups ? groups : r->sets / in_bank;
    u32 place = set % stride;
    if (place / 2 != application)
        return LEADS_NONE;
    return place % 2 ? LEADS_SECOND : LEADS_FIRST;
}

/* A miss in a leader set moves the program's selector. */
static inline void duel_missed(struct duel *d, enum leads lead, u32 application)
{
    i64 *psel = &d->psel[application];
    if (lead == LEADS_FIRST && *psel < PSEL_HIGHEST)
        ++*psel;
    if (lead == LEADS_SECOND && *psel > PSEL_LOWEST)
        --*psel;
}

/* Does a line of the program come in the second way? */
static inline bool duel_takes_second(const struct duel *d, enum leads lead, u32 application)
{
    return lead == LEADS_NONE ? d->psel[application] >= 0 : lead == LEADS_SECOND;
}

#endif
