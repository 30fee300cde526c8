/* Cube maps and mipmaps: which face and which level a fetch reads, over the fetches of texture.c.
 */
#include "device/texture.h"

#include "num/float.h"

#include <math.h>
#include <string.h>

/* The CUDA programming guide (cubemap textures): the axis of the largest coordinate, then the place
 * on its face from the two others. A tie goes to z before y before x. */
u32 texture_face(const float coord[3], float on_face[3])
{
    float x = coord[0], y = coord[1], z = coord[2];
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), m, s, t;
    u32 face;
    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        m = az;
        s = z < 0 ? -x : x;
        t = -y;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2;
        m = ay;
        s = x;
        t = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        m = ax;
        s = x < 0 ? z : -z;
        t = -y;
    }
    on_face[0] = (s / m + 1) / 2;
    on_face[1] = (t / m + 1) / 2;
    on_face[2] = 0;
    return face;
}

/* Of levels, the one or two that a level of detail lies at or between; the weight of the second. */
static u32 level_place(const struct texture *t, float lod, float *fraction)
{
    float low = fmaxf(t->level_clamp[0], 0);
    float high = fminf(t->level_clamp[1], (float)(t->level_count - 1));
    lod = fmaxf(low, fminf(isnan(lod) ? 0 : lod + t->level_bias, fmaxf(high, low)));
    lod = fminf(lod, (float)(t->level_count - 1));
    *fraction = 0;
    if (!t->level_linear)
        return (u32)(lod + 0.5f);
    float fixed = floorf(lod * 256 + 0.5f); /* 8 fraction bits, as coordinates have */
    u32 level = (u32)(fixed / 256);
    *fraction = (fixed - (float)level * 256) / 256;
    return level;
}

void texture_fetch_level(const struct texture *t, u32 dims, u32 layer, const float coord[3],
                         float lod, u32 out[4])
{
    if (!t->level_count) {
        texture_fetch(t, dims, layer, coord, out);
        return;
    }
    float fraction;
    u32 level = level_place(t, lod, &fraction);
    texture_fetch(&t->levels[level], dims, layer, coord, out);
    if (fraction == 0 || level + 1 >= t->level_count)
        return;
    u32 next[4];
    texture_fetch(&t->levels[level + 1], dims, layer, coord, next);
    for (u32 c = 0; c < 4; c++) {
        double a = (double)f32_value(out[c]), b = (double)f32_value(next[c]);
        out[c] = f32_bits((float)(a + (b - a) * (double)fraction));
    }
}

/* The longer of the two footprints in texels decides, as Direct3D and OpenGL have it. */
float texture_lod(const struct texture *t, u32 dims, const float dx[3], const float dy[3])
{
    const u32 size[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
    float along = 0, across = 0;
    for (u32 i = 0; i < dims; i++) {
        float scale = (float)size[i];
        along += dx[i] * scale * (dx[i] * scale);
        across += dy[i] * scale * (dy[i] * scale);
    }
    return 0.5f * log2f(fmaxf(along, across));
}
