/*
 * Stands for UA of NPB: heat spreads over a grid whose cells are refined where a source moves. What
 * is to be done at a cell depends on its neighbours' sizes: a kernel for each kind, called through
 * a pointer.
 * Arguments: coarse cells along an edge, steps.
 */
#include "hpc.h"

#define MOST 128u
#define FINE 4u

/* A coarse cell is whole, or FINE x FINE. */
static struct cell {
    double heat[FINE][FINE], next[FINE][FINE];
    u32 parts; /* along an edge: 1, 2 or 4 */
} cells[MOST + 2][MOST + 2];

/* The heat of a cell's side as seen from outside. */
static double side(const struct cell *c, u32 dx, u32 dy, u32 k, u32 of)
{
    u32 at = k * c->parts / of, last = c->parts - 1;
    return dx == 2   ? c->heat[at][0]
           : dx == 0 ? c->heat[at][last]
           : dy == 2 ? c->heat[0][at]
                     : c->heat[last][at];
}

typedef void kernel(struct cell *c, u32 row, u32 column, double k);

/* Kernels by the number of parts: loops of known length, over the cell and a rim of its neighbours'
 * heat. */
#define KERNEL(n)                                                                                  \
    static void spread##n(struct cell *c, u32 row, u32 column, double k)                           \
    {                                                                                              \
        double h[n + 2][n + 2];                                                                    \
        for (u32 i = 0; i < n; i++) {                                                              \
            h[i + 1][0] = side(&cells[row][column - 1], 0, 1, i, n);                               \
            h[i + 1][n + 1] = side(&cells[row][column + 1], 2, 1, i, n);                           \
            h[0][i + 1] = side(&cells[row - 1][column], 1, 0, i, n);                               \
            h[n + 1][i + 1] = side(&cells[row + 1][column], 1, 2, i, n);                           \
            for (u32 x = 0; x < n; x++)                                                            \
                h[i + 1][x + 1] = c->heat[i][x];                                                   \
        }                                                                                          \
        for (u32 y = 1; y <= n; y++) {                                                             \
            for (u32 x = 1; x <= n; x++)                                                           \
                c->next[y - 1][x - 1] = h[y][x] + k * (h[y][x - 1] + h[y][x + 1] + h[y - 1][x] +   \
                                                       h[y + 1][x] - 4 * h[y][x]);                 \
        }                                                                                          \
    }
KERNEL(1)
KERNEL(2)
KERNEL(4)

static kernel *const kernels[5] = {[1] = spread1, [2] = spread2, [4] = spread4};

static void refine(struct cell *c, u32 parts)
{
    double mean = 0;
    if (c->parts == parts)
        return;
    for (u32 y = 0; y < c->parts; y++) {
        for (u32 x = 0; x < c->parts; x++)
            mean += c->heat[y][x];
    }
    mean /= c->parts * c->parts;
    c->parts = parts;
    for (u32 y = 0; y < parts; y++) {
        for (u32 x = 0; x < parts; x++)
            c->heat[y][x] = mean;
    }
}

static u32 parts_at(u32 row, u32 column, double x, double y)
{
    double dx = column - x, dy = row - y, d = dx * dx + dy * dy;
    return d < 150 ? 4 : d < 500 ? 2 : 1;
}

static double step(u32 n, double x, double y)
{
    double hottest = 0;
#pragma omp parallel reduction(max : hottest)
    {
#pragma omp for
        for (u32 row = 1; row <= n; row++) {
            for (u32 column = 1; column <= n; column++)
                refine(&cells[row][column], parts_at(row, column, x, y));
        }
#pragma omp for
        for (u32 row = 1; row <= n; row++) {
            for (u32 column = 1; column <= n; column++)
                kernels[cells[row][column].parts](&cells[row][column], row, column, 0.2);
        }
#pragma omp for
        for (u32 row = 1; row <= n; row++) {
            for (u32 column = 1; column <= n; column++) {
                struct cell *c = &cells[row][column];
                double source = c->parts == 4 ? 1 : 0;
                for (u32 b = 0; b < c->parts; b++) {
                    for (u32 a = 0; a < c->parts; a++) {
                        c->heat[b][a] = c->next[b][a] + source;
                        hottest = fmax(hottest, c->heat[b][a]);
                    }
                }
            }
        }
    }
    return hottest;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 64, MOST), steps = argument(argc, argv, 2, 60, 10000);
    double hottest = 0, last = 0;
#pragma omp parallel for
    for (u32 row = 0; row < n + 2; row++) {
        for (u32 column = 0; column < n + 2; column++)
            cells[row][column].parts = 1;
    }
    for (u32 s = 0; s < steps; s++) {
        last = step(n, n * (0.3 + 0.4 * s / steps), n * 0.5);
        hottest = fmax(hottest, last);
    }
    /* the source brings 1 a step: the middle is warmer than one step's and no warmer than all */
    return answer(hottest, 1, steps);
}
