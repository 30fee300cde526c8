/* The inverse of the normal distribution, by the rational function of Acklam: shared. */
#ifndef QUASIRANDOM_NORMAL_H
#define QUASIRANDOM_NORMAL_H

#include "elementary.h"

BOTH float normal_of(float p)
{
    float q = p < 0.5f ? p : 1 - p, x;
    if (q > 0.02425f) {
        float d = q - 0.5f, s = d * d;
        float top = fmaf(fmaf(fmaf(-39.69683f, s, 220.94610f), s, -275.92851f), s, 138.35775f);
        top = fmaf(fmaf(top, s, -30.66480f), s, 2.50662f);
        float bottom = fmaf(fmaf(fmaf(-54.47610f, s, 161.58584f), s, -155.69898f), s, 66.80131f);
        bottom = fmaf(fmaf(bottom, s, -13.28068f), s, 1.0f);
        x = d * top / bottom;
    } else {
        float s = sqrtf(-2 * el_log(q));
        float top = fmaf(fmaf(fmaf(-0.0077849f, s, -0.3223965f), s, -2.4007583f), s, -2.5497325f);
        top = fmaf(fmaf(top, s, 4.3746641f), s, 2.9381640f);
        float bottom = fmaf(fmaf(fmaf(0.0077847f, s, 0.3224671f), s, 2.4451342f), s, 3.7544087f);
        x = top / fmaf(bottom, s, 1.0f);
    }
    return p < 0.5f ? x : -x;
}

#endif
