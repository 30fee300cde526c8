/*
 * Stands for VPFFT (ExMatEx): a crystal under strain by Lebensohn's method. Stresses go into the
 * spectrum by Fourier transforms of several radices, are corrected there with Green's operator, and
 * come back; at each point a small nonlinear system is solved (LAPACK). One thread turns grains and
 * makes tables.
 * Arguments: points along an edge (2^a 3^b 5^c), steps, grains that are turned in a step.
 */
#include "library.h"

#include <complex.h>

#define MOST 32u

typedef double complex point;
static point field[MOST][MOST][MOST], roots[MOST];
static double grain[MOST][9];

/* Butterflies of each radix. */
static void radix2(point *x)
{
    point a = x[0], b = x[1];
    x[0] = a + b;
    x[1] = a - b;
}
static void radix3(point *x)
{
    point a = x[0], s = x[1] + x[2], d = (x[1] - x[2]) * (I * -0.86602540378443864676);
    x[0] = a + s;
    x[1] = a - 0.5 * s + d;
    x[2] = a - 0.5 * s - d;
}
static void radix4(point *x)
{
    point a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = (x[1] - x[3]) * -I;
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
}
static void radix5(point *x)
{
    const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410,
                 s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    point a = x[0], p = x[1] + x[4], q = x[2] + x[3], m = (x[1] - x[4]) * -I,
          n = (x[2] - x[3]) * -I;
    x[0] = a + p + q;
    x[1] = a + c1 * p + c2 * q + s1 * m + s2 * n;
    x[2] = a + c2 * p + c1 * q + s2 * m - s1 * n;
    x[3] = a + c2 * p + c1 * q - s2 * m + s1 * n;
    x[4] = a + c1 * p + c2 * q - s1 * m - s2 * n;
}
typedef void butterfly(point *);
static butterfly *const butterflies[6] = {[2] = radix2, [3] = radix3, [4] = radix4, [5] = radix5};

/* Stockham's order of mixed radices. */
static void transform(point *a, u32 n)
{
    point other[MOST], *from = a, *to = other;
    for (u32 done = 1; done < n;) {
        u32 left = n / done, r = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : 5;
        u32 m = left / r;
        for (u32 k = 0; k < m; k++) {
            for (u32 j = 0; j < done; j++) {
                point x[5];
                for (u32 q = 0; q < r; q++)
                    x[q] = from[j + done * (k + m * q)];
                butterflies[r](x);
                for (u32 q = 0; q < r; q++) {
                    point w = roots[q * k * done % n];
                    to[j + done * (q + r * k)] =
                        CMPLX(creal(x[q]) * creal(w) - cimag(x[q]) * cimag(w),
                              creal(x[q]) * cimag(w) + cimag(x[q]) * creal(w));
                }
            }
        }
        point *t = from;
        from = to;
        to = t;
        done *= r;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}

static void line(point *at, u32 stride, u32 n, bool back)
{
    point buffer[MOST];
    for (u32 i = 0; i < n; i++)
        buffer[i] = back ? conj(at[i * stride]) : at[i * stride];
    transform(buffer, n);
    for (u32 i = 0; i < n; i++)
        at[i * stride] = back ? conj(buffer[i]) / n : buffer[i];
}

static void transform_all(u32 n, bool back)
{
#pragma omp parallel for
    for (u32 k = 0; k < n; k++) {
        for (u32 j = 0; j < n; j++)
            line(&field[k][j][0], 1, n, back);
        for (u32 i = 0; i < n; i++)
            line(&field[k][0][i], MOST, n, back);
    }
#pragma omp parallel for
    for (u32 j = 0; j < n; j++) {
        for (u32 i = 0; i < n; i++)
            line(&field[0][j][i], MOST * MOST, n, back);
    }
}

/* The law of slip: five equations by Newton's method. */
static double slip(double stress, const double *g)
{
    double x[5] = {0};
    for (u32 round = 0; round < 2; round++) {
        double a[25], r[5];
        for (u32 i = 0; i < 5; i++) {
            for (u32 k = 0; k < 5; k++)
                a[5 * i + k] = (i == k ? 3 + x[i] * x[i] : 0) + 0.1 * g[(i + k) % 9];
            r[i] = 0.1 * stress - x[i] * (3 + x[i] * x[i] / 3);
        }
        if (solve(a, r, 5))
            return NAN;
        for (u32 i = 0; i < 5; i++)
            x[i] += r[i];
    }
    return x[0];
}

/* One thread: the polar decomposition and the eigenvalues of a grain's orientation. */
static int turn(double *g)
{
    double a[9], s[3], u[9], vt[9], w[3], im[3], right[9];
    memcpy(a, g, sizeof a);
    int info = singular_values(a, s, u, vt, 3);
    for (u32 i = 0; i < 9; i++)
        g[i] = u[i % 3] * vt[i / 3 * 3] + u[3 + i % 3] * vt[i / 3 * 3 + 1] +
               u[6 + i % 3] * vt[i / 3 * 3 + 2];
    memcpy(a, g, sizeof a);
    info |= eigen_any(a, w, im, right, 3);
    for (u32 i = 0; i < 9; i++)
        a[i] = g[i % 3 * 3 + i / 3] + g[i];
    return info | eigen_symmetric(a, w, 3);
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 20, MOST), steps = argument(argc, argv, 2, 2, 100);
    u32 grains = argument(argc, argv, 3, 12, MOST), bad = (u32)library_survey();
    double worst = 0, total = 0, mean = 0;
    for (u32 i = 0; i < n; i++)
        roots[i] = CMPLX(cos(2 * M_PI * i / n), -sin(2 * M_PI * i / n));
    for (u32 i = 0; i < MOST * 9; i++)
        grain[i / 9][i % 9] = unit_at(i) + (i % 9 % 4 == 0 ? 2 : 0);
#pragma omp parallel for
    for (u32 k = 0; k < n; k++) {
        for (u32 i = 0; i < n * n; i++)
            field[k][i / n][i % n] = unit_at((u64)k * n * n + i);
    }
    for (u32 s = 0; s < steps; s++) {
        total = mean = 0;
#pragma omp parallel for reduction(+ : total)
        for (u32 k = 0; k < n; k++) {
            for (u32 i = 0; i < n * n; i++) {
                point *p = &field[k][i / n][i % n];
                *p = creal(*p) + 0.01 * slip(creal(*p), grain[(k + i) % MOST]);
                total += creal(*p);
            }
        }
        transform_all(n, false);
#pragma omp parallel for
        for (u32 k = 0; k < n; k++) {
            for (u32 i = 0; i < n * n; i++)
                field[k][i / n][i % n] *= k || i ? 0.9 : 1;
        }
        worst = fmax(worst, fabs(creal(field[0][0][0]) - total));
        transform_all(n, true);
#pragma omp parallel for reduction(+ : mean)
        for (u32 k = 0; k < n; k++) {
            for (u32 i = 0; i < n * n; i++)
                mean += creal(field[k][i / n][i % n]);
        }
        worst = fmax(worst, fabs(mean - total));
        for (u32 g = 0; g < grains; g++)
            bad += turn(grain[g]) != 0;
    }
    return answer(worst + bad, 0, 1e-6);
}
