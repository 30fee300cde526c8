/*
 * Stands for MG of NPB: V-cycles of a multigrid solver for Poisson's equation on a cube with
 * stencils of 7 and 27 points.
 * Arguments: log of the points along an edge, cycles.
 */
#include "hpc.h"

#define LEVELS 6u
#define MOST 66u

static double u[LEVELS][MOST][MOST][MOST], f[LEVELS][MOST][MOST][MOST], r[LEVELS][MOST][MOST][MOST];

static void smooth(u32 l, u32 n)
{
    for (u32 colour = 0; colour < 2; colour++) {
#pragma omp parallel for
        for (u32 k = 1; k < n; k++) {
            for (u32 j = 1; j < n; j++) {
                for (u32 i = 1 + (k + j + colour) % 2; i < n; i += 2)
                    u[l][k][j][i] =
                        (f[l][k][j][i] + u[l][k][j][i - 1] + u[l][k][j][i + 1] + u[l][k][j - 1][i] +
                         u[l][k][j + 1][i] + u[l][k - 1][j][i] + u[l][k + 1][j][i]) /
                        6;
            }
        }
    }
}

static double residual(u32 l, u32 n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (u32 k = 1; k < n; k++) {
        for (u32 j = 1; j < n; j++) {
            for (u32 i = 1; i < n; i++) {
                double d = f[l][k][j][i] - 6 * u[l][k][j][i] + u[l][k][j][i - 1] +
                           u[l][k][j][i + 1] + u[l][k][j - 1][i] + u[l][k][j + 1][i] +
                           u[l][k - 1][j][i] + u[l][k + 1][j][i];
                r[l][k][j][i] = d;
                sum += d * d;
            }
        }
    }
    return sqrt(sum);
}

/* Full weighting: a half in each direction. */
static void restrict_residual(u32 l, u32 n)
{
#pragma omp parallel for
    for (u32 k = 1; k < n / 2; k++) {
        for (u32 j = 1; j < n / 2; j++) {
            for (u32 i = 1; i < n / 2; i++) {
                double sum = 0;
#pragma GCC unroll 9
                for (u32 a = 0; a < 9; a++) {
                    const double *row = r[l][2 * k + a / 3 - 1][2 * j + a % 3 - 1];
                    double w = (a / 3 == 1 ? 0.5 : 0.25) * (a % 3 == 1 ? 0.5 : 0.25);
                    sum += w * (0.5 * row[2 * i] + 0.25 * (row[2 * i - 1] + row[2 * i + 1]));
                }
                f[l + 1][k][j][i] = 4 * sum;
                u[l + 1][k][j][i] = 0;
            }
        }
    }
}

static void interpolate(u32 l, u32 n)
{
#pragma omp parallel for
    for (u32 k = 1; k < n; k++) {
        for (u32 j = 1; j < n; j++) {
            const double *a = u[l + 1][k / 2][j / 2], *b = u[l + 1][k / 2][(j + 1) / 2],
                         *c = u[l + 1][(k + 1) / 2][j / 2], *d = u[l + 1][(k + 1) / 2][(j + 1) / 2];
            for (u32 i = 1; i < n; i++) {
                u32 low = i / 2, high = (i + 1) / 2;
                u[l][k][j][i] += 0.125 * (a[low] + a[high] + b[low] + b[high] + c[low] + c[high] +
                                          d[low] + d[high]);
            }
        }
    }
}

static void cycle(u32 l, u32 levels, u32 n)
{
    for (u32 s = 0; s < 2; s++)
        smooth(l, n);
    if (l + 1 < levels) {
        residual(l, n);
        restrict_residual(l, n);
        cycle(l + 1, levels, n / 2);
        interpolate(l, n);
    }
    for (u32 s = 0; s < (l + 1 < levels ? 2 : 20); s++)
        smooth(l, n);
}

int main(int argc, char **argv)
{
    u32 log_n = argument(argc, argv, 1, 5, 6), cycles = argument(argc, argv, 2, 4, 100);
    u32 n = 1u << log_n;
#pragma omp parallel for
    for (u32 k = 1; k < n; k++) {
        for (u32 i = 0; i < (n - 1) * (n - 1); i++)
            f[0][k][1 + i / (n - 1)][1 + i % (n - 1)] = unit_at((u64)k * n * n + i) - 0.5;
    }
    double before = residual(0, n);
    for (u32 c = 0; c < cycles; c++)
        cycle(0, log_n - 1, n);
    return answer(residual(0, n) / before, 0, 0.01);
}
