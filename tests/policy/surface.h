/*
 * A surface like that of figure 2 of the Poise paper (ii, kernel 112): on the
 * diagonal (2,2) is best with +7 %, at p = 1 there are two peaks, (2,1) with
 * +35 % and (15,1) with +45 %, and a valley at N = 4 between them. What lies
 * between these points is ours.
 */
#ifndef TESTS_POLICY_SURFACE_H
#define TESTS_POLICY_SURFACE_H

#include "base/types.h"

static inline double figure_2(u32 n, u32 p)
{
    static const double start[] = {0, 1.10, 1.35, 1.20, 1.00}; /* by N, at p = 1 */
    double away = n > 15 ? n - 15 : 15 - n;
    if (p == 1)
        return n <= 4 ? start[n] : 1.45 - 0.03 * away;
    if (p == 2)
        return 1.07 - 0.02 * (n - 2);
    return 1 - 0.01 * p;
}

#endif
