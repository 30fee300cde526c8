/* The flux in one cell and direction from its upstream neighbours: shared by kernel and host. */
#ifndef SWEEP_UPSTREAM_H
#define SWEEP_UPSTREAM_H

#include "both.h"

#define ANGLES 32

BOTH float flux_at(const float *source, const float *absorb, const float *psi, u32 cell, u32 angle,
                   u32 side, u32 backwards)
{
    u32 steps[3] = {1, side, side * side};
    float cosines[3] = {1 + 0.0625f * (float)angle, 1 + 0.03125f * (float)(angle ^ 21),
                        1 + 0.015625f * (float)(angle ^ 10)};
    float sum = source[cell], total = absorb[cell];
    for (u32 k = 0; k < 3; k++) {
        u32 at = cell / steps[k] % side;
        bool inside = backwards ? at + 1 < side : at > 0;
        u32 upstream = backwards ? cell + steps[k] : cell - steps[k];
        sum = fmaf(cosines[k], inside ? psi[upstream * ANGLES + angle] : 0, sum);
        total += cosines[k];
    }
    return sum / total;
}

#endif
