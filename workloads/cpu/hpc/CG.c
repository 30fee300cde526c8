/*
 * Stands for CG of NPB: conjugate gradients with a sparse symmetric matrix whose columns are
 * anywhere. Rows have a handful of entries, so inner loops are short.
 * Arguments: rows, entries of a row on each side of the diagonal, iterations.
 */
#include "hpc.h"

#define ROWS 40000u
#define ENTRIES 32u

static u32 column[ROWS][ENTRIES];
static double value[ROWS][ENTRIES];
static u32 count[ROWS];
static double x[ROWS], r[ROWS], p[ROWS], q[ROWS];

/* q = A p; every row i has i + k(k + 1) / 2 jumps ahead and the same behind. */
static void fill(u32 rows, u32 entries)
{
#pragma omp parallel for
    for (u32 i = 0; i < rows; i++) {
        u32 c = 0;
        column[i][c] = i;
        value[i][c++] = 2.5 * entries;
        for (u32 e = 0; e < entries && c + 1 < ENTRIES; e++) {
            u32 jump = 1 + e * e * 131u % (rows / 2);
            column[i][c] = (i + jump) % rows;
            value[i][c++] = -1;
            column[i][c] = (i + rows - jump) % rows;
            value[i][c++] = -1;
        }
        count[i] = c;
    }
}

static double multiply(u32 rows)
{
    double dot = 0;
#pragma omp parallel for reduction(+ : dot)
    for (u32 i = 0; i < rows; i++) {
        double sum = 0;
        for (u32 e = 0; e < count[i]; e++)
            sum += value[i][e] * p[column[i][e]];
        q[i] = sum;
        dot += sum * p[i];
    }
    return dot;
}

int main(int argc, char **argv)
{
    u32 rows = argument(argc, argv, 1, 20000, ROWS), entries = argument(argc, argv, 2, 6, 15);
    u32 iterations = argument(argc, argv, 3, 15, 1000);
    double rho = 0, first, next;
    fill(rows, entries);
#pragma omp parallel for reduction(+ : rho)
    for (u32 i = 0; i < rows; i++) {
        r[i] = p[i] = unit_at(i);
        rho += r[i] * r[i];
    }
    first = rho;
    for (u32 k = 0; k < iterations; k++) {
        double alpha = rho / multiply(rows);
        next = 0;
#pragma omp parallel for reduction(+ : next)
        for (u32 i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            next += r[i] * r[i];
        }
        double beta = next / rho;
        rho = next;
#pragma omp parallel for
        for (u32 i = 0; i < rows; i++)
            p[i] = r[i] + beta * p[i];
    }
    return answer(sqrt(rho / first), 0, 1e-3);
}
