/*
 * e4m3 and e5m2 in warp-group products, whose tensor core multiplies them as they are.
 *
 * All 32 products and C are added at once: every term is shifted to the largest exponent among
 * them and cut off 13 binary places below it. The sum is exact then, and cut off to 13 places
 * behind its own first bit, or rounded to f16. Found with results recorded on an H200.
 */
#include "ptx/tensor/dot.h"

#include <string.h>

#define CUT_BITS 0x3ffu /* of an f32 result: 13 places are left */
enum { GROUP_PLACES = 13, MOST_K = 32, F32_NAN = 0x7fffffff, F16_NAN = 0x7fff };

struct factor {
    i32 exponent, significand; /* significand * 2^exponent; signed */
    bool is_nan, is_infinite;
};

static struct factor factor_decode(enum mma_type type, u32 x)
{
    u32 fraction_bits = type == MMA_E4M3 ? 3 : 2, bias = type == MMA_E4M3 ? 7 : 15;
    u32 biased = (x & 0x7f) >> fraction_bits, fraction = x & ((1u << fraction_bits) - 1);
    i32 size = (i32)(fraction | (biased ? 1u << fraction_bits : 0));
    bool top = type == MMA_E5M2 && biased == 31;
    return (struct factor){.exponent = (i32)(biased ? biased : 1) - (i32)bias,
                           .significand = x & 0x80 ? -size : size,
                           .is_nan = (top && fraction) || (type == MMA_E4M3 && (x & 0x7f) == 0x7f),
                           .is_infinite = top && !fraction};
}

static i64 align(i64 value, i32 places, i32 down)
{
    u64 size = (u64)(value < 0 ? -value : value);
    i32 shift = down + places - GROUP_PLACES;
    u64 kept = shift >= 64 ? 0 : shift >= 0 ? size >> shift : size << -shift;
    return value < 0 ? -(i64)kept : (i64)kept;
}

static u32 add(const struct mma_shape *s, const struct factor *a, const struct factor *b, u32 c)
{
    u32 fraction_a = s->a == MMA_E4M3 ? 3 : 2, fraction_b = s->b == MMA_E4M3 ? 3 : 2;
    bool wide = s->d == MMA_F32, nan = false, infinite[2] = {false, false};
    u32 bits = c;
    float value = wide ? 0 : f16_to_f32(c);
    if (!wide)
        memcpy(&bits, &value, sizeof bits);
    u32 biased = bits >> 23 & 255, fraction = bits & 0x7fffff;
    i64 addend = (i64)(fraction | (biased ? 0x800000u : 0));
    i32 addend_exponent = (i32)(biased ? biased : 1) - 127, top = -133;
    if (biased == 255) {
        nan = fraction != 0;
        infinite[bits >> 31] = !fraction;
    }
    addend = bits >> 31 ? -addend : addend;
    if (addend && addend_exponent > top)
        top = addend_exponent;
    for (u32 k = 0; k < s->k; k++) {
        bool special = a[k].is_infinite || b[k].is_infinite;
        i32 product = a[k].significand * b[k].significand, e = a[k].exponent + b[k].exponent;
        nan |= a[k].is_nan || b[k].is_nan || (special && !product);
        if (special)
            infinite[product < 0] = true;
        if (product && e > top)
            top = e;
    }
    if (nan || (infinite[0] && infinite[1]))
        return wide ? F32_NAN : F16_NAN;
    if (infinite[0] || infinite[1])
        return (wide ? 0x7f800000u : 0x7c00u) | (infinite[1] ? wide ? 0x80000000u : 0x8000u : 0);
    i64 sum = align(addend, 23, top - addend_exponent);
    for (u32 k = 0; k < s->k; k++)
        sum += align((i64)a[k].significand * b[k].significand, (i32)(fraction_a + fraction_b),
                     top - a[k].exponent - b[k].exponent);
    return wide ? sum_to_f32(sum, top - GROUP_PLACES) & ~CUT_BITS
                : sum_to_f16(sum, top - GROUP_PLACES);
}

void dot_fp8_group(const struct mma_shape *s, struct tile *t)
{
    struct factor a[MOST_K], b[LINES_MAX][MOST_K];
    for (u32 j = 0; j < s->n; j++) {
        for (u32 k = 0; k < s->k; k++)
            b[j][k] = factor_decode(s->b, t->b[j][k / 4] >> k % 4 * 8 & 0xff);
    }
    for (u32 i = 0; i < s->m; i++) {
        for (u32 k = 0; k < s->k; k++)
            a[k] = factor_decode(s->a, t->a[i][k / 4] >> k % 4 * 8 & 0xff);
        for (u32 j = 0; j < s->n; j++)
            t->d[i * s->n + j] = add(s, a, b[j], t->c[i * s->n + j]);
    }
}
