/*
 * Four-cornered elements of a gas that move with it: shared by the kernels and the host. Corners
 * are anticlockwise.
 */
#ifndef HYDRO_ELEMENT_H
#define HYDRO_ELEMENT_H

#include "both.h"

struct vector {
    float x, y;
};

BOTH float area_of(const struct vector c[4])
{
    return 0.5f * fmaf(c[2].x - c[0].x, c[3].y - c[1].y, -((c[3].x - c[1].x) * (c[2].y - c[0].y)));
}

/* An ideal gas, gamma = 1.4; of a mass in an area with an energy per mass. */
BOTH float pressure_of(float mass, float energy, float area)
{
    return 0.4f * energy * mass / area;
}

/* What the pressure does to corner k: half of the sides beside it. */
BOTH struct vector force_on(const struct vector c[4], u32 k, float pressure)
{
    const struct vector *next = &c[(k + 1) % 4], *before = &c[(k + 3) % 4];
    struct vector f = {0.5f * pressure * (next->y - before->y),
                       0.5f * pressure * (before->x - next->x)};
    return f;
}

BOTH struct vector moved(struct vector a, struct vector by, float times)
{
    struct vector v = {fmaf(by.x, times, a.x), fmaf(by.y, times, a.y)};
    return v;
}

#endif
