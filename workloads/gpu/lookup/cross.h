/*
 * A lookup of cross sections: for every nuclide of a material, its grid's interval around an energy
 * by bisection, and four values between its ends. Shared by the kernel and the host.
 */
#ifndef LOOKUP_CROSS_H
#define LOOKUP_CROSS_H

#include "mix.h"

#define VALUES 4
#define MATERIALS 12

struct point {
    float energy, value[VALUES];
};

struct sums {
    float value[VALUES];
};

struct library {
    const struct point *grids;   /* points x nuclides, each grid in ascending order of energy */
    const u32 *first, *nuclides; /* of the materials */
    u32 points;
};

BOTH u32 interval_of(const struct point *grid, u32 points, float energy)
{
    u32 low = 0, high = points - 1;
    while (high - low > 1) {
        u32 middle = (low + high) / 2;
        if (grid[middle].energy <= energy)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The n-th lookup: energy and material are random. */
BOTH struct sums cross_sections(const struct library *l, u32 seed, u32 n)
{
    float energy = mix_unit(2 * n + seed);
    u32 material = mix_u32(2 * n + 1 + seed) % MATERIALS;
    struct sums s = {{0, 0, 0, 0}};
    for (u32 i = l->first[material]; i < l->first[material + 1]; i++) {
        const struct point *grid = l->grids + l->nuclides[i] * l->points;
        u32 at = interval_of(grid, l->points, energy);
        float low = grid[at].energy, part = (energy - low) / (grid[at + 1].energy - low);
        for (u32 v = 0; v < VALUES; v++) {
            float from = grid[at].value[v];
            s.value[v] += fmaf(part, grid[at + 1].value[v] - from, from);
        }
    }
    return s;
}

#endif
