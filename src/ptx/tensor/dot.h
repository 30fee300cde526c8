/*
 * The sums of products behind mma, on matrices already taken out of their registers.
 *
 * Internal to this folder: mma.c gathers, calls one of these, and scatters.
 */
#ifndef PTX_TENSOR_DOT_H
#define PTX_TENSOR_DOT_H

#include "ptx/tensor/fragment.h"
#include "ptx/tensor/shape.h"

enum { LINES_MAX = 32, LINE_WORDS_MAX = 8, ALONG_MAX = 16, SUMS_MAX = 256 };
enum { PLACES = 25 }; /* binary places kept below the largest exponent of a float sum */

/* A by rows, B by columns: a line is the elements along k, packed as in the registers. C and D
 * by rows, one element per word, f16 in the low half. */
struct tile {
    u32 a[LINES_MAX][LINE_WORDS_MAX];
    u32 b[LINES_MAX][LINE_WORDS_MAX];
    u32 c[SUMS_MAX], d[SUMS_MAX];
};

struct tile_f64 {
    double a[16][ALONG_MAX], b[8][ALONG_MAX], c[128], d[128];
};

void dot_float(const struct mma_shape *s, struct tile *t); /* f16, bf16, tf32 */
void dot_integer(const struct mma_shape *s, struct tile *t);
void dot_fp8(const struct mma_shape *s, struct tile *t); /* e4m3, e5m2 */
void dot_any(const struct mma_shape *s, struct tile *t); /* one of these, by type */
void dot_f64(const struct mma_shape *s, struct tile_f64 *t);

/* The same of a warp-group product, which has a tensor core of its own. */
void dot_fp8_group(const struct mma_shape *s, struct tile *t);

/* A sparse product: t.a is half as long as the columns of B; `dot` adds a row of it. */
enum { SPARSE_WORDS = 16 };
void dot_sparse(const struct mma_shape *s, const u32 *metadata, const u32 (*columns)[SPARSE_WORDS],
                struct tile *t, void (*dot)(const struct mma_shape *, struct tile *));

/* m8n8k4 of f16, one of its four matrices: A by rows, B by columns, C and D by rows, an element to
 * a word. */
void dot_quad(const struct mma_shape *s, const u32 *a, const u32 *b, const u32 *c, u32 *d);

/*
 * What dot_float computes for one element, in plain integer arithmetic: the definition, and the
 * path for infinities, NaNs and operands far apart. `a` and `b` are lines of a tile.
 */
u32 dot_exact(const struct mma_shape *s, const u32 *a, const u32 *b, u32 c);

/* sum * 2^unit as f32, cut off. */
static inline u32 sum_to_f32(i64 sum, i32 unit)
{
    u32 sign = sum < 0 ? 0x80000000u : 0;
    u64 size = sum < 0 ? (u64)-sum : (u64)sum;
    if (!size)
        return 0;
    i32 top = 63 - __builtin_clzll(size), exponent = top + unit;
    if (exponent > 127)
        return sign | 0x7f800000u;
    i32 down = exponent < -126 ? -149 - unit : top - 23;
    u64 kept = down >= 64 ? 0 : down >= 0 ? size >> down : size << -down;
    if (exponent < -126)
        return kept ? sign | (u32)kept : 0;
    return sign | (u32)(exponent + 127) << 23 | ((u32)kept & 0x7fffff);
}

/* The same to f16, nearest even. */
static inline u32 sum_to_f16(i64 sum, i32 unit)
{
    u32 sign = sum < 0 ? 0x8000u : 0;
    u64 size = sum < 0 ? (u64)-sum : (u64)sum;
    if (!size)
        return 0;
    i32 top = 63 - __builtin_clzll(size), exponent = top + unit;
    if (exponent > 15)
        return sign | 0x7c00u;
    i32 down = exponent < -14 ? -24 - unit : top - 10;
    if (down >= 64)
        return 0;
    u64 kept = down >= 0 ? size >> down : size << -down;
    u64 rest = down > 0 ? size << (64 - down) : 0, half = (u64)1 << 63;
    u32 bits = exponent < -14 ? (u32)kept : (u32)(exponent + 15) << 10 | ((u32)kept & 0x3ff);
    bits += rest > half || (rest == half && (bits & 1));
    return bits ? sign | bits : 0;
}

/* mma.c: registers to lines of so many words, C to sums, sums to D */
void lines_gather(const struct fragment *f, const u32 *const *from, u32 *lines, u32 line_words);
void sums_gather(const struct fragment *f, const u32 *const *from, u32 *to);
void sums_scatter(const struct fragment *f, const u32 *from, u32 *const *to);

float f16_to_f32(u32 half);
u32 f32_to_f16(float x); /* nearest even; a NaN becomes 0x7fff */

#endif
