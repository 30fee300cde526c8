/* f16 and bf16: values, single rounding and the rules for NaN, worked out by hand. */
#include "testing.h"

#include "num/float16.h"

TEST(widening_keeps_every_f16_value)
{
    UNUSED_STATE;
    assert_int_equal(f16_widen(0x3c00), 0x3f800000);
    assert_int_equal(f16_widen(0x0001), 0x33800000); /* 2^-24 */
    assert_int_equal(f16_widen(0x83ff), 0xb87fc000); /* the greatest subnormal */
    assert_int_equal(f16_widen(0x7bff), 0x477fe000); /* 65504 */
    assert_int_equal(f16_widen(0xfc00), 0xff800000);
    for (u32 x = 0; x < 0x10000; x++) {
        if (!f16_is_nan((u16)x))
            assert_int_equal(f16_from_f64(f16_value((u16)x), ROUND_RN), x);
    }
}

TEST(a_sum_halfway_between_neighbours_goes_to_the_even_one)
{
    UNUSED_STATE;
    assert_int_equal(f16_add(0x6800, 0x3c00), 0x6800); /* 2048 + 1: 2048 and 2050 are near */
    assert_int_equal(f16_add(0x6801, 0x3c00), 0x6802); /* 2050 + 1 */
    assert_int_equal(f16_add(0x7bff, 0x4c00), 0x7c00); /* 65504 + 16 rounds to infinity */
    assert_int_equal(f16_add(0x7bff, 0x4b00), 0x7bff);
    assert_int_equal(f16_sub(0x3c00, 0x3c00), 0x0000);
    assert_int_equal(f16_mul(0x0001, 0x3800), 0x0000); /* half of the least number */
    assert_int_equal(f16_mul(0x0003, 0x3800), 0x0002);
}

TEST(fma_of_f16_rounds_once)
{
    UNUSED_STATE;
    /* (1 + 2^-10) x (1 + 2^-10) = 1 + 2^-9 + 2^-20; less 1 + 2^-9 leaves 2^-20, lost in a mul */
    assert_int_equal(f16_fma(0x3c01, 0x3c01, 0xbc02), 0x0010);
    /* 2050 x 1 + 1 lies halfway; a little more decides */
    assert_int_equal(f16_fma(0x6801, 0x3c00, 0x3c00), 0x6802);
    assert_int_equal(f16_fma(0x6800, 0x3c00, 0x3c01), 0x6801);
}

TEST(fma_of_bf16_sees_an_addend_far_below_a_midpoint)
{
    UNUSED_STATE;
    /* (1 + 2^-4)^2 = 1 + 2^-3 + 2^-8 is a midpoint; the even neighbour is below */
    assert_int_equal(bf16_fma(0x3f88, 0x3f88, 0x0000), 0x3f90);
    assert_int_equal(bf16_fma(0x3f88, 0x3f88, 0x0001), 0x3f91); /* plus 2^-133 */
    assert_int_equal(bf16_fma(0x3f88, 0x3f88, 0x8001), 0x3f90);
    assert_int_equal(bf16_add(0x3f80, 0x0080), 0x3f80);
}

TEST(nan_results_are_canonical_and_operands_quiet)
{
    UNUSED_STATE;
    assert_int_equal(f16_add(0xfe00, 0x3c00), 0x7fff);
    assert_int_equal(f16_fma(0x7c00, 0x0000, 0x3c00), 0x7fff);
    assert_int_equal(bf16_mul(0x7f80, 0x0000), 0x7fff);
    assert_int_equal(f16_min(0x7e00, 0x3c00, false), 0x3c00);
    assert_int_equal(f16_min(0x7e00, 0x3c00, true), 0x7fff);
    assert_int_equal(bf16_max(0x7fc0, 0xffc0, false), 0x7fff);
    assert_int_equal(f16_neg(0x7e00), 0x7fff);
}

TEST(minus_zero_is_less_than_plus_zero)
{
    UNUSED_STATE;
    assert_int_equal(f16_min(0x0000, 0x8000, false), 0x8000);
    assert_int_equal(f16_max(0x8000, 0x0000, false), 0x0000);
    assert_int_equal(bf16_min(0x8000, 0x0000, false), 0x8000);
    assert_true(f16_compare(COMPARE_EQ, 0x8000, 0x0000));
    assert_false(f16_compare(COMPARE_LT, 0x8000, 0x0000));
}

TEST(xorsign_takes_the_sign_of_the_product)
{
    UNUSED_STATE;
    assert_int_equal(f16_min_xorsign(0xbc00, 0x4000, false), 0xbc00);
    assert_int_equal(f16_max_xorsign(0xbc00, 0xc000, false), 0x4000);
    assert_int_equal(bf16_min_xorsign(0xbf80, 0x7fc0, false), 0xbf80);
    assert_int_equal(bf16_min_xorsign(0xbf80, 0x7fc0, true), 0x7fff);
}

TEST(sat_and_relu_remove_negative_numbers)
{
    UNUSED_STATE;
    assert_int_equal(f16_sat(0xbc00), 0);
    assert_int_equal(f16_sat(0x8000), 0);
    assert_int_equal(f16_sat(0x7e00), 0);
    assert_int_equal(f16_sat(0x4000), 0x3c00);
    assert_int_equal(f16_relu(0xbc00), 0);
    assert_int_equal(f16_relu(0xfe00), 0x7fff);
    assert_int_equal(bf16_relu(0xff80), 0);
    assert_int_equal(bf16_satfinite(0xff80), 0xff7f);
}

TEST(ftz_looks_at_the_result_rounded_to_eleven_bits)
{
    UNUSED_STATE;
    /* recorded on an H200: the product is 2^-14 (1 - 1.12 x 2^-12) */
    assert_int_equal(f16_mul(0xae7c, 0x10ef), 0x8400);
    assert_int_equal(f16_mul_ftz(0xae7c, 0x10ef), 0x8000);
    assert_int_equal(f16_add_ftz(0x03ff, 0x3c00), 0x3c00);
    assert_int_equal(f16_fma_ftz(0x3c00, 0x0400, 0x0000), 0x0400);
}

RUN_TESTS(T(widening_keeps_every_f16_value),
          T(a_sum_halfway_between_neighbours_goes_to_the_even_one), T(fma_of_f16_rounds_once),
          T(fma_of_bf16_sees_an_addend_far_below_a_midpoint),
          T(nan_results_are_canonical_and_operands_quiet), T(minus_zero_is_less_than_plus_zero),
          T(xorsign_takes_the_sign_of_the_product), T(sat_and_relu_remove_negative_numbers),
          T(ftz_looks_at_the_result_rounded_to_eleven_bits))
