/*
 * The forms that an H200 computes with ordinary arithmetic, one product after the other: f64, and
 * m8n8k4 of f16, which no tensor core after Volta has.
 */
#include "ptx/tensor/dot.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

float f16_to_f32(u32 half)
{
    u32 size = half & 0x7fff, bits;
    float value;
    if (size >= 0x7c00) {
        bits = 0x7f800000 | (size & 0x3ff) << 13;
        memcpy(&value, &bits, sizeof value);
    } else {
        bits = size << 13;
        memcpy(&value, &bits, sizeof value);
        value *= 0x1p112f;
    }
    return half & 0x8000 ? -value : value;
}

u32 f32_to_f16(float x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    u32 size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (size > 0x7f800000)
        return 0x7fff;
    if (size == 0x7f800000)
        return sign | 0x7c00;
    i64 significand = (size & 0x7fffff) | (size >> 23 ? 0x800000 : 0);
    i32 exponent = size >> 23 ? (i32)(size >> 23) - 127 : -126;
    return sign | sum_to_f16(significand, exponent - 23);
}

static u32 f32_bits(float x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fffffff : bits;
}

/* The products are exact, each sum is rounded to f32, C comes last. With an f32 result the sum
 * starts from +0, with an f16 result from the first product: -0 survives only there. */
void dot_quad(const struct mma_shape *s, const u32 *a, const u32 *b, const u32 *c, u32 *d)
{
    float rows[32], columns[32];
    for (u32 i = 0; i < 32; i++) {
        rows[i] = f16_to_f32(a[i]);
        columns[i] = f16_to_f32(b[i]);
    }
    for (u32 at = 0; at < 64; at++) {
        const float *row = &rows[at / 8 * 4], *column = &columns[at % 8 * 4];
        float sum = s->d == MMA_F32 ? 0.0f : -0.0f, addend;
        for (u32 k = 0; k < 4; k++)
            sum += row[k] * column[k];
        if (s->c == MMA_F16)
            addend = f16_to_f32(c[at]);
        else
            memcpy(&addend, &c[at], sizeof addend);
        sum += addend;
        d[at] = s->d == MMA_F32 ? f32_bits(sum) : f32_to_f16(sum);
    }
}

static double quiet(double nan)
{
    u64 bits;
    memcpy(&bits, &nan, sizeof bits);
    bits |= (u64)1 << 51;
    memcpy(&nan, &bits, sizeof nan);
    return nan;
}

static double generated_nan(void)
{
    const u64 bits = 0xfff8000000000000u;
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    return nan;
}

/* Which NaN comes out differs between processors; a GPU takes b's, then c's, then a's. */
static double multiply_add(double a, double b, double c)
{
    double sum = fma(a, b, c);
    if (LIKELY(sum == sum))
        return sum;
    return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : generated_nan();
}

/* C first, then the products in the order of k, each a fused multiply-add. */
void dot_f64(const struct mma_shape *s, struct tile_f64 *t)
{
    static const int modes[] = {[MMA_RN] = FE_TONEAREST,
                                [MMA_RZ] = FE_TOWARDZERO,
                                [MMA_RM] = FE_DOWNWARD,
                                [MMA_RP] = FE_UPWARD};
    int before = fegetround();
    fesetround(modes[s->rounding]);
    memcpy(t->d, t->c, sizeof t->d);
    for (u32 i = 0; i < s->m; i++) {
        double *sums = &t->d[i * s->n];
        for (u32 k = 0; k < s->k; k++) { /* the columns do not wait for one another */
            for (u32 j = 0; j < s->n; j++)
                sums[j] = multiply_add(t->a[i][k], t->b[j][k], sums[j]);
        }
    }
    fesetround(before);
}
