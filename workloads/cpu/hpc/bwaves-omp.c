/*
 * Stands for bwaves (SPEC OMP): blocks of 5 x 5 couple each cell of a grid with its neighbours; the
 * system is solved by bi-conjugate gradients (van der Vorst 1992).
 * Arguments: cells along an edge, iterations.
 */
#include "hpc.h"

#define N 5u
#define MOST 34u

typedef double grid[MOST][MOST][MOST][N];
static grid x, r, r0, p, v, s, t;
static double block[MOST][MOST][MOST][N][N];

/* y = A a */
static void multiply(grid y, grid a, u32 n)
{
#pragma omp for
    for (u32 k = 1; k <= n; k++) {
        for (u32 j = 1; j <= n; j++) {
            for (u32 i = 1; i <= n; i++) {
                double sum[N];
#pragma GCC unroll 5
                for (u32 m = 0; m < N; m++)
                    sum[m] = 7 * a[k][j][i][m] - a[k][j][i - 1][m] - a[k][j][i + 1][m] -
                             a[k][j - 1][i][m] - a[k][j + 1][i][m] - a[k - 1][j][i][m] -
                             a[k + 1][j][i][m];
                for (u32 m = 0; m < N; m++) {
                    double own = 0;
#pragma GCC unroll 5
                    for (u32 l = 0; l < N; l++)
                        own += block[k][j][i][m][l] * a[k][j][i][l];
                    y[k][j][i][m] = sum[m] + own;
                }
            }
        }
    }
}

static double partial[64];

/* The sum over all threads of a's product with b. */
static double dot(grid a, grid b, u32 n)
{
    double own = 0, sum = 0;
#pragma omp for nowait
    for (u32 k = 1; k <= n; k++) {
        for (u32 j = 1; j <= n; j++) {
            for (u32 i = 1; i <= n; i++) {
#pragma GCC unroll 5
                for (u32 m = 0; m < N; m++)
                    own += a[k][j][i][m] * b[k][j][i][m];
            }
        }
    }
    partial[omp_get_thread_num()] = own;
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); i++)
        sum += partial[i];
#pragma omp barrier
    return sum;
}

/* a = b + c x + d y */
static void combine(grid a, grid b, double c, grid y, double d, grid w, u32 n)
{
#pragma omp for
    for (u32 k = 1; k <= n; k++) {
        for (u32 j = 1; j <= n; j++) {
            for (u32 i = 1; i <= n; i++) {
#pragma GCC unroll 5
                for (u32 m = 0; m < N; m++)
                    a[k][j][i][m] = b[k][j][i][m] + c * y[k][j][i][m] + d * w[k][j][i][m];
            }
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 14, MOST - 2), steps = argument(argc, argv, 2, 12, 1000);
    double first = 0, last = 0;
#pragma omp parallel
    {
#pragma omp for
        for (u32 k = 1; k <= n; k++) {
            for (u32 i = 0; i < n * n * N; i++) {
                u32 at = i / N, m = i % N;
                double(*b)[N] = block[k][1 + at / n][1 + at % n];
                r[k][1 + at / n][1 + at % n][m] = unit_at((u64)k * n * n * N + i);
                for (u32 l = 0; l < N; l++)
                    b[m][l] = 0.1 * unit_at(((u64)k * n * n * N + i) * N + l);
            }
        }
        combine(r0, r, 0, v, 0, v, n);
        combine(p, r, 0, v, 0, v, n);
        double rho = dot(r, r0, n), start = rho;
        for (u32 i = 0; i < steps; i++) {
            multiply(v, p, n);
            double alpha = rho / dot(r0, v, n);
            combine(s, r, -alpha, v, 0, v, n);
            multiply(t, s, n);
            double omega = dot(t, s, n) / dot(t, t, n);
            combine(x, x, alpha, p, omega, s, n);
            combine(r, s, -omega, t, 0, t, n);
            double next = dot(r, r0, n), beta = next / rho * alpha / omega;
            rho = next;
            combine(p, r, beta, p, -beta * omega, v, n);
        }
        double end = dot(r, r, n);
#pragma omp master
        first = start, last = end;
    }
    return answer(sqrt(last / first), 0, 1e-3);
}
