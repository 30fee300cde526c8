/*
 * Stands for BT of NPB: block-tridiagonal systems with blocks of 5 x 5 along every line of a grid,
 * in three directions. Solved by block elimination; the right side is made from a known solution.
 * Arguments: points along an edge, time steps.
 */
#include "hpc.h"

#define N 5
#define MOST 40u

typedef double block[N][N];
typedef double vector[N];
static vector field[MOST][MOST][MOST];

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 5")

/* c -= a b */
INLINE void multiply_subtract(block c, const block a, const block b)
{
    UNROLL for (int i = 0; i < N; i++)
    {
        UNROLL for (int j = 0; j < N; j++)
        {
            double sum = c[i][j];
            UNROLL for (int k = 0; k < N; k++) sum -= a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}

/* y -= a x, or y += a x */
INLINE void apply(vector y, const block a, const vector x, double sign)
{
    UNROLL for (int i = 0; i < N; i++)
    {
        double sum = 0;
        UNROLL for (int k = 0; k < N; k++) sum += a[i][k] * x[k];
        y[i] += sign * sum;
    }
}

/* c = b^-1 c, r = b^-1 r; b is dominated by its diagonal. */
INLINE void eliminate(block b, block c, vector r)
{
    for (int p = 0; p < N; p++) {
        double pivot = 1 / b[p][p];
        UNROLL for (int j = 0; j < N; j++)
        {
            b[p][j] *= pivot;
            c[p][j] *= pivot;
        }
        r[p] *= pivot;
        UNROLL for (int i = 0; i < N; i++)
        {
            double f = b[i][p] * (i != p);
            UNROLL for (int j = 0; j < N; j++)
            {
                b[i][j] -= f * b[p][j];
                c[i][j] -= f * c[p][j];
            }
            r[i] -= f * r[p];
        }
    }
}

INLINE void make_block(block m, double diagonal, double off, double s)
{
    UNROLL for (int i = 0; i < N; i++)
    {
        UNROLL for (int j = 0; j < N; j++) m[i][j] = off * (1 + 0.1 * s * (i - j));
        m[i][i] += diagonal;
    }
}

/* A line of n points `stride` vectors apart, whose solution is x. Largest error. */
static double solve_line(vector *x, u32 n, u32 stride)
{
    static _Thread_local block a[MOST], b[MOST], c[MOST];
    static _Thread_local vector r[MOST];
    double worst = 0;
    for (u32 i = 0; i < n; i++) {
        make_block(a[i], -1, 0.02, x[i * stride][0]);
        make_block(b[i], 4, 0.05, x[i * stride][1]);
        make_block(c[i], -1, 0.03, x[i * stride][2]);
        memset(r[i], 0, sizeof r[i]);
        apply(r[i], b[i], x[i * stride], 1);
        if (i > 0)
            apply(r[i], a[i], x[(i - 1) * stride], 1);
        if (i + 1 < n)
            apply(r[i], c[i], x[(i + 1) * stride], 1);
    }
    eliminate(b[0], c[0], r[0]);
    for (u32 i = 1; i < n; i++) {
        apply(r[i], a[i], r[i - 1], -1);
        multiply_subtract(b[i], a[i], c[i - 1]);
        eliminate(b[i], c[i], r[i]);
    }
    for (u32 i = n - 1; i-- > 0;)
        apply(r[i], c[i], r[i + 1], -1);
    for (u32 i = 0; i < n; i++) {
        UNROLL for (int k = 0; k < N; k++) worst = fmax(worst, fabs(r[i][k] - x[i * stride][k]));
    }
    return worst;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 12, MOST), steps = argument(argc, argv, 2, 3, 1000);
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
                worst = fmax(worst, solve_line(&field[k][j][0], n, 1));
                worst = fmax(worst, solve_line(&field[k][0][j], n, MOST));
            }
        }
#pragma omp parallel for reduction(max : worst)
        for (u32 j = 0; j < n; j++) {
            for (u32 i = 0; i < n; i++)
                worst = fmax(worst, solve_line(&field[0][j][i], n, MOST * MOST));
        }
    }
    return answer(worst, 0, 1e-9);
}
