/*
 * Survey propagation on a formula of clauses with three literals: shared by the kernels and the
 * host (Braunstein, Mezard, Zecchina 2005). A survey is the chance that a clause warns its
 * variable.
 */
#ifndef SP_SURVEY_H
#define SP_SURVEY_H

#include "both.h"

#define LITERALS 3
#define NEGATED 0x80000000u

struct formula {
    const u32 *literals;      /* 3 per clause: a variable, and NEGATED */
    const u32 *first, *edges; /* of a variable: its places among the literals */
    u32 variables, clauses;
};

/* The chance that no clause warns, of those that want the variable true and of the others. */
struct quiet {
    float plain, negated;
};

BOTH struct quiet quiet_of(const struct formula *f, const float *surveys, u32 variable)
{
    struct quiet q = {1, 1};
    for (u32 i = f->first[variable]; i < f->first[variable + 1]; i++) {
        u32 edge = f->edges[i];
        if (f->literals[edge] & NEGATED)
            q.negated *= 1 - surveys[edge];
        else
            q.plain *= 1 - surveys[edge];
    }
    return q;
}

/* The chance that a literal is warned against, its own clause left out. */
BOTH float opposed(const struct formula *f, const struct quiet *quiet, const float *surveys,
                   u32 edge)
{
    u32 literal = f->literals[edge];
    struct quiet q = quiet[literal & ~NEGATED];
    float same = (literal & NEGATED ? q.negated : q.plain) / (1 - surveys[edge]);
    float other = literal & NEGATED ? q.plain : q.negated;
    float against = (1 - other) * same, with = (1 - same) * other, neither = same * other;
    return against / (against + with + neither + 1e-20f);
}

/* At most 0.99, so that it can be left out again. */
BOTH float survey_of(const struct formula *f, const struct quiet *quiet, const float *surveys,
                     u32 edge)
{
    float product = 1;
    for (u32 k = 0; k < LITERALS; k++) {
        u32 other = edge / LITERALS * LITERALS + k;
        if (other != edge)
            product *= opposed(f, quiet, surveys, other);
    }
    return product < 0.99f ? product : 0.99f;
}

#endif
