/*
 * Stands for LU of NPB: symmetric successive over-relaxation of a system of five unknowns at every
 * point of a grid. The sweeps go over planes of points whose neighbours are done, upwards and
 * downwards, with a barrier between two planes.
 * Arguments: points along an edge, steps.
 */
#include "hpc.h"

#define N 5
#define MOST 48u

static double u[MOST][MOST][MOST][N], f[MOST][MOST][MOST][N];

static inline double *at(u32 k, u32 j, u32 i)
{
    return u[k][j][i];
}

/* One point, from its six neighbours. */
static void relax(u32 k, u32 j, u32 i)
{
    const double *w = at(k, j, i - 1), *e = at(k, j, i + 1), *s = at(k, j - 1, i),
                 *n = at(k, j + 1, i), *d = at(k - 1, j, i), *p = at(k + 1, j, i);
    double *x = at(k, j, i), around[N];
#pragma GCC unroll 5
    for (u32 m = 0; m < N; m++)
        around[m] = w[m] + e[m] + s[m] + n[m] + d[m] + p[m];
    double mean = 0.02 * (around[0] + around[1] + around[2] + around[3] + around[4]);
#pragma GCC unroll 5
    for (u32 m = 0; m < N; m++)
        x[m] += 1.2 * ((f[k][j][i][m] + around[m] + mean) / 8 - x[m]);
}

/* All points with i + j + k = plane, rows shared out. */
static void plane_rows(u32 n, u32 plane)
{
#pragma omp for
    for (u32 k = 1; k < n - 1; k++) {
        for (u32 j = 1; j < n - 1; j++) {
            u32 i = plane - k - j;
            if (i - 1 < n - 2)
                relax(k, j, i);
        }
    }
}

/* How far the equations are from being met. */
static double residual(u32 n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (u32 k = 1; k < n - 1; k++) {
        for (u32 j = 1; j < n - 1; j++) {
            for (u32 i = 1; i < n - 1; i++) {
                double a = 0;
                for (u32 m = 0; m < N; m++)
                    a += at(k, j, i - 1)[m] + at(k, j, i + 1)[m] + at(k, j - 1, i)[m] +
                         at(k, j + 1, i)[m] + at(k - 1, j, i)[m] + at(k + 1, j, i)[m];
                for (u32 m = 0; m < N; m++) {
                    double own = at(k, j, i - 1)[m] + at(k, j, i + 1)[m] + at(k, j - 1, i)[m] +
                                 at(k, j + 1, i)[m] + at(k - 1, j, i)[m] + at(k + 1, j, i)[m];
                    double r = f[k][j][i][m] + own + 0.02 * a - 8 * at(k, j, i)[m];
                    sum += r * r;
                }
            }
        }
    }
    return sqrt(sum);
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 24, MOST), steps = argument(argc, argv, 2, 12, 1000);
#pragma omp parallel for
    for (u32 k = 0; k < n; k++) {
        for (u32 i = 0; i < n * n * N; i++)
            f[k][i / N / n][i / N % n][i % N] = unit_at((u64)k * n * n * N + i);
    }
    double before = residual(n);
#pragma omp parallel
    for (u32 s = 0; s < steps; s++) {
        for (u32 plane = 3; plane <= 3 * (n - 2); plane++)
            plane_rows(n, plane);
        for (u32 plane = 3 * (n - 2); plane >= 3; plane--)
            plane_rows(n, plane);
    }
    return answer(residual(n) / before, 0, 0.05);
}
