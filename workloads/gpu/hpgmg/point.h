/*
 * One point of a cube of cells, zero outside: -Laplace(x) = b with the spacing in b. Shared by the
 * kernels and the host.
 */
#ifndef HPGMG_POINT_H
#define HPGMG_POINT_H

#include "both.h"

#define DAMPING 0.7f

BOTH float neighbour(const float *x, u32 at, bool inside, u32 to)
{
    return inside ? x[to] : -x[at]; /* zero half a cell beyond the border */
}

BOTH float point_residual(const float *b, const float *x, u32 at, u32 side)
{
    u32 px = at % side, py = at / side % side, pz = at / side / side, plane = side * side;
    float sum = neighbour(x, at, px > 0, at - 1);
    sum += neighbour(x, at, px + 1 < side, at + 1);
    sum += neighbour(x, at, py > 0, at - side);
    sum += neighbour(x, at, py + 1 < side, at + side);
    sum += neighbour(x, at, pz > 0, at - plane);
    sum += neighbour(x, at, pz + 1 < side, at + plane);
    return fmaf(-6.0f, x[at], b[at] + sum);
}

BOTH float point_smoothed(const float *b, const float *x, u32 at, u32 side)
{
    return fmaf(DAMPING / 6, point_residual(b, x, at, side), x[at]);
}

/* The place of the first of the eight cells under a coarse one. */
BOTH u32 finer(u32 at, u32 side)
{
    u32 x = at % side, y = at / side % side, z = at / side / side;
    return (2 * z * 2 * side + 2 * y) * 2 * side + 2 * x;
}

BOTH u32 child(u32 first, u32 k, u32 side)
{
    return first + k % 2 + (k / 2 % 2 + k / 4 * 2 * side) * 2 * side;
}

#endif
