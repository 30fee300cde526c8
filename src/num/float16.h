/*
 * f16 and bf16: their value as f32 and f64, and their arithmetic, rounded once.
 *
 * Sums, products and fused sums of f16 and bf16 operands are formed in f64 and narrowed once by
 * integer code. That is right although f64 may round too:
 *
 * f16: a product has 22 bits and its last bit is at least 2^-48. Where the product is the greater
 * term and does not overflow f16, the sum runs from below 2^17 down to 2^-48 at most 22 bits under
 * the product's top or to 2^-24: at most 41 bits, so f64 holds it exactly. Where the addend is the
 * greater term and the sum needs more than 53 bits, the product is below 2^-30 of the addend: far
 * from any midpoint between neighbours of an f16 number, and f64's rounding cannot reach one.
 *
 * bf16: exponents range over 2^-133 to 2^127, so a product (16 bits, exact) that lies on a midpoint
 * of bf16 may meet an addend hundreds of bits below. f64_add_odd keeps a sticky last bit for it:
 * rounding to odd in 53 bits, then to nearest in at most 51, equals rounding once (Boldo and
 * Melquiond 2008).
 *
 * These few use the host's f64 adder and multiplier in their default mode: call them with MXCSR
 * at rounding to nearest, without DAZ and FTZ.
 */
#ifndef NUM_FLOAT16_H
#define NUM_FLOAT16_H

#include "num/compare.h"
#include "num/float.h"

#define F16_NAN 0x7fffu
#define BF16_NAN 0x7fffu

static inline bool f16_is_nan(u16 x)
{
    return (x & 0x7fff) > 0x7c00;
}

static inline bool bf16_is_nan(u16 x)
{
    return (x & 0x7fff) > 0x7f80;
}

/* The same value in f32; a NaN keeps its sign and payload, so it stays a NaN. */
static inline u32 f16_widen(u16 x)
{
    u32 sign = (u32)(x & 0x8000) << 16, m = x & 0x7fff;
    u32 normal = (m << 13) + (112u << 23);
    u32 subnormal = f32_bits((float)(i32)m * 0x1p-24f);
    u32 special = (m << 13) + (224u << 23);
    return sign | (m < 0x0400 ? subnormal : m < 0x7c00 ? normal : special);
}

static inline u32 bf16_widen(u16 x)
{
    return (u32)x << 16;
}

static inline double f16_value(u16 x)
{
    return (double)f32_value(f16_widen(x));
}

static inline double bf16_value(u16 x)
{
    return (double)f32_value(bf16_widen(x));
}

static inline u16 f16_from_f64(double x, enum num_round r)
{
    u64 bits = f64_bits(x);
    return f64_is_nan(bits) ? (u16)F16_NAN : (u16)f64_encode(bits, 5, 10, r);
}

static inline u16 bf16_from_f64(double x, enum num_round r)
{
    u64 bits = f64_bits(x);
    return f64_is_nan(bits) ? (u16)BF16_NAN : (u16)f64_encode(bits, 8, 7, r);
}

/* .ftz on f16 */
static inline u16 f16_ftz(u16 x)
{
    return (x & 0x7c00) == 0 ? (u16)(x & 0x8000) : x;
}

/* .sat on f16: into [0, 1]; NaN and -0 become +0 */
static inline u16 f16_sat(u16 x)
{
    u16 low = (x & 0x8000) || f16_is_nan(x) ? 0 : x;
    return low > 0x3c00 ? 0x3c00 : low;
}

/* .sat on bf16 */
static inline u16 bf16_sat(u16 x)
{
    u16 low = (x & 0x8000) || bf16_is_nan(x) ? 0 : x;
    return low > 0x3f80 ? 0x3f80 : low;
}

/* .relu on f16: a negative number becomes +0, a NaN the canonical one */
static inline u16 f16_relu(u16 x)
{
    return f16_is_nan(x) ? (u16)F16_NAN : x & 0x8000 ? 0 : x;
}

/* .relu on bf16 */
static inline u16 bf16_relu(u16 x)
{
    return bf16_is_nan(x) ? (u16)BF16_NAN : x & 0x8000 ? 0 : x;
}

/* .satfinite on f16: infinity becomes the greatest finite number */
static inline u16 f16_satfinite(u16 x)
{
    return (x & 0x7fff) == 0x7c00 ? (u16)(x - 1) : x;
}

/* .satfinite on bf16 */
static inline u16 bf16_satfinite(u16 x)
{
    return (x & 0x7fff) == 0x7f80 ? (u16)(x - 1) : x;
}

/* a + b with the last bit set when it is not exact; neither may overflow f64. */
static inline double f64_add_odd(double a, double b)
{
    double sum = a + b, b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
    u64 bits = f64_bits(sum);
    /* Inexact and even: the true value lies between here and one odd neighbour. */
    bool even = !(bits & 1), inexact = error > 0 || error < 0;
    u64 step = (error < 0) == (bits >> 63) ? 1 : ~(u64)0;
    return f64_value(bits + (inexact && even ? step : 0));
}

/* add.f16 */
static inline u16 f16_add(u16 a, u16 b)
{
    return f16_from_f64(f16_value(a) + f16_value(b), ROUND_RN);
}

/* sub.f16 */
static inline u16 f16_sub(u16 a, u16 b)
{
    return f16_from_f64(f16_value(a) - f16_value(b), ROUND_RN);
}

/* mul.f16 */
static inline u16 f16_mul(u16 a, u16 b)
{
    return f16_from_f64(f16_value(a) * f16_value(b), ROUND_RN);
}

/* fma.rn.f16 */
static inline u16 f16_fma(u16 a, u16 b, u16 c)
{
    return f16_from_f64(f16_value(a) * f16_value(b) + f16_value(c), ROUND_RN);
}

/* A result under .ftz goes when it is below the least normal after rounding to 11 bits. */
static inline u16 f16_from_f64_ftz(double x)
{
    u64 bits = f64_bits(x);
    bool tiny = (bits & INT64_MAX) < 0x3f0ffe0000000000; /* 2^-14 less half a step of 11 bits */
    return tiny ? (u16)((bits >> 48) & 0x8000) : f16_from_f64(x, ROUND_RN);
}

/* add.ftz.f16 */
static inline u16 f16_add_ftz(u16 a, u16 b)
{
    return f16_from_f64_ftz(f16_value(f16_ftz(a)) + f16_value(f16_ftz(b)));
}

/* sub.ftz.f16 */
static inline u16 f16_sub_ftz(u16 a, u16 b)
{
    return f16_from_f64_ftz(f16_value(f16_ftz(a)) - f16_value(f16_ftz(b)));
}

/* mul.ftz.f16 */
static inline u16 f16_mul_ftz(u16 a, u16 b)
{
    return f16_from_f64_ftz(f16_value(f16_ftz(a)) * f16_value(f16_ftz(b)));
}

/* fma.rn.ftz.f16 */
static inline u16 f16_fma_ftz(u16 a, u16 b, u16 c)
{
    return f16_from_f64_ftz(f16_value(f16_ftz(a)) * f16_value(f16_ftz(b)) + f16_value(f16_ftz(c)));
}

/* add.bf16; the operands' spread over 2^260 needs the sticky bit */
static inline u16 bf16_add(u16 a, u16 b)
{
    return bf16_from_f64(f64_add_odd(bf16_value(a), bf16_value(b)), ROUND_RN);
}

/* sub.bf16 */
static inline u16 bf16_sub(u16 a, u16 b)
{
    return bf16_from_f64(f64_add_odd(bf16_value(a), -bf16_value(b)), ROUND_RN);
}

/* mul.bf16 */
static inline u16 bf16_mul(u16 a, u16 b)
{
    return bf16_from_f64(bf16_value(a) * bf16_value(b), ROUND_RN);
}

/* fma.rn.bf16 */
static inline u16 bf16_fma(u16 a, u16 b, u16 c)
{
    return bf16_from_f64(f64_add_odd(bf16_value(a) * bf16_value(b), bf16_value(c)), ROUND_RN);
}

/* setp and set on .f16; with .ftz flush the operands first */
static inline bool f16_compare(enum num_compare op, u16 a, u16 b)
{
    return f32_compare(op, f16_widen(a), f16_widen(b));
}

/* setp and set on .bf16 */
static inline bool bf16_compare(enum num_compare op, u16 a, u16 b)
{
    return f32_compare(op, bf16_widen(a), bf16_widen(b));
}

/* min and max of both formats, which differ in where infinity lies */
static inline u16 half_choose(u16 a, u16 b, u16 chosen, u32 infinity, bool nan)
{
    bool a_nan = (a & 0x7fffu) > infinity, b_nan = (b & 0x7fffu) > infinity;
    chosen = b_nan ? a : chosen;
    chosen = a_nan ? b : chosen;
    return (a_nan && b_nan) || (nan && (a_nan || b_nan)) ? 0x7fff : chosen;
}

static inline i32 half_order(u16 x)
{
    return (i16)(x ^ ((u16)((i16)x >> 15) & 0x7fff));
}

static inline u16 half_min(u16 a, u16 b, u32 infinity, bool nan)
{
    return half_choose(a, b, half_order(a) < half_order(b) ? a : b, infinity, nan);
}

static inline u16 half_max(u16 a, u16 b, u32 infinity, bool nan)
{
    return half_choose(a, b, half_order(a) > half_order(b) ? a : b, infinity, nan);
}

static inline u16 half_sign(u16 magnitude, u16 a, u16 b, u32 infinity)
{
    return magnitude > infinity ? magnitude : (u16)(magnitude | ((a ^ b) & 0x8000));
}

/* min.f16 min.NaN.f16 */
static inline u16 f16_min(u16 a, u16 b, bool nan)
{
    return half_min(a, b, 0x7c00, nan);
}

/* max.f16 max.NaN.f16 */
static inline u16 f16_max(u16 a, u16 b, bool nan)
{
    return half_max(a, b, 0x7c00, nan);
}

/* min.bf16 min.NaN.bf16 */
static inline u16 bf16_min(u16 a, u16 b, bool nan)
{
    return half_min(a, b, 0x7f80, nan);
}

/* max.bf16 max.NaN.bf16 */
static inline u16 bf16_max(u16 a, u16 b, bool nan)
{
    return half_max(a, b, 0x7f80, nan);
}

/* min.xorsign.abs.f16 */
static inline u16 f16_min_xorsign(u16 a, u16 b, bool nan)
{
    return half_sign(half_min(a & 0x7fff, b & 0x7fff, 0x7c00, nan), a, b, 0x7c00);
}

/* max.xorsign.abs.f16 */
static inline u16 f16_max_xorsign(u16 a, u16 b, bool nan)
{
    return half_sign(half_max(a & 0x7fff, b & 0x7fff, 0x7c00, nan), a, b, 0x7c00);
}

/* min.xorsign.abs.bf16 */
static inline u16 bf16_min_xorsign(u16 a, u16 b, bool nan)
{
    return half_sign(half_min(a & 0x7fff, b & 0x7fff, 0x7f80, nan), a, b, 0x7f80);
}

/* max.xorsign.abs.bf16 */
static inline u16 bf16_max_xorsign(u16 a, u16 b, bool nan)
{
    return half_sign(half_max(a & 0x7fff, b & 0x7fff, 0x7f80, nan), a, b, 0x7f80);
}

/* abs.f16 */
static inline u16 f16_abs(u16 a)
{
    return f16_is_nan(a) ? (u16)F16_NAN : a & 0x7fff;
}

/* neg.f16 */
static inline u16 f16_neg(u16 a)
{
    return f16_is_nan(a) ? (u16)F16_NAN : a ^ 0x8000;
}

/* abs.bf16 */
static inline u16 bf16_abs(u16 a)
{
    return bf16_is_nan(a) ? (u16)BF16_NAN : a & 0x7fff;
}

/* neg.bf16 */
static inline u16 bf16_neg(u16 a)
{
    return bf16_is_nan(a) ? (u16)BF16_NAN : a ^ 0x8000;
}

#endif
