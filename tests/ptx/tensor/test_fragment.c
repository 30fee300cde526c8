#include "warp_matrix.h"

/* Counts who holds each element. */
static void check_holders(const struct mma_shape *s, const char *form, enum fragment_kind kind)
{
    static u32 held[4][SIDE_MAX][SIDE_MAX];
    struct fragment f = fragment_of(s, kind);
    memset(held, 0, sizeof held);
    for (u32 reg = 0; reg < f.registers; reg++) {
        for (u32 lane = 0; lane < 32; lane++) {
            for (u32 part = 0; part < f.parts; part++) {
                struct element e = fragment_element(&f, lane, reg, part);
                assert_true(e.row < f.rows && e.col < f.cols && e.matrix < 4);
                held[e.matrix][e.row][e.col]++;
            }
        }
    }
    u32 times = f.registers / f.distinct, matrices = f.quads ? 4 : 1;
    for (u32 q = 0; q < matrices; q++) {
        for (u32 i = 0; i < f.rows; i++) {
            for (u32 j = 0; j < f.cols; j++) {
                if (held[q][i][j] != times)
                    fail_msg("%s: element %u, %u of operand %u is held %u times", form, i, j, kind,
                             held[q][i][j]);
            }
        }
    }
}

TEST(every_element_is_held_once_or_as_often_as_registers_repeat)
{
    UNUSED_STATE;
    for (u32 wmma = 0; wmma < 2; wmma++) {
        u32 forms = wmma ? ARRAY_LEN(wmma_forms) : ARRAY_LEN(mma_forms);
        for (u32 i = 0; i < forms; i++) {
            const char *form = wmma ? wmma_forms[i] : mma_forms[i];
            struct mma_shape s = form_shape(wmma, form);
            for (u32 kind = 0; kind < 4; kind++)
                check_holders(&s, form, (enum fragment_kind)kind);
        }
    }
}

static void expect_registers(bool wmma, const char *form, u32 a, u32 b, u32 c, u32 d)
{
    struct mma_shape s = form_shape(wmma, form);
    assert_int_equal(mma_registers(&s, FRAGMENT_A), a);
    assert_int_equal(mma_registers(&s, FRAGMENT_B), b);
    assert_int_equal(mma_registers(&s, FRAGMENT_C), c);
    assert_int_equal(mma_registers(&s, FRAGMENT_D), d);
}

TEST(operands_take_the_registers_that_the_manual_says)
{
    UNUSED_STATE;
    expect_registers(false, "m8n8k4.row.col.f32.f16.f16.f16", 2, 2, 4, 8);
    expect_registers(false, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4);
    expect_registers(false, "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2);
    expect_registers(false, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4);
    expect_registers(false, "m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, 2);
    expect_registers(false, "m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, 4);
    expect_registers(true, "row.col.m16n16k16.f16.f32", 8, 8, 8, 4);
    expect_registers(true, "row.col.m32n8k16.f32.f32", 8, 8, 8, 8);
    expect_registers(true, "row.col.m16n16k16.f32.bf16.bf16.f32", 4, 4, 8, 8);
    expect_registers(true, "row.col.m8n32k16.f32.bf16.bf16.f32", 2, 8, 8, 8);
    expect_registers(true, "row.col.m16n16k16.s32.s8.s8.s32", 2, 2, 8, 8);
    expect_registers(true, "row.col.m32n8k16.s32.u8.u8.s32", 4, 1, 8, 8);
    expect_registers(true, "row.col.m8n32k16.s32.u8.u8.s32", 1, 4, 8, 8);
    expect_registers(true, "row.col.m16n16k8.f32.tf32.tf32.f32", 4, 4, 8, 8);
    expect_registers(true, "row.col.m8n8k4.f64.f64.f64.f64", 1, 1, 2, 2);
}

static void expect_element(const struct fragment *f, u32 lane, u32 reg, u32 part, u32 row, u32 col)
{
    struct element e = fragment_element(f, lane, reg, part);
    assert_int_equal(e.row, row);
    assert_int_equal(e.col, col);
}

/* Read off the figures of the PTX manual for lane 13: group 3, thread 1 of the group. */
TEST(m16n8k16_of_f16_lies_as_in_the_manual)
{
    UNUSED_STATE;
    struct mma_shape s = form_shape(false, "m16n8k16.row.col.f32.f16.f16.f32");
    struct fragment a = fragment_of(&s, FRAGMENT_A), b = fragment_of(&s, FRAGMENT_B);
    struct fragment d = fragment_of(&s, FRAGMENT_D);
    expect_element(&a, 13, 0, 1, 3, 3);
    expect_element(&a, 13, 1, 0, 11, 2);
    expect_element(&a, 13, 2, 0, 3, 10);
    expect_element(&a, 13, 3, 1, 11, 11);
    expect_element(&b, 13, 0, 0, 2, 3);
    expect_element(&b, 13, 1, 1, 11, 3);
    expect_element(&d, 13, 1, 0, 3, 3);
    expect_element(&d, 13, 2, 0, 11, 2);
}

TEST(m16n8k32_of_bytes_lies_as_in_the_manual)
{
    UNUSED_STATE;
    struct mma_shape s = form_shape(false, "m16n8k32.row.col.s32.s8.s8.s32");
    struct fragment a = fragment_of(&s, FRAGMENT_A), b = fragment_of(&s, FRAGMENT_B);
    expect_element(&a, 13, 0, 3, 3, 7);
    expect_element(&a, 13, 1, 0, 11, 4);
    expect_element(&a, 13, 2, 0, 3, 20);
    expect_element(&b, 13, 1, 2, 22, 3);
}

/* Lane 22: upper half of the third quad pair, thread 2 in the quad. */
TEST(m8n8k4_of_f16_lies_as_in_the_manual)
{
    UNUSED_STATE;
    struct mma_shape s = form_shape(false, "m8n8k4.row.col.f32.f16.f16.f32");
    struct fragment f = fragment_of(&s, FRAGMENT_A);
    expect_element(&f, 22, 1, 1, 6, 3);
    assert_int_equal(fragment_element(&f, 22, 0, 0).matrix, 1);
    f = fragment_of(&s, FRAGMENT_B);
    expect_element(&f, 22, 1, 0, 2, 6);
    f = fragment_of(&s, FRAGMENT_C);
    expect_element(&f, 22, 7, 0, 6, 7);
    s = form_shape(false, "m8n8k4.col.row.f16.f16.f16.f16");
    f = fragment_of(&s, FRAGMENT_A);
    expect_element(&f, 22, 1, 1, 7, 2);
    f = fragment_of(&s, FRAGMENT_B);
    expect_element(&f, 22, 1, 1, 2, 7);
    f = fragment_of(&s, FRAGMENT_D);
    expect_element(&f, 22, 1, 1, 6, 3);
}

TEST(an_offset_follows_rows_or_columns_with_the_stride)
{
    UNUSED_STATE;
    struct mma_shape s = form_shape(true, "row.col.m16n16k16.f32.f32");
    struct fragment a = fragment_of(&s, FRAGMENT_A);
    expect_element(&a, 13, 3, 1, 11, 11);
    expect_element(&a, 13, 6, 0, 3, 10); /* registers 4 to 7 repeat 0 to 3 */
    assert_int_equal(wmma_offset(&a, MMA_ROW, 100, 13, 6, 0), 310);
    assert_int_equal(wmma_offset(&a, MMA_COL, 100, 13, 6, 0), 1003);
}

RUN_TESTS(T(every_element_is_held_once_or_as_often_as_registers_repeat),
          T(operands_take_the_registers_that_the_manual_says),
          T(m16n8k16_of_f16_lies_as_in_the_manual), T(m16n8k32_of_bytes_lies_as_in_the_manual),
          T(m8n8k4_of_f16_lies_as_in_the_manual),
          T(an_offset_follows_rows_or_columns_with_the_stride))
