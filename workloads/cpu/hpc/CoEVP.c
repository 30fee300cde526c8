/*
 * Stands for CoEVP (ExMatEx): a hydrodynamic code whose material is a viscoplastic model of a finer
 * scale. Each element asks for its stress by one of several methods of linear algebra (LAPACK); one
 * thread keeps a database of what was computed before and fits models to it.
 * Arguments: elements, steps, models that are fitted in a step, points of a model.
 */
#include "library.h"

#define MOST 4096u
#define POINTS 48

static double rate[MOST][9], stress[MOST][9];
static double heat[MOST];
static u8 phase[MOST];

/* Each gives the same stress, 2 d, by another way: d is the symmetric part of the rate. */
static void symmetric_part(const double *l, double *d)
{
    for (u32 i = 0; i < 3; i++) {
        for (u32 k = 0; k < 3; k++)
            d[3 * i + k] = 0.5 * (l[3 * i + k] + l[3 * k + i]);
    }
}
static int by_spectrum(const double *l, double *s)
{
    double d[9], w[3];
    symmetric_part(l, d);
    int info = eigen_symmetric(d, w, 3);
    for (u32 i = 0; i < 3; i++) {
        for (u32 k = 0; k < 3; k++) {
            double sum = 0;
            for (u32 m = 0; m < 3; m++)
                sum += d[3 * m + i] * 2 * w[m] * d[3 * m + k];
            s[3 * i + k] = sum;
        }
    }
    return info;
}
static int by_singular_values(const double *l, double *s)
{
    double d[9], w[3], u[9], vt[9];
    symmetric_part(l, d);
    int info = singular_values(d, w, u, vt, 3);
    for (u32 i = 0; i < 3; i++) {
        for (u32 k = 0; k < 3; k++) {
            double sum = 0;
            for (u32 m = 0; m < 3; m++)
                sum += u[3 * m + i] * 2 * w[m] * vt[3 * k + m];
            s[3 * i + k] = sum;
        }
    }
    return info;
}
/* Newton's method for s + |s| s / 1000 = 2 d + |2 d| 2 d / 1000: it ends at 2 d. */
static int by_newton(const double *l, double *s)
{
    double d[9], goal[9], jacobian[81], r[9];
    int info = 0;
    symmetric_part(l, d);
    for (u32 i = 0; i < 9; i++) {
        goal[i] = 2 * d[i] + fabs(2 * d[i]) * 2 * d[i] / 1000;
        s[i] = 0;
    }
    for (u32 round = 0; round < 3; round++) {
        memset(jacobian, 0, sizeof jacobian);
        for (u32 i = 0; i < 9; i++) {
            r[i] = goal[i] - s[i] - fabs(s[i]) * s[i] / 1000;
            jacobian[10 * i] = 1 + fabs(s[i]) / 500;
        }
        info |= solve(jacobian, r, 9);
        for (u32 i = 0; i < 9; i++)
            s[i] += r[i];
    }
    return info;
}
static int by_fit(const double *l, double *s)
{
    double d[9], a[27], b[9];
    int info = 0;
    symmetric_part(l, d);
    for (u32 row = 0; row < 3; row++) {
        for (u32 k = 0; k < 9; k++) {
            u32 i = k % 9, c = k / 3;
            a[i] = 1;
            a[9 + i] = c;
            a[18 + i] = k % 3;
            b[i] = 2 * d[3 * row] + c * 2 * d[3 * row + 1] + (k % 3) * 2 * d[3 * row + 2];
        }
        info |= least_squares(a, b, 9, 3);
        memcpy(s + 3 * row, b, 3 * sizeof *b);
    }
    return info;
}
typedef int method(const double *l, double *s);
static method *const methods[4] = {by_spectrum, by_singular_values, by_newton, by_fit};

/* What becomes heat of the work of a slip system, by the phase's law of hardening. */
static double by_power(double w)
{
    return 0.9 * w * w;
}
static double by_voce(double w)
{
    return w / (1 + w * w);
}
static double linearly(double w)
{
    return 0.8 * w;
}
static double not_at_all(double w)
{
    return w - w;
}
typedef double hardening(double work);
static hardening *const laws[4] = {by_power, by_voce, linearly, not_at_all};

static void warm_up(u32 i)
{
    for (u32 k = 0; k < 9; k++) {
        heat[i] += laws[phase[i]](stress[i][k] * rate[i][k]);
        heat[i] += laws[(phase[i] + k) % 4](rate[i][k]) + laws[k % 4](stress[i][k]);
    }
}

/* One thread: a kriging model of the last points, by Cholesky's factor of their covariance. */
static double fit(u32 first, u32 elements, int points)
{
    double a[POINTS * POINTS], x[POINTS], sum = 0;
    for (int i = 0; i < points; i++) {
        const double *p = rate[(first + (u32)i) % elements];
        for (int k = 0; k < points; k++) {
            const double *q = rate[(first + (u32)k) % elements];
            double square = 0;
            for (u32 m = 0; m < 9; m++)
                square += (p[m] - q[m]) * (p[m] - q[m]);
            a[i * points + k] = 1 / (1 + square) + (i == k ? 0.01 : 0);
        }
        x[i] = stress[(first + (u32)i) % elements][0];
    }
    if (solve_positive(a, x, points))
        return NAN;
    for (int i = 0; i < points; i++)
        sum += x[i];
    return sum;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 400, MOST), steps = argument(argc, argv, 2, 6, 1000);
    u32 fits = argument(argc, argv, 3, 8, 1000);
    int points = (int)argument(argc, argv, 4, 20, POINTS), bad = library_survey();
    double worst = 0, all = 0;
#pragma omp parallel for
    for (u32 i = 0; i < n; i++) {
        for (u32 k = 0; k < 9; k++)
            rate[i][k] = unit_at((u64)i * 9 + k) - 0.5;
        phase[i] = (u8)(4 * unit_at(~(u64)i));
    }
    for (u32 s = 0; s < steps; s++) {
#pragma omp parallel for reduction(+ : bad) reduction(max : worst)
        for (u32 i = 0; i < n; i++) {
            double d[9];
            bad += methods[phase[i]](rate[i], stress[i]) != 0;
            symmetric_part(rate[i], d);
            warm_up(i);
            for (u32 k = 0; k < 9; k++) {
                worst = fmax(worst, fabs(stress[i][k] - 2 * d[k]));
                rate[i][k] *= 1.01;
            }
        }
        for (u32 f = 0; f < fits; f++)
            all += fit(f * 31 + s, n, points);
    }
    return answer(bad + worst + (isnan(all) ? 1 : 0), 0, 1e-3);
}
