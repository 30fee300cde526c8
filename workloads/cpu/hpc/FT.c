/*
 * Stands for FT of NPB: a wave equation in the spectrum. Fourier transforms of a cube along all
 * three axes, forwards once and backwards each step, with factors between them.
 * Arguments: log of the points along an edge, steps.
 */
#include "hpc.h"

#include <complex.h>

#define MOST 64u

typedef double complex point;
static point cube[MOST][MOST][MOST], spectrum[MOST][MOST][MOST];
static point roots[MOST];

/* In place, of `n` points of a line in a buffer; radix 2 (Cooley and Tukey 1965). */
static void transform(point *a, u32 n, u32 log_n, bool back)
{
    for (u32 i = 0; i < n; i++) {
        u32 j = 0;
        for (u32 b = 0; b < log_n; b++)
            j |= (i >> b & 1) << (log_n - 1 - b);
        if (i < j) {
            point t = a[i];
            a[i] = a[j];
            a[j] = t;
        }
    }
    for (u32 half = 1; half < n; half *= 2) {
        u32 step = n / (2 * half);
        for (u32 first = 0; first < n; first += 2 * half) {
            for (u32 k = 0; k < half; k++) {
                double wr = creal(roots[k * step]), wi = cimag(roots[k * step]);
                wi = back ? -wi : wi;
                point *u = &a[first + k], *v = u + half;
                double vr = creal(*v) * wr - cimag(*v) * wi, vi = creal(*v) * wi + cimag(*v) * wr;
                point t = CMPLX(vr, vi);
                *v = *u - t;
                *u = *u + t;
            }
        }
    }
}

static void line(point *at, u32 stride, u32 n, u32 log_n, bool back)
{
    point buffer[MOST];
    for (u32 i = 0; i < n; i++)
        buffer[i] = at[i * stride];
    transform(buffer, n, log_n, back);
    double scale = back ? 1. / n : 1;
    for (u32 i = 0; i < n; i++)
        at[i * stride] = buffer[i] * scale;
}

static void transform_cube(point c[MOST][MOST][MOST], u32 n, u32 log_n, bool back)
{
#pragma omp parallel for
    for (u32 k = 0; k < n; k++) {
        for (u32 j = 0; j < n; j++)
            line(&c[k][j][0], 1, n, log_n, back);
        for (u32 i = 0; i < n; i++)
            line(&c[k][0][i], MOST, n, log_n, back);
    }
#pragma omp parallel for
    for (u32 j = 0; j < n; j++) {
        for (u32 i = 0; i < n; i++)
            line(&c[0][j][i], MOST * MOST, n, log_n, back);
    }
}

int main(int argc, char **argv)
{
    u32 log_n = argument(argc, argv, 1, 5, 6), steps = argument(argc, argv, 2, 2, 100);
    u32 n = 1u << log_n;
    double worst = 0;
    for (u32 i = 0; i < n; i++)
        roots[i] = CMPLX(cos(2 * M_PI * i / n), -sin(2 * M_PI * i / n));
#pragma omp parallel for
    for (u32 k = 0; k < n; k++) {
        for (u32 i = 0; i < n * n; i++)
            spectrum[k][i / n][i % n] = cube[k][i / n][i % n] = unit_at((u64)k * n * n + i);
    }
    transform_cube(spectrum, n, log_n, false);
    for (u32 s = 0; s < steps; s++) {
        double total = 0;
        static point work[MOST][MOST][MOST];
#pragma omp parallel for
        for (u32 k = 0; k < n; k++) {
            for (u32 i = 0; i < n * n; i++)
                work[k][i / n][i % n] = spectrum[k][i / n][i % n] * (i || k ? 1. / (1 + s) : 1);
        }
        transform_cube(work, n, log_n, true);
        /* the mean stays, what differs from it shrinks with the steps */
#pragma omp parallel for reduction(+ : total)
        for (u32 k = 0; k < n; k++) {
            for (u32 i = 0; i < n * n; i++)
                total += creal(work[k][i / n][i % n]);
        }
        worst = fmax(worst, fabs(total - creal(spectrum[0][0][0])));
    }
    return answer(worst, 0, 1e-6);
}
