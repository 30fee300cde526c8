/*
 * Stands for CoGL (ExMatEx): a Ginzburg-Landau model of a ferroelastic transition in two
 * dimensions. The strain relaxes towards the wells of an energy of sixth order with gradient terms,
 * boundaries are periodic; one thread analyses the domains by a Fourier sum and least squares.
 * Arguments: points along an edge, steps, modes that are analysed in a step.
 */
#include "library.h"

#define MOST 128u

static double e2[MOST][MOST], next[MOST][MOST], e1[MOST][MOST], e3[MOST][MOST];

static inline u32 around(u32 i, int by, u32 n)
{
    return (i + n + (u32)by) % n;
}

static void relax(u32 n, double tau)
{
    const double well[3] = {3, -4, tau};
#pragma omp parallel for
    for (u32 y = 0; y < n; y++) {
        for (u32 x = 0; x < n; x++) {
            u32 w = around(x, -1, n), e = around(x, 1, n), s = around(y, -1, n),
                t = around(y, 1, n);
            double c = e2[y][x], c2 = c * c;
            const double side[4] = {e2[y][w], e2[y][e], e2[s][x], e2[t][x]};
            const double corner[4] = {e2[s][w], e2[s][e], e2[t][w], e2[t][e]};
            double laplace = 0, cross = 0, bulk = 0;
            for (u32 k = 0; k < 4; k++) {
                laplace += side[k] - c;
                cross += k == 0 || k == 3 ? corner[k] : -corner[k];
            }
            for (u32 k = 0; k < 3; k++) /* tau - 4 c^2 + 3 c^4, by Horner's rule */
                bulk = bulk * c2 + well[k];
            bulk *= c;
            e1[y][x] = 0.9 * e1[y][x] + 0.01 * cross;
            e3[y][x] = 0.9 * e3[y][x] - 0.01 * laplace;
            next[y][x] = c + 0.05 * (laplace - bulk) + 0.001 * (e1[y][x] - e3[y][x]);
            if (next[y][x] > 2)
                next[y][x] = 2;
            if (next[y][x] < -2)
                next[y][x] = -2;
        }
    }
#pragma omp parallel for
    for (u32 y = 0; y < n; y++)
        memcpy(e2[y], next[y], n * sizeof **next);
}

/* One thread: amplitudes of waves along x, and a parabola through their logarithms. */
static double analyse(u32 n, u32 modes)
{
    double a[3 * 32], b[32], s[9], u[9], vt[9], square[9] = {0};
    for (u32 m = 0; m < modes; m++) {
        double re = 0, im = 0;
        for (u32 x = 0; x < n; x++) {
            double angle = 2 * M_PI * (m + 1) * x / n, v = e2[(7 * m) % n][x];
            re += v * cos(angle);
            im += v * sin(angle);
        }
        b[m] = log(1 + re * re + im * im);
        a[m] = 1;
        a[modes + m] = m;
        a[2 * modes + m] = m * m;
    }
    for (u32 i = 0; i < 9; i++) {
        for (u32 m = 0; m < modes; m++)
            square[i] += a[i / 3 * modes + m] * a[i % 3 * modes + m];
    }
    if (least_squares(a, b, (int)modes, 3) || singular_values(square, s, u, vt, 3))
        return NAN;
    return b[0] + s[0];
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 80, MOST), steps = argument(argc, argv, 2, 60, 1000);
    u32 modes = argument(argc, argv, 3, 6, 32);
    double in_wells = 0, seen = library_survey() ? NAN : 0;
#pragma omp parallel for
    for (u32 y = 0; y < n; y++) {
        for (u32 x = 0; x < n; x++)
            e2[y][x] = unit_at((u64)y * n + x) - 0.5;
    }
    for (u32 s = 0; s < steps; s++) {
        relax(n, -2);
        if (s % 8 == 0)
            seen += analyse(n, modes);
    }
#pragma omp parallel for reduction(+ : in_wells)
    for (u32 y = 0; y < n; y++) {
        for (u32 x = 0; x < n; x++)
            in_wells += fabs(e2[y][x]) > 0.6;
    }
    return answer(isnan(seen) ? 0 : in_wells / (n * n), 0.5, 1);
}
