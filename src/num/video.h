/*
 * Video instructions: parts of words as operands, an optional clamp, a second operation.
 *
 * Rare in programs of today, so that they are written for clarity: `struct video_mode` is what the
 * instruction's text says. From sm_70 on the driver's compiler builds them from other instructions,
 * and in places not as the PTX manual's pseudocode has it; where the two differ we do what an H200
 * was recorded doing, and a comment says so.
 */
#ifndef NUM_VIDEO_H
#define NUM_VIDEO_H

#include "base/types.h"
#include "num/compare.h"

enum video_op { VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_AVRG, VIDEO_SET };
enum video_part {
    VIDEO_WORD,
    VIDEO_B0,
    VIDEO_B1,
    VIDEO_B2,
    VIDEO_B3,
    VIDEO_H0,
    VIDEO_H1,
};
enum video_second { VIDEO_NONE, VIDEO_THEN_ADD, VIDEO_THEN_MIN, VIDEO_THEN_MAX };

struct video_mode {
    enum video_op op;
    enum num_compare compare; /* of vset */
    bool d_signed, a_signed, b_signed, saturate;
    enum video_part d_part, a_part, b_part;
    enum video_second second;
};

/* The selected byte, half or word, extended. */
static inline i64 video_select(u32 x, enum video_part part, bool is_signed)
{
    if (part == VIDEO_WORD)
        return is_signed ? (i64)(i32)x : (i64)x;
    if (part >= VIDEO_H0) {
        x >>= part == VIDEO_H1 ? 16 : 0;
        return is_signed ? (i64)(i16)x : (i64)(u16)x;
    }
    x >>= 8 * (u32)(part - VIDEO_B0);
    return is_signed ? (i64)(i8)x : (i64)(u8)x;
}

static inline u32 video_bits(enum video_part part)
{
    return part == VIDEO_WORD ? 32 : part >= VIDEO_H0 ? 16 : 8;
}

static inline i64 video_clamp(i64 x, u32 bits, bool is_signed)
{
    i64 top = is_signed ? ((i64)1 << (bits - 1)) - 1 : ((i64)1 << bits) - 1;
    i64 bottom = is_signed ? -top - 1 : 0;
    x = x > top ? top : x;
    return x < bottom ? bottom : x;
}

/* The first operation's result into the register: clamp, then merge or combine with c. */
static inline u32 video_finish(const struct video_mode *m, i64 x, u32 c)
{
    u32 bits = video_bits(m->d_part), d = (u32)x;
    if (m->saturate && m->d_part == VIDEO_WORD)
        d = (u32)video_clamp(x, bits, m->d_signed);
    else if (m->saturate) /* H200: only the upper end, in an unsigned comparison */
        d = (u32)video_clamp((u32)x, bits, m->d_signed);
    if (m->d_part == VIDEO_H1) /* H200: the upper half goes in unshifted */
        return (d & 0xffff0000) | (c & 0xffff);
    if (m->d_part != VIDEO_WORD) {
        u32 at = bits == 16 ? 0 : 8 * (u32)(m->d_part - VIDEO_B0);
        u32 mask = ((1u << bits) - 1) << at;
        return ((d << at) & mask) | (c & ~mask);
    }
    bool less = m->d_signed ? (i32)d < (i32)c : d < c;
    switch (m->second) {
    case VIDEO_THEN_ADD:
        return d + c;
    case VIDEO_THEN_MIN:
        return less ? d : c;
    case VIDEO_THEN_MAX:
        return less ? c : d;
    case VIDEO_NONE:
        break;
    }
    return d;
}

static inline i64 video_operate(enum video_op op, enum num_compare compare, i64 a, i64 b)
{
    switch (op) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a < b ? b : a;
    case VIDEO_AVRG:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SET:
        return i64_compare(compare, (u64)a, (u64)b);
    }
    return 0;
}

/* vadd vsub vabsdiff vmin vmax vset */
static inline u32 video_scalar(const struct video_mode *m, u32 a, u32 b, u32 c)
{
    i64 x = video_select(a, m->a_part, m->a_signed), y = video_select(b, m->b_part, m->b_signed);
    i64 d = video_operate(m->op, m->compare, x, y);
    if (!m->d_signed && m->d_part == VIDEO_WORD && d > 0) /* H200: .sat of u32 has no upper end */
        d = (u32)d;
    return video_finish(m, d, c);
}

/* vshl vshr: a count over 32 is 32, or with .wrap taken modulo 32 */
static inline u32 video_shift(const struct video_mode *m, u32 a, u32 b, u32 c, bool right,
                              bool wrap)
{
    i64 x = video_select(a, m->a_part, m->a_signed);
    u32 n = (u32)video_select(b, m->b_part, false);
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    i64 d = right ? x >> n : (i64)((u64)x << n << 30) >> 30; /* H200: 34 bits count for .sat */
    struct video_mode merge = *m;
    if (m->saturate && m->d_part != VIDEO_WORD) { /* H200: to 32 bits even into a part */
        d = video_clamp(d, 32, m->d_signed);
        merge.saturate = false;
    }
    return video_finish(&merge, d, c);
}

/*
 * vmad: product and sum in full, then shifted by `scale` (0, 7 or 15). The sign of -a * b or a * -b
 * comes as `negate_product`; .po adds one. H200: whole words and c count as signed whatever the
 * types say, and an unsigned result is shifted as 64 unsigned bits before the clamp.
 */
static inline u32 video_mad(const struct video_mode *m, u32 a, u32 b, u32 c, u32 scale,
                            bool negate_product, bool negate_c, bool plus_one)
{
    bool is_signed = m->a_signed || m->b_signed || negate_product || negate_c;
    i64 x = video_select(a, m->a_part, m->a_signed || m->a_part == VIDEO_WORD) *
            video_select(b, m->b_part, m->b_signed || m->b_part == VIDEO_WORD);
    i64 sum = (negate_product ? -x : x) + (negate_c ? -(i64)(i32)c : (i64)(i32)c) + plus_one;
    i64 d = is_signed || scale == 0 ? sum >> scale : (i64)((u64)sum >> scale);
    return (u32)(m->saturate ? video_clamp(d, 32, is_signed) : d);
}

/*
 * vadd2 .. vset4: `width` bits per element, 16 or 8. A selector has one nibble per element, the
 * lowest element's last (h10 is 0x10), that picks from the elements of b:a; `mask` has a bit per
 * element, the others come from c. With .add the results, not yet cut, are summed onto c instead.
 */
static inline u32 video_simd(const struct video_mode *m, u32 width, u32 a, u32 b, u32 c,
                             u32 a_selector, u32 b_selector, u32 mask)
{
    u64 both = ((u64)b << 32) | a;
    u32 field = (1u << width) - 1, d = m->second == VIDEO_NONE ? 0 : c;
    enum video_part part = width == 16 ? VIDEO_H0 : VIDEO_B0;
    for (u32 i = 0; i < 32 / width; i++) {
        u32 from_a = (u32)(both >> (width * ((a_selector >> (4 * i)) & 7)));
        u32 from_b = (u32)(both >> (width * ((b_selector >> (4 * i)) & 7)));
        bool chosen = (mask >> i) & 1;
        i64 x = video_operate(m->op, m->compare, video_select(from_a, part, m->a_signed),
                              video_select(from_b, part, m->b_signed));
        if (m->saturate)
            x = video_clamp(x, width, m->d_signed);
        if (m->second != VIDEO_NONE)
            d += chosen ? (u32)x : 0;
        else
            d |= ((chosen ? (u32)x : c >> (width * i)) & field) << (width * i);
    }
    return d;
}

#endif
