/*
 * The operator of one spectral element of 8 x 8 x 8 points: shared by the kernels and the host. Per
 * direction: the derivative along it, a weight per point, and the derivative's transpose.
 */
#ifndef NEKBONE_ELEMENT_H
#define NEKBONE_ELEMENT_H

#include "both.h"

#define N 8
#define POINTS (N * N * N)

/* The derivative along a direction (0, 1, 2) at a point, or its transpose. */
BOTH float derived(const float *u, const float *d, u32 point, u32 direction, bool transposed)
{
    u32 step = direction == 0 ? 1 : direction == 1 ? N : N * N, i = point / step % N;
    float sum = 0;
    for (u32 k = 0; k < N; k++)
        sum = fmaf(transposed ? d[k * N + i] : d[i * N + k], u[point - i * step + k * step], sum);
    return sum;
}

#endif
