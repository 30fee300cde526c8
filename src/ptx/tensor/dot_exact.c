/*
 * How a Hopper tensor core adds, one element at a time.
 *
 * All k products (k up to 16 for 16-bit types, 8 for tf32) and C are added at once:
 *  - a product is exact; its exponent is the sum of the operands' exponents, so its significand
 *    lies in [0, 4). Subnormal operands keep the least exponent, they are not normalised first.
 *  - every term is shifted to the largest exponent among the terms that are not zero, or to -133
 *    when that is larger, and cut off (towards zero) 25 binary places below it: two more than f32
 *    has. (The recorded results admit -133 and -134; 2^-133 is the least bf16.)
 *  - the sum of what is left is exact, and is cut off to f32, or rounded to nearest even to f16.
 *    Beyond the largest finite number it is infinite. A sum of zero is +0.
 * An f16 C goes in as it is for an f16 result, and is widened to f32 first for an f32 result.
 * tf32 ignores the low 13 bits of its operands. Any NaN operand, 0 x inf and inf - inf give the
 * canonical NaN.
 *
 * Found with and checked against results recorded on an H200; Fasi et al. (PeerJ CS 2021) and
 * Khattak and Mikaitis (2025) describe the same for Volta to Hopper, which differ in the number of
 * places kept (Volta 23, Ampere 24) and in how many products are added at once.
 */
#include "ptx/tensor/dot.h"

#include <string.h>

enum { EXPONENT_LEAST = -133, F32_NAN = 0x7fffffff, F16_NAN = 0x7fff };

struct format {
    u32 exponent_bits, fraction_bits, skipped_bits;
};

enum term_class { TERM_FINITE, TERM_INFINITE, TERM_NAN };

/* significand * 2^(exponent - places) */
struct term {
    enum term_class class;
    bool negative;
    i32 exponent, places;
    u32 significand;
};

static struct format format_of(enum mma_type type)
{
    switch (type) {
    case MMA_F16:
        return (struct format){5, 10, 0};
    case MMA_BF16:
        return (struct format){8, 7, 0};
    case MMA_TF32:
        return (struct format){8, 10, 13};
    default:
        return (struct format){8, 23, 0};
    }
}

static struct term term_decode(enum mma_type type, u32 raw)
{
    struct format f = format_of(type);
    u32 bits = raw >> f.skipped_bits, top = (1u << f.exponent_bits) - 1;
    u32 biased = bits >> f.fraction_bits & top, fraction = bits & ((1u << f.fraction_bits) - 1);
    i32 bias = (i32)(top >> 1);
    struct term t = {.negative = bits >> (f.exponent_bits + f.fraction_bits) & 1,
                     .exponent = (biased ? (i32)biased : 1) - bias,
                     .places = (i32)f.fraction_bits,
                     .significand = fraction | (biased ? 1u << f.fraction_bits : 0)};
    if (biased == top)
        t.class = fraction ? TERM_NAN : TERM_INFINITE;
    return t;
}

static struct term addend_decode(const struct mma_shape *s, u32 raw)
{
    float wide = s->c == MMA_F16 ? f16_to_f32(raw) : 0;
    if (s->c == MMA_F16 && s->d == MMA_F32)
        memcpy(&raw, &wide, sizeof raw);
    return term_decode(s->c == MMA_F16 && s->d == MMA_F16 ? MMA_F16 : MMA_F32, raw);
}

static struct term term_multiply(struct term x, struct term y)
{
    struct term p = {.negative = x.negative != y.negative,
                     .exponent = x.exponent + y.exponent,
                     .places = x.places + y.places,
                     .significand = x.significand * y.significand};
    if (x.class == TERM_NAN || y.class == TERM_NAN)
        p.class = TERM_NAN;
    else if (x.class == TERM_INFINITE || y.class == TERM_INFINITE)
        p.class = p.significand ? TERM_INFINITE : TERM_NAN;
    return p;
}

static i64 term_align(struct term t, i32 exponent)
{
    if (!t.significand)
        return 0; /* its exponent may be larger */
    i32 down = exponent - PLACES - (t.exponent - t.places);
    u64 kept = down >= 32  ? 0
               : down >= 0 ? (u64)t.significand >> down
                           : (u64)t.significand << -down;
    return t.negative ? -(i64)kept : (i64)kept;
}

static u32 element_of(enum mma_type type, const u32 *line, u32 k)
{
    return type == MMA_TF32 ? line[k] : line[k / 2] >> k % 2 * 16 & 0xffff;
}

u32 dot_exact(const struct mma_shape *s, const u32 *a, const u32 *b, u32 c)
{
    struct term terms[ALONG_MAX + 1];
    terms[s->k] = addend_decode(s, c);
    i32 exponent = EXPONENT_LEAST;
    bool nan = false, infinite[2] = {false, false}, wide = s->d == MMA_F32;
    for (u32 k = 0; k <= s->k; k++) {
        if (k < s->k)
            terms[k] = term_multiply(term_decode(s->a, element_of(s->a, a, k)),
                                     term_decode(s->b, element_of(s->b, b, k)));
        if (terms[k].class == TERM_NAN)
            nan = true;
        else if (terms[k].class == TERM_INFINITE)
            infinite[terms[k].negative] = true;
        else if (terms[k].significand && terms[k].exponent > exponent)
            exponent = terms[k].exponent;
    }
    if (nan || (infinite[0] && infinite[1]))
        return wide ? F32_NAN : F16_NAN;
    if (infinite[0] || infinite[1])
        return (wide ? 0x7f800000u : 0x7c00u) | (infinite[1] ? wide ? 0x80000000u : 0x8000u : 0);
    i64 sum = 0;
    for (u32 k = 0; k <= s->k; k++)
        sum += term_align(terms[k], exponent);
    i32 unit = exponent - PLACES;
    return wide ? sum_to_f32(sum, unit) : sum_to_f16(sum, unit);
}
