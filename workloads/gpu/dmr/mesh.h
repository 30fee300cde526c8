/*
 * Triangles that are bisected through their newest corner, and when one is too large: shared by the
 * kernels and the host.
 *
 * Corner 0 is the newest; the base lies opposite, from corner 1 to corner 2, anticlockwise. The
 * middle m of the base makes children (m, 0, 1) and (m, 2, 0), whose bases are the old sides.
 */
#ifndef DMR_MESH_H
#define DMR_MESH_H

#include "both.h"

struct point {
    float x, y;
};

struct sizing {
    struct point focus; /* triangles shall be small near it */
    float finest, growth;
};

BOTH struct point middle(struct point a, struct point b)
{
    struct point m = {(a.x + b.x) * 0.5f, (a.y + b.y) * 0.5f};
    return m;
}

/* Twice its area is above finest + growth x square of the distance of its newest corner. */
BOTH bool is_too_large(struct point a, struct point b, struct point c, struct sizing s)
{
    float area = fmaf(b.x - a.x, c.y - a.y, -((c.x - a.x) * (b.y - a.y)));
    float dx = a.x - s.focus.x, dy = a.y - s.focus.y;
    return area > fmaf(s.growth, fmaf(dx, dx, dy * dy), s.finest);
}

#endif
