/* Light along a ray through a cube of densities: shared by the kernel and the host. */
#ifndef VOLUMERENDER_MARCH_H
#define VOLUMERENDER_MARCH_H

#include "both.h"

#define OPAQUE 0.95f

BOTH float between(float a, float b, float part)
{
    return fmaf(part, b - a, a);
}

/* The density at a place inside, from the eight values around it. */
BOTH float density_at(const float *volume, u32 side, float x, float y, float z)
{
    u32 ix = (u32)x, iy = (u32)y, iz = (u32)z, plane = side * side;
    const float *v = volume + iz * plane + iy * side + ix;
    float px = x - (float)ix, py = y - (float)iy, pz = z - (float)iz;
    float near = between(between(v[0], v[1], px), between(v[side], v[side + 1], px), py);
    float far = between(between(v[plane], v[plane + 1], px),
                        between(v[plane + side], v[plane + side + 1], px), py);
    return between(near, far, pz);
}

/* Straight through along z, a little to the side as it goes; front to back. */
BOTH float march(const float *volume, u32 side, u32 x, u32 y, u32 pixels, u32 steps)
{
    float scale = (float)(side - 2) / (float)pixels, light = 0, left = 1;
    for (u32 i = 0; i < steps && light < OPAQUE; i++) {
        float part = (float)i / (float)steps, z = part * (float)(side - 2);
        float at_x = fmaf(0.9f, (float)x, part * 0.1f * (float)x) * scale;
        float at_y = fmaf(0.9f, (float)y, part * 0.1f * (float)y) * scale;
        float opacity = 0.1f * density_at(volume, side, at_x, at_y, z);
        light = fmaf(left, opacity, light);
        left *= 1 - opacity;
    }
    return light;
}

#endif
