/*
 * The sums of dot_exact.c, eight columns at a time in single precision.
 *
 * Products of 11-bit significands are exact in f32, and scaling by a power of two is too, so
 * cutting a product off 25 places below the largest exponent is one conversion to an integer.
 * bf16 and tf32 have f32's exponents, whose products would leave its range: each row of A and each
 * column of B is first scaled by its largest exponent, which moves no bit. What is still too large
 * or too small for this, and whatever meets an infinity or a NaN, is hard and goes to dot_exact.
 *
 * Exponents are kept as floats: SSE2 has their maximum, but not that of 32-bit integers.
 */
#include "ptx/tensor/dot.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    COLUMNS = 8,      /* computed together, as two vectors of four */
    NO_TERM = -8192,  /* exponent of zero, below every sum of two exponents */
    ALL_ZERO = -4096, /* a largest exponent below this means that no term was there */
    DEEPEST = -90,    /* largest scaled exponent down to which products are exact in f32 */
    LOWEST = -101,    /* exponents for which the result is a normal number, and its scale too */
    HIGHEST = 150,
    SUM_MAX = 0x7fffff7f, /* rounds to less than 2^31 */
};

/* Everything is inlined into one function per type and k, whose loops are then straight lines. */
#define INLINED static inline __attribute__((always_inline))

typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));

/*
 * A and B as values and exponents. The elements along k stand in an order of their own, the same
 * for both: with two elements to a word, those in the low halves of four words come before those
 * in the high halves. Sums do not depend on it.
 */
struct rows {
    float value[LINES_MAX][ALONG_MAX];
    float exponent[LINES_MAX][ALONG_MAX]; /* less the row's scale */
    i32 scale[LINES_MAX];
    i32 special[LINES_MAX]; /* not 0: has an infinity or a NaN */
};

struct columns {
    float value[ALONG_MAX][LINES_MAX];
    float exponent[ALONG_MAX][LINES_MAX];
    i32 scale[LINES_MAX];
    i32 special[LINES_MAX];
};

INLINED f32x4 larger(f32x4 a, f32x4 b)
{
#ifdef __SSE2__
    return (f32x4)_mm_max_ps((__m128)a, (__m128)b);
#else
    i32x4 above = a > b;
    return (f32x4)(((i32x4)a & above) | ((i32x4)b & ~above));
#endif
}

INLINED i32x4 choose(i32x4 mask, i32x4 yes, i32x4 no)
{
    return (yes & mask) | (no & ~mask);
}

/* 2^exponent; what is outside the normal numbers becomes the nearest of them. */
INLINED f32x4 power(i32x4 exponent)
{
    i32x4 biased = exponent + 127;
    biased = choose(biased > 254, (i32x4){254, 254, 254, 254}, biased);
    biased = choose(biased < 1, (i32x4){1, 1, 1, 1}, biased);
    return (f32x4)(biased << 23);
}

/* Of an f32; subnormals have the least exponent, zero has none. */
INLINED i32x4 exponent_of(u32x4 bits)
{
    i32x4 size = (i32x4)(bits & 0x7fffffff), biased = size >> 23;
    i32x4 exponent = biased - (biased == 0) - 127;
    return choose(size == 0, (i32x4){NO_TERM, NO_TERM, NO_TERM, NO_TERM}, exponent);
}

INLINED i32x4 exponent_of_f16(u32x4 half)
{
    i32x4 size = (i32x4)(half & 0x7fff), biased = size >> 10;
    i32x4 exponent = biased - (biased == 0) - 15;
    return choose(size == 0, (i32x4){NO_TERM, NO_TERM, NO_TERM, NO_TERM}, exponent);
}

/* f16 to f32; infinities and NaNs become large numbers. */
INLINED f32x4 widen_f16(u32x4 half)
{
    f32x4 size = (f32x4)((half & 0x7fff) << 13) * 0x1p112f;
    return (f32x4)((u32x4)size | (half & 0x8000) << 16);
}

INLINED i32 any_of(i32x4 mask)
{
    return mask[0] | mask[1] | mask[2] | mask[3];
}

INLINED f32x4 load(const float *from)
{
    f32x4 four;
    memcpy(&four, from, sizeof four);
    return four;
}

INLINED void store(float *to, f32x4 four)
{
    memcpy(to, &four, sizeof four);
}

/* The low (or high) element of four words: an f16 as it is, others as f32. */
INLINED u32x4 element_of(enum mma_type type, const u32 *words, bool high)
{
    u32x4 four;
    memcpy(&four, words, sizeof four);
    if (type == MMA_TF32)
        return four & 0xffffe000u;
    if (type == MMA_F16)
        return high ? four >> 16 : four & 0xffff;
    return high ? four & 0xffff0000u : four << 16;
}

/* Stores four elements; returns the mask of infinities and NaNs. Exponents stay unscaled. */
INLINED i32x4 elements_decode(enum mma_type type, u32x4 bits, float *value, float *exponent)
{
    i32x4 special, power_of;
    if (type == MMA_F16) {
        special = (i32x4)(bits & 0x7c00) == 0x7c00;
        power_of = exponent_of_f16(bits);
        store(value, widen_f16(bits));
    } else {
        special = (i32x4)(bits & 0x7f800000) == 0x7f800000;
        power_of = exponent_of(bits);
        store(value, (f32x4)(bits & (u32x4)~special));
    }
    store(exponent, __builtin_convertvector(power_of, f32x4));
    return special;
}

/* What takes the largest exponent to 0, but is itself a normal number when negated. */
INLINED f32x4 scale_for(f32x4 largest)
{
    const f32x4 least = {-126, -126, -126, -126}, most = {126, 126, 126, 126};
    return -larger(-most, -larger(least, largest));
}

INLINED void rescale(float *value, float *exponent, f32x4 scale)
{
    store(value, load(value) * power(-__builtin_convertvector(scale, i32x4)));
    store(exponent, load(exponent) - scale);
}

INLINED void rows_decode(enum mma_type type, u32 m, u32 k, u32 from[][LINE_WORDS_MAX],
                         struct rows *to)
{
    u32 parts = type == MMA_TF32 ? 1 : 2;
    for (u32 i = 0; i < m; i++) {
        float *value = to->value[i], *exponent = to->exponent[i];
        i32x4 special = {0};
        for (u32 q = 0; q < k; q += 4)
            special |=
                elements_decode(type, element_of(type, &from[i][q / 4 / parts * 4], q / 4 % parts),
                                value + q, exponent + q);
        to->special[i] = any_of(special);
        to->scale[i] = 0;
        if (type == MMA_F16)
            continue;
        f32x4 four = load(exponent);
        for (u32 q = 4; q < k; q += 4)
            four = larger(four, load(exponent + q));
        four = larger(four, (f32x4){four[1], four[0], four[3], four[2]});
        f32x4 scale = scale_for(larger(four, (f32x4){four[2], four[3], four[0], four[1]}));
        for (u32 q = 0; q < k; q += 4)
            rescale(value + q, exponent + q, scale);
        to->scale[i] = (i32)scale[0];
    }
}

INLINED void columns_decode(enum mma_type type, u32 n, u32 k, u32 from[][LINE_WORDS_MAX],
                            struct columns *to)
{
    u32 parts = type == MMA_TF32 ? 1 : 2, turned[LINE_WORDS_MAX][LINES_MAX];
    for (u32 j = 0; j < n; j++) {
        for (u32 w = 0; w < k / parts; w++)
            turned[w][j] = from[j][w];
    }
    for (u32 j = 0; j < n; j += 4) {
        i32x4 special = {0}, whole = {0};
        f32x4 largest = {NO_TERM, NO_TERM, NO_TERM, NO_TERM};
        for (u32 q = 0; q < k; q++) {
            u32 word = parts == 1 ? q : q / 8 * 4 + q % 4;
            special |= elements_decode(type, element_of(type, &turned[word][j], q / 4 % parts),
                                       &to->value[q][j], &to->exponent[q][j]);
            largest = larger(largest, load(&to->exponent[q][j]));
        }
        if (type != MMA_F16) {
            f32x4 scale = scale_for(largest);
            for (u32 q = 0; q < k; q++)
                rescale(&to->value[q][j], &to->exponent[q][j], scale);
            whole = __builtin_convertvector(scale, i32x4);
        }
        memcpy(&to->scale[j], &whole, sizeof whole);
        memcpy(&to->special[j], &special, sizeof special);
    }
}

/* Four neighbouring elements of D on their way. */
struct quad {
    f32x4 c;         /* an f16 widened, infinities and NaNs replaced by 0 */
    f32x4 largest;   /* exponent of C and the products, less the scale */
    i32x4 scale;     /* of the row of A plus that of the column of B */
    i32x4 exponent;  /* the largest without the scale */
    i32x4 hard;      /* mask of those for dot_exact */
    u32x4 low, high; /* sums of at most eight terms below 2^27 each */
    f32x4 to_places; /* makes the last place kept a one */
};

/* C of an f16 sum keeps its own exponent, at least -14; any other is an f32. */
INLINED void quad_start(struct quad *g, const struct mma_shape *s, const u32 *c,
                        const struct rows *a, u32 row, const struct columns *b, u32 column)
{
    u32x4 bits;
    i32x4 special, exponent;
    memcpy(&bits, c, sizeof bits);
    memcpy(&g->scale, &b->scale[column], sizeof g->scale);
    memcpy(&g->hard, &b->special[column], sizeof g->hard);
    g->scale += a->scale[row];
    if (s->c == MMA_F16) {
        special = (i32x4)(bits & 0x7c00) == 0x7c00;
        exponent = exponent_of_f16(bits);
        bits = (u32x4)widen_f16(bits);
        exponent = s->d == MMA_F16 ? exponent : exponent_of(bits);
    } else {
        special = (i32x4)(bits & 0x7f800000) == 0x7f800000;
        exponent = exponent_of(bits);
    }
    g->hard |= special | a->special[row];
    g->c = (f32x4)(bits & (u32x4)~special);
    exponent -= g->scale & (exponent != NO_TERM); /* none stays none, whatever the scale */
    g->largest = __builtin_convertvector(exponent, f32x4);
}

INLINED void quad_scale(struct quad *g)
{
    i32x4 relative = __builtin_convertvector(g->largest, i32x4);
    g->exponent = relative + g->scale;
    g->to_places = power(PLACES - relative);
    g->hard |= (relative > ALL_ZERO) &
               ((relative < DEEPEST) | (g->exponent < LOWEST) | (g->exponent > HIGHEST));
}

INLINED void pair_multiply(struct quad g[2], const float *a, const float *a_exponent,
                           const struct columns *b, u32 first, u32 k)
{
    f32x4 largest[2] = {g[0].largest, g[1].largest};
    for (u32 q = 0; q < k; q++) {
        const float *row = &b->exponent[q][first];
        largest[0] = larger(largest[0], load(row) + a_exponent[q]);
        largest[1] = larger(largest[1], load(row + 4) + a_exponent[q]);
    }
    g[0].largest = largest[0];
    g[1].largest = largest[1];
    quad_scale(&g[0]);
    quad_scale(&g[1]);
    f32x4 up[2] = {g[0].to_places, g[1].to_places};
    for (u32 half = 0; half < 2; half++) {
        i32x4 sum[2] = {0};
        u32 end = k < 8 * (half + 1) ? k : 8 * (half + 1);
        for (u32 q = 8 * half; q < end; q++) {
            const float *row = &b->value[q][first];
            sum[0] += __builtin_convertvector(load(row) * a[q] * up[0], i32x4);
            sum[1] += __builtin_convertvector(load(row + 4) * a[q] * up[1], i32x4);
        }
        for (u32 i = 0; i < 2; i++)
            *(half ? &g[i].high : &g[i].low) = (u32x4)sum[i];
    }
}

/* The whole sum, as multiples of the last place kept. */
INLINED i32x4 quad_add(struct quad *g)
{
    u32x4 c = (u32x4) __builtin_convertvector(g->c * power(PLACES - g->exponent), i32x4);
    u32x4 products = g->low + g->high, sum = products + c;
    u32x4 overflow = ((g->low ^ products) & (g->high ^ products)) | ((products ^ sum) & (c ^ sum));
    g->hard |= ((i32x4)overflow < 0) | ((i32x4)sum > SUM_MAX) | ((i32x4)sum < -SUM_MAX);
    return (i32x4)sum;
}

/* Cut off to f32: converted to nearest, then one place back where that went away from zero. */
INLINED void quad_finish_f32(struct quad *g, u32 *to)
{
    i32x4 sum = quad_add(g), sign = sum >> 31;
    sum &= ~g->hard; /* keeps the conversions in range */
    f32x4 nearest = __builtin_convertvector(sum, f32x4);
    i32x4 away = __builtin_convertvector(nearest, i32x4) - sum;
    f32x4 cut = (f32x4)((i32x4)nearest + (((away ^ sign) - sign) > 0));
    cut *= power(g->exponent - PLACES);
    memcpy(to, &cut, sizeof cut);
}

INLINED void quad_finish_f16(struct quad *g, u32 *to)
{
    i32x4 sum = quad_add(g);
    for (u32 j = 0; j < 4; j++)
        to[j] = sum_to_f16(sum[j], g->exponent[j] - PLACES);
}

INLINED void dot_known(const struct mma_shape *s, enum mma_type type, u32 k, struct tile *t)
{
    struct rows a;
    struct columns b;
    rows_decode(type, s->m, k, t->a, &a);
    columns_decode(type, s->n, k, t->b, &b);
    for (u32 at = 0; at < (u32)s->m * s->n; at += COLUMNS) {
        u32 row = at / s->n, first = at % s->n, *to = &t->d[at];
        struct quad g[2];
        for (u32 i = 0; i < 2; i++)
            quad_start(&g[i], s, &t->c[at + 4 * i], &a, row, &b, first + 4 * i);
        pair_multiply(g, a.value[row], a.exponent[row], &b, first, k);
        for (u32 i = 0; i < 2; i++) {
            if (s->d == MMA_F32)
                quad_finish_f32(&g[i], to + 4 * i);
            else
                quad_finish_f16(&g[i], to + 4 * i);
        }
        for (u32 j = 0; UNLIKELY(any_of(g[0].hard | g[1].hard)) && j < COLUMNS; j++) {
            if (g[j / 4].hard[j % 4])
                to[j] = dot_exact(s, t->a[row], t->b[first + j], t->c[at + j]);
        }
    }
}

static void dot_at_once(const struct mma_shape *s, struct tile *t)
{
    if (s->a == MMA_F16 && s->k == 16)
        dot_known(s, MMA_F16, 16, t);
    else if (s->a == MMA_F16)
        dot_known(s, MMA_F16, 8, t);
    else if (s->a == MMA_BF16 && s->k == 16)
        dot_known(s, MMA_BF16, 16, t);
    else if (s->a == MMA_BF16)
        dot_known(s, MMA_BF16, 8, t);
    else if (s->k == 8)
        dot_known(s, MMA_TF32, 8, t);
    else
        dot_known(s, MMA_TF32, 4, t);
}

/* wmma's tf32 is compiled to two multiplications of k = 4, the first one's result being the
 * second's C. */
static void dot_in_halves(const struct mma_shape *s, struct tile *t)
{
    struct mma_shape half = *s;
    half.k = s->k / 2;
    dot_at_once(&half, t);
    memcpy(t->c, t->d, sizeof t->c);
    for (u32 i = 0; i < LINES_MAX; i++) {
        memcpy(t->a[i], &t->a[i][half.k], half.k * sizeof t->a[i][0]);
        memcpy(t->b[i], &t->b[i][half.k], half.k * sizeof t->b[i][0]);
    }
    dot_at_once(&half, t);
}

/* No tensor core adds f32 to give f16: wmma with such types converts an f32 result, by which a
 * small negative one becomes -0. */
static void dot_then_narrow(const struct mma_shape *s, struct tile *t)
{
    struct mma_shape wide = *s;
    wide.d = MMA_F32;
    dot_at_once(&wide, t);
    for (u32 i = 0; i < (u32)s->m * s->n; i++) {
        float value;
        memcpy(&value, &t->d[i], sizeof value);
        t->d[i] = f32_to_f16(value);
    }
}

void dot_float(const struct mma_shape *s, struct tile *t)
{
    if (s->wmma && s->a == MMA_TF32)
        dot_in_halves(s, t);
    else if (s->c == MMA_F32 && s->d == MMA_F16)
        dot_then_narrow(s, t);
    else
        dot_at_once(s, t);
}
