/*
 * A line that says how far a run is: redrawn in place on a terminal, a plain
 * line now and then elsewhere, nothing when quiet. Goes to stderr.
 */
#ifndef CHIP_PROGRESS_H
#define CHIP_PROGRESS_H

#include "base/log.h"
#include "base/types.h"

struct progress {
    bool quiet, terminal, drawn;
    double start, last;
};

void progress_init(struct progress *p, bool quiet);
/* done: 0 to 1 */
void progress_update(struct progress *p, cycle_t cycles, double done);
void progress_end(struct progress *p);
/* Warnings come between, on lines of their own, also when quiet. */
struct log progress_log(struct progress *p);

#endif
