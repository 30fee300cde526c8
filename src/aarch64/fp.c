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

/* ---- half precision --------------------------------------------------------------------------
 *
 * Sums, products, quotients and square roots are computed in double precision, which has more than
 * twice the bits, so that rounding twice is rounding once. So it is for a fused addition: where a
 * double does not hold the exact sum, the smaller part lies too far below the larger to decide.
 */

static double half_as_double(u64 v)
{
    u64 exponent = v >> 10 & 31, fraction = v & 0x3ff, sign = v >> 15 << 63;
    if (exponent == 0) {
        double d = (double)fraction * 0x1p-24;
        return sign ? -d : d;
    }
    exponent = exponent == 31 ? 0x7ff : exponent + 1008;
    return as_double(sign | exponent << 52 | fraction << 42);
}

/* To the nearest, of two the even one; any NaN is the default one. */
static u64 half_of_double(double d)
{
    u64 v = of_double(d), sign = v >> 63 << 15, magnitude = v & ~((u64)1 << 63);
    if (isnan(d))
        return fp_default_nan(1);
    if (fabs(d) < 0x1p-14)
        return sign | (u64)nearbyint(fabs(d) * 0x1p24);
    u64 rounded = (magnitude + ((u64)1 << 41) - 1 + (magnitude >> 42 & 1)) >> 42;
    u64 r = rounded - ((u64)1008 << 10);
    return sign | min_u64(r, fp_infinity(1));
}

static double any_as_double(u64 v, u32 size)
{
    return size == 3 ? as_double(v) : size == 2 ? (double)as_float(v) : half_as_double(v);
}

static u64 quiet_bit(u32 size)
{
    return size == 3 ? (u64)1 << 51 : size == 2 ? (u64)1 << 22 : (u64)1 << 9;
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

static double arithmetic_double(enum fp_operation operation, double x, double y)
{
    switch (operation) {
    case FP_DIV:
        return x / y;
    case FP_ADD:
        return x + y;
    case FP_SUB:
    case FP_ABD:
        return x - y;
    default:
        return x * y;
    }
}

static u64 arithmetic(enum fp_operation operation, u64 a, u64 b, u32 size)
{
    if (size != 2) {
        double r = arithmetic_double(operation, any_as_double(a, size), any_as_double(b, size));
        return size == 3 ? of_double(r) : half_of_double(r);
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
    double x = any_as_double(n, size), y = any_as_double(m, size);
    u64 r;
    if (size == 2)
        r = of_float(fmaf(as_float(n), as_float(m), as_float(addend)));
    else
        r = fp_from_double(fma(x, y, any_as_double(addend, size)), size);
    return fp_is_nan(r, size) ? fp_default_nan(size) : r;
}

u64 fp_sqrt(u64 v, u32 size)
{
    if (fp_is_nan(v, size))
        return nan_of(&v, 1, size);
    u64 r = size == 2 ? of_float(sqrtf(as_float(v)))
                      : fp_from_double(sqrt(any_as_double(v, size)), size);
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
    return fp_from_double(round_double(any_as_double(v, size), to), size); /* exact */
}

static u64 ones_below(u32 bit)
{
    return ((u64)1 << bit) - 1;
}

u64 fp_convert(u64 v, u32 from, u32 to)
{
    if (from == to)
        return v;
    if (fp_is_nan(v, from)) {
        static const u32 fraction_bits[] = {0, 10, 23, 52};
        u64 fraction = v & ones_below(fraction_bits[from]);
        fraction = fraction_bits[from] < fraction_bits[to]
                       ? fraction << (fraction_bits[to] - fraction_bits[from])
                       : fraction >> (fraction_bits[from] - fraction_bits[to]);
        return (v & fp_sign(from) ? fp_sign(to) : 0) | fp_infinity(to) | quiet_bit(to) | fraction;
    }
    return fp_from_double(any_as_double(v, from), to);
}

u64 fp_to_integer(u64 v, u32 size, enum fp_rounding rounding, bool is_signed, u32 bits)
{
    if (fp_is_nan(v, size))
        return 0;
    double d = round_double(any_as_double(v, size), rounding);
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
    if (size != 2) /* what a double rounds is infinite as a half */
        return fp_from_double(is_signed ? (double)(i64)v : (double)v, size);
    return of_float(is_signed ? (float)(i64)v : (float)v);
}

u64 fp_from_double(double v, u32 size)
{
    return size == 3 ? of_double(v) : size == 2 ? of_float((float)v) : half_of_double(v);
}

enum fp_relation fp_compare(u64 a, u64 b, u32 size)
{
    if (fp_is_nan(a, size) || fp_is_nan(b, size))
        return FP_UNORDERED;
    double x = any_as_double(a, size), y = any_as_double(b, size);
    return x < y ? FP_LESS : x > y ? FP_GREATER : FP_EQUAL;
}
