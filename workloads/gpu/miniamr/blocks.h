/*
 * Blocks of 8 x 8 x 8 cells with a border of one, on two levels: shared by the kernels and the
 * host. A face's border comes from the neighbour there: of the same size, twice as large, or four
 * half as large; at the end of the domain from the block itself.
 */
#ifndef MINIAMR_BLOCKS_H
#define MINIAMR_BLOCKS_H

#include "both.h"

#define N 8
#define WIDE (N + 2)
#define CELLS (WIDE * WIDE * WIDE)
#define FACES 6 /* 2 x axis, and 1 for the upper one */

enum { END, SAME, COARSER, FINER };

struct block {
    u32 kind[FACES];
    u32 to[FACES][4]; /* SAME: a block; COARSER: a block and its quarter; FINER: four blocks */
};

enum { KEEP, SPLIT, JOIN };

/* Where a block of the next mesh comes from: a block, a block's eighth, or eight blocks. */
struct origin {
    u32 kind, from, eighth;
};

BOTH u32 place(u32 x, u32 y, u32 z)
{
    return ((z + 1) * WIDE + y + 1) * WIDE + x + 1;
}

/* w along the axis, u and v along the other two in order; w may be in the border: N, or -1. */
BOTH u32 place_on(u32 axis, u32 w, u32 u, u32 v)
{
    return axis == 0 ? place(w, u, v) : axis == 1 ? place(u, w, v) : place(u, v, w);
}

BOTH float border_of(const struct block *blocks, const float *cells, u32 b, u32 face, u32 u, u32 v)
{
    const u32 *to = blocks[b].to[face];
    u32 axis = face / 2, near = face % 2 ? 0 : N - 1, kind = blocks[b].kind[face];
    if (kind == END)
        return cells[b * CELLS + place_on(axis, N - 1 - near, u, v)];
    if (kind == SAME)
        return cells[to[0] * CELLS + place_on(axis, near, u, v)];
    if (kind == COARSER)
        return cells[to[0] * CELLS + place_on(axis, near, u / 2 + to[1] % 2 * (N / 2),
                                              v / 2 + to[1] / 2 * (N / 2))];
    const float *fine = cells + to[u / (N / 2) + v / (N / 2) * 2] * CELLS;
    float sum = 0;
    for (u32 k = 0; k < 4; k++)
        sum += fine[place_on(axis, near, 2 * (u % (N / 2)) + k % 2, 2 * (v % (N / 2)) + k / 2)];
    return 0.25f * sum;
}

/* The mean of a cell and its six neighbours. */
BOTH float stencil_at(const float *c, u32 at)
{
    float sum = c[at] + c[at - 1] + c[at + 1] + c[at - WIDE] + c[at + WIDE];
    return (sum + c[at - WIDE * WIDE] + c[at + WIDE * WIDE]) * (1.0f / 7);
}

/* Cell (x, y, z) of a block of the next mesh. */
BOTH float cell_from(struct origin o, const float *cells, u32 x, u32 y, u32 z)
{
    if (o.kind == KEEP)
        return cells[o.from * CELLS + place(x, y, z)];
    u32 half = N / 2;
    if (o.kind == SPLIT)
        return cells[o.from * CELLS + place(x / 2 + o.eighth % 2 * half,
                                            y / 2 + o.eighth / 2 % 2 * half,
                                            z / 2 + o.eighth / 4 * half)];
    const float *fine = cells + (o.from + x / half + y / half * 2 + z / half * 4) * CELLS;
    float sum = 0;
    for (u32 k = 0; k < 8; k++)
        sum +=
            fine[place(2 * (x % half) + k % 2, 2 * (y % half) + k / 2 % 2, 2 * (z % half) + k / 4)];
    return 0.125f * sum;
}

#endif
