/* What an option is worth at the end of a random path: shared by the kernel and the host. */
#ifndef MONTECARLO_PATH_H
#define MONTECARLO_PATH_H

#include "elementary.h"

#define THREADS 128
#define MOST_OPTIONS 256

struct option {
    float stock, strike, drift, spread; /* the last two times the years and their root */
};

BOTH float payoff(struct option o, float normal)
{
    float worth = fmaf(o.stock, el_exp(fmaf(o.spread, normal, o.drift)), -o.strike);
    return worth > 0 ? worth : 0;
}

#endif
