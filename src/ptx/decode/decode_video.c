/* Video instructions: scalar with byte and half selectors, and two or four at a time. */
#include "ptx/decode/decode.h"

#include "num/video.h"

#include <string.h>

struct video {
    struct video_mode mode;
    u32 width; /* bits per element of the SIMD forms; 0: scalar */
    u32 a_selector, b_selector, mask;
    u32 scale;
    bool is_mad, is_shift, right, wrap, plus_one, negate_product, negate_c;
};

static u64 scalar_video(const struct op *op, const u64 *s)
{
    const struct video *v = op->extra;
    u32 a = (u32)s[0], b = (u32)s[1], c = (u32)s[2];
    if (v->width)
        return video_simd(&v->mode, v->width, a, b, c, v->a_selector, v->b_selector, v->mask);
    if (v->is_mad)
        return video_mad(&v->mode, a, b, c, v->scale, v->negate_product, v->negate_c, v->plus_one);
    if (v->is_shift)
        return video_shift(&v->mode, a, b, c, v->right, v->wrap);
    return video_scalar(&v->mode, a, b, c);
}

static bool part_of(const char *selector, enum video_part *part)
{
    static const char *const names[] = {[VIDEO_B0] = "b0", [VIDEO_B1] = "b1", [VIDEO_B2] = "b2",
                                        [VIDEO_B3] = "b3", [VIDEO_H0] = "h0", [VIDEO_H1] = "h1"};
    *part = VIDEO_WORD;
    if (!selector)
        return true;
    for (u32 i = VIDEO_B0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], selector) == 0) {
            *part = (enum video_part)i;
            return true;
        }
    }
    return false;
}

/* "h10" is 0x10, "b7654" is 0x7654: as many digits as there are elements */
static bool simd_selector(const char *selector, u32 width, u32 initial, u32 *out)
{
    u32 elements = 32 / width;
    *out = initial;
    if (!selector)
        return true;
    *out = 0;
    for (u32 i = 0; i < elements; i++) {
        u32 digit = (u32)(u8)selector[1 + i] - '0';
        if (!selector[i] || digit >= 2 * elements)
            return false;
        *out = *out << 4 | digit;
    }
    return selector[0] == (width == 16 ? 'h' : 'b') && !selector[1 + elements];
}

/* "h1", "b310": which elements are written */
static bool simd_mask(const char *selector, u32 width, u32 *mask)
{
    u32 elements = 32 / width;
    *mask = (1u << elements) - 1;
    if (!selector)
        return true;
    *mask = 0;
    for (const char *c = selector + 1; *c; c++) {
        u32 digit = (u32)(u8)*c - '0';
        if (digit >= elements)
            return false;
        *mask |= 1u << digit;
    }
    return selector[0] == (width == 16 ? 'h' : 'b') && *mask;
}

static bool find_operation(const char *name, struct video *v)
{
    static const struct {
        const char *name;
        enum video_op op;
    } operations[] = {{"vadd", VIDEO_ADD},         {"vsub", VIDEO_SUB}, {"vmin", VIDEO_MIN},
                      {"vabsdiff", VIDEO_ABSDIFF}, {"vmax", VIDEO_MAX}, {"vavrg", VIDEO_AVRG},
                      {"vset", VIDEO_SET}};
    size_t n = strlen(name);
    if (n && (name[n - 1] == '2' || name[n - 1] == '4')) {
        v->width = name[n - 1] == '2' ? 16 : 8;
        n--;
    }
    v->is_mad = strcmp(name, "vmad") == 0;
    v->is_shift = strcmp(name, "vshl") == 0 || strcmp(name, "vshr") == 0;
    v->right = strcmp(name, "vshr") == 0;
    for (u32 i = 0; i < ARRAY_LEN(operations); i++) {
        if (strlen(operations[i].name) == n && strncmp(operations[i].name, name, n) == 0) {
            v->mode.op = operations[i].op;
            return true;
        }
    }
    return v->is_mad || v->is_shift;
}

static bool read_modes(struct decoder *d, struct video *v)
{
    const struct mods *m = &d->mods;
    bool is_set = v->mode.op == VIDEO_SET && !v->is_mad && !v->is_shift;
    u32 first = is_set ? 0 : 1; /* vset names no type of its result */
    if (m->type_count != first + 2)
        return false;
    v->mode.d_signed = !is_set && m->types[0] == TYPE_S32;
    v->mode.a_signed = m->types[first] == TYPE_S32;
    v->mode.b_signed = m->types[first + 1] == TYPE_S32;
    v->mode.saturate = (m->flags & MOD_SAT) != 0;
    v->mode.compare = is_set ? (enum num_compare)m->compare : COMPARE_EQ;
    v->mode.second = m->operation == OPERATION_ADD   ? VIDEO_THEN_ADD
                     : m->operation == OPERATION_MIN ? VIDEO_THEN_MIN
                     : m->operation == OPERATION_MAX ? VIDEO_THEN_MAX
                                                     : VIDEO_NONE;
    v->wrap = (m->flags & MOD_WRAP) != 0;
    v->scale = decode_has(d, "shr7") ? 7 : decode_has(d, "shr15") ? 15 : 0;
    v->plus_one = decode_has(d, "po");
    return !is_set || m->compare != COMPARE_NONE;
}

bool decode_video(struct decoder *d)
{
    struct video *v = ARENA_NEW(&d->program->arena, struct video);
    const struct ptx_operand *o = d->statement->operands;
    u32 n = d->statement->operand_count;
    if (!find_operation(d->statement->opcode, v) || !read_modes(d, v))
        return decode_unsupported(d, "");
    d->op->run = lanes_scalar;
    d->op->scalar = scalar_video;
    d->op->extra = v;
    if (!decode_operand_count(d, 3, 4) || !decode_destination_exact(d, 0, 4))
        return false;
    d->may_negate = v->is_mad;
    for (u32 k = 0; k + 1 < n; k++) {
        if (!decode_source_exact(d, k + 1, TYPE_B32, k))
            return false;
    }
    d->may_negate = false;
    v->negate_product = v->is_mad && o[1].negated != o[2].negated;
    v->negate_c = v->is_mad && n > 3 && o[3].negated;
    if (v->width) {
        bool half = v->width == 16;
        return (simd_mask(o[0].selector, v->width, &v->mask) &&
                simd_selector(o[1].selector, v->width, half ? 0x10 : 0x3210, &v->a_selector) &&
                simd_selector(o[2].selector, v->width, half ? 0x32 : 0x7654, &v->b_selector)) ||
               decode_unsupported(d, "");
    }
    return (part_of(o[0].selector, &v->mode.d_part) && part_of(o[1].selector, &v->mode.a_part) &&
            part_of(o[2].selector, &v->mode.b_part)) ||
           decode_unsupported(d, "");
}
