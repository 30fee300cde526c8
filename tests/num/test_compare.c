/* Comparison, minimum and maximum, classes and signs of f32 and f64. */
#include "testing.h"

#include "num/compare.h"

static const u32 ONE = 0x3f800000, MINUS_ONE = 0xbf800000, QUIET = 0x7fc00000;

TEST(ordered_comparisons_are_false_and_unordered_true_with_nan)
{
    UNUSED_STATE;
    for (int op = COMPARE_EQ; op <= COMPARE_GE; op++)
        assert_false(f32_compare((enum num_compare)op, ONE, QUIET));
    for (int op = COMPARE_EQU; op <= COMPARE_GEU; op++)
        assert_true(f32_compare((enum num_compare)op, QUIET, ONE));
    assert_true(f32_compare(COMPARE_NAN, ONE, QUIET));
    assert_false(f32_compare(COMPARE_NUM, ONE, QUIET));
    assert_true(f64_compare(COMPARE_NAN, F64_NAN, 0));
}

TEST(comparison_follows_the_numbers)
{
    UNUSED_STATE;
    assert_true(f32_compare(COMPARE_LT, MINUS_ONE, ONE));
    assert_true(f32_compare(COMPARE_GT, 0xbf000000, MINUS_ONE)); /* -0.5 > -1 */
    assert_true(f32_compare(COMPARE_EQ, 0x80000000, 0));
    assert_false(f32_compare(COMPARE_NE, 0x80000000, 0));
    assert_true(f32_compare(COMPARE_GE, 0x80000000, 0));
    assert_true(f64_compare(COMPARE_LT, 0xfff0000000000000, 0));
    assert_true(i64_compare(COMPARE_LT, UINT64_MAX, 0));
    assert_true(u64_compare(COMPARE_HI, UINT64_MAX, 0));
}

TEST(a_number_beats_a_nan_unless_nan_is_asked_for)
{
    UNUSED_STATE;
    assert_int_equal(f32_min(QUIET, ONE, false), ONE);
    assert_int_equal(f32_max(ONE, 0x7f800001, false), ONE);
    assert_int_equal(f32_min(QUIET, ONE, true), F32_NAN);
    assert_int_equal(f32_min(0xffc00000, QUIET, false), F32_NAN);
    assert_int_equal(f32_min(0, 0x80000000, false), 0x80000000);
    assert_int_equal(f32_max(0x80000000, 0, false), 0);
    assert_true(f64_min(F64_NAN, 5) == 5);
    assert_true(f64_max((u64)1 << 63, 0) == 0);
}

TEST(signs_combine_as_named)
{
    UNUSED_STATE;
    assert_int_equal(f32_min_xorsign(MINUS_ONE, 0x40000000, false), MINUS_ONE);
    assert_int_equal(f32_copysign(0x80000000, ONE), MINUS_ONE);
    assert_int_equal(f32_abs(MINUS_ONE), ONE);
    assert_int_equal(f32_neg(QUIET), F32_NAN);
    assert_true(f64_copysign((u64)1 << 63, 0x3ff0000000000000) == 0xbff0000000000000);
}

TEST(classes_partition_the_numbers)
{
    UNUSED_STATE;
    const u32 samples[] = {0, 1, 0x007fffff, 0x00800000, ONE, 0x7f800000, 0x7f800001, 0xffc00000};
    for (u32 k = 0; k < ARRAY_LEN(samples); k++) {
        u32 x = samples[k];
        bool finite = f32_testp(CLASS_FINITE, x), infinite = f32_testp(CLASS_INFINITE, x);
        assert_int_equal(f32_testp(CLASS_NUMBER, x), finite + infinite);
        assert_int_equal(f32_testp(CLASS_NUMBER, x), !f32_testp(CLASS_NOTANUMBER, x));
        assert_int_equal(f32_testp(CLASS_NORMAL, x) + f32_testp(CLASS_SUBNORMAL, x), finite);
    }
}

TEST(sat_brings_everything_between_zero_and_one)
{
    UNUSED_STATE;
    assert_int_equal(f32_sat(QUIET), 0);
    assert_int_equal(f32_sat(0x80000000), 0);
    assert_int_equal(f32_sat(0x7f800000), ONE);
    assert_int_equal(f32_sat(0x00000001), 1);
    assert_true(f64_sat(0xbff0000000000000) == 0);
    assert_true(f64_sat(0x4000000000000000) == 0x3ff0000000000000);
    assert_int_equal(f32_ftz(0x807fffff), 0x80000000);
    assert_int_equal(f32_ftz(0x00800000), 0x00800000);
}

RUN_TESTS(T(ordered_comparisons_are_false_and_unordered_true_with_nan),
          T(comparison_follows_the_numbers), T(a_number_beats_a_nan_unless_nan_is_asked_for),
          T(signs_combine_as_named), T(classes_partition_the_numbers),
          T(sat_brings_everything_between_zero_and_one))
