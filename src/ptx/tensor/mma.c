#include "ptx/tensor/mma.h"

#include <string.h>

#include "ptx/tensor/dot.h"

u32 mma_registers(const struct mma_shape *s, enum fragment_kind kind)
{
    return fragment_of(s, kind).registers;
}

/* Lane 0's element; the other lanes' follow from it: a line per four lanes. */
void lines_gather(const struct fragment *f, const u32 *const *from, u32 *lines, u32 line_words)
{
    for (u32 reg = 0; reg < f->distinct; reg++) {
        struct element first = fragment_element(f, 0, reg, 0);
        u32 line = f->kind == FRAGMENT_A ? first.row : first.col;
        u32 word = (f->kind == FRAGMENT_A ? first.col : first.row) / f->parts;
        for (u32 lane = 0; lane < 32; lane += 4)
            memcpy(&lines[(line + lane / 4) * line_words + word], &from[reg][lane],
                   4 * sizeof(u32));
    }
}

/* As the elements of a register pair lie: where lane 0 has them, and how far on a line (4 lanes)
 * and a pair (1 lane) are. */
struct sums {
    u32 base, line_step, pair_step;
};

static struct sums sums_of(const struct fragment *f, u32 i)
{
    struct element e = fragment_element(f, 0, i / f->parts, i % f->parts);
    u32 down = f->cols, right = 1;
    return (struct sums){.base = e.row * f->cols + e.col,
                         .line_step = f->flipped ? right : down,
                         .pair_step = 2 * (f->flipped ? down : right)};
}

void sums_gather(const struct fragment *f, const u32 *const *from, u32 *to)
{
    for (u32 i = 0; i < (u32)f->distinct * f->parts; i++) {
        struct sums at = sums_of(f, i);
        const u32 *reg = from[i / f->parts];
        u32 shift = f->parts == 2 ? i % 2 * 16 : 0, mask = f->parts == 2 ? 0xffff : ~0u;
        for (u32 line = 0; line < 8; line++) {
            u32 *first = &to[at.base + line * at.line_step];
            for (u32 pair = 0; pair < 4; pair++)
                first[pair * at.pair_step] = reg[line * 4 + pair] >> shift & mask;
        }
    }
}

void sums_scatter(const struct fragment *f, const u32 *from, u32 *const *to)
{
    for (u32 i = 0; i < (u32)f->distinct * f->parts; i++) {
        struct sums at = sums_of(f, i);
        u32 *reg = to[i / f->parts];
        bool upper = f->parts == 2 && i % 2;
        for (u32 line = 0; line < 8; line++) {
            const u32 *first = &from[at.base + line * at.line_step];
            for (u32 pair = 0; pair < 4; pair++) {
                u32 value = first[pair * at.pair_step], *lane = &reg[line * 4 + pair];
                *lane = upper ? *lane | value << 16 : value;
            }
        }
    }
}

static void lines_gather_f64(const struct fragment *f, const u32 *const *from,
                             double lines[][ALONG_MAX])
{
    for (u32 reg = 0; reg < f->distinct; reg++) {
        struct element first = fragment_element(f, 0, reg, 0);
        u32 line = f->kind == FRAGMENT_A ? first.row : first.col;
        u32 word = f->kind == FRAGMENT_A ? first.col : first.row;
        for (u32 lane = 0; lane < 32; lane += 4)
            memcpy(&lines[line + lane / 4][word], (const u8 *)from[reg] + lane * sizeof(double),
                   4 * sizeof(double));
    }
}

static void execute_f64(const struct mma_shape *s, const u32 *const *a, const u32 *const *b,
                        const u32 *const *c, u32 *const *d)
{
    struct fragment fa = fragment_of(s, FRAGMENT_A), fb = fragment_of(s, FRAGMENT_B);
    struct fragment fc = fragment_of(s, FRAGMENT_C);
    struct tile_f64 t;
    lines_gather_f64(&fa, a, t.a);
    lines_gather_f64(&fb, b, t.b);
    for (u32 reg = 0; reg < fc.registers; reg++) {
        struct sums at = sums_of(&fc, reg);
        for (u32 lane = 0; lane < 32; lane++)
            memcpy(&t.c[at.base + lane / 4 * at.line_step + lane % 4 * at.pair_step],
                   (const u8 *)c[reg] + lane * sizeof(double), sizeof(double));
    }
    dot_f64(s, &t);
    for (u32 reg = 0; reg < fc.registers; reg++) {
        struct sums at = sums_of(&fc, reg);
        for (u32 lane = 0; lane < 32; lane++)
            memcpy((u8 *)d[reg] + lane * sizeof(double),
                   &t.d[at.base + lane / 4 * at.line_step + lane % 4 * at.pair_step],
                   sizeof(double));
    }
}

/* The four matrices of m8n8k4 as one array each. An element's place there is the sum of one that
 * depends on the lane and one that depends on its number in the lane. */
struct places {
    u32 of_lane[32], of_number[8];
};

static u32 place_of(const struct fragment *f, u32 lane, u32 number, bool by_columns)
{
    struct element e = fragment_element(f, lane, number / f->parts, number % f->parts);
    u32 size = (u32)f->rows * f->cols;
    return e.matrix * size + (by_columns ? e.col * f->rows + e.row : e.row * f->cols + e.col);
}

static struct places places_find(const struct fragment *f, bool by_columns)
{
    struct places p;
    for (u32 lane = 0; lane < 32; lane++)
        p.of_lane[lane] = place_of(f, lane, 0, by_columns);
    for (u32 number = 0; number < (u32)f->registers * f->parts; number++)
        p.of_number[number] = place_of(f, 0, number, by_columns);
    return p;
}

static void quads_gather(const struct fragment *f, bool by_columns, const u32 *const *from, u32 *to)
{
    struct places p = places_find(f, by_columns);
    for (u32 number = 0; number < (u32)f->registers * f->parts; number++) {
        const u32 *reg = from[number / f->parts];
        u32 shift = f->parts == 2 ? number % 2 * 16 : 0, mask = f->parts == 2 ? 0xffff : ~0u;
        for (u32 lane = 0; lane < 32; lane++)
            to[p.of_lane[lane] + p.of_number[number]] = reg[lane] >> shift & mask;
    }
}

static void execute_quads(const struct mma_shape *s, const u32 *const *a, const u32 *const *b,
                          const u32 *const *c, u32 *const *d)
{
    struct fragment fa = fragment_of(s, FRAGMENT_A), fb = fragment_of(s, FRAGMENT_B);
    struct fragment fc = fragment_of(s, FRAGMENT_C), fd = fragment_of(s, FRAGMENT_D);
    u32 ma[4 * 32], mb[4 * 32], mc[4 * 64], md[4 * 64];
    quads_gather(&fa, false, a, ma);
    quads_gather(&fb, true, b, mb);
    quads_gather(&fc, false, c, mc);
    for (u32 q = 0; q < 4; q++)
        dot_quad(s, &ma[q * 32], &mb[q * 32], &mc[q * 64], &md[q * 64]);
    struct places p = places_find(&fd, false);
    for (u32 number = 0; number < 8; number++) {
        u32 *reg = d[number / fd.parts];
        bool upper = fd.parts == 2 && number % 2;
        for (u32 lane = 0; lane < 32; lane++) {
            u32 value = md[p.of_lane[lane] + p.of_number[number]];
            reg[lane] = upper ? reg[lane] | value << 16 : value;
        }
    }
}

void dot_any(const struct mma_shape *s, struct tile *t)
{
    if (s->a == MMA_F16 || s->a == MMA_BF16 || s->a == MMA_TF32)
        dot_float(s, t);
    else if (s->a == MMA_E4M3 || s->a == MMA_E5M2)
        dot_fp8(s, t);
    else
        dot_integer(s, t);
}

void mma_execute(const struct mma_shape *s, const u32 *const *a, const u32 *const *b,
                 const u32 *const *c, u32 *const *d)
{
    if (s->a == MMA_F64) {
        execute_f64(s, a, b, c, d);
        return;
    }
    struct fragment fa = fragment_of(s, FRAGMENT_A), fb = fragment_of(s, FRAGMENT_B);
    struct fragment fc = fragment_of(s, FRAGMENT_C), fd = fragment_of(s, FRAGMENT_D);
    if (fa.quads) {
        execute_quads(s, a, b, c, d);
        return;
    }
    struct tile t;
    lines_gather(&fa, a, &t.a[0][0], LINE_WORDS_MAX);
    lines_gather(&fb, b, &t.b[0][0], LINE_WORDS_MAX);
    sums_gather(&fc, c, t.c);
    dot_any(s, &t);
    sums_scatter(&fd, t.d, d);
}
