/*
 * Stands for ilbdc (SPEC OMP): the lattice-Boltzmann method with 19 directions for a channel with
 * obstacles; only cells with fluid are kept, and a list says where each one's neighbours are.
 * Arguments: cells along an edge, steps.
 */
#include "hpc.h"

#define Q 19u
#define MOST 40u
#define CELLS (MOST * MOST * MOST)

static double f[2][Q][CELLS];
static u32 from[Q][CELLS]; /* the cell whose direction comes here; itself reversed at a wall */
static u8 turned[Q][CELLS];
static u32 index_of[MOST][MOST][MOST]; /* + 1; 0: an obstacle */
static const int ex[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int ey[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int ez[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const u8 back[Q] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};

static bool is_fluid(u32 x, u32 y, u32 z, u32 n)
{
    return z > 0 && z + 1 < n && (x + 3 * y + 5 * z) % 11 != 0;
}

/* The numbers of cells with fluid; planes were counted before. */
static void link_cells(u32 n)
{
#pragma omp parallel for
    for (u32 z = 0; z < n; z++) {
        for (u32 y = 0; y < n; y++) {
            for (u32 x = 0; x < n; x++) {
                u32 own = index_of[z][y][x];
                for (u32 q = 0; own && q < Q; q++) {
                    u32 fx = (x + n - (u32)ex[q]) % n, fy = (y + n - (u32)ey[q]) % n,
                        fz = (z + n - (u32)ez[q]) % n, other = index_of[fz][fy][fx];
                    from[q][own - 1] = other ? other - 1 : own - 1;
                    turned[q][own - 1] = other ? (u8)q : back[q];
                }
            }
        }
    }
}

static void step(u32 now, u32 cells)
{
#pragma omp parallel for
    for (u32 c = 0; c < cells; c++) {
        double g[Q], rho = 0, ux = 1e-5, uy = 0, uz = 0;
#pragma GCC unroll 19
        for (u32 q = 0; q < Q; q++) {
            g[q] = f[now][turned[q][c]][from[q][c]];
            rho += g[q];
            ux += ex[q] * g[q];
            uy += ey[q] * g[q];
            uz += ez[q] * g[q];
        }
        double one = 1 / rho, square = 1.5 * (ux * ux + uy * uy + uz * uz) * one;
#pragma GCC unroll 19
        for (u32 q = 0; q < Q; q++) {
            double w = q == 0 ? 1. / 3 : q < 7 ? 1. / 18 : 1. / 36;
            double e = ex[q] * ux + ey[q] * uy + ez[q] * uz;
            double even = w * (rho + 3 * e + 4.5 * e * e * one - square);
            f[!now][q][c] = g[q] + 0.8 * (even - g[q]);
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 24, MOST), steps = argument(argc, argv, 2, 10, 1000);
    u32 planes[MOST + 1] = {0}, cells = 0;
    double mass = 0;
#pragma omp parallel for
    for (u32 z = 0; z < n; z++) {
        u32 own = 0;
        for (u32 i = 0; i < n * n; i++)
            own += is_fluid(i % n, i / n, z, n);
        planes[z + 1] = own;
    }
    for (u32 z = 0; z < n; z++)
        planes[z + 1] += planes[z];
    cells = planes[n];
#pragma omp parallel for
    for (u32 z = 0; z < n; z++) {
        u32 next = planes[z];
        for (u32 i = 0; i < n * n; i++) {
            if (is_fluid(i % n, i / n, z, n))
                index_of[z][i / n][i % n] = ++next;
        }
    }
    link_cells(n);
#pragma omp parallel for
    for (u32 c = 0; c < cells; c++) {
        for (u32 q = 0; q < Q; q++)
            f[0][q][c] = q == 0 ? 1. / 3 : q < 7 ? 1. / 18 : 1. / 36;
    }
    for (u32 s = 0; s < steps; s++)
        step(s & 1, cells);
#pragma omp parallel for reduction(+ : mass)
    for (u32 c = 0; c < cells; c++) {
        for (u32 q = 0; q < Q; q++)
            mass += f[steps & 1][q][c];
    }
    return answer(mass / cells, 1 - 1e-9, 1 + 1e-9); /* nothing leaves the channel */
}
