/*
 * Phases of a program, found afterwards: its metrics averaged over a window that slides with every
 * sample. A phase ends when an average has moved by more than 5 % from what it was when the phase
 * began (context-management spec 2.1). Averages count from the first full window on. No decision
 * depends on them while a program runs.
 */
#ifndef GPU_OBSERVE_PHASES_H
#define GPU_OBSERVE_PHASES_H

#include "base/types.h"

#define PHASE_METRICS 2u
#define PHASE_WINDOW 100u /* samples, one a microsecond */
#define PHASE_SHIFT 0.05
#define PHASE_EPSILON 1e-3 /* below this share a metric does not count as there */

struct phase_metric {
    float window[PHASE_WINDOW];
    double sum;
    double base, base_alone; /* when the phase began: of both metrics, of this one */
};

struct phases {
    struct phase_metric metrics[PHASE_METRICS];
    u64 samples;
    u64 began;                            /* samples when the present phase did */
    u64 shifts, shifts_of[PHASE_METRICS]; /* those of either metric, and of each alone */
};

/* One sample of each metric. True: a phase has ended. */
bool phases_add(struct phases *p, const double *values);

#endif
