/*
 * A filter of 17 taps along rows, then along columns, zero outside the image: for the hosts of
 * convsep and convtex. Products are fused with the sum, in ascending order of the tap.
 */
#ifndef WORKLOADS_SEPARABLE_H
#define WORKLOADS_SEPARABLE_H

#include "host.h"

#include <math.h>

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)

/* step: 1 along rows, the width along columns; at: the coordinate that moves, of `size`. */
static inline float separable_tap(const float *image, size_t i, u32 at, u32 size, u32 step,
                                  const float *taps)
{
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        int to = (int)at + k;
        float value = to >= 0 && to < (int)size ? image[(i64)i + (i64)k * (i64)step] : 0;
        sum = fmaf(taps[k + RADIUS], value, sum);
    }
    return sum;
}

/* Rows into `rows`, their columns into `out`. */
static inline void separable_filter(const float *image, float *rows, float *out, u32 width,
                                    u32 height, const float *taps)
{
    for (size_t i = 0; i < (size_t)width * height; i++)
        rows[i] = separable_tap(image, i, (u32)(i % width), width, 1, taps);
    for (size_t i = 0; i < (size_t)width * height; i++)
        out[i] = separable_tap(rows, i, (u32)(i / width), height, width, taps);
}

/* Taps into the module's constant `taps`. */
static inline float *separable_taps(struct host *h)
{
    float *taps = host_random_f32(h, "taps", TAPS, 0, 0.1f);
    CUdeviceptr constant;
    size_t bytes;
    CU(h, cuModuleGetGlobal, (&constant, &bytes, h->module, "taps"));
    CU(h, cuMemcpyHtoD, (constant, taps, TAPS * sizeof(float)));
    return taps;
}

#endif
