/* A pixel as the mean of those around it that are alike: shared by the kernel and the host. */
#ifndef IMAGEDENOISE_DENOISE_H
#define IMAGEDENOISE_DENOISE_H

#include "elementary.h"

#define RADIUS 3

BOTH float channel(u32 pixel, u32 k)
{
    return (float)(pixel >> (8 * k) & 255) * (1.0f / 255);
}

/* The image has a border of RADIUS; a weight falls with the distance in place and in colour. */
BOTH u32 denoised(const u32 *image, u32 width, u32 x, u32 y)
{
    u32 row = width + 2 * RADIUS, centre = image[(y + RADIUS) * row + x + RADIUS], result = 0;
    float sums[3] = {0, 0, 0}, total = 0;
    for (u32 j = 0; j <= 2 * RADIUS; j++) {
        for (u32 i = 0; i <= 2 * RADIUS; i++) {
            u32 pixel = image[(y + j) * row + x + i];
            float dx = (float)i - RADIUS, dy = (float)j - RADIUS, alike = 0;
            for (u32 k = 0; k < 3; k++) {
                float d = channel(pixel, k) - channel(centre, k);
                alike = fmaf(d, d, alike);
            }
            float weight = el_exp(-fmaf(alike, 20.0f, fmaf(dx, dx, dy * dy) * 0.08f));
            for (u32 k = 0; k < 3; k++)
                sums[k] = fmaf(weight, channel(pixel, k), sums[k]);
            total += weight;
        }
    }
    for (u32 k = 0; k < 3; k++)
        result |= (u32)__builtin_rintf(sums[k] / total * 255) << (8 * k);
    return result;
}

#endif
