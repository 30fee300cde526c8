/* cvt on values worked out by hand. */
#include "testing.h"

#include "num/convert.h"

TEST(float_to_integer_rounds_as_told_and_clamps)
{
    UNUSED_STATE;
    u32 five_halves = 0x40200000, minus = 0xc0200000;
    assert_int_equal(f32_to_int(five_halves, INT_S32, ROUND_RN), 2);
    assert_int_equal(f32_to_int(five_halves, INT_S32, ROUND_RP), 3);
    assert_true(f32_to_int(minus, INT_S64, ROUND_RM) == (u64)-3);
    assert_true(f32_to_int(minus, INT_S64, ROUND_RZ) == (u64)-2);
    assert_int_equal(f32_to_int(minus, INT_U32, ROUND_RN), 0);
    assert_int_equal(f32_to_int(0x4f800000, INT_U32, ROUND_RN), 0xffffffff); /* 2^32 */
    assert_int_equal(f32_to_int(0x437f8000, INT_U8, ROUND_RN), 255);         /* 255.5 */
    assert_true(f32_to_int(0xff800000, INT_S64, ROUND_RN) == (u64)INT64_MIN);
    assert_true(f32_to_int(0x5f800000, INT_U64, ROUND_RN) == UINT64_MAX); /* 2^64 */
    assert_true(f32_to_int(0x5f000000, INT_U64, ROUND_RN) == (u64)1 << 63);
    assert_true(f64_to_int(0x3fdfffffffffffff, INT_S64, ROUND_RN) == 0); /* just below a half */
}

TEST(nan_to_integer_is_zero_or_the_top_bit)
{
    UNUSED_STATE;
    assert_int_equal(f32_to_int(0x7fc00000, INT_S32, ROUND_RN), 0);
    assert_true(f32_to_int(0x7fc00000, INT_U64, ROUND_RN) == (u64)1 << 63);
    assert_int_equal((u32)f64_to_int(0x7ff8000000000000, INT_S32, ROUND_RN), 0x80000000);
    assert_int_equal(f64_to_int(0x7ff8000000000000, INT_U16, ROUND_RN), 0x8000);
    assert_int_equal(f16_to_int(0x7e00, INT_S16, ROUND_RN), 0);
}

TEST(integer_to_float_rounds_once_from_all_64_bits)
{
    UNUSED_STATE;
    assert_int_equal(int_to_f32(16777217, INT_S32, ROUND_RN), 0x4b800000); /* 2^24 + 1, a tie */
    assert_int_equal(int_to_f32(16777217, INT_S32, ROUND_RP), 0x4b800001);
    assert_int_equal(int_to_f32((u64)-16777217, INT_S64, ROUND_RM), 0xcb800001);
    assert_int_equal(int_to_f32(UINT64_MAX, INT_U64, ROUND_RN), 0x5f800000);
    assert_int_equal(int_to_f32(UINT64_MAX, INT_U64, ROUND_RZ), 0x5f7fffff);
    assert_int_equal(int_to_f16(65520, INT_U32, ROUND_RN), 0x7c00);
    assert_int_equal(int_to_f16(65520, INT_U32, ROUND_RZ), 0x7bff);
    assert_int_equal(int_to_bf16(0, INT_S32, ROUND_RM), 0);
    assert_true(int_to_f64((u64)INT64_MIN, INT_S64, ROUND_RN) == 0xc3e0000000000000);
}

TEST(integers_extend_and_saturate_by_type)
{
    UNUSED_STATE;
    assert_true(int_extend(0x1ff, INT_S8) == UINT64_MAX);
    assert_int_equal(int_extend(0x1ff, INT_U8), 0xff);
    assert_int_equal(int_saturate((u64)-1, INT_S32, INT_U8), 0);
    assert_int_equal(int_saturate(300, INT_S32, INT_U8), 255);
    assert_true(int_saturate((u64)-300, INT_S32, INT_S8) == (u64)-128);
    assert_true(int_saturate(UINT64_MAX, INT_U64, INT_S64) == INT64_MAX);
    assert_int_equal(int_pack((u32)-9, 4, true), 8); /* -8 in four bits */
    assert_int_equal(int_pack(9, 2, false), 3);
}

TEST(rounding_to_an_integral_value_keeps_the_sign_of_zero)
{
    UNUSED_STATE;
    assert_int_equal(f32_round_integral(0xbf000000, ROUND_RN), 0x80000000); /* -0.5 */
    assert_int_equal(f32_round_integral(0x3fc00000, ROUND_RN), 0x40000000); /* 1.5 */
    assert_int_equal(f32_round_integral(0x3f000001, ROUND_RN), 0x3f800000);
    assert_int_equal(f32_round_integral(0xbf000000, ROUND_RM), 0xbf800000);
    assert_int_equal(f32_round_integral(0x00000001, ROUND_RP), 0x3f800000);
    assert_int_equal(f32_round_integral(0x7f800001, ROUND_RN), 0x7fffffff);
    assert_int_equal(f16_round_integral(0xc100, ROUND_RZ), 0xc000);
    assert_true(f64_round_integral(0x4330000000000001, ROUND_RN) == 0x4330000000000001);
}

TEST(narrowing_rounds_once_into_subnormals)
{
    UNUSED_STATE;
    assert_int_equal(f32_to_f16(0x33000000, ROUND_RN), 0x0000); /* 2^-25: a tie with zero */
    assert_int_equal(f32_to_f16(0x33000001, ROUND_RN), 0x0001);
    assert_int_equal(f32_to_f16(0x00000001, ROUND_RP), 0x0001);
    assert_int_equal(f32_to_f16(0x477ff000, ROUND_RN), 0x7c00); /* 65520 */
    assert_int_equal(f32_to_f16(0x477ff000, ROUND_RZ), 0x7bff);
    assert_int_equal(f32_to_f16(0xc77ff000, ROUND_RP), 0xfbff);
    assert_int_equal(f32_to_bf16(0x3f808000, ROUND_RN), 0x3f80);
    assert_int_equal(f32_to_bf16(0x3f818000, ROUND_RN), 0x3f82);
    assert_int_equal(f64_to_f32(0x3690000000000000, ROUND_RN), 0); /* 2^-150 */
    assert_int_equal(f64_to_f32(0x3690000000000001, ROUND_RN), 1);
    assert_int_equal(f64_to_f32(0x47efffffffffffff, ROUND_RN), 0x7f800000);
    assert_int_equal(f64_to_f32(0x47efffffffffffff, ROUND_RZ), 0x7f7fffff);
}

TEST(tf32_keeps_ten_bits_of_fraction)
{
    UNUSED_STATE;
    assert_int_equal(f32_to_tf32(0x3f801000, ROUND_RN), 0x3f800000);
    assert_int_equal(f32_to_tf32_rna(0x3f801000), 0x3f802000);
    assert_int_equal(f32_to_tf32(0x3f803fff, ROUND_RZ), 0x3f802000);
    assert_int_equal(f32_to_tf32_rna_satfinite(0x7f7fffff), 0x7f7fe000);
}

TEST(fp8_saturates_and_has_no_infinity)
{
    UNUSED_STATE;
    assert_int_equal(f32_to_e4m3(0x43e00000, false), 0x7e); /* 448 */
    assert_int_equal(f32_to_e4m3(0x7f800000, false), 0x7e);
    assert_int_equal(f32_to_e4m3(0xffc00000, false), 0x7f);
    assert_int_equal(f32_to_e4m3(0x3b000000, false), 0x01); /* 2^-9 */
    assert_int_equal(f32_to_e4m3(0x3a800000, false), 0x00); /* 2^-10: a tie */
    assert_int_equal(f32_to_e4m3(0xbf800000, true), 0x00);
    assert_int_equal(f32_to_e5m2(0x47600000, false), 0x7b); /* 57344 */
    assert_int_equal(f32_to_e5m2(0xff800000, false), 0xfb);
    for (u32 x = 0; x < 128; x++) {
        if (x != 0x7f)
            assert_int_equal(f32_to_e4m3(e4m3_to_f32((u8)x), false), x);
        if (x < 0x7c)
            assert_int_equal(f32_to_e5m2(e5m2_to_f32((u8)x), false), x);
    }
    assert_int_equal(e4m3_to_f16(0xff), 0x7fff);
    assert_int_equal(e5m2_to_f16(0xfd), 0x7fff);
    assert_int_equal(e5m2_to_f16(0x7c), 0x7c00);
}

RUN_TESTS(T(float_to_integer_rounds_as_told_and_clamps), T(nan_to_integer_is_zero_or_the_top_bit),
          T(integer_to_float_rounds_once_from_all_64_bits), T(integers_extend_and_saturate_by_type),
          T(rounding_to_an_integral_value_keeps_the_sign_of_zero),
          T(narrowing_rounds_once_into_subnormals), T(tf32_keeps_ten_bits_of_fraction),
          T(fp8_saturates_and_has_no_infinity))
