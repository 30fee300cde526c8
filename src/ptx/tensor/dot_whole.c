/*
 * Warp-group products whose sums are exact: then no order and no cutting off can be told from
 * plain single precision.
 *
 * Values of A are whole multiples of a power of two, so are those of B, and of their product C. As
 * long as all sums fit 24 bits of that (14 for 8-bit floats, whose tensor core keeps as many), each
 * of them is exact. So it is with the small integers of many programs and tests, seldom with random
 * numbers; those go on to dot_float.c.
 *
 * D stays in its registers: eight lanes have two rows of four columns each.
 */
#include "ptx/tensor/warpgroup.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define FAST __attribute__((target("avx2,fma,f16c")))

enum { MOST_K = 32, OCTETS = 8, UNITS = 20, HIGHEST = 60, LOWEST_UNIT = -100 };

/* A matrix as multiples of 2^unit. */
struct whole {
    i32 unit;
    u32 most; /* the largest multiple */
};

struct operands {
    float a[GROUP_ROWS * MOST_K];          /* k of each row */
    float rows[MOST_K][OCTETS][8];         /* four times a row's value, four times the next's */
    float columns[GROUP_COLUMNS * MOST_K]; /* by every other of eight, then by k */
};

static u32 length_along_k(enum mma_type type)
{
    return 256 / mma_type_bits(type);
}

/* Elements stand in an order of their own, the same for A and B. NaNs and infinities stay so large
 * that the matrix is not whole. */
FAST static void decode_line(enum mma_type type, const u32 *line, float *to)
{
    __m256i words = _mm256_loadu_si256((const __m256i *)line);
    if (type == MMA_TF32) {
        words = _mm256_and_si256(words, _mm256_set1_epi32((i32)0xffffe000));
        _mm256_storeu_ps(to, _mm256_castsi256_ps(words));
    } else if (type == MMA_BF16) {
        __m256i high = _mm256_and_si256(words, _mm256_set1_epi32((i32)0xffff0000));
        _mm256_storeu_ps(to, _mm256_castsi256_ps(_mm256_slli_epi32(words, 16)));
        _mm256_storeu_ps(to + 8, _mm256_castsi256_ps(high));
    } else if (type == MMA_F16) {
        _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm256_castsi256_si128(words)));
        _mm256_storeu_ps(to + 8, _mm256_cvtph_ps(_mm256_extracti128_si256(words, 1)));
    } else {
        bool wide = type == MMA_E5M2; /* the exponent; its largest is special, else one value is */
        __m256i special = _mm256_set1_epi32(wide ? 0x7c : 0x7f);
        __m256 scale = _mm256_set1_ps(wide ? 0x1p112f : 0x1p120f);
        for (u32 i = 0; i < 4; i++, words = _mm256_srli_epi32(words, 8)) {
            __m256i size = _mm256_and_si256(words, _mm256_set1_epi32(0x7f));
            __m256i sign = _mm256_and_si256(words, _mm256_set1_epi32(0x80));
            __m256i none = _mm256_cmpeq_epi32(_mm256_and_si256(size, special), special);
            size = wide ? _mm256_slli_epi32(size, 21) : _mm256_slli_epi32(size, 20);
            __m256i value = _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(size), scale));
            none = _mm256_and_si256(none, _mm256_set1_epi32(0x7f800000));
            value = _mm256_or_si256(_mm256_or_si256(value, none), _mm256_slli_epi32(sign, 24));
            _mm256_storeu_ps(to + 8 * i, _mm256_castsi256_ps(value));
        }
    }
}

FAST static float largest_of(__m256 eight)
{
    float of[8], most = 0;
    _mm256_storeu_ps(of, eight);
    for (u32 i = 0; i < 8; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

FAST static __m256 size_of(__m256 value)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), value);
}

static float power_of_two(i32 exponent)
{
    u32 bits = (u32)(exponent + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The largest unit of which all values are multiples, if they have one within UNITS places. A NaN
 * is lost among the largest, but is no multiple. */
FAST static bool find_unit(const float *values, u32 count, struct whole *to)
{
    __m256 most = _mm256_setzero_ps(), differs = most;
    __m256i bits = _mm256_setzero_si256();
    for (u32 i = 0; i < count; i += 8)
        most = _mm256_max_ps(most, size_of(_mm256_loadu_ps(values + i)));
    float largest = largest_of(most);
    u32 of_largest, all[8], any = 0;
    memcpy(&of_largest, &largest, sizeof of_largest);
    i32 exponent = (i32)(of_largest >> 23) - 127;
    *to = (struct whole){0};
    if (largest == 0)
        exponent = 0;
    if (exponent > HIGHEST || exponent < -HIGHEST)
        return false;
    float scale = power_of_two(UNITS - exponent);
    for (u32 i = 0; i < count; i += 8) {
        __m256 value = _mm256_mul_ps(_mm256_loadu_ps(values + i), _mm256_set1_ps(scale));
        __m256i whole = _mm256_cvtps_epi32(value);
        __m256 back = _mm256_cvtepi32_ps(whole);
        bits = _mm256_or_si256(bits, whole);
        differs = _mm256_or_ps(differs, _mm256_cmp_ps(back, value, _CMP_NEQ_UQ));
    }
    if (_mm256_movemask_ps(differs))
        return false;
    _mm256_storeu_si256((__m256i *)all, bits);
    for (u32 i = 0; i < 8; i++)
        any |= all[i];
    u32 zeros = any ? (u32)__builtin_ctz(any) : 0;
    to->unit = exponent - UNITS + (i32)zeros;
    to->most = (u32)(largest * scale) >> zeros;
    return true;
}

/* Is all of C a multiple of the unit, none above `most` of them? */
FAST static bool sums_are_whole(u32 *const *d, u32 registers, i32 unit, float most)
{
    __m256 scale = _mm256_set1_ps(power_of_two(-unit)), limit = _mm256_set1_ps(most);
    __m256 wrong = _mm256_setzero_ps();
    for (u32 i = 0; i < registers; i++) {
        for (u32 lane = 0; lane < 32; lane += 8) {
            __m256 sum = _mm256_loadu_ps((const float *)(const void *)&d[i][lane]);
            __m256 value = _mm256_mul_ps(sum, scale);
            __m256 whole = _mm256_cvtepi32_ps(_mm256_cvtps_epi32(value));
            __m256 above = _mm256_cmp_ps(size_of(value), limit, _CMP_NLE_UQ);
            wrong = _mm256_or_ps(wrong, _mm256_cmp_ps(whole, value, _CMP_NEQ_UQ));
            wrong = _mm256_or_ps(wrong, above);
        }
    }
    return !_mm256_movemask_ps(wrong);
}

/* A as the loop over k reads it. */
FAST static void spread_rows(struct operands *o, u32 k)
{
    for (u32 q = 0; q < k; q++) {
        for (u32 i = 0; i < OCTETS; i++) {
            const float *row = &o->a[2 * i * k + q];
            __m256 two = _mm256_set_m128(_mm_set1_ps(row[k]), _mm_set1_ps(row[0]));
            _mm256_storeu_ps(o->rows[q][i], two);
        }
    }
}

/* B likewise: four columns, every other of eight, with all of k; then the other four. */
FAST static void decode_columns(const struct group_product *p, struct operands *o, u32 k)
{
    for (u32 j = 0; j < p->shape.n / 4u; j++) {
        float(*to)[4] = (float(*)[4])(void *)&o->columns[j * k * 4];
        float from[4][MOST_K];
        for (u32 i = 0; i < 4; i++)
            decode_line(p->shape.b, p->b[j / 2 * 8 + j % 2 + 2 * i], from[i]);
        for (u32 q = 0; q < k; q += 4) {
            __m128 x = _mm_loadu_ps(&from[0][q]), y = _mm_loadu_ps(&from[1][q]);
            __m128 z = _mm_loadu_ps(&from[2][q]), w = _mm_loadu_ps(&from[3][q]);
            _MM_TRANSPOSE4_PS(x, y, z, w);
            _mm_storeu_ps(to[q], x);
            _mm_storeu_ps(to[q + 1], y);
            _mm_storeu_ps(to[q + 2], z);
            _mm_storeu_ps(to[q + 3], w);
        }
    }
}

/* Written out, so that all sums stay in registers of the processor. */
#define EACH_OCTET(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

/* The sums of every other of eight columns: 16 rows in two registers of D. */
FAST static void add_products(const struct operands *o, u32 column, u32 k, bool accumulates,
                              u32 *const *d)
{
    u32 *const *two = &d[column / 2 * 4 + column % 2];
    const float *four_columns = &o->columns[column * k * 4];
#define AT(i) ((float *)(void *)&two[(i) / 4 * 2][(i) % 4 * 8])
#define BEGIN(i) __m256 sum##i = accumulates ? _mm256_loadu_ps(AT(i)) : _mm256_setzero_ps();
#define ADD(i) sum##i = _mm256_fmadd_ps(_mm256_loadu_ps(o->rows[q][i]), four, sum##i);
#define END(i) _mm256_storeu_ps(AT(i), _mm256_add_ps(sum##i, _mm256_setzero_ps()));
    EACH_OCTET(BEGIN)
    for (u32 q = 0; q < k; q++) {
        __m256 four = _mm256_broadcast_ps((const __m128 *)(const void *)(four_columns + 4 * q));
        EACH_OCTET(ADD)
    }
    EACH_OCTET(END) /* a sum of zero is +0 */
}

FAST static bool execute(const struct group_product *p, u32 *const *d)
{
    struct operands o;
    struct whole a, b;
    const struct mma_shape *s = &p->shape;
    u32 k = length_along_k(s->a);
    u64 limit = mma_type_bits(s->a) == 8 ? 1u << 14 : 1u << 24;
    for (u32 i = 0; i < GROUP_ROWS; i++)
        decode_line(s->a, p->a[i], &o.a[i * k]);
    if (!find_unit(o.a, GROUP_ROWS * k, &a))
        return false;
    decode_columns(p, &o, k);
    if (!find_unit(o.columns, s->n * k, &b))
        return false;
    u64 most = (u64)a.most * b.most * k;
    if (most > limit || a.unit + b.unit < LOWEST_UNIT ||
        (p->accumulates && !sums_are_whole(d, s->n / 2u, a.unit + b.unit, (float)(limit - most))))
        return false;
    spread_rows(&o, k);
    for (u32 column = 0; column < s->n / 4u; column++)
        add_products(&o, column, k, p->accumulates, d);
    return true;
}

bool wgmma_execute_whole(const struct group_product *p, u32 *const *d)
{
    const struct mma_shape *s = &p->shape;
    if (s->d != MMA_F32 || s->sparse)
        return false;
    __builtin_cpu_init();
    /* every processor with AVX2 converts f16 too */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && execute(p, d);
}

#else

bool wgmma_execute_whole(const struct group_product *p, u32 *const *d)
{
    (void)p;
    (void)d;
    return false;
}

#endif
