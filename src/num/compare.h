/*
 * Order among floats and integers: set and setp, min and max, testp, copysign.
 *
 * Minimum and maximum compare the patterns as signed integers after folding negative numbers
 * over, which puts -0 below +0 as the hardware does.
 */
#ifndef NUM_COMPARE_H
#define NUM_COMPARE_H

#include "num/float.h"

/* LO LS HI HS are LT LE GT GE of unsigned integers; those with U are also true for NaN. */
enum num_compare {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_LO,
    COMPARE_LS,
    COMPARE_HI,
    COMPARE_HS,
    COMPARE_EQU,
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU,
    COMPARE_NUM,
    COMPARE_NAN
};

/* From the three facts about a pair of floats. */
static inline bool compare_decide(enum num_compare op, bool less, bool equal, bool nan)
{
    switch (op) {
    case COMPARE_EQ:
        return equal;
    case COMPARE_NE:
        return !equal && !nan;
    case COMPARE_LT:
    case COMPARE_LO:
        return less;
    case COMPARE_LE:
    case COMPARE_LS:
        return less || equal;
    case COMPARE_GT:
    case COMPARE_HI:
        return !less && !equal && !nan;
    case COMPARE_GE:
    case COMPARE_HS:
        return !less && !nan;
    case COMPARE_EQU:
        return equal || nan;
    case COMPARE_NEU:
        return !equal;
    case COMPARE_LTU:
        return less || nan;
    case COMPARE_LEU:
        return less || equal || nan;
    case COMPARE_GTU:
        return !less && !equal;
    case COMPARE_GEU:
        return !less;
    case COMPARE_NUM:
        return !nan;
    case COMPARE_NAN:
        return nan;
    }
    return false;
}

/* setp and set on .u16 .u32 .u64 .b16 .b32 .b64, zero-extended */
static inline bool u64_compare(enum num_compare op, u64 a, u64 b)
{
    return compare_decide(op, a < b, a == b, false);
}

/* setp and set on .s16 .s32 .s64, sign-extended */
static inline bool i64_compare(enum num_compare op, u64 a, u64 b)
{
    return compare_decide(op, (i64)a < (i64)b, a == b, false);
}

/* Patterns in the order of their values, -0 below +0. */
static inline i32 f32_order(u32 x)
{
    return (i32)(x ^ ((u32)((i32)x >> 31) & 0x7fffffff));
}

static inline i64 f64_order(u64 x)
{
    return (i64)(x ^ ((u64)((i64)x >> 63) & INT64_MAX));
}

/* setp and set on .f32; with .ftz flush the operands first */
static inline bool f32_compare(enum num_compare op, u32 a, u32 b)
{
    bool nan = f32_is_nan(a) || f32_is_nan(b), zeros = ((a | b) & 0x7fffffff) == 0;
    return compare_decide(op, !nan && !zeros && (f32_order(a) < f32_order(b)),
                          !nan && (zeros || a == b), nan);
}

/* setp and set on .f64 */
static inline bool f64_compare(enum num_compare op, u64 a, u64 b)
{
    bool nan = f64_is_nan(a) || f64_is_nan(b), zeros = ((a | b) & INT64_MAX) == 0;
    return compare_decide(op, !nan && !zeros && (f64_order(a) < f64_order(b)),
                          !nan && (zeros || a == b), nan);
}

/* What min and max do about NaN, once `chosen` is the answer for two numbers. */
static inline u32 f32_choose(u32 a, u32 b, u32 chosen, bool nan)
{
    bool a_nan = f32_is_nan(a), b_nan = f32_is_nan(b);
    chosen = b_nan ? a : chosen;
    chosen = a_nan ? b : chosen;
    return (a_nan && b_nan) || (nan && (a_nan || b_nan)) ? F32_NAN : chosen;
}

/* min.f32 min.NaN.f32: a number beats a NaN unless .NaN; two give the canonical one */
static inline u32 f32_min(u32 a, u32 b, bool nan)
{
    return f32_choose(a, b, f32_order(a) < f32_order(b) ? a : b, nan);
}

/* max.f32 max.NaN.f32 */
static inline u32 f32_max(u32 a, u32 b, bool nan)
{
    return f32_choose(a, b, f32_order(a) > f32_order(b) ? a : b, nan);
}

/* min.xorsign.abs.f32: of the magnitudes, signed by the product of the signs; a NaN is not */
static inline u32 f32_min_xorsign(u32 a, u32 b, bool nan)
{
    u32 d = f32_min(a & 0x7fffffff, b & 0x7fffffff, nan);
    return f32_is_nan(d) ? d : d | ((a ^ b) & 0x80000000);
}

/* max.xorsign.abs.f32 */
static inline u32 f32_max_xorsign(u32 a, u32 b, bool nan)
{
    u32 d = f32_max(a & 0x7fffffff, b & 0x7fffffff, nan);
    return f32_is_nan(d) ? d : d | ((a ^ b) & 0x80000000);
}

/* min.f64 and max.f64: two NaN give the first, made quiet; recorded, not promised */
static inline u64 f64_choose(u64 a, u64 b, u64 chosen)
{
    bool a_nan = f64_is_nan(a), b_nan = f64_is_nan(b);
    chosen = b_nan ? a : chosen;
    chosen = a_nan ? b : chosen;
    return a_nan && b_nan ? a | 0x0008000000000000 : chosen;
}

/* min.f64 */
static inline u64 f64_min(u64 a, u64 b)
{
    return f64_choose(a, b, f64_order(a) < f64_order(b) ? a : b);
}

/* max.f64 */
static inline u64 f64_max(u64 a, u64 b)
{
    return f64_choose(a, b, f64_order(a) > f64_order(b) ? a : b);
}

/* copysign.f32: the sign of a on the magnitude of b */
static inline u32 f32_copysign(u32 a, u32 b)
{
    return (a & 0x80000000) | (b & 0x7fffffff);
}

/* copysign.f64 */
static inline u64 f64_copysign(u64 a, u64 b)
{
    return (a & ((u64)1 << 63)) | (b & INT64_MAX);
}

/* abs.f32; a NaN becomes the canonical one */
static inline u32 f32_abs(u32 a)
{
    return f32_canonical(a & 0x7fffffff);
}

/* neg.f32 */
static inline u32 f32_neg(u32 a)
{
    return f32_canonical(a ^ 0x80000000);
}

/* abs.f64: a NaN becomes quiet and keeps its payload */
static inline u64 f64_abs(u64 a)
{
    return f64_is_nan(a) ? a | 0x0008000000000000 : a & INT64_MAX;
}

/* neg.f64 */
static inline u64 f64_neg(u64 a)
{
    return f64_is_nan(a) ? a | 0x0008000000000000 : a ^ ((u64)1 << 63);
}

enum num_class {
    CLASS_FINITE,
    CLASS_INFINITE,
    CLASS_NUMBER,
    CLASS_NOTANUMBER,
    CLASS_NORMAL,
    CLASS_SUBNORMAL
};

/* testp.f64; zero passes for normal, as an H200 has it */
static inline bool f64_testp(enum num_class c, u64 a)
{
    u64 m = a & INT64_MAX;
    switch (c) {
    case CLASS_FINITE:
        return m < F64_INF;
    case CLASS_INFINITE:
        return m == F64_INF;
    case CLASS_NUMBER:
        return m <= F64_INF;
    case CLASS_NOTANUMBER:
        return m > F64_INF;
    case CLASS_NORMAL:
        return m < F64_INF && (m >= 0x0010000000000000 || m == 0);
    case CLASS_SUBNORMAL:
        return m != 0 && m < 0x0010000000000000;
    }
    return false;
}

/* testp.f32 */
static inline bool f32_testp(enum num_class c, u32 a)
{
    u32 m = a & 0x7fffffff;
    switch (c) {
    case CLASS_FINITE:
        return m < F32_INF;
    case CLASS_INFINITE:
        return m == F32_INF;
    case CLASS_NUMBER:
        return m <= F32_INF;
    case CLASS_NOTANUMBER:
        return m > F32_INF;
    case CLASS_NORMAL:
        return m < F32_INF && (m >= 0x00800000 || m == 0);
    case CLASS_SUBNORMAL:
        return m != 0 && m < 0x00800000;
    }
    return false;
}

#endif
