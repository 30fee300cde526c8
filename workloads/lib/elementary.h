/*
 * Elementary functions of f32 to about six digits: the same operations in the same order on the CPU
 * and in a kernel, so that both give the same bits.
 */
#ifndef WORKLOADS_ELEMENTARY_H
#define WORKLOADS_ELEMENTARY_H

#include "both.h"

union el_word {
    u32 bits;
    float value;
};

/* e^x for x from -87 to 88. */
BOTH float el_exp(float x)
{
    float n = __builtin_rintf(x * 1.44269504f);
    float r = fmaf(n, -0x1.62e4p-1f, x); /* ln 2 in two parts */
    r = fmaf(n, -0x1.7f7d1cp-20f, r);
    float sum = fmaf(1.0f / 720, r, 1.0f / 120);
    sum = fmaf(sum, r, 1.0f / 24);
    sum = fmaf(sum, r, 1.0f / 6);
    sum = fmaf(sum, r, 0.5f);
    sum = fmaf(sum, r, 1.0f);
    sum = fmaf(sum, r, 1.0f);
    union el_word scale = {.bits = (u32)((int)n + 127) << 23};
    return sum * scale.value;
}

/* The natural logarithm of a normal x > 0: of the mantissa by the series of 2 artanh. */
BOTH float el_log(float x)
{
    union el_word w = {.value = x};
    int n = (int)((w.bits - 0x3f3504f3u) >> 23) - (w.bits < 0x3f3504f3u ? 512 : 0);
    w.bits -= (u32)n << 23; /* from sqrt(1/2) to sqrt(2) */
    float s = (w.value - 1) / (w.value + 1), square = s * s;
    float sum = fmaf(1.0f / 9, square, 1.0f / 7);
    sum = fmaf(sum, square, 1.0f / 5);
    sum = fmaf(sum, square, 1.0f / 3);
    sum = fmaf(sum, square, 1.0f);
    return fmaf((float)n, 0.693147181f, 2 * s * sum);
}

/* The cosine of an angle in turns. */
BOTH float el_cos_turns(float turns)
{
    float x = 6.28318531f * (turns - __builtin_rintf(turns)), y = x * x;
    float sum = fmaf(-1.0f / 87178291200.0f, y, 1.0f / 479001600);
    sum = fmaf(sum, y, -1.0f / 3628800);
    sum = fmaf(sum, y, 1.0f / 40320);
    sum = fmaf(sum, y, -1.0f / 720);
    sum = fmaf(sum, y, 1.0f / 24);
    sum = fmaf(sum, y, -0.5f);
    return fmaf(sum, y, 1.0f);
}

BOTH float el_sin_turns(float turns)
{
    return el_cos_turns(turns - 0.25f);
}

#endif
