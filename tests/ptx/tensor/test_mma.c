#include "warp_matrix.h"

#include "base/rng.h"

static struct matrix ma, mb, mc, md;
static struct operand oa, ob, oc, od;

static void matrix_clear(struct matrix *m)
{
    memset(m, 0, sizeof *m);
}

static void each_form(void (*check)(const struct mma_shape *s, const char *form))
{
    for (u32 i = 0; i < ARRAY_LEN(mma_forms); i++) {
        struct mma_shape s = form_shape(false, mma_forms[i]);
        check(&s, mma_forms[i]);
    }
    for (u32 i = 0; i < ARRAY_LEN(wmma_forms); i++) {
        struct mma_shape s = form_shape(true, wmma_forms[i]);
        check(&s, wmma_forms[i]);
    }
}

static void multiply_and_expect(const struct mma_shape *s, const char *form)
{
    operand_fill(s, FRAGMENT_A, &ma, &oa);
    operand_fill(s, FRAGMENT_B, &mb, &ob);
    operand_fill(s, FRAGMENT_C, &mc, &oc);
    run(s, &oa, &ob, &oc, &od);
    matrix_multiply(s, &ma, &mb, &mc, &md);
    operand_expect(s, form, &md, &od);
}

/* A has a one in the square's diagonal; B counts its elements as far as its type goes. */
static void check_identity(const struct mma_shape *s, const char *form)
{
    matrix_clear(&ma);
    matrix_clear(&mb);
    matrix_clear(&mc);
    bool narrow = s->b == MMA_S4 || s->b == MMA_U4 || s->b == MMA_E4M3 || s->b == MMA_E5M2;
    i32 most = s->b == MMA_B1 ? 2 : narrow ? 8 : 100;
    for (u32 q = 0; q < 4; q++) {
        for (u32 i = 0; i < s->m && i < s->k; i++)
            ma.at[q][i][i] = 1;
        for (u32 k = 0; k < s->k; k++) {
            for (u32 j = 0; j < s->n; j++)
                mb.at[q][k][j] = (i32)(k * s->n + j + q) % most;
        }
    }
    multiply_and_expect(s, form);
}

/* One 1 in A at (i, k), one 1 in B at (k, j): one 1 in D at (i, j), and where the two k differ
 * nothing. Every k of every row and column is visited. */
static void check_one_hot(const struct mma_shape *s, const char *form)
{
    u32 matrices = fragment_of(s, FRAGMENT_A).quads ? 4 : 1;
    u32 last = s->m > s->n ? s->m : s->n;
    for (u32 q = 0; q < matrices; q++) {
        for (u32 k = 0; k < s->k; k++) {
            for (u32 step = 0; step < last; step++) {
                u32 i = step % s->m, j = (step + k) % s->n, other = (k + step % 2) % s->k;
                ma.at[q][i][k] = mb.at[q][other][j] = 1;
                multiply_and_expect(s, form);
                assert_int_equal(md.at[q][i][j], k == other);
                ma.at[q][i][k] = mb.at[q][other][j] = 0;
            }
        }
    }
}

static void check_one_hot_from_zero(const struct mma_shape *s, const char *form)
{
    matrix_clear(&ma);
    matrix_clear(&mb);
    matrix_clear(&mc);
    check_one_hot(s, form);
}

static void matrix_random(struct matrix *m, struct rng *rng, u32 rows, u32 cols, enum mma_type type)
{
    i32 most = type == MMA_B1 ? 2 : type_is_signed(type) ? 15 : 8;
    for (u32 q = 0; q < 4; q++) {
        for (u32 i = 0; i < rows; i++) {
            for (u32 j = 0; j < cols; j++)
                m->at[q][i][j] = (i32)rng_below(rng, (u32)most) - (most == 15 ? 7 : 0);
        }
    }
}

static void check_random(const struct mma_shape *s, const char *form)
{
    struct rng rng;
    rng_init(&rng, 11, form);
    for (u32 turn = 0; turn < 4; turn++) {
        matrix_random(&ma, &rng, s->m, s->k, s->a);
        matrix_random(&mb, &rng, s->k, s->n, s->b);
        matrix_random(&mc, &rng, s->m, s->n, s->c);
        multiply_and_expect(s, form);
    }
}

/* The result must not depend on D being other registers than C. */
static void check_in_place(const struct mma_shape *s, const char *form)
{
    struct rng rng;
    if (s->c != s->d)
        return;
    rng_init(&rng, 12, form);
    matrix_random(&ma, &rng, s->m, s->k, s->a);
    matrix_random(&mb, &rng, s->k, s->n, s->b);
    matrix_random(&mc, &rng, s->m, s->n, s->c);
    operand_fill(s, FRAGMENT_A, &ma, &oa);
    operand_fill(s, FRAGMENT_B, &mb, &ob);
    operand_fill(s, FRAGMENT_C, &mc, &oc);
    mma_execute(s, (const u32 *const *)oa.regs, (const u32 *const *)ob.regs,
                (const u32 *const *)oc.regs, oc.regs);
    matrix_multiply(s, &ma, &mb, &mc, &md);
    operand_expect(s, form, &md, &oc);
}

TEST(the_identity_times_b_is_b_in_every_form)
{
    UNUSED_STATE;
    each_form(check_identity);
}

TEST(a_single_one_in_a_and_b_lands_where_row_and_column_meet_in_every_form)
{
    UNUSED_STATE;
    each_form(check_one_hot_from_zero);
}

TEST(small_integers_multiply_as_a_naive_loop_does_in_every_form)
{
    UNUSED_STATE;
    each_form(check_random);
}

TEST(d_may_be_the_registers_of_c_in_every_form)
{
    UNUSED_STATE;
    each_form(check_in_place);
}

/* All elements the same; returns the first element of D. */
static u32 same_everywhere(const char *form, u32 a, u32 b, u32 c)
{
    struct mma_shape s = form_shape(false, form);
    for (u32 reg = 0; reg < REGS_MAX; reg++) {
        oa.regs[reg] = (u32 *)oa.lanes[reg];
        ob.regs[reg] = (u32 *)ob.lanes[reg];
        oc.regs[reg] = (u32 *)oc.lanes[reg];
        for (u32 lane = 0; lane < 32; lane++) {
            oa.regs[reg][lane] = a;
            ob.regs[reg][lane] = b;
            oc.regs[reg][lane] = c;
        }
    }
    run(&s, &oa, &ob, &oc, &od);
    return od.regs[0][0];
}

/* 32 products of 127 x 127 are 516128 = 0x7e020. */
TEST(an_integer_sum_wraps_without_satfinite_and_clamps_with_it)
{
    UNUSED_STATE;
    const char *wraps = "m16n8k32.row.col.s32.s8.s8.s32";
    const char *clamps = "m16n8k32.row.col.satfinite.s32.s8.s8.s32";
    assert_int_equal(same_everywhere(wraps, 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff), 0x8007e01f);
    assert_int_equal(same_everywhere(clamps, 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff), 0x7fffffff);
    assert_int_equal(same_everywhere(wraps, 0x81818181, 0x7f7f7f7f, 0x80000000), 0x7ff81fe0);
    assert_int_equal(same_everywhere(clamps, 0x81818181, 0x7f7f7f7f, 0x80000000), 0x80000000);
    assert_int_equal(same_everywhere(clamps, 0x7f7f7f7f, 0x7f7f7f7f, 1), 0x7e021);
}

TEST(a_byte_is_read_as_its_type_says)
{
    UNUSED_STATE;
    assert_int_equal(same_everywhere("m8n8k16.row.col.s32.u8.u8.s32", ~0u, ~0u, 0), 16 * 255 * 255);
    assert_int_equal((i32)same_everywhere("m8n8k16.row.col.s32.s8.u8.s32", ~0u, ~0u, 0), -16 * 255);
    assert_int_equal((i32)same_everywhere("m8n8k16.row.col.s32.u8.s8.s32", ~0u, ~0u, 0), -16 * 255);
    assert_int_equal(same_everywhere("m8n8k32.row.col.s32.s4.s4.s32", 0x88888888, 0x88888888, 0),
                     32 * 64);
}

TEST(bits_are_counted_after_xor_or_and)
{
    UNUSED_STATE;
    assert_int_equal(
        same_everywhere("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 0xff00ff00, 0xffff0000, 5), 69);
    assert_int_equal(
        same_everywhere("m8n8k128.row.col.s32.b1.b1.s32.and.popc", 0xff00ff00, 0xffff0000, 5), 37);
}

static const char f16_f32[] = "m16n8k8.row.col.f32.f16.f16.f32";

/* 1 + 8 x 2^-25: each product is kept 25 places below 1, their sum 2^-22 is. One place deeper each
 * of them is cut off to nothing, though together they would have counted. */
TEST(products_are_cut_off_25_places_below_the_largest_term)
{
    UNUSED_STATE;
    assert_int_equal(same_everywhere(f16_f32, 0x00010001, 0x38003800, 0x3f800000), 0x3f800002);
    assert_int_equal(same_everywhere(f16_f32, 0x00010001, 0x34003400, 0x3f800000), 0x3f800000);
}

/* 8 x (1 + 2^-10)^2 + 1: 9 + 2^-6 + 2^-17 has 21 places below 8; with C = 2^-21 that is the last
 * place of f32 plus half of it. */
TEST(an_f32_result_is_cut_off_and_not_rounded)
{
    UNUSED_STATE;
    u32 plain = same_everywhere(f16_f32, 0x3c013c01, 0x3c013c01, 0);
    assert_int_equal(plain, 0x41004008);
    assert_int_equal(same_everywhere(f16_f32, 0x3c013c01, 0x3c013c01, 0x35400000), plain);
    assert_int_equal(same_everywhere(f16_f32, 0x3c013c01, 0x3c013c01, 0x35800000), plain + 1);
}

TEST(special_operands_give_infinity_or_the_canonical_nan)
{
    UNUSED_STATE;
    assert_int_equal(same_everywhere(f16_f32, 0x7c007c00, 0x3c003c00, 0), 0x7f800000);
    assert_int_equal(same_everywhere(f16_f32, 0x7c007c00, 0xbc00bc00, 0), 0xff800000);
    assert_int_equal(same_everywhere(f16_f32, 0x7c007c00, 0, 0), 0x7fffffff);
    assert_int_equal(same_everywhere(f16_f32, 0x7c007c00, 0x3c003c00, 0xff800000), 0x7fffffff);
    assert_int_equal(same_everywhere(f16_f32, 0x3c003c00, 0x3c003c00, 0xffc12345), 0x7fffffff);
    assert_int_equal(same_everywhere("m16n8k8.row.col.f16.f16.f16.f16", 0x7e017e01, 0, 0),
                     0x7fff7fff);
    assert_int_equal(
        same_everywhere("m16n8k8.row.col.f32.bf16.bf16.f32", 0x7f7f7f7f, 0x7f7f7f7f, 0),
        0x7f800000);
}

TEST(a_sum_of_zero_is_positive_and_subnormals_count)
{
    UNUSED_STATE;
    assert_int_equal(same_everywhere(f16_f32, 0x80008000, 0x3c003c00, 0x80000000), 0);
    assert_int_equal(same_everywhere(f16_f32, 0x00010001, 0x3c003c00, 0), 0x35000000); /* 2^-21 */
    assert_int_equal(same_everywhere(f16_f32, 0, 0x3c003c00, 0x80000001), 0x80000001);
}

/* 448 is the largest e4m3: 16 x 448 x 448 = 3211264. 2^-9 x 2^-16, the least of e4m3 and e5m2,
 * sixteen times is 2^-21: half of the last place of 8, which goes to the even neighbour, since C is
 * added with an ordinary addition. */
TEST(eight_bit_floats_are_multiplied_as_f16_and_c_is_added_with_rounding)
{
    UNUSED_STATE;
    const char *same = "m16n8k16.row.col.f32.e4m3.e4m3.f32";
    const char *mixed = "m16n8k16.row.col.f32.e4m3.e5m2.f32";
    assert_int_equal(same_everywhere(same, 0x7e7e7e7e, 0x7e7e7e7e, 0), 0x4a440000);
    assert_int_equal(same_everywhere(mixed, 0x01010101, 0x01010101, 0), 0x35000000);
    assert_int_equal(same_everywhere(mixed, 0x01010101, 0x01010101, 0x41000000), 0x41000000);
    assert_int_equal(same_everywhere(mixed, 0x01010101, 0x01010101, 0x41000001), 0x41000002);
    assert_int_equal(same_everywhere(same, 0x7f7f7f7f, 0, 0), 0x7fffffff);
    assert_int_equal(same_everywhere(mixed, 0x38383838, 0x7c7c7c7c, 0), 0x7f800000);
    assert_int_equal(
        same_everywhere("m16n8k16.row.col.f16.e4m3.e4m3.f16", 0x7e7e7e7e, 0x7e7e7e7e, 0x3c003c00),
        0x7c007c00);
}

/* The first two of every four elements are added before the last two: of 448 x 448, 2^-9 x 2^-9
 * and -448 x 448 in this order the middle one is lost. */
TEST(eight_bit_floats_are_added_in_two_halves)
{
    UNUSED_STATE;
    const char *form = "m16n8k16.row.col.f32.e4m3.e4m3.f32";
    assert_int_equal(same_everywhere(form, 0x00000101, 0x00000101, 0), 0x38000000); /* 8 x 2^-18 */
    assert_int_equal(same_everywhere(form, 0x00fe017e, 0x007e017e, 0), 0);
    assert_int_equal(same_everywhere(form, 0x0001fe7e, 0x00017e7e, 0), 0x37800000); /* 4 x 2^-18 */
}

RUN_TESTS(T(eight_bit_floats_are_multiplied_as_f16_and_c_is_added_with_rounding),
          T(eight_bit_floats_are_added_in_two_halves), T(the_identity_times_b_is_b_in_every_form),
          T(a_single_one_in_a_and_b_lands_where_row_and_column_meet_in_every_form),
          T(small_integers_multiply_as_a_naive_loop_does_in_every_form),
          T(d_may_be_the_registers_of_c_in_every_form),
          T(an_integer_sum_wraps_without_satfinite_and_clamps_with_it),
          T(a_byte_is_read_as_its_type_says), T(bits_are_counted_after_xor_or_and),
          T(products_are_cut_off_25_places_below_the_largest_term),
          T(an_f32_result_is_cut_off_and_not_rounded),
          T(special_operands_give_infinity_or_the_canonical_nan),
          T(a_sum_of_zero_is_positive_and_subnormals_count))
