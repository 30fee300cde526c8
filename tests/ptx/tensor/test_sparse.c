/* mma.sp against a dense product of the same matrix. */
#include "warp_matrix.h"

#include "base/rng.h"

static const char *const forms[] = {
    "sp.m16n8k16.row.col.f32.f16.f16.f32",
    "sp.m16n8k16.row.col.f16.f16.f16.f16",
    "sp.m16n8k32.row.col.f32.f16.f16.f32",
    "sp.m16n8k32.row.col.f16.f16.f16.f16",
    "sp.m16n8k16.row.col.f32.bf16.bf16.f32",
    "sp.m16n8k32.row.col.f32.bf16.bf16.f32",
    "sp.m16n8k8.row.col.f32.tf32.tf32.f32",
    "sp.m16n8k16.row.col.f32.tf32.tf32.f32",
    "sp.m16n8k32.row.col.s32.s8.u8.s32",
    "sp.m16n8k64.row.col.s32.u8.s8.s32",
    "sp.m16n8k64.row.col.f32.e4m3.e5m2.f32",
    "sp::ordered_metadata.m16n8k32.row.col.f32.f16.f16.f32",
};

static struct matrix full, kept, mb, mc, md;
static struct operand oa, ob, oc, od;
static u32 metadata[32];

/* The nibble of chunk `c` of a row: PTX ISA's figures of the metadata, by bits a row. */
static void put_nibble(const struct mma_shape *s, u32 row, u32 c, u32 nibble)
{
    u32 g = row % 8, lower = row / 8, lane, bit, chunks = s->a == MMA_TF32 ? s->k / 2u : s->k / 4u;
    if (chunks == 4) {
        lane = s->selector;
        bit = 16 * lower + 4 * c;
    } else if (chunks == 16) {
        lane = 2 * (c / 8) + lower;
        bit = 4 * (c % 8);
    } else if (mma_type_bits(s->a) == 8) {
        lane = 2u * s->selector + lower;
        bit = 4 * c;
    } else {
        lane = 2u * s->selector + c / 4;
        bit = 16 * lower + 4 * (c % 4);
    }
    metadata[4 * g + lane] |= nibble << bit;
}

/* Some columns of each chunk, in `full`; in `kept` those alone. */
static void draw_a(const struct mma_shape *s, struct rng *rng)
{
    static const u8 pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    memset(&full, 0, sizeof full);
    memset(metadata, 0, sizeof metadata);
    i32 least = s->a == MMA_U8 ? 0 : -7;
    for (u32 i = 0; i < 16; i++) {
        for (u32 c = 0; s->a == MMA_TF32 && c < s->k / 2u; c++) {
            u32 second = (u32)rng_below(rng, 2);
            kept.at[0][i][c] = full.at[0][i][2 * c + second] = (i32)rng_below(rng, 15) + least;
            put_nibble(s, i, c, second ? 0xe : 0x4);
        }
        for (u32 c = 0; s->a != MMA_TF32 && c < s->k / 4u; c++) {
            const u8 *p = pairs[rng_below(rng, 6)];
            for (u32 n = 0; n < 2; n++)
                kept.at[0][i][2 * c + n] = full.at[0][i][4 * c + p[n]] =
                    (i32)rng_below(rng, 8) + (least ? least : 0);
            put_nibble(s, i, c, p[0] | (u32)p[1] << 2);
        }
    }
}

static void draw(struct matrix *m, struct rng *rng, u32 rows, u32 cols, i32 least)
{
    for (u32 i = 0; i < rows; i++) {
        for (u32 j = 0; j < cols; j++)
            m->at[0][i][j] = (i32)rng_below(rng, 8) + least;
    }
}

TEST(a_sparse_product_is_that_of_the_matrix_with_its_zeros)
{
    UNUSED_STATE;
    for (u32 f = 0; f < ARRAY_LEN(forms); f++) {
        struct mma_shape s = form_shape(false, forms[f]), dense = s;
        struct rng rng;
        rng_init(&rng, 3, forms[f]);
        dense.sparse = false;
        for (u32 turn = 0; turn <= mma_most_selector(&s); turn++) {
            s.selector = (u8)turn;
            draw_a(&s, &rng);
            draw(&mb, &rng, s.k, 8, s.b == MMA_U8 ? 0 : -4);
            draw(&mc, &rng, 16, 8, -4);
            operand_fill(&s, FRAGMENT_A, &kept, &oa);
            operand_fill(&s, FRAGMENT_B, &mb, &ob);
            operand_fill(&s, FRAGMENT_C, &mc, &oc);
            for (u32 reg = 0; reg < REGS_MAX; reg++)
                od.regs[reg] = (u32 *)od.lanes[reg];
            mma_execute_sparse(&s, (const u32 *const *)oa.regs, (const u32 *const *)ob.regs,
                               (const u32 *const *)oc.regs, metadata, od.regs);
            matrix_multiply(&dense, &full, &mb, &mc, &md);
            operand_expect(&s, forms[f], &md, &od);
        }
    }
}

/* The element of A at compressed column 2t, and which lane of B holds the row it meets. */
TEST(the_registers_of_a_sparse_a_are_those_of_half_as_many_columns)
{
    UNUSED_STATE;
    struct mma_shape s = form_shape(false, "sp.m16n8k32.row.col.f32.f16.f16.f32");
    struct fragment a = fragment_of(&s, FRAGMENT_A), b = fragment_of(&s, FRAGMENT_B);
    assert_int_equal(a.registers, 4);
    assert_int_equal(b.registers, 4);
    assert_int_equal(fragment_element(&a, 5, 2, 0).col, 10); /* lane 1 of its four: 2, and 8 more */
    assert_int_equal(fragment_element(&b, 5, 3, 1).row, 27); /* 2 + 1, and 24 more */
    assert_int_equal(mma_most_selector(&s), 1);
}

RUN_TESTS(T(a_sparse_product_is_that_of_the_matrix_with_its_zeros),
          T(the_registers_of_a_sparse_a_are_those_of_half_as_many_columns))
