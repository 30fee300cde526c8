/*
 * Stands for botsspar (SPEC OMP; Barcelona OpenMP tasks): LU factors of a matrix of blocks, many of
 * them empty, with a task for each block. All loops have the same constant length.
 * Arguments: blocks along an edge.
 */
#include "hpc.h"

#define MOST 32u
#define B 25u

static double block[MOST][MOST][B][B], original[MOST][MOST][B][B];
static bool is_there[MOST][MOST];

static void factor(double d[B][B])
{
    for (u32 k = 0; k < B; k++) {
        for (u32 i = k + 1; i < B; i++) {
            d[i][k] /= d[k][k];
            for (u32 j = k + 1; j < B; j++)
                d[i][j] -= d[i][k] * d[k][j];
        }
    }
}

/* a = l^-1 a */
static void forward(const double d[B][B], double a[B][B])
{
    for (u32 k = 0; k < B; k++) {
        for (u32 i = k + 1; i < B; i++) {
            for (u32 j = 0; j < B; j++)
                a[i][j] -= d[i][k] * a[k][j];
        }
    }
}

/* a = a u^-1 */
static void divide(const double d[B][B], double a[B][B])
{
    for (u32 i = 0; i < B; i++) {
        for (u32 k = 0; k < B; k++) {
            a[i][k] /= d[k][k];
            for (u32 j = k + 1; j < B; j++)
                a[i][j] -= a[i][k] * d[k][j];
        }
    }
}

static void multiply(const double a[B][B], const double b[B][B], double c[B][B])
{
    for (u32 i = 0; i < B; i++) {
        for (u32 k = 0; k < B; k++) {
            double f = a[i][k];
            for (u32 j = 0; j < B; j++)
                c[i][j] -= f * b[k][j];
        }
    }
}

static void factor_all(u32 n)
{
    for (u32 k = 0; k < n; k++) {
        factor(block[k][k]);
        for (u32 j = k + 1; j < n; j++) {
            if (is_there[k][j]) {
#pragma omp task firstprivate(k, j)
                forward(block[k][k], block[k][j]);
            }
            if (is_there[j][k]) {
#pragma omp task firstprivate(k, j)
                divide(block[k][k], block[j][k]);
            }
        }
#pragma omp taskwait
        for (u32 i = k + 1; i < n; i++) {
            for (u32 j = k + 1; is_there[i][k] && j < n; j++) {
                if (!is_there[k][j])
                    continue;
                is_there[i][j] = true;
#pragma omp task firstprivate(k, i, j)
                multiply(block[i][k], block[k][j], block[i][j]);
            }
        }
#pragma omp taskwait
    }
}

/* The first block row of L U, beside the matrix. */
static double error_of(u32 b)
{
    double worst = 0;
    for (u32 i = 0; i < B; i++) {
        for (u32 j = 0; j < B; j++) {
            double sum = i <= j || b ? block[0][b][i][j] : 0;
            for (u32 k = 0; k < i && (b || k <= j); k++)
                sum += block[0][0][i][k] * block[0][b][k][j];
            worst = fmax(worst, fabs(sum - original[0][b][i][j]));
        }
    }
    return worst;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 12, MOST);
    double worst = 0;
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        for (u32 j = 0; j < n; j++) {
            is_there[i][j] = i == j || (i + 2 * j) % 3 == 0 || i + 1 == j || j + 1 == i;
            for (u32 e = 0; is_there[i][j] && e < B * B; e++)
                original[i][j][e / B][e % B] = block[i][j][e / B][e % B] =
                    unit_at(((u64)i * n + j) * B * B + e) +
                    (i == j && e / B == e % B ? 2. * B * n : 0);
        }
    }
    /* tasks are done at the barrier behind the single thread, within the region */
#pragma omp parallel reduction(max : worst)
    {
#pragma omp single
        factor_all(n);
#pragma omp for
        for (u32 b = 0; b < n; b++)
            worst = fmax(worst, error_of(b));
    }
    return answer(worst, 0, 1e-9);
}
