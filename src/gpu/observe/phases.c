#include "gpu/observe/phases.h"

#include <math.h>

/* The average of the window with the new value in it. */
static double slide(struct phase_metric *m, u64 sample, double value)
{
    float *slot = &m->window[sample % PHASE_WINDOW];
    m->sum -= (double)*slot;
    *slot = (float)value;
    m->sum += (double)*slot;
    return m->sum / PHASE_WINDOW;
}

/* Rounding to floats is no shift. */
static bool has_shifted(double mean, double base)
{
    return fabs(mean - base) > PHASE_SHIFT * fmax(base, PHASE_EPSILON) * (1 + 1e-6);
}

bool phases_add(struct phases *p, const double *values)
{
    u64 sample = p->samples++;
    bool shifts = false, starts = p->samples == PHASE_WINDOW;
    double mean[PHASE_METRICS];
    for (u32 m = 0; m < PHASE_METRICS; m++) {
        struct phase_metric *of = &p->metrics[m];
        mean[m] = slide(of, sample, values[m]);
        if (p->samples < PHASE_WINDOW)
            continue;
        if (starts) {
            of->base = of->base_alone = mean[m];
        } else if (has_shifted(mean[m], of->base_alone)) {
            p->shifts_of[m]++;
            of->base_alone = mean[m];
        }
        shifts |= has_shifted(mean[m], of->base);
    }
    if (!shifts)
        return false;
    p->shifts++;
    for (u32 m = 0; m < PHASE_METRICS; m++)
        p->metrics[m].base = mean[m];
    return true;
}
