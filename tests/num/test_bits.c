/* Integer and video helpers on values worked out by hand from the PTX manual's text. */
#include "testing.h"

#include "num/bits.h"
#include "num/video.h"

TEST(division_by_zero_gives_all_ones)
{
    UNUSED_STATE;
    assert_int_equal(u32_div(7, 0), 0xffffffff);
    assert_true(u64_div(7, 0) == UINT64_MAX);
    assert_int_equal(u32_rem(7, 0), 0xffffffff);
    assert_int_equal(i32_div(7, 0), 0xffffffff);
}

TEST(the_least_number_divided_by_minus_one_is_itself)
{
    UNUSED_STATE;
    assert_int_equal(i32_div(0x80000000, 0xffffffff), 0x80000000);
    assert_int_equal(i32_rem(0x80000000, 0xffffffff), 0);
    assert_true(i64_div((u64)1 << 63, UINT64_MAX) == (u64)1 << 63);
    assert_true(i64_rem((u64)1 << 63, UINT64_MAX) == 0);
    assert_int_equal(i32_div((u32)-7, 2), (u32)-3);
    assert_int_equal(i32_rem((u32)-7, 2), (u32)-1);
}

TEST(shifts_by_the_width_or_more_clear_or_leave_the_sign)
{
    UNUSED_STATE;
    assert_int_equal(u32_shl(1, 31), 0x80000000);
    assert_int_equal(u32_shl(1, 32), 0);
    assert_int_equal(u32_shr(0x80000000, 4000000000u), 0);
    assert_int_equal(i32_shr(0x80000000, 32), 0xffffffff);
    assert_int_equal(i16_shr(0x8000, 99), 0xffff);
    assert_int_equal(u16_shl(0xffff, 15), 0x8000);
}

TEST(the_funnel_shift_clamps_at_32_or_wraps)
{
    UNUSED_STATE;
    assert_int_equal(u32_shf_l(0x80000001, 0x00000002, 1, false), 0x00000005);
    assert_int_equal(u32_shf_l(0x12345678, 0xaaaaaaaa, 40, false), 0x12345678);
    assert_int_equal(u32_shf_l(0x12345678, 0xaaaaaaaa, 32, true), 0xaaaaaaaa);
    assert_int_equal(u32_shf_r(0x80000001, 0x00000003, 1, false), 0xc0000000);
    assert_int_equal(u32_shf_r(0x12345678, 0xaaaaaaaa, 99, false), 0xaaaaaaaa);
}

TEST(lop3_computes_any_function_of_three_bits)
{
    UNUSED_STATE;
    u32 a = 0xf0f0f0f0, b = 0xcccccccc, c = 0xaaaaaaaa;
    for (u32 table = 0; table < 256; table++) /* the operands spell the table's rows */
        assert_int_equal(u32_lop3(a, b, c, table), table * 0x01010101u);
}

TEST(prmt_modes_pick_the_bytes_the_manual_lists)
{
    UNUSED_STATE;
    u32 a = 0x33221100, b = 0x77665584;
    assert_int_equal(u32_prmt(a, b, 0x7654, PRMT_INDEX), b);
    assert_int_equal(u32_prmt(a, b, 0x000c, PRMT_INDEX), 0x000000ff); /* the sign of 0x84 */
    assert_int_equal(u32_prmt(a, b, 1, PRMT_F4E), 0x84332211);
    assert_int_equal(u32_prmt(a, b, 1, PRMT_B4E), 0x66770011);
    assert_int_equal(u32_prmt(a, b, 2, PRMT_RC8), 0x22222222);
    assert_int_equal(u32_prmt(a, b, 2, PRMT_ECL), 0x33222222);
    assert_int_equal(u32_prmt(a, b, 1, PRMT_ECR), 0x11111100);
    assert_int_equal(u32_prmt(a, b, 3, PRMT_RC16), 0x33223322);
}

TEST(bit_fields_beyond_the_register_read_as_zero_or_sign)
{
    UNUSED_STATE;
    assert_int_equal(u32_bfe(0xabcd1234, 8, 8), 0x12);
    assert_int_equal(u32_bfe(0xabcd1234, 28, 8), 0xa);
    assert_int_equal(i32_bfe(0xabcd1234, 28, 8), 0xfffffffa);
    assert_int_equal(i32_bfe(0xabcd1234, 40, 8), 0xffffffff);
    assert_int_equal(i32_bfe(0xabcd1234, 8, 0), 0);
    assert_int_equal(u32_bfi(0xff, 0, 4, 8), 0xff0);
    assert_int_equal(u32_bfi(0xff, 0x11111111, 28, 8), 0xf1111111);
    assert_true(i64_bfe(0x8000000000000000, 60, 255) == 0xfffffffffffffff8);
}

TEST(bfind_of_a_negative_number_skips_its_sign_bits)
{
    UNUSED_STATE;
    assert_int_equal(u32_bfind(0x00010000, false), 16);
    assert_int_equal(u32_bfind(0x00010000, true), 15);
    assert_int_equal(u32_bfind(0, false), 0xffffffff);
    assert_int_equal(i32_bfind(0xfffffffe, false), 0);
    assert_int_equal(i32_bfind(0xffffffff, true), 0xffffffff);
    assert_int_equal(i64_bfind(~(u64)0 << 40, false), 39);
}

TEST(fns_counts_ones_up_or_down_from_the_base)
{
    UNUSED_STATE;
    assert_int_equal(u32_fns(0xaaaaaaaa, 0, 1), 1);
    assert_int_equal(u32_fns(0xaaaaaaaa, 3, 1), 3);
    assert_int_equal(u32_fns(0xaaaaaaaa, 3, 2), 5);
    assert_int_equal(u32_fns(0xaaaaaaaa, 4, (u32)-1), 3);
    assert_int_equal(u32_fns(0xaaaaaaaa, 4, 0), 0xffffffff);
    assert_int_equal(u32_fns(0xaaaaaaaa, 30, 2), 0xffffffff);
}

TEST(masks_and_extensions_clamp_or_wrap)
{
    UNUSED_STATE;
    assert_int_equal(u32_bmsk(4, 8, false), 0xff0);
    assert_int_equal(u32_bmsk(4, 40, false), 0xfffffff0);
    assert_int_equal(u32_bmsk(36, 40, true), 0xff0);
    assert_int_equal(i32_szext(0x88, 8, false), 0xffffff88);
    assert_int_equal(u32_szext(0x188, 8, false), 0x88);
    assert_int_equal(i32_szext(0x188, 40, true), 0xffffff88);
    assert_int_equal(u32_szext(0xffffffff, 32, false), 0xffffffff);
}

TEST(dot_products_take_each_operand_with_its_own_sign)
{
    UNUSED_STATE;
    assert_int_equal(u32_dp4a(0xff010101, 0x02020202, 10, true, true), 10 + 6 - 2);
    assert_int_equal(u32_dp4a(0xff010101, 0x02020202, 10, false, true), 10 + 6 + 510);
    assert_int_equal(u32_dp2a(0x0002ffff, 0x0102ff03, 1, true, true, false), (u32)(1 - 3 - 2));
    assert_int_equal(u32_dp2a(0x0002ffff, 0x0102ff03, 1, false, false, true), 1 + 2 * 65535 + 2);
}

TEST(saturating_sums_stop_at_the_ends)
{
    UNUSED_STATE;
    assert_int_equal(i32_add_sat(0x7fffffff, 1), 0x7fffffff);
    assert_int_equal(i32_sub_sat(0x80000000, 1), 0x80000000);
    assert_int_equal(i32_mad24_hi_sat(0x7fffff, 0x7fffff, 0x7fffffff), 0x7fffffff);
    assert_int_equal(i32_mul24_hi(0xffffff, 0x10000), 0xffffffff); /* -1 x 2^16 >> 16 */
    assert_int_equal(u32_mul24_hi(0xffffff, 0x10000), 0x00ffffff);
    assert_true(i64_mul_hi(UINT64_MAX, 2) == UINT64_MAX);
    assert_true(u64_mul_hi(UINT64_MAX, 2) == 1);
}

TEST(pairs_of_halves_do_not_carry_into_each_other)
{
    UNUSED_STATE;
    assert_int_equal(u16x2_add(0x0001ffff, 0x00010001), 0x00020000);
    assert_int_equal(i16x2_min(0x0001ffff, 0x0000fffe, false), 0x0000fffe);
    assert_int_equal(i16x2_max(0x8000ffff, 0x8001fffe, true), 0x00000000);
    assert_int_equal(u16x2_max(0x0001ffff, 0x00020001), 0x0002ffff);
}

TEST(video_operands_are_parts_of_words)
{
    UNUSED_STATE;
    struct video_mode m = {.op = VIDEO_SUB,
                           .d_signed = true,
                           .b_signed = true,
                           .a_part = VIDEO_B3,
                           .b_part = VIDEO_H1};
    assert_int_equal(video_scalar(&m, 0xff000000, 0xffff0000, 0), 256); /* 255 - -1 */
    m.saturate = true;
    m.d_part = VIDEO_B0;
    assert_int_equal(video_scalar(&m, 0xff000000, 0xffff0000, 0x11223344), 0x1122337f);
}

TEST(simd_video_selects_across_both_operands_and_masks)
{
    UNUSED_STATE;
    struct video_mode m = {.op = VIDEO_ADD};
    assert_int_equal(video_simd(&m, 16, 0x00010002, 0x00100020, 0, 0x10, 0x32, 3), 0x00110022);
    assert_int_equal(video_simd(&m, 16, 0x00010002, 0x00100020, 0, 0x01, 0x32, 3), 0x00120021);
    assert_int_equal(video_simd(&m, 16, 0x00010002, 0x00100020, 0xabcdef01, 0x10, 0x32, 1),
                     0xabcd0022);
    m.second = VIDEO_THEN_ADD;
    assert_int_equal(video_simd(&m, 8, 0x01020304, 0x01010101, 100, 0x3210, 0x7654, 15), 114);
}

RUN_TESTS(T(division_by_zero_gives_all_ones), T(the_least_number_divided_by_minus_one_is_itself),
          T(shifts_by_the_width_or_more_clear_or_leave_the_sign),
          T(the_funnel_shift_clamps_at_32_or_wraps), T(lop3_computes_any_function_of_three_bits),
          T(prmt_modes_pick_the_bytes_the_manual_lists),
          T(bit_fields_beyond_the_register_read_as_zero_or_sign),
          T(bfind_of_a_negative_number_skips_its_sign_bits),
          T(fns_counts_ones_up_or_down_from_the_base), T(masks_and_extensions_clamp_or_wrap),
          T(dot_products_take_each_operand_with_its_own_sign), T(saturating_sums_stop_at_the_ends),
          T(pairs_of_halves_do_not_carry_into_each_other), T(video_operands_are_parts_of_words),
          T(simd_video_selects_across_both_operands_and_masks))
