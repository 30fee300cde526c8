/* Two complex numbers of a Fourier transform: shared by the kernel and the host. */
#ifndef FFT_BUTTERFLY_H
#define FFT_BUTTERFLY_H

#include "both.h"

struct complex {
    float re, im;
};

/* Stockham's order: pair i of n, in runs of `run` that have been transformed. root: e^(-2 pi i
 * k/n). */
BOTH void butterfly(const struct complex *from, struct complex *to, const struct complex *root,
                    u32 n, u32 run, u32 i)
{
    u32 k = i % run;
    struct complex a = from[i], b = from[i + n / 2], w = root[k * (n / 2 / run)];
    struct complex t = {fmaf(b.re, w.re, -(b.im * w.im)), fmaf(b.re, w.im, b.im * w.re)};
    struct complex sum = {a.re + t.re, a.im + t.im}, difference = {a.re - t.re, a.im - t.im};
    to[2 * i - k] = sum;
    to[2 * i - k + run] = difference;
}

#endif
