/*
 * What a program cannot be loaded for: all statements that were refused, not only the first.
 *
 * Statements refused in the same words count as one, at the place of the first.
 */
#ifndef PTX_EXEC_REFUSALS_H
#define PTX_EXEC_REFUSALS_H

#include "base/err.h"

enum { MOST_REFUSALS = 20 };

struct refusals {
    struct err kept[MOST_REFUSALS];
    u32 times[MOST_REFUSALS];
    u32 count;
    u32 others; /* statements beyond those kept */
};

void refusals_add(struct refusals *r, const struct err *e);
/* True if there are none; else one sentence with all of them. */
bool refusals_none(const struct refusals *r, struct err *err);

#endif
