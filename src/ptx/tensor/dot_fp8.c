/*
 * e4m3 and e5m2. Hopper's mma.sync has no tensor core for them: ptxas (13.0, sm_90) makes f16 of
 * both, exactly, multiplies the first two of every four elements with C = 0, then the last two
 * with that sum as C, and adds the instruction's C with an ordinary addition, rounded to nearest.
 * So the results are those of two products of f16.
 */
#include "ptx/tensor/dot.h"

#include <string.h>

static u32 to_f16(enum mma_type type, u32 x)
{
    static const u16 subnormal[] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
    u32 sign = (x & 0x80) << 8, size = x & 0x7f;
    if (type == MMA_E5M2)
        return x << 8;
    if (size == 0x7f)
        return 0x7fff;
    return sign | (size < 8 ? subnormal[size] : (size << 7) + 0x2000);
}

/* Elements 2 x half and 2 x half + 1 of each four of a line, as f16. */
static void widen(enum mma_type type, const u32 *from, u32 words, u32 half, u32 *to)
{
    for (u32 w = 0; w < words; w++) {
        u32 pair = from[w] >> 16 * half;
        to[w] = to_f16(type, pair & 0xff) | to_f16(type, pair >> 8 & 0xff) << 16;
    }
}

static u32 add(enum mma_type type, u32 a, u32 b)
{
    float x, y;
    if (type == MMA_F16) /* f32 has more than twice the bits: rounding twice is as rounding once */
        return f32_to_f16(f16_to_f32(a) + f16_to_f32(b));
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return x != x ? 0x7fffffff : a;
}

void dot_fp8(const struct mma_shape *s, struct tile *t)
{
    struct mma_shape half = *s;
    struct tile wide = {0};
    half.a = half.b = MMA_F16;
    half.k = s->k / 2;
    half.c = half.d; /* as the sums between the two */
    for (u32 part = 0; part < 2; part++) {
        for (u32 i = 0; i < s->m; i++)
            widen(s->a, t->a[i], s->k / 4u, part, wide.a[i]);
        for (u32 j = 0; j < s->n; j++)
            widen(s->b, t->b[j], s->k / 4u, part, wide.b[j]);
        dot_float(&half, &wide);
        for (u32 i = 0; i < (u32)s->m * s->n; i++)
            wide.c[i] = wide.d[i];
    }
    for (u32 i = 0; i < (u32)s->m * s->n; i++)
        t->d[i] = add(s->d, t->c[i], wide.d[i]);
}
