/*
 * Texture fetches, bit for bit as an H200 does them. The CUDA programming guide
 * (texture fetching) gives the formulas; what it leaves open was found by
 * fitting recorded fetches:
 *
 * A normalised coordinate is wrapped or mirrored first and then cut to 21
 * fraction bits. A coordinate in texels is rounded to 8 fraction bits, halves up,
 * after half a texel has been taken off for the linear filter. Weights are whole
 * 256ths that add up to 256: the slice first, then the column, then the row (see
 * quad_weights). The texels of a slice are aligned to the largest of the four and
 * cut to four bits more than their format has, multiplied and summed exactly, and
 * the sum is rounded to the format, to nearest, ties away from zero.
 *
 * A 1D fetch with the linear filter is a 2D fetch at y = 0 from an image one row
 * high: it lies half way between the row and what is above it, which shows when
 * that is the border.
 */
#include "device/texture.h"

#include "num/float.h"
#include "num/float16.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { OUTSIDE = -1 };

/* The texels one fetch reads along one axis, and the weight of the second in 256ths. */
struct span {
    i32 index[2]; /* OUTSIDE: the border */
    u32 fraction;
};

static u32 texel_bytes(const struct texture *t)
{
    return (u32)t->channels * t->channel_bits / 8;
}

/* Wrapping and mirroring need normalised coordinates; CUDA clamps otherwise. */
static enum address_mode address_mode(const struct texture *t, u32 axis)
{
    enum address_mode mode = t->address[axis];
    bool periodic = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    return periodic && !t->normalized_coords ? ADDRESS_CLAMP : mode;
}

/* i is less than two periods away from the image, or more where the mode does not care. */
static i32 address(i64 i, i64 size, enum address_mode mode)
{
    if (i >= 0 && i < size)
        return (i32)i;
    switch (mode) {
    case ADDRESS_WRAP:
        i %= size;
        return (i32)(i < 0 ? i + size : i);
    case ADDRESS_MIRROR:
        i %= 2 * size;
        i = i < 0 ? i + 2 * size : i;
        return (i32)(i < size ? i : 2 * size - 1 - i);
    case ADDRESS_CLAMP:
        return (i32)(i < 0 ? 0 : size - 1);
    default:
        return OUTSIDE;
    }
}

/* A coordinate in texels, near the image: far from it only the mode's period counts. */
static double position(float coord, u32 size, bool normalized, enum address_mode mode)
{
    double x = isnan(coord) || fabsf(coord) < FLT_MIN ? 0 : (double)coord;
    if (normalized && isfinite(x)) {
        if (mode == ADDRESS_WRAP)
            x -= floor(x);
        else if (mode == ADDRESS_MIRROR)
            x -= 2 * floor(x / 2);
    } else if (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR) {
        x = 0; /* infinite */
    }
    if (normalized) {
        x = fmin(fmax(x, -2.0), 4.0);
        x = ldexp(floor(ldexp(x, 21)), -21) * size;
    }
    return fmin(fmax(x, -4.0), (double)size * 2 + 4);
}

static struct span span_point(double x, u32 size, enum address_mode mode)
{
    i32 i = address((i64)floor(x), size, mode);
    return (struct span){{i, i}, 0};
}

static struct span span_linear(double x, u32 size, enum address_mode mode)
{
    i64 fixed = (i64)floor((x - 0.5) * 256 + 0.5);
    i64 first = fixed >> 8;
    return (struct span){{address(first, size, mode), address(first + 1, size, mode)},
                         (u32)fixed & 255};
}

static u32 layer_clamp(const struct texture *t, u32 layer)
{
    return t->layers == 0 ? 0 : layer < t->layers ? layer : t->layers - 1;
}

static const u8 *texel_at(const struct texture *t, u32 dims, u32 layer, i32 x, i32 y, i32 z)
{
    u64 rows = t->height ? t->height : 1;
    u64 slice = dims == 3 ? (u64)z : t->layers ? layer_clamp(t, layer) : 0;
    u64 row = dims == 1 ? 0 : (u64)y;
    return t->data + (slice * rows + row) * t->pitch_bytes + (u64)x * texel_bytes(t);
}

static bool gives_float(const struct texture *t)
{
    return t->kind == TEXEL_FLOAT || (t->read_normalized && t->channel_bits < 32);
}

/* A channel as it is stored, extended to 32 bits. */
static u32 channel_bits(const struct texture *t, const u8 *texel, u32 channel)
{
    u32 bits = 0, bytes = t->channel_bits / 8u, spare = 32u - t->channel_bits;
    memcpy(&bits, texel + channel * bytes, bytes);
    return t->kind == TEXEL_SIGNED ? (u32)((i32)(bits << spare) >> spare) : bits;
}

static i32 unit_limit(const struct texture *t)
{
    return (1 << (t->channel_bits - (t->kind == TEXEL_SIGNED))) - 1;
}

/* A normalised integer as a float; the most negative number counts as the next. */
static u32 unit_float(i32 value, i32 limit)
{
    return f32_bits((float)((double)(value < -limit ? -limit : value) / limit));
}

/* What a fetch gives for a stored channel. */
static u32 channel_value(const struct texture *t, u32 stored)
{
    if (t->kind == TEXEL_FLOAT)
        return t->channel_bits == 16 ? f16_widen((u16)stored) : stored;
    return gives_float(t) ? unit_float((i32)stored, unit_limit(t)) : stored;
}

/*
 * The border colour as a stored channel. For textures read as integers its words
 * are integers; normalised, it is cut to 17 fraction bits and rounded to the
 * nearest step, halves down.
 */
static u32 border_stored(const struct texture *t, u32 channel)
{
    u32 spare = 32u - t->channel_bits, bits = f32_bits(t->border[channel]);
    double x = (double)t->border[channel];
    if (t->kind == TEXEL_FLOAT)
        return spare == 0 ? bits : f16_from_f64(x, ROUND_RZ);
    if (!gives_float(t))
        return t->kind == TEXEL_SIGNED ? (u32)((i32)(bits << spare) >> spare)
                                       : bits << spare >> spare;
    x = isnan(x) ? 0 : fmin(fmax(x, t->kind == TEXEL_SIGNED ? -1 : 0), 1);
    double steps = trunc(fabs(x) * 0x1p17) * 0x1p-17 * unit_limit(t);
    i32 value = (i32)ceil(steps - 0.5);
    return (u32)(x < 0 ? -value : value);
}

static u32 stored(const struct texture *t, const u8 *texel, u32 channel)
{
    return texel ? channel_bits(t, texel, channel) : border_stored(t, channel);
}

/* A channel the texture does not have reads as 0, the fourth too. */
static u32 texel_value(const struct texture *t, const u8 *texel, u32 channel)
{
    return channel < t->channels ? channel_value(t, stored(t, texel, channel)) : 0;
}

/*
 * Splits the weight of a slice among its four texels, x fastest. Both products
 * are rounded, halves up, and the other two take what is left.
 */
static void quad_weights(u32 whole, u32 x, u32 y, u32 weight[4])
{
    u32 right = (whole * x + 128) / 256;
    u32 left = whole - right;
    weight[3] = (right * y + 128) / 256;
    weight[1] = right - weight[3];
    weight[0] = (left * (256 - y) + 128) / 256;
    weight[2] = left - weight[0];
}

/* The weighted sum of four texels. */
struct partial {
    i64 sum; /* in units of 2^(top - 162) */
    i32 top; /* the largest exponent, as stored in an f32 */
};

/* Texels are f32 bits; subnormals count as zero. Aligned to the largest, a texel keeps four bits
 * more than its format has; `cut` is what f16 has less than f32. */
static struct partial quad_sum(const u32 value[4], const u32 weight[4], u32 cut)
{
    struct partial p = {0, 0};
    for (u32 i = 0; i < 4; i++) {
        i32 e = (i32)(value[i] >> 23 & 255);
        p.top = e > p.top && weight[i] ? e : p.top;
    }
    for (u32 i = 0; i < 4; i++) {
        i32 e = (i32)(value[i] >> 23 & 255), shift = p.top - e;
        if (e == 0 || shift > 27 || weight[i] == 0)
            continue;
        i64 mantissa = (i64)((value[i] & 0x7fffff) | 0x800000) << 4 >> shift >> cut << cut;
        p.sum += (value[i] >> 31 ? -mantissa : mantissa) * weight[i];
    }
    return p;
}

/* The nearer slice plus the farther one: the one with the smaller exponent is cut off, downwards,
 * one bit below the other's last. Wrong in the last bit for 1 of 5000 random f32 footprints. */
static struct partial partial_add(struct partial a, struct partial b, u32 cut)
{
    struct partial large = a.top >= b.top ? a : b, small = a.top >= b.top ? b : a;
    if (small.sum == 0)
        return large;
    if (large.sum == 0)
        return small;
    i32 shift = large.top - small.top;
    i64 unit = (i64)1 << cut;
    i64 halves = small.sum / unit * 2 >> (shift > 62 ? 62 : shift);
    return (struct partial){large.sum * 2 + halves * unit, large.top - 1};
}

/* Four or eight texels by their weights. `read` has a bit for each texel that is within reach of
 * the filter, though its weight may have been rounded to nothing. */
static double filter_float(const u32 *value, const u32 *weight, u32 quads, u32 read, u32 cut)
{
    double special = 0;
    bool is_special = false, is_negative = true;
    for (u32 i = 0; i < 4 * quads; i++) {
        if (!(read >> i & 1))
            continue;
        is_negative &= value[i] >> 31;
        if ((value[i] & F32_INF) == F32_INF) {
            special += (double)f32_value(value[i]);
            is_special = true;
        }
    }
    if (is_special)
        return special;
    struct partial p = quad_sum(value, weight, cut);
    if (quads == 2)
        p = partial_add(p, quad_sum(value + 4, weight + 4, cut), cut);
    return p.sum == 0 && is_negative ? -0.0 : ldexp((double)p.sum, p.top - 162);
}

/*
 * The filter of normalised integers: whole steps of 16 bits, halves up; exact on
 * an H200 but for signed bytes, of which one in 20 comes out a step lower there.
 */
static u32 filter_unit(const struct texture *t, const u8 *const *texel, u32 channel,
                       const u32 *weight, u32 quads)
{
    i64 sum = 0, limit = t->kind == TEXEL_SIGNED ? 32767 : 65535;
    for (u32 i = 0; i < 4 * quads; i++)
        sum += (i32)stored(t, texel[i], channel) * (i64)weight[i];
    i64 whole = 256 * (i64)unit_limit(t);
    i64 steps = 2 * sum * limit + whole; /* in halves, of which we want the floor */
    i64 value = steps >= 0 ? steps / (2 * whole) : -((2 * whole - 1 - steps) / (2 * whole));
    return unit_float((i32)value, (i32)limit);
}

static u32 filter(const struct texture *t, const u8 *const *texel, u32 channel, const u32 *weight,
                  u32 quads, u32 read)
{
    if (channel >= t->channels)
        return 0;
    if (t->kind != TEXEL_FLOAT)
        return filter_unit(t, texel, channel, weight, quads);
    u32 value[8] = {0};
    for (u32 i = 0; i < 4 * quads; i++)
        value[i] = texel_value(t, texel[i], channel);
    bool half = t->channel_bits == 16;
    double sum = filter_float(value, weight, quads, read, half ? 13 : 0);
    if (half)
        return f16_widen(f16_from_f64(sum, ROUND_RNA));
    return isnan(sum) ? F32_NAN : f32_ftz((u32)f64_encode(f64_bits(sum), 8, 23, ROUND_RNA));
}

static void fetch_spans(const struct texture *t, u32 dims, u32 layer, const struct span s[3],
                        bool linear, u32 out[4])
{
    u32 quads = dims == 3 ? 2 : 1;
    const u8 *texel[8];
    for (u32 i = 0; i < (linear ? 4 * quads : 1); i++) {
        i32 x = s[0].index[i & 1], y = s[1].index[i >> 1 & 1], z = s[2].index[i >> 2];
        bool inside = x != OUTSIDE && y != OUTSIDE && z != OUTSIDE;
        texel[i] = inside ? texel_at(t, dims, layer, x, y, z) : NULL;
    }
    u32 weight[8];
    quad_weights(256 - s[2].fraction, s[0].fraction, s[1].fraction, weight);
    quad_weights(s[2].fraction, s[0].fraction, s[1].fraction, weight + 4);
    u32 read = s[0].fraction ? 0xff : 0x55;
    read &= s[1].fraction ? 0xff : 0x33;
    read &= s[2].fraction ? 0xff : 0x0f;
    for (u32 c = 0; c < 4; c++)
        out[c] = linear ? filter(t, texel, c, weight, quads, read) : texel_value(t, texel[0], c);
}

static u32 extent(const struct texture *t, u32 axis)
{
    u32 n = axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
    return n ? n : 1;
}

void texture_fetch(const struct texture *t, u32 dims, u32 layer, const float coord[3], u32 out[4])
{
    assert(dims >= 1 && dims <= 3);
    bool linear = t->linear && gives_float(t);
    bool row_is_filtered = linear && dims == 1 && t->layers == 0;
    struct span s[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    for (u32 axis = 0; axis < (row_is_filtered ? 2 : dims); axis++) {
        u32 size = axis < dims ? extent(t, axis) : 1;
        enum address_mode mode = address_mode(t, axis);
        double x = position(axis < dims ? coord[axis] : 0, size, t->normalized_coords, mode);
        /* Clamping comes first: at the edge the outer texel has no weight, which matters because
         * weights are rounded. */
        if (linear && mode == ADDRESS_CLAMP)
            x = fmin(fmax(x, 0.5), size - 0.5);
        s[axis] = linear ? span_linear(x, size, mode) : span_point(x, size, mode);
    }
    fetch_spans(t, dims, layer, s, linear, out);
}

void texture_fetch_int(const struct texture *t, u32 dims, u32 layer, const i32 coord[3], u32 out[4])
{
    assert(dims >= 1 && dims <= 3);
    struct span s[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    bool inside = t->layers ? layer < t->layers : dims > 1 || !t->is_array;
    for (u32 axis = 0; axis < dims; axis++) {
        inside &= coord[axis] >= 0 && (u32)coord[axis] < extent(t, axis);
        s[axis] = (struct span){{coord[axis], coord[axis]}, 0};
    }
    if (inside)
        fetch_spans(t, dims, layer, s, false, out);
    else /* whatever the address mode and the border */
        memset(out, 0, 4 * sizeof(u32));
}

void texture_gather(const struct texture *t, u32 layer, const float coord[2], u32 channel,
                    u32 out[4])
{
    static const u8 order[4] = {2, 3, 1, 0}; /* x fastest, as quad_weights: counter-clockwise */
    struct span s[2];
    for (u32 axis = 0; axis < 2; axis++) {
        enum address_mode mode = address_mode(t, axis);
        u32 size = extent(t, axis);
        s[axis] = span_linear(position(coord[axis], size, t->normalized_coords, mode), size, mode);
    }
    for (u32 i = 0; i < 4; i++) {
        i32 x = s[0].index[order[i] & 1], y = s[1].index[order[i] >> 1];
        bool inside = x != OUTSIDE && y != OUTSIDE;
        out[i] = texel_value(t, inside ? texel_at(t, 2, layer, x, y, 0) : NULL, channel);
    }
}

u64 texture_address(const struct texture *t, u32 dims, u32 layer, const float coord[3])
{
    assert(dims >= 1 && dims <= 3);
    i32 at[3] = {0};
    for (u32 axis = 0; axis < dims; axis++) {
        u32 size = extent(t, axis);
        float scale = t->normalized_coords ? (float)size : 1.0f, last = (float)(size - 1);
        float texel = coord[axis] * scale;
        at[axis] = (i32)(texel > 0 ? texel < last ? texel : last : 0);
    }
    return (u64)(uintptr_t)texel_at(t, dims, layer, at[0], at[1], at[2]);
}

u8 *surface_texel(const struct texture *t, u32 dims, u32 layer, i32 x_bytes, i32 y, i32 z,
                  u32 bytes)
{
    u64 row_bytes = (u64)t->width * texel_bytes(t);
    if (x_bytes < 0 || (u64)x_bytes + bytes > row_bytes)
        return NULL;
    if (dims > 1 && (y < 0 || (u32)y >= extent(t, 1)))
        return NULL;
    if (dims > 2 && (z < 0 || (u32)z >= extent(t, 2)))
        return NULL;
    if (t->layers && layer >= t->layers)
        return NULL;
    u64 slice = dims > 2 ? (u64)z : t->layers ? layer : 0;
    u64 row = slice * extent(t, 1) + (dims > 1 ? (u64)y : 0);
    return t->data + row * t->pitch_bytes + (u32)x_bytes;
}

void surface_clamp(const struct texture *t, u32 dims, i32 at[3], u32 bytes)
{
    for (u32 axis = 0; axis < dims; axis++) {
        u64 room = axis == 0 ? (u64)t->width * texel_bytes(t) : extent(t, axis);
        u64 size = axis == 0 ? bytes : 1;
        u64 last = room > size ? room - size : 0;
        if (at[axis] < 0)
            at[axis] = 0;
        else if ((u64)at[axis] > last)
            at[axis] = (i32)last;
    }
}
