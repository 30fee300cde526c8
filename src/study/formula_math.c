/* Means, correlations and curves over numbers of which some are missing (NAN). */
#include "study/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double numbers_count(const double *x, u32 n)
{
    u32 count = 0;
    for (u32 i = 0; i < n; i++)
        count += isnan(x[i]) ? 0 : 1;
    return count;
}

double numbers_sum(const double *x, u32 n)
{
    double sum = 0;
    for (u32 i = 0; i < n; i++)
        sum += isnan(x[i]) ? 0 : x[i];
    return numbers_count(x, n) > 0 ? sum : NAN;
}

double numbers_mean(const double *x, u32 n)
{
    return numbers_sum(x, n) / numbers_count(x, n);
}

double numbers_geometric_mean(const double *x, u32 n)
{
    double sum = 0, count = numbers_count(x, n);
    for (u32 i = 0; i < n; i++)
        sum += isnan(x[i]) ? 0 : log(x[i]);
    return count > 0 ? exp(sum / count) : NAN;
}

double numbers_harmonic_mean(const double *x, u32 n)
{
    double sum = 0, count = numbers_count(x, n);
    for (u32 i = 0; i < n; i++)
        sum += isnan(x[i]) ? 0 : 1 / x[i];
    return count > 0 ? count / sum : NAN;
}

double numbers_least(const double *x, u32 n)
{
    double least = NAN;
    for (u32 i = 0; i < n; i++)
        least = isnan(least) || x[i] < least ? x[i] : least;
    return least;
}

double numbers_most(const double *x, u32 n)
{
    double most = NAN;
    for (u32 i = 0; i < n; i++)
        most = isnan(most) || x[i] > most ? x[i] : most;
    return most;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double numbers_median(const double *x, u32 n)
{
    double *sorted = xrealloc(NULL, (n + 1) * sizeof *sorted), median = NAN;
    u32 count = 0;
    for (u32 i = 0; i < n; i++) {
        if (!isnan(x[i]))
            sorted[count++] = x[i];
    }
    qsort(sorted, count, sizeof *sorted, by_size);
    if (count)
        median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return median;
}

/* Only the pairs that are there; returns how many. */
static u32 pairs(const double *x, const double *y, u32 n, double *px, double *py)
{
    u32 count = 0;
    for (u32 i = 0; i < n; i++) {
        if (isnan(x[i]) || isnan(y[i]))
            continue;
        px[count] = x[i];
        py[count++] = y[i];
    }
    return count;
}

static double pearson_of(const double *x, const double *y, u32 n)
{
    double mx = numbers_mean(x, n), my = numbers_mean(y, n), xy = 0, xx = 0, yy = 0;
    for (u32 i = 0; i < n; i++) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    return n < 3 || !(xx > 0) || !(yy > 0) ? NAN : xy / sqrt(xx * yy);
}

/* Ranks from 1; equal numbers share the mean of theirs. */
static void ranks_of(const double *x, u32 n, double *rank)
{
    for (u32 i = 0; i < n; i++) {
        u32 below = 0, equal = 0;
        for (u32 k = 0; k < n; k++) {
            below += x[k] < x[i];
            equal += !(x[k] < x[i]) && !(x[k] > x[i]);
        }
        rank[i] = below + (equal + 1) / 2.0;
    }
}

static double correlate(const double *x, const double *y, u32 n, bool by_rank)
{
    double *px = xrealloc(NULL, 4 * ((size_t)n + 1) * sizeof *px), *py = px + n + 1;
    u32 count = pairs(x, y, n, px, py);
    if (by_rank) {
        ranks_of(px, count, py + n + 1);
        ranks_of(py, count, px);
        memcpy(py, py + n + 1, count * sizeof *py);
    }
    double r = pearson_of(px, py, count);
    free(px);
    return r;
}

double numbers_pearson(const double *x, const double *y, u32 n)
{
    return correlate(x, y, n, false);
}

double numbers_spearman(const double *x, const double *y, u32 n)
{
    return correlate(x, y, n, true);
}

double curve_cross(const double *x, const double *y, u32 n, double level)
{
    for (u32 i = 1; i < n; i++) {
        double a = y[i - 1] - level, b = y[i] - level;
        if ((a >= 0 && b < 0) || (a <= 0 && b > 0))
            return x[i - 1] + (x[i] - x[i - 1]) * a / (a - b);
    }
    return NAN;
}

double curve_plateau(const double *x, const double *y, u32 n, double share)
{
    double last = NAN;
    for (u32 i = 0; i < n && y[i] >= share * y[0]; i++)
        last = x[i];
    return last;
}
