/*
 * Stands for swim (SPEC OMP): the shallow-water equations on a periodic grid, by Sadourny's scheme
 * with a time filter.
 * Arguments: points along an edge, steps.
 */
#include "hpc.h"

#define MOST 258u

static double u[MOST][MOST], v[MOST][MOST], p[MOST][MOST], nu[MOST][MOST], nv[MOST][MOST],
    np[MOST][MOST], cu[MOST][MOST], cv[MOST][MOST], z[MOST][MOST], h[MOST][MOST];

/* Rows and columns beyond the edge are those of the other side. */
static void wrap(double a[MOST][MOST], u32 n)
{
#pragma omp for
    for (u32 i = 1; i <= n; i++) {
        a[i][0] = a[i][n];
        a[i][n + 1] = a[i][1];
        a[0][i] = a[n][i];
        a[n + 1][i] = a[1][i];
    }
}

static void fluxes(u32 n)
{
#pragma omp for
    for (u32 j = 1; j <= n; j++) {
        for (u32 i = 1; i <= n; i++) {
            cu[j][i] = 0.5 * (p[j][i] + p[j][i - 1]) * u[j][i];
            cv[j][i] = 0.5 * (p[j][i] + p[j - 1][i]) * v[j][i];
            z[j][i] = (4 * (v[j][i] - v[j][i - 1]) - 4 * (u[j][i] - u[j - 1][i])) /
                      (p[j][i] + p[j][i - 1] + p[j - 1][i] + p[j - 1][i - 1]);
            h[j][i] = p[j][i] + 0.25 * (u[j][i] * u[j][i] + u[j][i + 1] * u[j][i + 1] +
                                        v[j][i] * v[j][i] + v[j + 1][i] * v[j + 1][i]);
        }
    }
    wrap(cu, n);
    wrap(cv, n);
    wrap(z, n);
    wrap(h, n);
}

static void advance(u32 n, double dt)
{
#pragma omp for
    for (u32 j = 1; j <= n; j++) {
        for (u32 i = 1; i <= n; i++) {
            nu[j][i] = u[j][i] +
                       dt / 8 * (z[j + 1][i] + z[j][i]) *
                           (cv[j + 1][i] + cv[j + 1][i - 1] + cv[j][i - 1] + cv[j][i]) -
                       dt * (h[j][i] - h[j][i - 1]);
            nv[j][i] = v[j][i] -
                       dt / 8 * (z[j][i + 1] + z[j][i]) *
                           (cu[j][i + 1] + cu[j][i] + cu[j - 1][i] + cu[j - 1][i + 1]) -
                       dt * (h[j][i] - h[j - 1][i]);
            np[j][i] = p[j][i] - dt * (cu[j][i + 1] - cu[j][i]) - dt * (cv[j + 1][i] - cv[j][i]);
        }
    }
#pragma omp for
    for (u32 j = 1; j <= n; j++) {
        for (u32 i = 1; i <= n; i++) {
            u[j][i] = nu[j][i];
            v[j][i] = nv[j][i];
            p[j][i] = np[j][i];
        }
    }
    wrap(u, n);
    wrap(v, n);
    wrap(p, n);
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 128, MOST - 2), steps = argument(argc, argv, 2, 14, 10000);
    double before = 0, after = 0;
#pragma omp parallel reduction(+ : before, after)
    {
#pragma omp for
        for (u32 j = 1; j <= n; j++) {
            for (u32 i = 1; i <= n; i++) {
                p[j][i] = 50 + 0.1 * unit_at((u64)j * n + i);
                u[j][i] = 0.1 * unit_at(~((u64)j * n + i));
                v[j][i] = 0;
                before += p[j][i];
            }
        }
        wrap(u, n);
        wrap(v, n);
        wrap(p, n);
        for (u32 s = 0; s < steps; s++) {
            fluxes(n);
            advance(n, 1e-3);
        }
#pragma omp for
        for (u32 j = 1; j <= n; j++) {
            for (u32 i = 1; i <= n; i++)
                after += p[j][i];
        }
    }
    return answer(after / before, 1 - 1e-9, 1 + 1e-9); /* no water is lost */
}
