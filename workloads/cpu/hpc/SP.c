/*
 * Stands for SP of NPB: scalar pentadiagonal systems along every line of a grid, in three
 * directions, five at once. The right side is made from a known solution.
 * Arguments: points along an edge, time steps.
 */
#include "hpc.h"

#define N 5
#define MOST 64u

static double field[MOST][MOST][MOST][N];

/* Coefficients at a point of a line: dominated by the middle one. */
static inline void coefficients(double s, double c[5])
{
    c[0] = 0.05 + 0.01 * s;
    c[1] = -0.8 - 0.1 * s;
    c[2] = 3 + s;
    c[3] = -0.8 + 0.1 * s;
    c[4] = 0.05 - 0.01 * s;
}

static double solve_line(double *x, u32 n, u32 stride)
{
    static _Thread_local double c[MOST + 4][5], r[MOST + 4][N];
    double worst = 0;
    for (u32 i = 0; i < n; i++) {
        coefficients(x[i * stride], c[i]);
        for (u32 m = 0; m < N; m++)
            r[i][m] = c[i][2] * x[i * stride + m];
        for (u32 o = 0; o < 5; o++) {
            u32 at = i + o - 2;
            if (o == 2 || at >= n)
                continue;
            for (u32 m = 0; m < N; m++)
                r[i][m] += c[i][o] * x[at * stride + m];
        }
    }
    for (u32 i = 0; i < n; i++) { /* what is left of the diagonal goes, a column at a time */
        double pivot = 1 / c[i][2];
        c[i][3] *= pivot;
        c[i][4] *= pivot;
        for (u32 m = 0; m < N; m++)
            r[i][m] *= pivot;
        if (i + 1 < n) {
            double f = c[i + 1][1];
            c[i + 1][2] -= f * c[i][3];
            c[i + 1][3] -= f * c[i][4];
            for (u32 m = 0; m < N; m++)
                r[i + 1][m] -= f * r[i][m];
        }
        if (i + 2 < n) {
            double f = c[i + 2][0];
            c[i + 2][1] -= f * c[i][3];
            c[i + 2][2] -= f * c[i][4];
            for (u32 m = 0; m < N; m++)
                r[i + 2][m] -= f * r[i][m];
        }
    }
    for (u32 i = n; i-- > 0;) {
        for (u32 m = 0; m < N; m++) {
            if (i + 1 < n)
                r[i][m] -= c[i][3] * r[i + 1][m];
            if (i + 2 < n)
                r[i][m] -= c[i][4] * r[i + 2][m];
            worst = fmax(worst, fabs(r[i][m] - x[i * stride + m]));
        }
    }
    return worst;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 32, MOST), steps = argument(argc, argv, 2, 2, 1000);
    double worst = 0;
#pragma omp parallel for
    for (u32 k = 0; k < n; k++) {
        for (u32 i = 0; i < n * n * N; i++)
            field[k][i / N / n][i / N % n][i % N] = unit_at((u64)k * n * n * N + i);
    }
    for (u32 s = 0; s < steps; s++) {
#pragma omp parallel for reduction(max : worst)
        for (u32 k = 0; k < n; k++) {
            for (u32 j = 0; j < n; j++) {
                worst = fmax(worst, solve_line(field[k][j][0], n, N));
                worst = fmax(worst, solve_line(field[k][0][j], n, MOST * N));
            }
        }
#pragma omp parallel for reduction(max : worst)
        for (u32 j = 0; j < n; j++) {
            for (u32 i = 0; i < n; i++)
                worst = fmax(worst, solve_line(field[0][j][i], n, MOST * MOST * N));
        }
    }
    return answer(worst, 0, 1e-9);
}
