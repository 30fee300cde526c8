/*
 * Which launches of a program are timed; the others are executed without timing, for their answers.
 *
 * Written as "N", the first N, or as a list of numbers and ranges, "0,4,7-9"; launches count from 0
 * in the order in which they start. One alone is a range: "7-7".
 */
#ifndef RUN_LAUNCHES_H
#define RUN_LAUNCHES_H

#include "base/arena.h"
#include "base/err.h"

struct launch_range {
    u64 first, last;
};

struct launches {
    struct launch_range *ranges; /* NULL: all are timed */
    u32 count;
};

bool launches_read(struct launches *l, const char *text, struct arena *arena, struct err *err);
bool launches_has(const struct launches *l, u64 number);

#endif
