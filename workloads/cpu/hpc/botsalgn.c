/*
 * Stands for botsalgn (SPEC OMP; Barcelona OpenMP tasks): every pair of a set of proteins is
 * aligned globally, a task for each pair; the cost of a gap has an opening and an extension.
 * Arguments: proteins, residues of each.
 */
#include "hpc.h"

#define MOST 64u
#define LENGTH 256u
#define KINDS 20u

static u8 protein[MOST][LENGTH];
static int score[MOST][MOST];
static int substitution[KINDS][KINDS];

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Gotoh 1982: three tables, of which two rows are kept. */
static int align(const u8 *a, const u8 *b, u32 n)
{
    int best[LENGTH + 1], gap_a[LENGTH + 1];
    best[0] = 0;
    for (u32 j = 1; j <= n; j++) {
        best[j] = -10 - (int)j;
        gap_a[j] = -1000000;
    }
    for (u32 i = 1; i <= n; i++) {
        int diagonal = best[0], gap_b = -1000000;
        const int *row = substitution[a[i - 1]];
        best[0] = -10 - (int)i;
        for (u32 j = 1; j <= n; j++) {
            int up = best[j];
            gap_a[j] = larger(gap_a[j] - 1, up - 11);
            gap_b = larger(gap_b - 1, best[j - 1] - 11);
            int h = diagonal + row[b[j - 1]];
            if (gap_a[j] > h)
                h = gap_a[j];
            if (gap_b > h)
                h = gap_b;
            best[j] = h;
            diagonal = up;
        }
    }
    return best[n];
}

int main(int argc, char **argv)
{
    u32 count = argument(argc, argv, 1, 20, MOST), n = argument(argc, argv, 2, 100, LENGTH);
    u32 wrong = 0;
#pragma omp parallel for
    for (u32 p = 0; p < count; p++) {
        for (u32 i = 0; i < n; i++)
            protein[p][i] = (u8)(KINDS * unit_at((u64)p * LENGTH + i));
    }
#pragma omp parallel for
    for (u32 a = 0; a < KINDS; a++) {
        for (u32 b = 0; b < KINDS; b++)
            substitution[a][b] =
                a == b ? 6 : (int)(5 * unit_at(a < b ? a * KINDS + b : b * KINDS + a)) - 3;
    }
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
        for (u32 p = 0; p < count; p++) {
            for (u32 q = 0; q < count; q++) {
#pragma omp task firstprivate(p, q)
                score[p][q] = align(protein[p], protein[q], n);
            }
#pragma omp taskwait
        }
    }
#pragma omp parallel for reduction(+ : wrong)
    for (u32 p = 0; p < count; p++) {
        for (u32 q = 0; q < count; q++)
            wrong += score[p][q] != score[q][p] || score[p][q] > score[p][p];
    }
    return answer(wrong, 0, 0);
}
