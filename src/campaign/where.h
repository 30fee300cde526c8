/*
 * Conditions over the values of one run, as in `where: p <= n and chip != "kepler8"`.
 *
 * Numbers (16KiB, 1.4GHz and 2e3 too), quoted texts, true and false, names of
 * parameters, + - * / and parentheses, == != < <= > >=, not, and, or. A name is
 * a whole path or, where that is unambiguous, its last part. Texts compare with
 * == and != alone.
 */
#ifndef CAMPAIGN_WHERE_H
#define CAMPAIGN_WHERE_H

#include "campaign/sweep_file.h"

/* What a name stands for in this run. */
struct where_value {
    const char *name;
    const char *text; /* NULL: a number */
    double number;
};

/* Fails on a condition that cannot be read or mixes texts and numbers. */
bool where_holds(struct sweep_text condition, const struct where_value *values, u32 count,
                 bool *holds, struct err *err);

#endif
