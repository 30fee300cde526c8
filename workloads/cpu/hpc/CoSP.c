/*
 * Stands for CoSP (ExMatEx): the density matrix of a system of atoms by second-order spectral
 * projection (Niklasson 2002) with sparse rows; one thread makes the Hamiltonian and analyses the
 * dense block of the first atoms (LAPACK).
 * Arguments: rows, rows of the dense block, steps.
 */
#include "library.h"

#define ROWS 2048u
#define ROOM 64u
#define DENSE 48

struct row {
    u32 count, column[ROOM];
    double value[ROOM];
};
static struct row x[ROWS], y[ROWS];

static void hamiltonian(u32 n)
{
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        struct row *r = &x[i];
        r->count = 0;
        for (int d = -4; d <= 4; d++) {
            u32 c = i + (u32)d;
            if (c >= n)
                continue;
            u64 key = (u64)(d < 0 ? c : i) * ROWS + (d < 0 ? i : c);
            r->column[r->count] = c;
            r->value[r->count++] = d ? 0.05 * unit_at(key) / (d * d) : i % 2 ? 0.8 : 0.2;
        }
    }
}

/* y = x x, row by row; entries near 0 are dropped. */
static double square(u32 n)
{
    double trace = 0;
#pragma omp parallel for reduction(+ : trace)
    for (u32 i = 0; i < n; i++) {
        double sum[ROWS];
        u8 is_in[ROWS];
        u32 list[ROWS], count = 0;
        const struct row *a = &x[i];
        double weight = 0;
        u32 low = i > 256 ? i - 256 : 0, high = i + 256 < n ? i + 256 : n;
        memset(is_in + low, 0, high - low);
        for (u32 k = 0; k < a->count; k++) {
            const struct row *b = &x[a->column[k]];
            double f = a->value[k];
            for (u32 m = 0; m < b->count; m++) {
                u32 c = b->column[m];
                if (!is_in[c]) {
                    is_in[c] = 1;
                    sum[c] = 0;
                    list[count++] = c;
                }
                double term = f * b->value[m];
                sum[c] += term;
                weight += term * term;
            }
        }
        struct row *r = &y[i];
        double least = 1e-4 + 1e-9 * weight;
        r->count = 0;
        for (u32 k = 0; k < count; k++) {
            u32 c = list[k];
            if ((fabs(sum[c]) > least || c == i) && r->count < ROOM) {
                r->column[r->count] = c;
                r->value[r->count++] = sum[c];
            }
            if (c == i)
                trace += sum[c];
        }
    }
    return trace;
}

/* x = y, or 2 x - y: which brings the trace nearer to the number of electrons. */
static void project(u32 n, bool take_square)
{
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        if (take_square) {
            x[i] = y[i];
            continue;
        }
        for (u32 k = 0; k < y[i].count; k++) {
            for (u32 m = 0; m < x[i].count; m++) {
                if (x[i].column[m] == y[i].column[k])
                    y[i].value[k] -= 2 * x[i].value[m];
            }
            y[i].value[k] = -y[i].value[k];
        }
        x[i] = y[i];
    }
}

static double trace_of(u32 n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (u32 i = 0; i < n; i++) {
        for (u32 k = 0; k < x[i].count; k++)
            sum += x[i].column[k] == i ? x[i].value[k] : 0;
    }
    return sum;
}

/* One thread: eigenvalues of the first rows. */
static double spectrum(int n)
{
    double a[DENSE * DENSE] = {0}, w[DENSE], u[DENSE * DENSE], vt[DENSE * DENSE];
    for (int i = 0; i < n; i++) {
        for (u32 k = 0; k < x[i].count; k++) {
            if (x[i].column[k] < (u32)n)
                a[i * n + (int)x[i].column[k]] = x[i].value[k];
        }
    }
    memcpy(u, a, sizeof a);
    if (eigen_symmetric(a, w, n))
        return NAN;
    double highest = w[n - 1];
    memcpy(a, u, sizeof a);
    return singular_values(a, w, u, vt, n) ? NAN : highest;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 512, ROWS), steps = argument(argc, argv, 3, 14, 100);
    int dense = (int)argument(argc, argv, 2, 12, DENSE);
    double highest = library_survey() ? NAN : 0;
    hamiltonian(n);
    for (u32 s = 0; s < steps; s++) {
        double before = trace_of(n), squared = square(n), goal = n / 2;
        project(n, fabs(squared - goal) < fabs(2 * before - squared - goal));
        if (s % 4 == 0)
            highest = spectrum(dense);
    }
    double last = trace_of(n), again = square(n);
    return answer(isnan(highest) ? 1 : fabs(last - again) / n + fabs(last - n / 2) / n, 0, 0.02);
}
