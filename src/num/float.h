/*
 * The shape of IEEE numbers: bit patterns, rounding and the flush of subnormals.
 *
 * Every value in num is a bit pattern in an unsigned integer (u16 f16 and bf16, u32 f32 and
 * tf32, u64 f64): that is what a register holds, and NaN payloads survive it. The rounding code is
 * integer arithmetic, so the host's MXCSR does not change a result. Arguments such as the rounding
 * are meant to be constants at the call: everything is inline and folds, and what is left has no
 * branches, so that a loop over lanes vectorises.
 */
#ifndef NUM_FLOAT_H
#define NUM_FLOAT_H

#include <string.h>

#include "base/types.h"

/* PTX .rn .rz .rm .rp .rna; with a trailing i they round to an integral value. */
enum num_round { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

#define F32_NAN 0x7fffffffu /* what f32 operations give for NaN */
#define F32_INF 0x7f800000u
#define F64_NAN 0xfff8000000000000u /* what f64 operations give when no operand is a NaN */
#define F64_INF 0x7ff0000000000000u

static inline float f32_value(u32 bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline u32 f32_bits(float x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_value(u64 bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline u64 f64_bits(double x)
{
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline bool f32_is_nan(u32 x)
{
    return (x & 0x7fffffff) > F32_INF;
}

static inline bool f64_is_nan(u64 x)
{
    return (x & INT64_MAX) > F64_INF;
}

/* .ftz: a subnormal becomes zero of the same sign. */
static inline u32 f32_ftz(u32 x)
{
    return (x & F32_INF) == 0 ? x & 0x80000000 : x;
}

/* Any NaN becomes the one that f32 instructions return. */
static inline u32 f32_canonical(u32 x)
{
    return f32_is_nan(x) ? F32_NAN : x;
}

/* .sat: into [0, 1]; NaN and -0 become +0. */
static inline u32 f32_sat(u32 x)
{
    u32 low = (i32)x < 0 || f32_is_nan(x) ? 0 : x;
    return low > 0x3f800000 ? 0x3f800000 : low;
}

/* .sat: into [0, 1]; NaN and -0 become +0. */
static inline u64 f64_sat(u64 x)
{
    u64 low = (i64)x < 0 || f64_is_nan(x) ? 0 : x;
    return low > 0x3ff0000000000000 ? 0x3ff0000000000000 : low;
}

/* Whether `keep`, with `rest` below it out of 2 x `half`, goes up by one. */
static inline u64 round_step(u64 keep, u64 rest, u64 half, bool negative, enum num_round r)
{
    switch (r) {
    case ROUND_RN:
        return rest > half || (rest == half && (keep & 1));
    case ROUND_RNA:
        return rest >= half;
    case ROUND_RM:
        return negative && rest != 0;
    case ROUND_RP:
        return !negative && rest != 0;
    case ROUND_RZ:
        break;
    }
    return 0;
}

/* What an overflow gives: the pattern of infinity, or one less, the greatest finite number. */
static inline u64 round_overflow(u64 infinity, bool negative, enum num_round r)
{
    return infinity -
           (r == ROUND_RZ || (r == ROUND_RM && !negative) || (r == ROUND_RP && negative));
}

/*
 * A finite or infinite f64 as a narrower IEEE format, rounded once; the sign is on top. Also right
 * for subnormal results. NaN is the caller's business.
 */
static inline u64 f64_encode(u64 x, u32 exponent_bits, u32 fraction_bits, enum num_round r)
{
    u32 bias = (1u << (exponent_bits - 1)) - 1, lowest = 1023 - bias + 1;
    u64 infinity = (((u64)1 << exponent_bits) - 1) << fraction_bits;
    bool negative = x >> 63;
    u32 exponent = (u32)(x >> 52) & 0x7ff;
    u64 m = (x & 0xfffffffffffff) | (u64)(exponent != 0) << 52;
    u32 under = exponent < lowest ? lowest - exponent : 0;
    u32 drop = 52 - fraction_bits + under;
    drop = drop > 63 ? 63 : drop;
    u64 keep = m >> drop, half = (u64)1 << (drop - 1), rest = m & (half * 2 - 1);
    keep += round_step(keep, rest, half, negative, r);
    u64 out = ((u64)(under ? 0 : exponent - lowest) << fraction_bits) + keep;
    u64 over = exponent == 0x7ff ? infinity : round_overflow(infinity, negative, r);
    out = out >= infinity ? over : out;
    return out | (u64)negative << (exponent_bits + fraction_bits);
}

/* |x| with another bias and fewer fraction bits, rounded once; the exponent runs on past the
 * format's range, for the caller to limit. */
static inline u32 f32_place(u32 x, u32 bias, u32 fraction_bits, enum num_round r)
{
    u32 lowest = 127 - bias + 1, exponent = (x >> 23) & 0xff;
    u32 m = (x & 0x7fffff) | (u32)(exponent != 0) << 23;
    exponent += exponent == 0; /* a subnormal f32 counts like the least exponent */
    u32 under = exponent < lowest ? lowest - exponent : 0;
    u32 drop = 23 - fraction_bits + under;
    drop = drop > 31 ? 31 : drop;
    u32 keep = m >> drop, half = 1u << (drop - 1), rest = m & (half * 2 - 1);
    keep += (u32)round_step(keep, rest, half, x >> 31, r);
    return ((under ? 0 : exponent - lowest) << fraction_bits) + keep;
}

/* The same as f64_encode from f32, in 32-bit arithmetic. */
static inline u32 f32_encode(u32 x, u32 exponent_bits, u32 fraction_bits, enum num_round r)
{
    u32 infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    bool negative = x >> 31;
    u32 out = f32_place(x, (1u << (exponent_bits - 1)) - 1, fraction_bits, r);
    u32 limit = (u32)round_overflow(infinity, negative, r);
    u32 over = (x & 0x7fffffff) == F32_INF ? infinity : limit;
    out = out >= infinity ? over : out;
    return out | (u32)negative << (exponent_bits + fraction_bits);
}

/* An integer magnitude with a sign as an IEEE format, rounded once. */
static inline u64 u64_encode(u64 magnitude, bool negative, u32 exponent_bits, u32 fraction_bits,
                             enum num_round r)
{
    u32 bias = (1u << (exponent_bits - 1)) - 1, drop = 63 - fraction_bits;
    u64 infinity = (((u64)1 << exponent_bits) - 1) << fraction_bits;
    u32 zeros = (u32)__builtin_clzll(magnitude | 1);
    u64 m = magnitude << zeros;
    u64 half = (u64)1 << (drop - 1), keep = m >> drop, rest = m & (half * 2 - 1);
    keep += round_step(keep, rest, half, negative, r);
    u64 out = ((u64)(bias + 62 - zeros) << fraction_bits) + keep;
    out = out >= infinity ? round_overflow(infinity, negative, r) : out;
    out |= (u64)negative << (exponent_bits + fraction_bits);
    return magnitude ? out : 0;
}

#endif
