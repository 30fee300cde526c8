/*
 * cvt: between integers and floats of all widths.
 *
 * Modifiers compose: convert with the rounding, then apply .satfinite, .relu or .sat of the result
 * type (float.h, float16.h); .ftz flushes an f32 operand before and an f32 result after, but has no
 * effect from f32 to f16.
 * An integer travels in 64 bits, extended as its type says.
 */
#ifndef NUM_CONVERT_H
#define NUM_CONVERT_H

#include "num/float.h"
#include "num/float16.h"

enum num_int { INT_U8, INT_S8, INT_U16, INT_S16, INT_U32, INT_S32, INT_U64, INT_S64 };

static inline u32 int_bits(enum num_int t)
{
    return 8u << ((u32)t >> 1);
}

static inline bool int_is_signed(enum num_int t)
{
    return t & 1;
}

/* The greatest value, and the least as a 64-bit pattern. */
static inline u64 int_max(enum num_int t)
{
    return ~(u64)0 >> (64 - int_bits(t) + int_is_signed(t));
}

static inline u64 int_min(enum num_int t)
{
    return int_is_signed(t) ? ~int_max(t) : 0;
}

/* cvt between integers: the low bits, extended; upper bits of the register are ignored */
static inline u64 int_extend(u64 x, enum num_int t)
{
    u32 spare = 64 - int_bits(t);
    return int_is_signed(t) ? (u64)((i64)(x << spare) >> spare) : (x << spare) >> spare;
}

/* cvt.sat between integers; x is extended as `from` */
static inline u64 int_saturate(u64 x, enum num_int from, enum num_int to)
{
    bool negative = int_is_signed(from) && (i64)x < 0;
    u64 high = !negative && x > int_max(to) ? int_max(to) : x;
    return negative && (!int_is_signed(to) || (i64)x < (i64)int_min(to)) ? int_min(to) : high;
}

/* cvt.pack.sat.d.s32: one element of the packed result, cut to `bits` */
static inline u32 int_pack(u32 x, u32 bits, bool to_signed)
{
    i32 top = (i32)(((u32)1 << (bits - to_signed)) - 1), bottom = to_signed ? -top - 1 : 0;
    i32 v = (i32)x > top ? top : (i32)x;
    v = v < bottom ? bottom : v;
    return (u32)v & (((u32)1 << bits) - 1);
}

/*
 * A finite or infinite f64 as an integer, rounded, then clamped as cvt does for every integer
 * type with and without .sat. `nan` is what a NaN gives.
 */
static inline u64 f64_round_int(u64 x, enum num_int to, enum num_round r, u64 nan)
{
    bool negative = x >> 63;
    u32 exponent = (u32)(x >> 52) & 0x7ff;
    u64 m = (x & 0xfffffffffffff) | (u64)(exponent != 0) << 52;
    u32 left = exponent > 1075 ? exponent - 1075 : 0;
    u32 right = exponent < 1075 ? 1075 - exponent : 0;
    left = left > 11 ? 11 : left;
    right = right > 63 ? 63 : right;
    u64 half = ((u64)1 << right) >> 1, keep = m >> right, rest = m & (((u64)1 << right) - 1);
    keep += right ? round_step(keep, rest, half, negative, r) : 0;
    u64 magnitude = exponent >= 1023 + 64 ? ~(u64)0 : keep << left;
    u64 limit = negative ? (u64)0 - int_min(to) : int_max(to);
    magnitude = magnitude > limit ? limit : magnitude;
    return f64_is_nan(x) ? nan : negative ? (u64)0 - magnitude : magnitude;
}

/* What a NaN gives: zero from f16, bf16 or f32 to at most 32 bits, else only the top bit. */
static inline u64 int_nan(enum num_int to, bool from_f64)
{
    u64 top = (u64)1 << (int_bits(to) - 1);
    return from_f64 || int_bits(to) == 64 ? int_extend(top, to) : 0;
}

/* cvt.rni.s32.f64 and its like */
static inline u64 f64_to_int(u64 x, enum num_int to, enum num_round r)
{
    return f64_round_int(x, to, r, int_nan(to, true));
}

/* cvt.rni.s32.f32 and its like; with .ftz flush first */
static inline u64 f32_to_int(u32 x, enum num_int to, enum num_round r)
{
    return f64_round_int(f64_bits((double)f32_value(x)), to, r, int_nan(to, false));
}

/* cvt.rni.s32.f16 and its like */
static inline u64 f16_to_int(u16 x, enum num_int to, enum num_round r)
{
    return f32_to_int(f16_widen(x), to, r);
}

/* cvt.rni.s32.bf16 and its like */
static inline u64 bf16_to_int(u16 x, enum num_int to, enum num_round r)
{
    return f32_to_int(bf16_widen(x), to, r);
}

static inline u64 int_encode(u64 x, enum num_int from, u32 exponent_bits, u32 fraction_bits,
                             enum num_round r)
{
    bool negative = int_is_signed(from) && (i64)x < 0;
    return u64_encode(negative ? (u64)0 - x : x, negative, exponent_bits, fraction_bits, r);
}

/* cvt.rn.f16.s32 and its like; x is extended as `from` */
static inline u16 int_to_f16(u64 x, enum num_int from, enum num_round r)
{
    return (u16)int_encode(x, from, 5, 10, r);
}

/* cvt.rn.bf16.s32 and its like */
static inline u16 int_to_bf16(u64 x, enum num_int from, enum num_round r)
{
    return (u16)int_encode(x, from, 8, 7, r);
}

/* cvt.rn.f32.s32 and its like */
static inline u32 int_to_f32(u64 x, enum num_int from, enum num_round r)
{
    return (u32)int_encode(x, from, 8, 23, r);
}

/* cvt.rn.f64.s64 and its like */
static inline u64 int_to_f64(u64 x, enum num_int from, enum num_round r)
{
    return int_encode(x, from, 11, 52, r);
}

/* cvt.rni.f64.f64 and its like: to an integral value, keeping the sign of zero */
static inline u64 f64_round_integral(u64 x, enum num_round r)
{
    u64 sign = x & ((u64)1 << 63), m = x & INT64_MAX;
    u32 exponent = (u32)(m >> 52);
    u32 drop = exponent >= 1075 ? 0 : exponent < 1023 ? 52 : 1075 - exponent;
    u64 ulp = (u64)1 << drop, half = ulp >> 1, rest = m & (ulp - 1);
    u64 cut = m - rest;
    cut += drop && round_step(cut >> drop, rest, half, sign != 0, r) ? ulp : 0;
    /* Below one there are only zero and one, with a half between them. */
    u64 point5 = 0x3fe0000000000000;
    bool up = round_step(0, m > point5 ? 3 : m == point5 ? 2 : m != 0, 2, sign != 0, r);
    u64 small = up ? 0x3ff0000000000000 : 0;
    u64 quiet = m | 0x0008000000000000;
    return sign | (m > F64_INF ? quiet : exponent < 1023 ? small : cut);
}

/* cvt.rni.f32.f32 and its like; a NaN becomes the canonical one */
static inline u32 f32_round_integral(u32 x, enum num_round r)
{
    u64 wide = f64_round_integral(f64_bits((double)f32_value(x)), r);
    return f32_is_nan(x) ? F32_NAN : f32_bits((float)f64_value(wide));
}

/* cvt.rni.f16.f16 and its like */
static inline u16 f16_round_integral(u16 x, enum num_round r)
{
    u64 wide = f64_round_integral(f64_bits(f16_value(x)), r);
    return f16_is_nan(x) ? (u16)F16_NAN : (u16)f64_encode(wide, 5, 10, ROUND_RN);
}

/* cvt.rni.bf16.bf16 and its like */
static inline u16 bf16_round_integral(u16 x, enum num_round r)
{
    u64 wide = f64_round_integral(f64_bits(bf16_value(x)), r);
    return bf16_is_nan(x) ? (u16)BF16_NAN : (u16)f64_encode(wide, 8, 7, ROUND_RN);
}

/* cvt.f64.f32: a NaN keeps its payload and becomes quiet */
static inline u64 f32_to_f64(u32 x)
{
    return f64_bits((double)f32_value(x));
}

/* cvt.f32.f16 */
static inline u32 f16_to_f32(u16 x)
{
    return f16_is_nan(x) ? F32_NAN : f16_widen(x);
}

/* cvt.f64.f16 */
static inline u64 f16_to_f64(u16 x)
{
    return f64_bits(f16_value(x));
}

/* cvt.f32.bf16: a move of the bits, also of a NaN */
static inline u32 bf16_to_f32(u16 x)
{
    return bf16_widen(x);
}

/* cvt.f64.bf16 */
static inline u64 bf16_to_f64(u16 x)
{
    return f64_bits(bf16_value(x));
}

/* cvt.rn.f32.f64 and its like: a NaN keeps its upper payload and becomes quiet */
static inline u32 f64_to_f32(u64 x, enum num_round r)
{
    u32 sign = (u32)(x >> 32) & 0x80000000;
    u32 nan = sign | 0x7fc00000 | ((u32)(x >> 29) & 0x3fffff);
    return f64_is_nan(x) ? nan : (u32)f64_encode(x, 8, 23, r);
}

/* cvt.rn.f16.f64 and its like: a NaN as to f32 */
static inline u16 f64_to_f16(u64 x, enum num_round r)
{
    u16 nan = (u16)(((x >> 48) & 0x8000) | 0x7e00 | ((x >> 42) & 0x1ff));
    return f64_is_nan(x) ? nan : (u16)f64_encode(x, 5, 10, r);
}

/* cvt.rn.bf16.f64 and its like: a NaN as to f32 */
static inline u16 f64_to_bf16(u64 x, enum num_round r)
{
    u16 nan = (u16)(((x >> 48) & 0x8000) | 0x7fc0 | ((x >> 45) & 0x3f));
    return f64_is_nan(x) ? nan : (u16)f64_encode(x, 8, 7, r);
}

/* cvt.rn.f16.f32 and its like */
static inline u16 f32_to_f16(u32 x, enum num_round r)
{
    return f32_is_nan(x) ? (u16)F16_NAN : (u16)f32_encode(x, 5, 10, r);
}

/* cvt.rn.bf16.f32 and its like */
static inline u16 f32_to_bf16(u32 x, enum num_round r)
{
    return f32_is_nan(x) ? (u16)BF16_NAN : (u16)f32_encode(x, 8, 7, r);
}

/* cvt.rn.bf16.f16 and its like */
static inline u16 f16_to_bf16(u16 x, enum num_round r)
{
    return f32_to_bf16(f16_widen(x), r);
}

/* cvt.rn.f16.bf16 and its like */
static inline u16 bf16_to_f16(u16 x, enum num_round r)
{
    return f32_to_f16(bf16_widen(x), r);
}

/* cvt.rn.tf32.f32 cvt.rz.tf32.f32: 10 fraction bits in an f32 pattern */
static inline u32 f32_to_tf32(u32 x, enum num_round r)
{
    return f32_is_nan(x) ? 0x7fffe000 : f32_encode(x, 8, 10, r) << 13;
}

/* cvt.rna.tf32.f32: NaN and infinity are only cut, which may make an infinity of a NaN */
static inline u32 f32_to_tf32_rna(u32 x)
{
    return (x + ((x & F32_INF) == F32_INF ? 0 : 0x1000)) & 0xffffe000;
}

/* cvt.rna.satfinite.tf32.f32: steps back from infinity, also for NaN */
static inline u32 f32_to_tf32_rna_satfinite(u32 x)
{
    u32 d = f32_to_tf32_rna(x);
    return d - ((d & F32_INF) == F32_INF ? 0x2000 : 0);
}

/* .relu on tf32 */
static inline u32 tf32_relu(u32 x)
{
    return f32_is_nan(x) ? x : (i32)x < 0 ? 0 : x;
}

/* The sign of a negative number goes with it; a NaN has none. */
static inline u8 fp8_finish(u32 x, u32 magnitude, u32 greatest, bool relu)
{
    magnitude = magnitude > greatest ? greatest : magnitude;
    u32 d = relu && (i32)x < 0 ? 0 : magnitude | ((x >> 24) & 0x80);
    return (u8)(f32_is_nan(x) ? 0x7f : d);
}

/* cvt.rn.satfinite.e4m3x2.f32, one element: beyond 448 gives 448; the format has no infinity */
static inline u8 f32_to_e4m3(u32 x, bool relu)
{
    return fp8_finish(x, f32_place(x, 7, 3, ROUND_RN), 0x7e, relu);
}

/* cvt.rn.satfinite.e5m2x2.f32, one element: beyond 57344 gives 57344 */
static inline u8 f32_to_e5m2(u32 x, bool relu)
{
    return fp8_finish(x, f32_place(x, 15, 2, ROUND_RN), 0x7b, relu);
}

/* cvt.rn.satfinite.e4m3x2.f16x2, one element */
static inline u8 f16_to_e4m3(u16 x, bool relu)
{
    return f32_to_e4m3(f16_widen(x), relu);
}

/* cvt.rn.satfinite.e5m2x2.f16x2, one element */
static inline u8 f16_to_e5m2(u16 x, bool relu)
{
    return f32_to_e5m2(f16_widen(x), relu);
}

/* cvt.rn.f16x2.e5m2x2, one element: f16 with its lower byte cut off */
static inline u16 e5m2_to_f16(u8 x)
{
    return (u16)((x & 0x7fu) > 0x7c ? F16_NAN : (u32)x << 8);
}

/* e4m3 as f32, exact; tensor operations use it */
static inline u32 e4m3_to_f32(u8 x)
{
    u32 sign = (u32)(x & 0x80) << 24, m = x & 0x7f;
    u32 subnormal = f32_bits((float)(i32)m * 0x1p-9f);
    return m == 0x7f ? F32_NAN : sign | (m < 8 ? subnormal : (m << 20) + (120u << 23));
}

/* e5m2 as f32, exact */
static inline u32 e5m2_to_f32(u8 x)
{
    return f16_to_f32(e5m2_to_f16(x));
}

/* cvt.rn.f16x2.e4m3x2, one element */
static inline u16 e4m3_to_f16(u8 x)
{
    return f32_to_f16(e4m3_to_f32(x), ROUND_RN);
}

#endif
