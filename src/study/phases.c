#include "study/phases.h"

#include <math.h>

/* The average of the window with the new value in it. */
static double slide(struct phase_metric *m, u64 sample, double value)
{
    double *slot = &m->window[sample % PHASE_WINDOW];
    m->sum += value - *slot;
    *slot = value;
    return m->sum / PHASE_WINDOW;
}

static bool has_shifted(const struct phase_metric *m)
{
    double mean = m->sum / PHASE_WINDOW, base = fmax(m->base, PHASE_EPSILON);
    return fabs(mean - m->base) > PHASE_SHIFT * base * (1 + 1e-9);
}

void phases_add(struct phases *p, const double *values)
{
    u64 sample = p->samples++;
    bool shifts = false, starts = p->samples == PHASE_WINDOW;
    for (u32 m = 0; m < PHASE_METRICS; m++) {
        slide(&p->metrics[m], sample, values[m]);
        double mean = slide(&p->alone[m], sample, values[m]);
        if (p->samples < PHASE_WINDOW)
            continue;
        if (!starts && has_shifted(&p->alone[m])) {
            p->shifts_of[m]++;
            p->alone[m].base = mean;
        }
        shifts |= !starts && has_shifted(&p->metrics[m]);
        if (starts)
            p->alone[m].base = p->metrics[m].base = mean;
    }
    if (!shifts)
        return;
    p->shifts++;
    for (u32 m = 0; m < PHASE_METRICS; m++)
        p->metrics[m].base = p->metrics[m].sum / PHASE_WINDOW;
}
