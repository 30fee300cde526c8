/*
 * Stands for CoMD (ExMatEx): molecular dynamics of copper with Lennard-Jones forces; atoms are in
 * cells, which are sorted anew by one thread where atoms have left theirs.
 * Arguments: cells along an edge, atoms of a cell, steps.
 */
#include "library.h"

#define EDGE 12u
#define ROOM 16u

static struct cell {
    u32 count;
    double at[ROOM][3], speed[ROOM][3], force[ROOM][3];
} cells[EDGE][EDGE][EDGE];

static struct cell *cell_at(u32 x, u32 y, u32 z, u32 n)
{
    return &cells[(z + n) % n][(y + n) % n][(x + n) % n];
}

/* `by` moves the other cell to this side of a periodic boundary. */
static double pair_forces(struct cell *c, const struct cell *o, const double by[3])
{
    double energy = 0;
    for (u32 i = 0; i < c->count; i++) {
        for (u32 j = 0; j < o->count; j++) {
            double dx = c->at[i][0] - o->at[j][0] - by[0], dy = c->at[i][1] - o->at[j][1] - by[1],
                   dz = c->at[i][2] - o->at[j][2] - by[2];
            double square = dx * dx + dy * dy + dz * dz;
            if (square > 1 || square == 0)
                continue;
            double one = 0.04 / square, six = one * one * one;
            double g = 24 * six * (2 * six - 1) / square * 1e-3;
            c->force[i][0] += g * dx;
            c->force[i][1] += g * dy;
            c->force[i][2] += g * dz;
            energy += 2 * six * (six - 1);
        }
    }
    return energy;
}

static double forces(u32 n)
{
    double energy = 0;
#pragma omp parallel for reduction(+ : energy)
    for (u32 i = 0; i < n * n * n; i++) {
        u32 x = i % n, y = i / n % n, z = i / n / n;
        struct cell *c = cell_at(x, y, z, n);
        memset(c->force, 0, sizeof c->force);
        for (u32 k = 0; k < 27; k++) {
            const u32 to[3] = {x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1};
            double by[3];
            for (u32 d = 0; d < 3; d++)
                by[d] = to[d] == n ? n : to[d] > n ? -(double)n : 0;
            energy += pair_forces(c, cell_at(to[0], to[1], to[2], n), by);
        }
    }
    return energy;
}

/* One thread: atoms that have left their cell go to the one that they are in. */
static void sort_cells(u32 n)
{
    for (u32 i = 0; i < n * n * n; i++) {
        struct cell *c = cell_at(i % n, i / n % n, i / n / n, n);
        for (u32 a = 0; a < c->count; a++) {
            struct cell *to = cell_at((u32)c->at[a][0], (u32)c->at[a][1], (u32)c->at[a][2], n);
            if (to == c || to->count == ROOM)
                continue;
            memcpy(to->at[to->count], c->at[a], sizeof c->at[a]);
            memcpy(to->speed[to->count++], c->speed[a], sizeof c->speed[a]);
            c->count--;
            memcpy(c->at[a], c->at[c->count], sizeof c->at[a]);
            memcpy(c->speed[a], c->speed[c->count], sizeof c->speed[a]);
            a--;
        }
    }
}

static void move(u32 n, double dt)
{
#pragma omp parallel for
    for (u32 i = 0; i < n * n * n; i++) {
        struct cell *c = cell_at(i % n, i / n % n, i / n / n, n);
        for (u32 a = 0; a < c->count; a++) {
            for (u32 k = 0; k < 3; k++) {
                c->speed[a][k] += dt * c->force[a][k];
                c->at[a][k] += dt * c->speed[a][k];
                c->at[a][k] += c->at[a][k] < 0 ? n : c->at[a][k] >= n ? -(double)n : 0;
            }
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 6, EDGE), atoms = argument(argc, argv, 2, 4, ROOM / 2);
    u32 steps = argument(argc, argv, 3, 5, 1000);
    double momentum = library_survey(), left = 0;
#pragma omp parallel for
    for (u32 i = 0; i < n * n * n; i++) {
        struct cell *c = cell_at(i % n, i / n % n, i / n / n, n);
        c->count = atoms;
        for (u32 a = 0; a < atoms; a++) {
            c->at[a][0] = i % n + 0.25 + 0.5 * (a & 1) + 0.02 * unit_at((i * atoms + a) * 6);
            c->at[a][1] =
                i / n % n + 0.25 + 0.5 * (a >> 1 & 1) + 0.02 * unit_at((i * atoms + a) * 6 + 1);
            c->at[a][2] = i / n / n + 0.25 + 0.5 * ((a ^ a >> 1) & 1) +
                          0.02 * unit_at((i * atoms + a) * 6 + 2);
            for (u32 k = 0; k < 3; k++)
                c->speed[a][k] = 20 * (unit_at((i * atoms + a) * 6 + 3 + k) - 0.5);
        }
    }
    for (u32 s = 0; s < steps; s++) {
        double energy = forces(n);
        KEEP(energy);
        move(n, 1e-3);
        if (s % 3 == 2)
            sort_cells(n);
    }
#pragma omp parallel for reduction(+ : momentum, left)
    for (u32 i = 0; i < n * n * n; i++) {
        const struct cell *c = cell_at(i % n, i / n % n, i / n / n, n);
        left += c->count;
        for (u32 a = 0; a < c->count; a++)
            momentum += c->force[a][0] + c->force[a][1] + c->force[a][2];
    }
    return answer(left / (n * n * n * atoms) + fabs(momentum), 1 - 1e-6, 1 + 1e-6);
}
