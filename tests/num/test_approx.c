/* Approximate functions against the manual's bounds and on their special arguments. */
#include "testing.h"

#include <math.h>

#include "num/approx.h"

enum { STEP = 9973 }; /* patterns between two samples; a prime */

static double ulps(u32 got, double exact)
{
    int exponent = ilogb(exact) < -126 ? -126 : ilogb(exact);
    return fabs((double)f32_value(got) - exact) / ldexp(1, exponent - 23);
}

TEST(reciprocal_and_roots_stay_within_one_ulp)
{
    UNUSED_STATE;
    for (u32 x = 1; x < F32_INF; x += STEP) {
        double v = (double)f32_value(x);
        if (1 / v < 0x1p128)
            assert_true(ulps(f32_rcp_approx(x, false), 1 / v) <= 1);
        assert_true(ulps(f32_sqrt_approx(x, false), sqrt(v)) <= 1);
        assert_true(ulps(f32_rsqrt_approx(x, false), 1 / sqrt(v)) <= 1);
    }
}

TEST(powers_and_logarithms_stay_within_their_bounds)
{
    UNUSED_STATE;
    for (u32 x = 1; x < 0x43000000; x += STEP) {
        double v = (double)f32_value(x);
        assert_true(ulps(f32_ex2_approx(x, false), exp2(v)) <= 2);
        assert_true(ulps(f32_ex2_approx(x | 0x80000000, false), exp2(-v)) <= 2);
    }
    for (u32 x = 1; x < F32_INF; x += STEP) {
        double exact = log2((double)f32_value(x));
        double off = fabs((double)f32_value(f32_lg2_approx(x, false)) - exact);
        assert_true(off <= 0x1p-22 || off <= 0x1p-22 * fabs(exact));
    }
}

TEST(sine_cosine_and_tanh_stay_within_their_bounds)
{
    UNUSED_STATE;
    double bound = exp2(-20.5);
    for (u32 x = 1; x < 0x40c90fdb; x += STEP) { /* 2 pi */
        double v = (double)f32_value(x);
        assert_true(fabs((double)f32_value(f32_sin_approx(x, false)) - sin(v)) <= bound);
        assert_true(fabs((double)f32_value(f32_cos_approx(x, false)) - cos(v)) <= bound);
        assert_true(fabs((double)f32_value(f32_tanh_approx(x)) - tanh(v)) <= 0x1p-11 * tanh(v));
    }
}

TEST(half_forms_stay_within_their_bounds)
{
    UNUSED_STATE;
    for (u32 x = 0; x < 0x7c00; x++) {
        double v = f16_value((u16)x);
        assert_true(fabs(f16_value(f16_tanh((u16)x)) - tanh(v)) <= exp2(-10.987));
        if (v < 15.99)
            assert_true(fabs(f16_value(f16_ex2((u16)x)) / exp2(v) - 1) <= exp2(-9.9));
    }
    for (u32 x = 0; x < 0x7f80; x++) {
        double v = bf16_value((u16)x);
        assert_true(fabs(bf16_value(bf16_tanh((u16)x)) - tanh(v)) <= 0x1p-8);
        if (v < 127.9)
            assert_true(fabs(bf16_value(bf16_ex2((u16)x)) / exp2(v) - 1) <= 0x1p-7);
    }
}

TEST(special_arguments_give_the_recorded_results)
{
    UNUSED_STATE;
    assert_int_equal(f32_rcp_approx(0x80000000, false), 0xff800000);
    assert_int_equal(f32_rcp_approx(0x7f7fffff, false), 0x00200000);
    assert_int_equal(f32_rcp_approx(0x7f7fffff, true), 0);
    assert_int_equal(f32_rcp_approx(0x007fffff, true), F32_INF);
    assert_int_equal(f32_sqrt_approx(0x80000000, false), 0x80000000);
    assert_int_equal(f32_sqrt_approx(0x80000001, false), F32_NAN);
    assert_int_equal(f32_sqrt_approx(0x80000001, true), 0x80000000);
    assert_int_equal(f32_rsqrt_approx(0x80000001, true), 0xff800000);
    assert_int_equal(f32_lg2_approx(0x80000000, false), 0xff800000);
    assert_int_equal(f32_lg2_approx(0xbf800000, false), F32_NAN);
    assert_int_equal(f32_lg2_approx(0x3f800000, false), 0);
    assert_int_equal(f32_ex2_approx(0xff800000, false), 0);
    assert_int_equal(f32_ex2_approx(0xc3150000, false), 1); /* 2^-149 */
    assert_int_equal(f32_ex2_approx(0xc3150000, true), 0);
    assert_int_equal(f32_sin_approx(0x7f800000, false), F32_NAN);
    assert_int_equal(f32_sin_approx(0x33000000, false), 0); /* too small for the hardware */
    assert_int_equal(f32_cos_approx(0x7f7fffff, false), 0x3f800000);
    assert_int_equal(f32_tanh_approx(0xff800000), 0xbf800000);
    assert_int_equal(f32_tanh_approx(0x80000001), 0x80000001);
    assert_int_equal(f16_ex2(0x4c00), 0x7c00); /* 2^16 */
}

TEST(division_by_a_huge_divisor_gives_zero)
{
    UNUSED_STATE;
    assert_int_equal(f32_div_approx(0x40400000, 0x40000000, false), 0x3fc00000);
    assert_int_equal(f32_div_approx(0x7f000000, 0x7f000000, false), 0);
    assert_int_equal(f32_div_approx(F32_INF, 0x7f000000, false), F32_NAN);
    assert_int_equal(f32_div_full(0x7f000000, 0x7f000000, false), 0x3f800000);
    assert_int_equal(f32_div_full(0, 0, false), F32_NAN);
    assert_int_equal(f32_div_full(0xbf800000, 0, false), 0xff800000);
    assert_int_equal(f32_div_approx(0x00800000, 0x00400000, false), 0x40000000);
}

TEST(f64_approximations_use_upper_words_only)
{
    UNUSED_STATE;
    assert_true(f64_rcp_approx(0x4008000000000000) == 0x3fd5555500000000);
    assert_true(f64_rcp_approx(0x7ff0000000000001) == 0); /* its upper word is infinite */
    assert_true(f64_rcp_approx(0x7ff8000000000001) == 0x7fffffff00000000);
    assert_true(f64_rcp_approx(0x800fffffffffffff) == 0xfff0000000000000);
    assert_true(f64_rsqrt_approx(0x4000000000000000, true) == 0x3fe6a09e00000000);
    assert_true(f64_rsqrt_approx(0xbff0000000000000, false) == 0xfff8000000000000);
    assert_true(f64_rsqrt_approx(0x0000000000000001, false) == 0x6180000000000000);
}

RUN_TESTS(T(reciprocal_and_roots_stay_within_one_ulp),
          T(powers_and_logarithms_stay_within_their_bounds),
          T(sine_cosine_and_tanh_stay_within_their_bounds), T(half_forms_stay_within_their_bounds),
          T(special_arguments_give_the_recorded_results), T(division_by_a_huge_divisor_gives_zero),
          T(f64_approximations_use_upper_words_only))
