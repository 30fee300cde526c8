/* An element of linear memory: through the texture cache, past L1, or by a plain load. */
#ifndef WORKLOADS_TEXTURE_DEVICE_H
#define WORKLOADS_TEXTURE_DEVICE_H

#include "device.h"

DEVICE_CALL float texture_read(const float *array, u32 at)
{
    return array[at];
}

DEVICE_CALL float texture_read(u64 texture, u32 at)
{
    float x, y, z, w;
    asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
        : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
        : "l"(texture), "r"(at));
    return x;
}

#endif
