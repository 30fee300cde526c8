/*
 * Atoms in cells of side 1, in a periodic cube of cells: shared by the kernels and the host.
 */
#ifndef MD_ATOMS_H
#define MD_ATOMS_H

#include "both.h"

#define ROOM 20 /* atoms of a cell at most */
#define AROUND 27

struct vector {
    float x, y, z;
};

struct atom {
    struct vector at, velocity;
};

/* What an atom at distance d does: Lennard-Jones with sigma 0.4, cut off at 1. */
BOTH struct vector force_of(struct vector d)
{
    float square = fmaf(d.z, d.z, fmaf(d.y, d.y, d.x * d.x));
    float inverse = 0.16f / square, sixth = inverse * inverse * inverse;
    float size = square < 1 ? 24 * sixth * fmaf(2.0f, sixth, -1.0f) / square : 0;
    struct vector f = {size * d.x, size * d.y, size * d.z};
    return f;
}

struct around {
    u32 cell;
    struct vector shift; /* of its atoms, where the cube begins again */
};

BOTH u32 step_in(u32 at, u32 by, u32 side, float *shift)
{
    *shift = by == 0 && at == 0 ? -(float)side : by == 2 && at + 1 == side ? (float)side : 0;
    return (at + by + side - 1) % side;
}

/* The k-th of the 27 cells around one. */
BOTH struct around around_of(u32 cell, u32 k, u32 side)
{
    struct around a;
    u32 x = step_in(cell % side, k % 3, side, &a.shift.x);
    u32 y = step_in(cell / side % side, k / 3 % 3, side, &a.shift.y);
    u32 z = step_in(cell / side / side, k / 9, side, &a.shift.z);
    a.cell = (z * side + y) * side + x;
    return a;
}

/* What the atoms in slots lane, lane + lanes, ... of the cells around do to one; not itself. */
BOTH struct vector forces_on(const struct atom *atoms, const u32 *counts, u32 cell, u32 slot,
                             u32 side, u32 lane, u32 lanes)
{
    struct vector me = atoms[cell * ROOM + slot].at, sum = {0, 0, 0};
    for (u32 k = 0; k < AROUND; k++) {
        struct around a = around_of(cell, k, side);
        for (u32 other = lane; other < counts[a.cell]; other += lanes) {
            if (a.cell == cell && other == slot)
                continue;
            struct vector at = atoms[a.cell * ROOM + other].at;
            struct vector d = {me.x - (at.x + a.shift.x), me.y - (at.y + a.shift.y),
                               me.z - (at.z + a.shift.z)};
            struct vector f = force_of(d);
            sum.x += f.x, sum.y += f.y, sum.z += f.z;
        }
    }
    return sum;
}

BOTH float wrapped(float x, u32 side)
{
    return x < 0 ? x + (float)side : x >= (float)side ? x - (float)side : x;
}

BOTH struct atom moved(struct atom a, struct vector f, float dt, u32 side)
{
    struct vector v = {fmaf(dt, f.x, a.velocity.x), fmaf(dt, f.y, a.velocity.y),
                       fmaf(dt, f.z, a.velocity.z)};
    struct vector at = {wrapped(fmaf(dt, v.x, a.at.x), side), wrapped(fmaf(dt, v.y, a.at.y), side),
                        wrapped(fmaf(dt, v.z, a.at.z), side)};
    struct atom b = {at, v};
    return b;
}

BOTH u32 whole_cell(float x, u32 side)
{
    return (u32)x < side ? (u32)x : side - 1;
}

BOTH u32 cell_of(struct vector at, u32 side)
{
    return (whole_cell(at.z, side) * side + whole_cell(at.y, side)) * side + whole_cell(at.x, side);
}

/* The atoms that are in a cell now, of those around it: how many. */
BOTH u32 collect(const struct atom *from, const u32 *counts, u32 cell, u32 side, struct atom *to)
{
    u32 found = 0;
    for (u32 k = 0; k < AROUND; k++) {
        u32 other = around_of(cell, k, side).cell;
        for (u32 i = 0; i < counts[other]; i++) {
            struct atom a = from[other * ROOM + i];
            if (cell_of(a.at, side) == cell && found < ROOM)
                to[cell * ROOM + found++] = a;
        }
    }
    return found;
}

#endif
