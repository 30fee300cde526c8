/*
 * The part of a run that is measured: from when all programs have entered their windows to the end.
 *
 * What a run reports is the difference between its end and the window's beginning: statistics
 * (stats/window.h), energy, kernels, time. Without a warm part there is no window, and nothing is
 * done.
 */
#ifndef RUN_WINDOW_H
#define RUN_WINDOW_H

#include "sim/engine.h"
#include "stats/window.h"

struct energy_meter;
struct machine;

struct window {
    bool has_begun;
    u64 fs;          /* when it began */
    cycle_t *cycles; /* the same, by clock */
    struct stats_window stats;
    struct energy_meter *energy; /* as it was then */
};

/* Between two instants, at most once. */
void window_begin(struct window *w, struct machine *m);
/* The run is over, its laws have been checked. */
void window_end(struct window *w, struct machine *m);

/* Cycles of a clock, and femtoseconds, that were measured: of the whole run where there is no
 * window. */
u64 window_cycles(const struct window *w, const struct engine *e, domain_id domain);
u64 window_fs(const struct window *w, const struct engine *e);

#endif
