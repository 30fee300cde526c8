#include "warp_matrix.h"

static void refuses(bool wmma, const char *form, const char *reason)
{
    struct mma_shape s;
    struct err err = ERR_INIT;
    if (form_parse(&s, wmma, form, &err))
        fail_msg("%s was accepted", form);
    if (!strstr(err.what, reason))
        fail_msg("%s: '%s' does not say '%s'", form, err.what, reason);
    assert_int_equal(err.line, 7);
}

TEST(every_form_of_mma_and_wmma_is_accepted)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(mma_forms); i++)
        form_shape(false, mma_forms[i]);
    for (u32 i = 0; i < ARRAY_LEN(wmma_forms); i++)
        form_shape(true, wmma_forms[i]);
}

TEST(the_modifiers_end_up_in_the_shape)
{
    UNUSED_STATE;
    struct mma_shape s = form_shape(false, "sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32");
    assert_int_equal(s.m, 16);
    assert_int_equal(s.n, 8);
    assert_int_equal(s.k, 32);
    assert_int_equal(s.a, MMA_U8);
    assert_int_equal(s.b, MMA_S8);
    assert_int_equal(s.d, MMA_S32);
    assert_true(s.satfinite && !s.wmma);
    s = form_shape(true, "col.row.m32n8k16.f16.f32");
    assert_int_equal(s.a, MMA_F16);
    assert_int_equal(s.c, MMA_F32);
    assert_int_equal(s.d, MMA_F16);
    assert_int_equal(s.a_layout, MMA_COL);
    assert_int_equal(s.b_layout, MMA_ROW);
    s = form_shape(true, "row.col.m8n8k4.rm.f64.f64.f64.f64");
    assert_int_equal(s.rounding, MMA_RM);
}

TEST(what_is_not_supported_is_refused_with_a_reason)
{
    UNUSED_STATE;
    refuses(false, "m16n8k4.row.col.f32.f16.f16.f32", "expected m8n8k4 or m16n8k8 or m16n8k16");
    refuses(false, "m16n8k16.row.col.f32.tf32.tf32.f32", "expected m16n8k4 or m16n8k8");
    refuses(false, "m16n8k16.row.row.f32.f16.f16.f32", "takes only .row.col");
    refuses(false, "m16n8k16.row.col.f32.f16.bf16.f32", "cannot multiply f16 by bf16");
    refuses(false, "m16n8k16.row.col.f32.f16.f16.f16", "cannot add f16 to give f32");
    refuses(false, "m16n8k16.row.col.f16.bf16.bf16.f16", "expected f32");
    refuses(false, "m16n8k16.row.col.f32.f32.f32.f32", "cannot multiply f32");
    refuses(false, "m16n8k64.row.col.f32.e4m3.e4m3.f32", "is not supported, expected m16n8k16 or");
    refuses(false, "sp.m16n8k64.row.col.s32.s4.s4.s32", "mma.sp of s4 is not supported");
    refuses(false, "sp.m16n8k8.row.col.f32.f16.f16.f32", "expected m16n8k16 or m16n8k32");
    refuses(false, "kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e2m3.f32", "needs sm_120");
    refuses(false, "m16n8k16.row.col.satfinite.f32.f16.f16.f32", "satfinite");
    refuses(false, "m16n8k16.row.col.rz.f32.f16.f16.f32", "no rounding");
    refuses(false, "m8n8k128.row.col.s32.b1.b1.s32", "needs .xor.popc");
    refuses(false, "m16n8k32.row.col.s32.s8.s8.s32.xor.popc", "no bit operation");
    refuses(false, "m16n8k32.row.col.s32.s8.s4.s32", "cannot multiply s8 by s4");
    refuses(true, "row.col.m16n16k16.s32.s8.u8.s32", "cannot multiply s8 by u8");
    refuses(true, "row.col.m16n8k16.f32.f32", "expected m16n16k16 or m32n8k16 or m8n32k16");
    refuses(true, "col.row.m8n8k32.s32.s4.s4.s32", "takes only .row.col");
}

TEST(a_garbled_modifier_list_is_refused)
{
    UNUSED_STATE;
    refuses(false, "row.col.f32.f16.f16.f32", "no shape");
    refuses(false, "m16n8k16.f32.f16.f16.f32", "0 layouts");
    refuses(false, "m16n8k16.row.col.row.f32.f16.f16.f32", ".row there");
    refuses(false, "m16n8k16.row.col.f32.f16.f16", "3 types");
    refuses(false, "m16n8k16.row.col.f32.f16.f16.f32.f32", ".f32 there");
    refuses(false, "m16n8.row.col.f32.f16.f16.f32", ".m16n8 there");
    refuses(false, "m16n8k16x.row.col.f32.f16.f16.f32", ".m16n8k16x there");
    refuses(false, "m16n8k1600.row.col.f32.f16.f16.f32", ".m16n8k1600 there");
}

TEST(a_wmma_fragment_is_found_by_shape_and_type)
{
    UNUSED_STATE;
    struct fragment f;
    struct err err = ERR_INIT;
    struct src_pos at = {.file = "test.ptx", .line = 1};
    assert_true(wmma_fragment_parse(&f, FRAGMENT_C, "m16n16k8", "f32", at, &err));
    assert_int_equal(f.registers, 8);
    assert_true(wmma_fragment_parse(&f, FRAGMENT_D, "m8n8k128", "s32", at, &err));
    assert_int_equal(f.registers, 2);
    assert_false(wmma_fragment_parse(&f, FRAGMENT_A, "m16n16k8", "f16", at, &err));
    err = ERR_INIT;
    assert_false(wmma_fragment_parse(&f, FRAGMENT_C, "m8n8k4", "f32", at, &err));
    err = ERR_INIT;
    assert_false(wmma_fragment_parse(&f, FRAGMENT_A, "m16n16k16", "e5m2", at, &err));
    assert_non_null(strstr(err.what, "e5m2"));
}

RUN_TESTS(T(every_form_of_mma_and_wmma_is_accepted), T(the_modifiers_end_up_in_the_shape),
          T(what_is_not_supported_is_refused_with_a_reason), T(a_garbled_modifier_list_is_refused),
          T(a_wmma_fragment_is_found_by_shape_and_type))
