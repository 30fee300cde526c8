/* A pixel between pixels by cubic B-splines: shared by the kernel and the host. */
#ifndef BICUBIC_SPLINE_H
#define BICUBIC_SPLINE_H

#include "both.h"

BOTH void weights_of(float t, float *w)
{
    float u = 1 - t;
    w[0] = u * u * u * (1.0f / 6);
    w[1] = fmaf(fmaf(3.0f, t, -6.0f) * t, t, 4.0f) * (1.0f / 6);
    w[2] = fmaf(fmaf(3.0f, u, -6.0f) * u, u, 4.0f) * (1.0f / 6);
    w[3] = t * t * t * (1.0f / 6);
}

BOTH u32 clamped(int x, u32 size)
{
    return x < 0 ? 0 : (u32)x < size ? (u32)x : size - 1;
}

/* Output (x, y) of an image that is `times` as wide and high. */
BOTH float spline_at(const float *image, u32 width, u32 height, u32 x, u32 y, float times)
{
    float at_x = (float)x / times, at_y = (float)y / times, wx[4], wy[4], sum = 0;
    int left = (int)at_x, top = (int)at_y;
    weights_of(at_x - (float)left, wx);
    weights_of(at_y - (float)top, wy);
    for (int j = 0; j < 4; j++) {
        const float *row = image + clamped(top + j - 1, height) * width;
        float line = 0;
        for (int i = 0; i < 4; i++)
            line = fmaf(wx[i], row[clamped(left + i - 1, width)], line);
        sum = fmaf(wy[j], line, sum);
    }
    return sum;
}

#endif
