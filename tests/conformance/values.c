#include "values.h"

#include <math.h>
#include <string.h>

/* clang-format off */
static const struct value_type types[] = {
    /* name     register bytes kind            lane exp frac */
    {"u8",      ".b32",  4, KIND_UNSIGNED,     32,  0,  0},
    {"s8",      ".b32",  4, KIND_SIGNED,       32,  0,  0},
    {"b8",      ".b32",  4, KIND_BITS,         32,  0,  0},
    {"u16",     ".b16",  2, KIND_UNSIGNED,     16,  0,  0},
    {"s16",     ".b16",  2, KIND_SIGNED,       16,  0,  0},
    {"b16",     ".b16",  2, KIND_BITS,         16,  0,  0},
    {"u32",     ".b32",  4, KIND_UNSIGNED,     32,  0,  0},
    {"s32",     ".b32",  4, KIND_SIGNED,       32,  0,  0},
    {"b32",     ".b32",  4, KIND_BITS,         32,  0,  0},
    {"u64",     ".b64",  8, KIND_UNSIGNED,     64,  0,  0},
    {"s64",     ".b64",  8, KIND_SIGNED,       64,  0,  0},
    {"b64",     ".b64",  8, KIND_BITS,         64,  0,  0},
    {"u16x2",   ".b32",  4, KIND_UNSIGNED,     16,  0,  0},
    {"s16x2",   ".b32",  4, KIND_SIGNED,       16,  0,  0},
    {"f16",     ".b16",  2, KIND_FLOAT,        16,  5, 10},
    {"f16x2",   ".b32",  4, KIND_FLOAT,        16,  5, 10},
    {"bf16",    ".b16",  2, KIND_FLOAT,        16,  8,  7},
    {"bf16x2",  ".b32",  4, KIND_FLOAT,        16,  8,  7},
    {"tf32",    ".b32",  4, KIND_FLOAT,        32,  8, 23},
    {"f32",     ".b32",  4, KIND_FLOAT,        32,  8, 23},
    {"f64",     ".b64",  8, KIND_FLOAT,        64, 11, 52},
    {"e4m3x2",  ".b16",  2, KIND_BITS,         16,  0,  0},
    {"e5m2x2",  ".b16",  2, KIND_BITS,         16,  0,  0},
    {"s8x4",    ".b32",  4, KIND_BITS,         32,  0,  0},
    {"byte",    ".b8",   1, KIND_UNSIGNED,      8,  0,  0}, /* in memory only */
    {"sbyte",   ".b8",   1, KIND_SIGNED,        8,  0,  0},
    {"pred",    ".pred", 4, KIND_PREDICATE,    32,  0,  0},
};

static const struct {
    const char *name;
    enum value_range range;
} ranges[] = {
    {"any", RANGE_ANY},       {"shift", RANGE_SHIFT}, {"nonzero", RANGE_NONZERO},
    {"24bit", RANGE_24BIT},   {"lane", RANGE_LANE},   {"byte", RANGE_BYTE},
    {"small", RANGE_SMALL},   {"unit", RANGE_UNIT},   {"angle", RANGE_ANGLE},
    {"finite", RANGE_FINITE}, {"divisor", RANGE_DIVISOR}, {"field", RANGE_FIELD},
};
/* clang-format on */

const struct value_type *value_type_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
            return &types[i];
    }
    return NULL;
}

bool value_range_find(const char *name, size_t length, enum value_range *range)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (strlen(ranges[i].name) == length && !memcmp(ranges[i].name, name, length)) {
            *range = ranges[i].range;
            return true;
        }
    }
    return false;
}

/* Counter-based (the finaliser of splitmix64): any value can be made again on its own. */
static u64 noise(u64 stream, u64 counter)
{
    u64 z = stream * 0x9e3779b97f4a7c15u + counter * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static u64 low_bits(u32 n)
{
    return n >= 64 ? ~(u64)0 : ((u64)1 << n) - 1;
}

/* Nearest value of the format; ties away and subnormals truncated, good enough for inputs. */
static u64 float_encode(const struct value_type *t, double x)
{
    u64 sign = signbit(x) ? (u64)1 << (t->exponent_bits + t->fraction_bits) : 0;
    int bias = (1 << (t->exponent_bits - 1)) - 1, exponent;
    double fraction = frexp(fabs(x), &exponent); /* 0.5 <= fraction < 1 */
    if (x == 0)
        return sign;
    int biased = exponent - 1 + bias;
    if (biased >= 2 * bias + 1)
        return sign | low_bits(t->exponent_bits) << t->fraction_bits;
    if (biased <= 0)
        return sign | (u64)ldexp(fraction, (int)t->fraction_bits + biased);
    u64 digits = (u64)ldexp(fraction, (int)t->fraction_bits + 1) & low_bits(t->fraction_bits);
    return sign | (u64)biased << t->fraction_bits | digits;
}

double value_as_double(const struct value_type *t, u64 bits)
{
    int bias = (1 << (t->exponent_bits - 1)) - 1;
    u64 fraction = bits & low_bits(t->fraction_bits);
    int biased = (int)(bits >> t->fraction_bits & low_bits(t->exponent_bits));
    double value;
    if (biased == 2 * bias + 1)
        value = fraction ? NAN : INFINITY;
    else if (biased == 0)
        value = ldexp((double)fraction, 1 - bias - (int)t->fraction_bits);
    else
        value = ldexp((double)(fraction | (u64)1 << t->fraction_bits),
                      biased - bias - (int)t->fraction_bits);
    return bits >> (t->exponent_bits + t->fraction_bits) & 1 ? -value : value;
}

/* The first sixteen are the ones crossed with each other. */
static u64 float_edge(const struct value_type *t, u32 index)
{
    /* clang-format off */
    static const double numbers[] = {
        1, -1, 0.5, 1.5, 2, 2.5, -0.5, -1.5, -2.5, 3, -2, 127.5, 255.5, -128.5, 32767.5, 65535.5,
        65536, 2147483648., -2147483648., 4294967296., 2147483520., 9223372036854775808.,
        -9223372036854775808., 18446744073709551616., 0.25, 0.75, -0.75, 100.25, 6.28125,
        -3.140625, 7, 1e30, 1e-30, -1e-20, 126, -126, 127.9, 128, -149, -150.5, 448, 464, 57344,
        61440, 0.0078125, 0.001953125, 0.0009765625,
    };
    /* clang-format on */
    u32 e = t->exponent_bits, f = t->fraction_bits;
    u64 inf = low_bits(e) << f, sign = (u64)1 << (e + f);
    u64 one = float_encode(t, 1);
    const u64 patterns[] = {
        0,
        sign,
        inf,
        sign | inf,
        inf | (u64)1 << (f - 1) | 1, /* quiet NaN */
        inf | 1,                     /* signalling NaN */
        1,                           /* least subnormal */
        low_bits(f),                 /* greatest subnormal */
        (u64)1 << f,                 /* least normal */
        inf - 1,                     /* greatest finite */
        sign | (inf - 1),
        /* the numbers 1, -1, 0.5, 1.5, 2 follow and complete the sixteen */
    };
    /* clang-format off */
    const u64 more[] = {
        sign | 1, sign | (u64)1 << f, sign | low_bits(f), one + 1, one - 1,
        sign | inf | (u64)1 << (f - 1), (u64)1 << f | 1, inf - 2, float_encode(t, 0.5) - 1,
        float_encode(t, 0.5) + 1,
    };
    /* clang-format on */
    enum { P = sizeof patterns / sizeof patterns[0], N = sizeof numbers / sizeof numbers[0] };
    enum { M = sizeof more / sizeof more[0] };
    index %= P + N + M;
    if (index < P)
        return patterns[index];
    return index < P + N ? float_encode(t, numbers[index - P]) : more[index - P - N];
}

static u64 integer_edge(u32 bits, u32 index)
{
    u64 top = (u64)1 << (bits - 1);
    /* clang-format off */
    const u64 edges[] = {
        0, 1, ~(u64)0, top, top - 1, 2, ~(u64)1, 31, 32, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
        0x55555555, 0xaaaaaaaa, top + 1, top - 2, 3, 7, 8, 15, 16, 33, 63, 64, 65, 0x7f, 0x100,
        0x10000, 0x00ffffff, 0x01000000, 1000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
        0x12345678, ~(u64)6, top >> 1, ~top, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
    };
    /* clang-format on */
    return edges[index % (sizeof edges / sizeof edges[0])] & low_bits(bits);
}

static u32 edge_count(const struct value_type *t)
{
    return t->kind == KIND_FLOAT ? 68 : t->kind == KIND_PREDICATE ? 2 : 43;
}

static u64 lane_edge(const struct value_type *t, u32 index)
{
    if (t->kind == KIND_PREDICATE)
        return index & 1;
    return t->kind == KIND_FLOAT ? float_edge(t, index) : integer_edge(t->lane_bits, index);
}

/* A number a program would plausibly hold: a float near one, an integer of any length. */
static u64 lane_plausible(const struct value_type *t, u64 r)
{
    if (t->kind == KIND_PREDICATE)
        return r & 1;
    if (t->kind == KIND_FLOAT) {
        double x = ldexp((double)(r >> 11 | 1), (int)(r & 15) - 53 - 8);
        return float_encode(t, r & 16 ? -x : x);
    }
    u64 x = (r >> 8) >> (r & 63) % t->lane_bits;
    return (r & 64 ? (u64)0 - x : x) & low_bits(t->lane_bits);
}

static double uniform(u64 r, double low, double high)
{
    return low + (double)(r >> 11) * 0x1p-53 * (high - low);
}

static u64 range_apply(const struct value_type *t, enum value_range range, u64 v, u64 r)
{
    bool is_float = t->kind == KIND_FLOAT;
    switch (range) {
    case RANGE_ANY:
        return v;
    case RANGE_SHIFT:
        return r & 7 ? (r >> 8) % 81 : v;
    case RANGE_FIELD:
        return r & 7 ? (r >> 8) % 81 : v & 255;
    case RANGE_NONZERO:
        return v ? v : 3;
    case RANGE_24BIT:
        v &= 0xffffff;
        return t->kind == KIND_SIGNED && v >> 23 ? v | 0xff000000 : v;
    case RANGE_LANE:
        return v & 31;
    case RANGE_BYTE:
        return v & 255;
    case RANGE_SMALL:
        if (is_float)
            return float_encode(t, (double)((r >> 8) % 17) - 8);
        return t->kind == KIND_UNSIGNED ? (r >> 8) % 9
                                        : ((r >> 8) % 17 - 8) & low_bits(t->lane_bits);
    case RANGE_UNIT:
        return float_encode(t, uniform(r, -1, 1));
    case RANGE_ANGLE:
        return float_encode(t, uniform(r, -6.283185, 6.283185));
    case RANGE_FINITE:
        return isfinite(value_as_double(t, v)) ? v : float_encode(t, uniform(r, -4, 4));
    case RANGE_DIVISOR: {
        double x = fabs(value_as_double(t, v));
        return x >= 0x1p-126 && x <= 0x1p126 ? v : float_encode(t, uniform(r, 0.5, 4));
    }
    }
    return v;
}

void segment_fill(const struct segment *s, u32 position, u32 operands, bool cross, u8 *to)
{
    const struct value_type *t = s->type;
    u32 lanes = t->bytes * 8 / t->lane_bits, edges = edge_count(t);
    u32 lane_bytes = t->lane_bits / 8;
    /* Same-width types share a stream, so add.u32 and add.s32 run on the same operands. */
    u64 stream = (u64)position + 1 + ((u64)t->lane_bits << 8) + ((u64)t->exponent_bits << 16) +
                 (t->kind == KIND_PREDICATE ? 1u << 24 : 0);
    u32 crossed = !cross ? 0 : operands == 1 ? edges : s->count / 2;
    for (u32 i = 0; i < s->count; i++) {
        for (u32 lane = 0; lane < lanes; lane++) {
            u64 r = noise(stream, (u64)i * 2 + lane), again = noise(stream + 77, (u64)i * 2 + lane),
                v;
            u32 edge = position == 0 ? i : position == 1 ? i / 16 : (u32)(r >> 32);
            if (operands > 1 && position < 2)
                edge %= 16;
            edge += lane * 5; /* the lanes of a vector meet different edges */
            if (i < crossed)
                v = lane_edge(t, edge);
            else if ((r & 7) < 2 && cross)
                v = lane_edge(t, (u32)(r >> 32));
            else if ((r & 7) < 4)
                v = again & low_bits(t->lane_bits);
            else
                v = lane_plausible(t, again);
            if (t->kind == KIND_PREDICATE)
                v &= 1;
            v = range_apply(t, s->range, v, noise(stream + 99, (u64)i * 2 + lane));
            memcpy(to + i * t->bytes + lane * lane_bytes, &v, lane_bytes);
        }
    }
}
