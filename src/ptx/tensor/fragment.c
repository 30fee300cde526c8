#include "ptx/tensor/fragment.h"

static enum mma_type type_of(const struct mma_shape *s, enum fragment_kind kind)
{
    switch (kind) {
    case FRAGMENT_A:
        return s->a;
    case FRAGMENT_B:
        return s->b;
    case FRAGMENT_C:
        return s->c;
    default:
        return s->d;
    }
}

struct fragment fragment_of(const struct mma_shape *s, enum fragment_kind kind)
{
    struct fragment f = {.kind = kind, .type = type_of(s, kind)};
    bool is_a = kind == FRAGMENT_A, is_b = kind == FRAGMENT_B;
    f.rows = is_b ? s->k : s->m;
    u32 k = is_a && s->sparse ? s->k / 2u : s->k; /* columns of a sparse A that are there */
    f.cols = (u16)(is_a ? k : s->n);
    f.layout = is_b ? s->b_layout : s->a_layout;
    f.bits = (u8)mma_type_bits(f.type);
    f.parts = (u8)(f.bits > 32 ? 1 : 32 / f.bits);
    f.quads = !s->wmma && s->a == MMA_F16 && s->k == 4 && s->m == 8;
    u32 matrices = f.quads ? 4 : 1;
    f.distinct = (u8)(matrices * f.rows * f.cols / f.parts / 32);
    /* wmma gives f16 A and B eight registers whatever the shape */
    f.registers = s->wmma && f.type == MMA_F16 && (is_a || is_b) ? 8 : f.distinct;
    f.flipped = s->m == 8 && s->n == 32;
    if (is_a || is_b) {
        f.tall = is_a ? s->m >= 16 : f.flipped;
        f.blocks = (u8)(k / f.parts / 4);
    }
    return f;
}

/* Volta's m8n8k4: lanes 4q..4q+3 and 16+4q..16+4q+3 hold matrix q (PTX ISA, "Matrix Fragments for
 * mma.m8n8k4 with .f16"). */
static struct element quad_element(const struct fragment *f, u32 lane, u32 reg, u32 part)
{
    u32 i = reg * f->parts + part, upper = lane >= 16 ? 4 : 0, in_quad = lane % 4;
    struct element e = {.matrix = lane / 4 % 4};
    if (f->kind == FRAGMENT_A) {
        e.row = (f->layout == MMA_ROW ? in_quad : i) + upper;
        e.col = f->layout == MMA_ROW ? i : in_quad;
    } else if (f->kind == FRAGMENT_B) {
        e.row = f->layout == MMA_ROW ? in_quad : i;
        e.col = (f->layout == MMA_ROW ? i : in_quad) + upper;
    } else if (f->type == MMA_F16) {
        e.row = in_quad + upper;
        e.col = i;
    } else {
        e.row = (lane & 1) + (i & 2) + upper;
        e.col = (i & 4) + (lane & 2) + (i & 1);
    }
    return e;
}

/* Pairs of columns; then rows 8 further down; then the next tile, to the right of a square and
 * below in a tall matrix. */
static struct element sum_element(const struct fragment *f, u32 lane, u32 reg, u32 part)
{
    u32 i = reg * f->parts + part, rows = f->flipped ? f->cols : f->rows;
    struct element e = {.row = lane / 4 + 8 * (i >> 1 & 1), .col = lane % 4 * 2 + (i & 1)};
    if (rows == 32)
        e.row += 16 * (i >> 2);
    else
        e.col += 8 * (i >> 2);
    return f->flipped ? (struct element){.row = e.col, .col = e.row} : e;
}

struct element fragment_element(const struct fragment *f, u32 lane, u32 reg, u32 part)
{
    if (f->quads)
        return quad_element(f, lane, reg, part);
    if (f->kind == FRAGMENT_C || f->kind == FRAGMENT_D)
        return sum_element(f, lane, reg, part);
    /* A register is a word along k: of a row of A, of a column of B. */
    reg %= f->distinct;
    u32 line = lane / 4, word = lane % 4;
    if (f->tall) {
        line += 8 * (reg & 1) + 16 * (reg / 2 / f->blocks);
        word += 4 * (reg / 2 % f->blocks);
    } else {
        line += 8 * (reg / f->blocks);
        word += 4 * (reg % f->blocks);
    }
    u32 along = word * f->parts + part;
    return f->kind == FRAGMENT_A ? (struct element){.row = line, .col = along}
                                 : (struct element){.row = along, .col = line};
}

bool wmma_fragment_parse(struct fragment *f, enum fragment_kind kind, const char *shape,
                         const char *type, struct src_pos at, struct err *err)
{
    struct mma_shape s;
    enum mma_type element;
    if (!mma_type_find(type, &element))
        return err_at(err, at, "wmma has no elements of type %s", type);
    if (!wmma_shape_find(&s, shape, element, kind == FRAGMENT_C || kind == FRAGMENT_D, at, err))
        return false;
    *f = fragment_of(&s, kind);
    return true;
}

u64 wmma_offset(const struct fragment *f, enum mma_layout layout, u64 stride, u32 lane, u32 reg,
                u32 part)
{
    struct element e = fragment_element(f, lane, reg, part);
    return layout == MMA_ROW ? e.row * stride + e.col : e.col * stride + e.row;
}
