/*
 * A line that says how far a run is: redrawn in place on a terminal, a plain
 * line now and then elsewhere, nothing when quiet. Goes to stderr.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "base/log.h"
#include "base/types.h"

struct run;

struct progress {
    bool quiet, terminal, drawn;
    double cpu_start, last;
    /* Share of the kernels under way that is done: when they were first seen, at that time, and
     * now. */
    double first, since, seen;
    bool is_executing; /* without timing, when last seen */
};

#define PROGRESS_ROOM 320 /* characters of a line */

void progress_init(struct progress *p, bool quiet);
/* Is it time to draw it? Asked once, then it is drawn. */
bool progress_is_due(struct progress *p);
void progress_draw(struct progress *p, const char *text);
/* Draws how far the run is if it is time to. */
void progress_update(struct progress *p, const struct run *run);
/* How far the run is, with its rate over so many seconds of processor time. `left`: of the kernel;
 * "": not known. It comes early, since a terminal may show only the first 80 characters. */
void progress_text(const struct run *run, double cpu_seconds, const char *left, char *out,
                   size_t size);
/* Seconds until all of the work under way is done, at its rate so far, or -1 while that is not
 * known. `share` of it is done at time `now`; a smaller share than before is other work. */
double progress_left(struct progress *p, double share, double now);
void progress_end(struct progress *p);
/* Warnings come between, on lines of their own, also when quiet. */
struct log progress_log(struct progress *p);

#endif
