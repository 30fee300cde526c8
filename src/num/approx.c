#include "num/approx.h"

#include <math.h>

/* Fixed point with 60 bits after the point: -8 to 8. */
#define FIX_ONE ((i64)1 << 60)

static i64 fix_mul(i64 a, i64 b)
{
    return (i64)(((i128)a * b) >> 60);
}

static i64 fix_polynomial(const i64 *c, u32 terms, i64 x)
{
    i64 sum = c[terms - 1];
    for (u32 k = terms - 1; k-- > 0;)
        sum = c[k] + fix_mul(sum, x);
    return sum;
}

/* |x| with `bits` after the point, for |x| < 2^(63 - bits); what lies below is cut. */
static i64 f32_to_fixed(u32 x, u32 bits)
{
    u32 exponent = (x >> 23) & 0xff;
    i64 m = (i64)((x & 0x7fffff) | (u32)(exponent != 0) << 23);
    i32 shift = (i32)exponent - 150 + (i32)bits;
    return shift >= 0 ? m << shift : shift > -32 ? m >> -shift : 0;
}

/* Under .ftz a result goes when it is below the least normal after rounding to 24 bits. */
static u32 f32_nearest(double x, bool ftz)
{
    u64 bits = f64_bits(x);
    if (f64_is_nan(bits))
        return F32_NAN;
    if (ftz && (bits & INT64_MAX) < 0x380ffffff0000000) /* 2^-126 less half a step of 24 bits */
        return (u32)(bits >> 32) & 0x80000000;
    return (u32)f64_encode(bits, 8, 23, ROUND_RN);
}

static double power_of_two(i32 n)
{
    return f64_value((u64)(1023 + n) << 52);
}

u32 f32_rcp_approx(u32 x, bool ftz)
{
    x = ftz ? f32_ftz(x) : x;
    if ((x & 0x7fffffff) == 0)
        return x | F32_INF;
    return f32_nearest(1.0 / (double)f32_value(x), ftz);
}

u32 f32_sqrt_approx(u32 x, bool ftz)
{
    x = ftz ? f32_ftz(x) : x;
    if (x > 0x80000000)
        return F32_NAN;
    return f32_nearest(sqrt((double)f32_value(x)), ftz);
}

u32 f32_rsqrt_approx(u32 x, bool ftz)
{
    x = ftz ? f32_ftz(x) : x;
    if ((x & 0x7fffffff) == 0)
        return x | F32_INF;
    if (x > 0x80000000)
        return F32_NAN;
    return f32_nearest(1.0 / sqrt((double)f32_value(x)), ftz);
}

/*
 * A reciprocal and a product, as the hardware has it. A divisor over 2^126 counts as infinite; a
 * subnormal one, without .ftz, is scaled first.
 */
u32 f32_div_approx(u32 a, u32 b, bool ftz)
{
    u32 size = b & 0x7fffffff;
    bool huge = size > 0x7e800000 && size < F32_INF, small = !ftz && size < 0x00800000 && size;
    double scale = small ? 0x1p24 : 1;
    u32 divisor = small ? f32_bits(f32_value(b) * 0x1p24f) : b;
    u32 reciprocal = huge ? b & 0x80000000 : f32_rcp_approx(divisor, ftz);
    double dividend = (double)f32_value(ftz ? f32_ftz(a) : a) * scale;
    return f32_nearest(dividend * (double)f32_value(reciprocal), ftz);
}

u32 f32_div_full(u32 a, u32 b, bool ftz)
{
    a = ftz ? f32_ftz(a) : a;
    b = ftz ? f32_ftz(b) : b;
    if ((b & 0x7fffffff) == 0) { /* the quotient of C is not defined */
        bool nan = f32_is_nan(a) || (a & 0x7fffffff) == 0;
        return nan ? F32_NAN : F32_INF | ((a ^ b) & 0x80000000);
    }
    return f32_nearest((double)f32_value(a) / (double)f32_value(b), ftz);
}

/* 2^x, x with 52 bits after the point; `whole` gets the exponent, the result is near one. */
static i64 fix_ex2(i64 x, i32 *whole)
{
    /* powers of ln 2 over factorials */
    static const i64 c[] = {1152921504606846976, 799144290325165979, 276962305849733589,
                            63991880473708028,   11088947882269934,  1537254591994316,
                            177590614373948,     17585204806744,     1523641891421,
                            117345342358,        8133759321,         512535667};
    i64 n = (x + ((i64)1 << 51)) >> 52;
    *whole = (i32)n;
    return fix_polynomial(c, ARRAY_LEN(c), (x - n * ((i64)1 << 52)) * 256);
}

/* The argument is cut to `bits` after the point. */
static u32 power(u32 x, bool ftz, u32 bits)
{
    u32 size = x & 0x7fffffff;
    bool negative = x >> 31;
    if (size > F32_INF)
        return F32_NAN;
    if (size >= (negative ? 0x43190000u : 0x43000000u)) /* 153 and 128 */
        return negative ? 0 : F32_INF;
    i32 whole = 0;
    i64 fixed = f32_to_fixed(x, bits) << (52 - bits);
    i64 d = fix_ex2(negative ? -fixed : fixed, &whole);
    return f32_nearest((double)d * power_of_two(whole - 60), ftz);
}

u32 f32_ex2_approx(u32 x, bool ftz)
{
    return power(x, ftz, 52);
}

u32 f32_lg2_approx(u32 x, bool ftz)
{
    /* 2 / ln 2 over odd numbers: the series of the inverse hyperbolic tangent */
    static const i64 c[] = {3326628274461080623, 1108876091487026874, 665325654892216125,
                            475232610637297232,  369625363829008958,  302420752223734602,
                            255894482650852356,  221775218297405375,  195684016144769448};
    x = ftz ? f32_ftz(x) : x;
    if ((x & 0x7fffffff) == 0)
        return 0x80000000 | F32_INF;
    if (x > F32_INF)
        return F32_NAN;
    if (x == F32_INF)
        return x;
    u64 wide = f64_bits((double)f32_value(x)); /* never subnormal */
    i32 whole = (i32)(wide >> 52) - 1023;
    double m = f64_value((wide & 0xfffffffffffff) | 0x3ff0000000000000);
    if (m > 1.5) {
        m = m * 0.5;
        whole++;
    }
    i64 s = (i64)((m - 1) / (m + 1) * 0x1p60);
    i64 d = fix_mul(s, fix_polynomial(c, ARRAY_LEN(c), fix_mul(s, s)));
    return f32_nearest((double)whole + (double)d * 0x1p-60, ftz);
}

/* |sin| or |cos| of `turns` of the circle, which lie in [0, 1); `negative` gets the sign. */
static i64 fix_sin(i64 turns, bool cosine, bool *negative)
{
    static const i64 s[] = {
        1152921504606846976, -192153584101141163, 9607679205057058, -228754266787073,
        3177142594265,       -28883114493,        185148170,        -881658};
    static const i64 c[] = {
        1152921504606846976, -576460752303423488, 48038396025285291, -1601279867509510,
        28594283348384,      -317714259426,       2406926208,        -13224869};
    const i64 two_pi = 0x6487ed5110b4611a;
    i64 quadrant = (turns + FIX_ONE / 8) >> 58;
    i64 angle = fix_mul(turns - quadrant * (FIX_ONE / 4), two_pi);
    i64 square = fix_mul(angle, angle);
    quadrant += cosine;
    i64 d = quadrant & 1 ? fix_polynomial(c, ARRAY_LEN(c), square)
                         : fix_mul(angle, fix_polynomial(s, ARRAY_LEN(s), square));
    *negative = (d < 0) != ((quadrant & 2) != 0);
    return d < 0 ? -d : d;
}

/*
 * The argument in turns: multiplied in f32 and cut, then rounded to 24 bits after the point, as an
 * H200 does. So a small sine is exactly zero, and that of a great angle has few bits.
 */
static i64 f32_turns(u32 x)
{
    double product = (double)f32_value(x & 0x7fffffff) * (double)0x1.45f306p-3f;
    u32 turns = (u32)f64_encode(f64_bits(product), 8, 23, ROUND_RZ);
    u32 exponent = turns >> 23;
    u64 m = (turns & 0x7fffff) | 0x800000, fraction = 0;
    if (exponent < 150 && exponent >= 101) /* 2^-26 */
        fraction = exponent >= 125 ? m << (exponent - 125) : m >> (125 - exponent);
    fraction = (fraction + 1) >> 1; /* had 25 bits */
    return (i64)(fraction & 0xffffff) << 36;
}

static u32 sine(u32 x, bool cosine)
{
    if ((x & 0x7fffffff) >= F32_INF)
        return F32_NAN;
    bool negative;
    i64 d = fix_sin(f32_turns(x), cosine, &negative);
    u32 sign = negative ? 0x80000000 : 0;
    return f32_nearest((double)d * 0x1p-60, false) | (cosine ? sign : sign ^ (x & 0x80000000));
}

/* Zero comes out of subnormal arguments anyway, and no other result is subnormal. */
u32 f32_sin_approx(u32 x, bool ftz)
{
    (void)ftz;
    return sine(x, false);
}

u32 f32_cos_approx(u32 x, bool ftz)
{
    (void)ftz;
    return sine(x, true);
}

u32 f32_tanh_approx(u32 x)
{
    u32 size = x & 0x7fffffff, sign = x & 0x80000000;
    if (size > F32_INF)
        return F32_NAN;
    if (size < 0x3b810000) /* 2^-8: here an H200 returns the argument */
        return x;
    if (size >= 0x41000000) /* 8 */
        return sign | 0x3f800000;
    /* With e = exp(-2 |x|) it is (1 - e) / (1 + e). */
    const i64 two_over_ln2 = 0x2e2a8eca5705fc2f;
    i32 whole = 0;
    i64 power_of_e = fix_ex2(-fix_mul(f32_to_fixed(size, 52), two_over_ln2), &whole);
    i64 e = power_of_e >> -whole;
    return sign | f32_nearest((double)(FIX_ONE - e) / (double)(FIX_ONE + e), false);
}

/* The upper words alone take part, and a subnormal counts as zero. */
u64 f64_rcp_approx(u64 x)
{
    const u64 upper = 0xffffffff00000000, sign = x & ((u64)1 << 63);
    x &= upper;
    if (f64_is_nan(x))
        return 0x7fffffff00000000;
    if ((x & F64_INF) == 0)
        return sign | F64_INF;
    u64 d = f64_bits(1.0 / f64_value(x)) & upper;
    return (d & F64_INF) == 0 ? sign : d;
}

u64 f64_rsqrt_approx(u64 x, bool ftz)
{
    const u64 upper = 0xffffffff00000000, sign = x & ((u64)1 << 63);
    x = ftz ? x & upper : x;
    if (f64_is_nan(x))
        return ftz ? 0x7fffffff00000000 : x | 0x0008000000000000;
    if ((x & INT64_MAX) == 0 || (ftz && (x & F64_INF) == 0))
        return sign | F64_INF;
    if (sign)
        return ftz ? 0x7fffffff00000000 : F64_NAN;
    u64 d = f64_bits(1.0 / sqrt(f64_value(x)));
    return ftz ? d & upper : d;
}

/* The half forms cut the argument and the f32 result; a power beyond f16 is still infinite. */
u16 f16_ex2(u16 x)
{
    u32 d = power(f16_widen(x), false, 23);
    return d >= 0x47800000 && d <= F32_INF ? 0x7c00 : f32_to_f16(d, ROUND_RZ);
}

u16 bf16_ex2(u16 x)
{
    return f32_to_bf16(power(bf16_widen(x), true, 23), ROUND_RZ);
}

u16 f16_tanh(u16 x)
{
    return f32_to_f16(f32_tanh_approx(f16_widen(x)), ROUND_RZ);
}

u16 bf16_tanh(u16 x)
{
    return f32_to_bf16(f32_tanh_approx(bf16_widen(x)), ROUND_RZ);
}
