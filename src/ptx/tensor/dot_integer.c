/*
 * Integer and bit matrices: sums are exact, and C is added last, wrapping or clamped to s32.
 */
#include "ptx/tensor/dot.h"

/* At -O2 gcc 12 leaves these loops scalar, which takes three times as long. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { ELEMENTS_MAX = 64 };

/* A line of 8- or 4-bit elements, widened; the lowest bits of a word come first. */
static void line_widen(enum mma_type type, u32 k, const u32 *from, i16 *to)
{
    u32 bits = mma_type_bits(type), down = 32 - bits;
    bool is_signed = type == MMA_S8 || type == MMA_S4;
    for (u32 i = 0; i < k; i++) {
        u32 left = from[i * bits / 32] << (down - i * bits % 32);
        i32 value = is_signed ? (i32)left >> down : (i32)(left >> down);
        to[i] = (i16)value;
    }
}

static u32 sum_finish(const struct mma_shape *s, i32 dot, u32 c)
{
    if (!s->satfinite)
        return (u32)dot + c;
    i64 sum = (i64)dot + (i32)c;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? 0x80000000u : (u32)sum;
}

static void dot_bits(const struct mma_shape *s, struct tile *t)
{
    u32 words = s->k / 32u;
    for (u32 i = 0; i < s->m; i++) {
        for (u32 j = 0; j < s->n; j++) {
            u32 ones = t->c[i * s->n + j];
            for (u32 w = 0; w < words; w++) {
                u32 a = t->a[i][w], b = t->b[j][w];
                ones += (u32)__builtin_popcount(s->bit_op == MMA_XOR ? a ^ b : a & b);
            }
            t->d[i * s->n + j] = ones;
        }
    }
}

void dot_integer(const struct mma_shape *s, struct tile *t)
{
    if (s->a == MMA_B1) {
        dot_bits(s, t);
        return;
    }
    i16 a[LINES_MAX][ELEMENTS_MAX], b[LINES_MAX][ELEMENTS_MAX];
    for (u32 i = 0; i < s->m; i++)
        line_widen(s->a, s->k, t->a[i], a[i]);
    for (u32 j = 0; j < s->n; j++)
        line_widen(s->b, s->k, t->b[j], b[j]);
    for (u32 i = 0; i < s->m; i++) {
        for (u32 j = 0; j < s->n; j++) {
            i32 dot = 0;
            for (u32 k = 0; k < s->k; k++)
                dot += a[i][k] * b[j][k];
            t->d[i * s->n + j] = sum_finish(s, dot, t->c[i * s->n + j]);
        }
    }
}
