#include "aarch64/fp.h"

#include <math.h>
#include <string.h>

static double as_double(u64 v)
{
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}

static float as_float(u64 v)
{
    u32 low = (u32)v;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static u64 of_double(double d)
{
    u64 v;
    memcpy(&v, &d, sizeof v);
    return v;
}

static u64 of_float(float f)
{
    u32 v;
    memcpy(&v, &f, sizeof v);
    return v;
}

static u64 quiet_bit(u32 size)
{
    return size == 3 ? (u64)1 << 51 : (u64)1 << 22;
}

static bool is_signalling(u64 v, u32 size)
{
    return fp_is_nan(v, size) && !(v & quiet_bit(size));
}

/* The NaN that comes out of operands of which one or more are NaNs. */
static u64 nan_of(const u64 *v, u32 count, u32 size)
{
    for (u32 i = 0; i < count; i++) {
        if (is_signalling(v[i], size))
            return v[i] | quiet_bit(size);
    }
    for (u32 i = 0; i < count; i++) {
        if (fp_is_nan(v[i], size))
            return v[i];
    }
    return fp_default_nan(size);
}

static bool is_zero(u64 v, u32 size)
{
    return fp_abs(v, size) == 0;
}

/* Of two numbers; -0 is less than +0. */
static u64 greater(u64 a, u64 b, bool want_less, u32 size)
{
    if (is_zero(a, size) && is_zero(b, size))
        return want_less ? a | b : a & b;
    enum fp_relation r = fp_compare(a, b, size);
    return (r == FP_LESS) != want_less ? b : a;
}

static u64 arithmetic(enum fp_operation operation, u64 a, u64 b, u32 size)
{
    if (size == 3) {
        double x = as_double(a), y = as_double(b);
        switch (operation) {
        case FP_DIV:
            return of_double(x / y);
        case FP_ADD:
            return of_double(x + y);
        case FP_SUB:
        case FP_ABD:
            return of_double(x - y);
        default:
            return of_double(x * y);
        }
    }
    float x = as_float(a), y = as_float(b);
    switch (operation) {
    case FP_DIV:
        return of_float(x / y);
    case FP_ADD:
        return of_float(x + y);
    case FP_SUB:
    case FP_ABD:
        return of_float(x - y);
    default:
        return of_float(x * y);
    }
}

static u64 extreme(enum fp_operation operation, u64 a, u64 b, u32 size)
{
    bool want_less = operation == FP_MIN || operation == FP_MINNM;
    if (operation == FP_MAXNM || operation == FP_MINNM) {
        bool quiet_a = fp_is_nan(a, size) && !is_signalling(a, size);
        bool quiet_b = fp_is_nan(b, size) && !is_signalling(b, size);
        if (quiet_a && !fp_is_nan(b, size))
            return b;
        if (quiet_b && !fp_is_nan(a, size))
            return a;
    }
    if (fp_is_nan(a, size) || fp_is_nan(b, size))
        return nan_of((u64[]){a, b}, 2, size);
    return greater(a, b, want_less, size);
}

u64 fp_binary(enum fp_operation operation, u64 a, u64 b, u32 size)
{
    u64 r;
    if (operation >= FP_MAX && operation <= FP_MINNM)
        return extreme(operation, a, b, size);
    if (fp_is_nan(a, size) || fp_is_nan(b, size))
        r = nan_of((u64[]){a, b}, 2, size);
    else
        r = arithmetic(operation, a, b, size);
    if (fp_is_nan(r, size) && !fp_is_nan(a, size) && !fp_is_nan(b, size))
        r = fp_default_nan(size);
    if (operation == FP_ABD)
        return fp_abs(r, size);
    return operation == FP_NMUL ? fp_negate(r, size) : r;
}

u64 fp_fma(u64 addend, u64 n, u64 m, u32 size)
{
    bool is_nan = fp_is_nan(n, size) || fp_is_nan(m, size);
    bool invalid = (fp_abs(n, size) == fp_infinity(size) && is_zero(m, size)) ||
                   (fp_abs(m, size) == fp_infinity(size) && is_zero(n, size));
    if (is_nan || fp_is_nan(addend, size)) {
        if (invalid && !is_signalling(addend, size))
            return fp_default_nan(size);
        return nan_of((u64[]){addend, n, m}, 3, size);
    }
    u64 r = size == 3 ? of_double(fma(as_double(n), as_double(m), as_double(addend)))
                      : of_float(fmaf(as_float(n), as_float(m), as_float(addend)));
    return fp_is_nan(r, size) ? fp_default_nan(size) : r;
}

u64 fp_sqrt(u64 v, u32 size)
{
    if (fp_is_nan(v, size))
        return nan_of(&v, 1, size);
    u64 r = size == 3 ? of_double(sqrt(as_double(v))) : of_float(sqrtf(as_float(v)));
    return fp_is_nan(r, size) ? fp_default_nan(size) : r;
}

static double round_double(double d, enum fp_rounding to)
{
    switch (to) {
    case ROUND_UP:
        return ceil(d);
    case ROUND_DOWN:
        return floor(d);
    case ROUND_ZERO:
        return trunc(d);
    case ROUND_AWAY:
        return round(d);
    default:
        return nearbyint(d);
    }
}

u64 fp_round(u64 v, enum fp_rounding to, u32 size)
{
    if (fp_is_nan(v, size))
        return nan_of(&v, 1, size);
    if (size == 3)
        return of_double(round_double(as_double(v), to));
    return of_float((float)round_double((double)as_float(v), to)); /* exact */
}

u64 fp_convert(u64 v, u32 from, u32 to)
{
    if (from == to)
        return v;
    if (fp_is_nan(v, from)) {
        if (to == 3)
            return (v >> 31 & 1) << 63 | (u64)0x7ff << 52 | (u64)1 << 51 | (v & 0x7fffff) << 29;
        return (v >> 63) << 31 | (u64)0xff << 23 | 1u << 22 | (v >> 29 & 0x3fffff);
    }
    return to == 3 ? of_double((double)as_float(v)) : of_float((float)as_double(v));
}

u64 fp_to_integer(u64 v, u32 size, enum fp_rounding rounding, bool is_signed, u32 bits)
{
    if (fp_is_nan(v, size))
        return 0;
    double d = round_double(size == 3 ? as_double(v) : (double)as_float(v), rounding);
    double limit = ldexp(1, (int)(is_signed ? bits - 1 : bits));
    u64 all = bits == 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
    if (is_signed) {
        if (d >= limit)
            return all >> 1;
        return (d < -limit ? ~(all >> 1) : (u64)(i64)d) & all;
    }
    return d >= limit ? all : d <= 0 ? 0 : (u64)d;
}

u64 fp_from_integer(u64 v, bool is_signed, u32 size)
{
    if (size == 3)
        return of_double(is_signed ? (double)(i64)v : (double)v);
    return of_float(is_signed ? (float)(i64)v : (float)v);
}

u64 fp_from_double(double v, u32 size)
{
    return size == 3 ? of_double(v) : of_float((float)v);
}

enum fp_relation fp_compare(u64 a, u64 b, u32 size)
{
    if (fp_is_nan(a, size) || fp_is_nan(b, size))
        return FP_UNORDERED;
    double x = size == 3 ? as_double(a) : (double)as_float(a);
    double y = size == 3 ? as_double(b) : (double)as_float(b);
    return x < y ? FP_LESS : x > y ? FP_GREATER : FP_EQUAL;
}
