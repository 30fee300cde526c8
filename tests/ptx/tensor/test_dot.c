/*
 * The fast sums against their definition, on operands that visit every exponent.
 */
#include "ptx/tensor/dot.h"
#include "testing.h"

#include "base/rng.h"

/* Bits whose exponents crowd around one place, spread over everything, or are special now and
 * then, as `taste` says. */
static u32 operand_draw(struct rng *rng, enum mma_type type, u32 taste)
{
    u32 bits = (u32)rng_u64(rng), exponent_at = type == MMA_F16 ? 10 : type == MMA_BF16 ? 7 : 23;
    u32 exponent_bits = type == MMA_F16 ? 5 : 8, mask = ((1u << exponent_bits) - 1) << exponent_at;
    u32 width = 1 + exponent_at + exponent_bits;
    if (width < 32)
        bits &= (1u << width) - 1;
    u32 rare = (u32)rng_below(rng, 64);
    if (taste == 3 && rare == 0)
        return bits | mask; /* NaN or, rarely, infinity */
    if (rare < 4)
        return bits & ~mask; /* subnormal */
    if (rare < 8)
        return bits & 1u << (width - 1); /* zero */
    bool special = (bits & mask) == mask;
    if (taste == 0 || special)
        bits = (bits & ~mask) |
               (((1u << (exponent_bits - 1)) - 3 + (u32)rng_below(rng, 6)) << exponent_at & mask);
    if (taste == 1) /* half of them within 32 of the largest */
        bits |= (rng_below(rng, 2) ? 7u << (exponent_at + exponent_bits - 3) : 0) & mask;
    return (bits & mask) == mask && taste != 3 ? bits & ~(1u << exponent_at) : bits;
}

static void tile_draw(struct tile *t, const struct mma_shape *s, struct rng *rng)
{
    u32 taste = (u32)rng_below(rng, 4), parts = s->a == MMA_TF32 ? 1 : 2;
    for (u32 i = 0; i < LINES_MAX; i++) {
        for (u32 w = 0; w < LINE_WORDS_MAX; w++) {
            t->a[i][w] = operand_draw(rng, s->a, taste);
            t->b[i][w] = operand_draw(rng, s->b, taste);
            if (parts == 2) {
                t->a[i][w] |= operand_draw(rng, s->a, taste) << 16;
                t->b[i][w] |= operand_draw(rng, s->b, taste) << 16;
            }
        }
    }
    for (u32 i = 0; i < SUMS_MAX; i++)
        t->c[i] = operand_draw(rng, s->c, taste);
}

static void compare(enum mma_type type, enum mma_type c, enum mma_type d, u32 k)
{
    struct mma_shape s = {.m = 16, .n = 16, .k = (u16)k, .a = type, .b = type, .c = c, .d = d};
    struct tile t;
    struct rng rng;
    rng_init(&rng, k, mma_type_name(type));
    for (u32 turn = 0; turn < 400; turn++) {
        tile_draw(&t, &s, &rng);
        dot_float(&s, &t);
        for (u32 i = 0; i < 256; i++) {
            u32 exact = dot_exact(&s, t.a[i / 16], t.b[i % 16], t.c[i]);
            if (t.d[i] != exact)
                fail_msg("%s, k = %u, turn %u, element %u: %08x, expected %08x",
                         mma_type_name(type), k, turn, i, t.d[i], exact);
        }
    }
}

TEST(the_fast_sums_of_f16_are_the_exact_ones)
{
    UNUSED_STATE;
    compare(MMA_F16, MMA_F32, MMA_F32, 16);
    compare(MMA_F16, MMA_F32, MMA_F32, 8);
    compare(MMA_F16, MMA_F16, MMA_F16, 16);
    compare(MMA_F16, MMA_F16, MMA_F16, 8);
    compare(MMA_F16, MMA_F16, MMA_F32, 16);
}

TEST(the_fast_sums_of_bf16_are_the_exact_ones)
{
    UNUSED_STATE;
    compare(MMA_BF16, MMA_F32, MMA_F32, 16);
    compare(MMA_BF16, MMA_F32, MMA_F32, 8);
}

TEST(the_fast_sums_of_tf32_are_the_exact_ones)
{
    UNUSED_STATE;
    compare(MMA_TF32, MMA_F32, MMA_F32, 8);
    compare(MMA_TF32, MMA_F32, MMA_F32, 4);
}

/* Sixteen products just below 4 of the same sign: 2^31 units, one bit more than an i32 has. */
TEST(a_sum_that_overflows_the_fast_path_is_still_exact)
{
    UNUSED_STATE;
    struct mma_shape s = {
        .m = 16, .n = 8, .k = 16, .a = MMA_F16, .b = MMA_F16, .c = MMA_F32, .d = MMA_F32};
    struct tile t;
    memset(&t, 0, sizeof t);
    for (u32 i = 0; i < LINES_MAX; i++) {
        for (u32 w = 0; w < LINE_WORDS_MAX; w++)
            t.a[i][w] = t.b[i][w] = 0x3fff3fff;
    }
    for (u32 i = 0; i < SUMS_MAX; i++)
        t.c[i] = i % 2 ? 0x3fffffff : 0xbfffffff;
    dot_float(&s, &t);
    for (u32 i = 0; i < 128; i++)
        assert_int_equal(t.d[i], dot_exact(&s, t.a[0], t.b[0], t.c[i]));
    assert_int_equal(t.d[0] & 0x7f800000, 0x42000000 & 0x7f800000);
}

TEST(f16_widens_and_narrows_without_loss)
{
    UNUSED_STATE;
    for (u32 half = 0; half < 0x10000; half++) {
        u32 expected = (half & 0x7fff) > 0x7c00 ? 0x7fff : half;
        assert_int_equal(f32_to_f16(f16_to_f32(half)), expected);
    }
    assert_int_equal(f32_to_f16(65519.996f), 0x7bff);
    assert_int_equal(f32_to_f16(65520.0f), 0x7c00);
    assert_int_equal(f32_to_f16(0x1p-25f), 0);
    assert_int_equal(f32_to_f16(-0x1.8p-25f), 0x8001);
}

RUN_TESTS(T(the_fast_sums_of_f16_are_the_exact_ones), T(the_fast_sums_of_bf16_are_the_exact_ones),
          T(the_fast_sums_of_tf32_are_the_exact_ones),
          T(a_sum_that_overflows_the_fast_path_is_still_exact),
          T(f16_widens_and_narrows_without_loss))
