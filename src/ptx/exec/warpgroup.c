/*
 * wgmma: products of warp groups, with operands in shared memory.
 *
 * Each of the four warps multiplies its 16 rows of A by all of B when it issues, which a program
 * must allow for: it may not touch D, or A and B in memory, before it has waited. So the fence has
 * nothing to do here. A product is the whole group's: who waits for it waits until all four warps
 * have issued it, since one of them often tells others that A and B may be overwritten.
 */
#include "ptx/decode/decode.h"
#include "ptx/exec/access.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/tensor/warpgroup.h"

#include "device/tensor_map.h"

#include <string.h>

enum { GROUP_WARPS = 4, CHUNK_BYTES = 16, CORE_LINES = 8 };

struct product {
    struct mma_shape shape;
    const ref_t *sums, *a; /* registers of D; of A, or NULL: it is in shared memory */
    bool transposed[2], negated[2];
};

/* A matrix in shared memory, as its descriptor says. */
struct matrix {
    u32 start, leading, stride, span; /* bytes; span: of a swizzled row, 16 without */
    u32 swizzle, phase;               /* as tensor_swizzle takes it; base offset */
};

static struct matrix matrix_of(u64 descriptor)
{
    static const u8 modes[] = {0, 3, 2, 1};
    u32 swizzle = modes[descriptor >> 62];
    return (struct matrix){.start = (u32)(descriptor & 0x3fff) << 4,
                           .leading = (u32)(descriptor >> 16 & 0x3fff) << 4,
                           .stride = (u32)(descriptor >> 32 & 0x3fff) << 4,
                           .span = CHUNK_BYTES << swizzle,
                           .swizzle = swizzle,
                           .phase = (u32)(descriptor >> 49 & 7) << 7};
}

/* Where 16 bytes along k of a line are. */
static u32 along_k(const struct matrix *m, u32 line, u32 chunk)
{
    u32 across = line / CORE_LINES * m->stride;
    if (!m->swizzle)
        return m->start + across + chunk * m->leading + line % CORE_LINES * CHUNK_BYTES;
    u32 wide = m->span / CHUNK_BYTES; /* a line of 64 bytes may be longer than a swizzled row */
    return m->start + across + line % CORE_LINES * m->span + chunk / wide * m->leading +
           chunk % wide * CHUNK_BYTES;
}

/* Where the elements k of eight lines are, stored side by side. */
static u32 across_k(const struct matrix *m, u32 lines, u32 k)
{
    u32 wide = m->span / CHUNK_BYTES;
    if (!m->swizzle)
        return m->start + lines * m->stride + k / CORE_LINES * m->leading +
               k % CORE_LINES * CHUNK_BYTES;
    return m->start + lines % wide * CHUNK_BYTES + lines / wide * m->leading +
           k % CORE_LINES * m->span + k / CORE_LINES * m->stride;
}

static const u8 *outside(struct warp *w, const struct op *op, u32 at)
{
    warp_fault(w, op, FAULT_ADDRESS, 0,
               "a matrix descriptor points to byte %u of shared memory, of which there are %u", at,
               w->grid->shared_room);
    return NULL;
}

static inline const u8 *chunk_at(struct warp *w, const struct op *op, const struct matrix *m,
                                 u32 address)
{
    u32 at = tensor_swizzle(m->swizzle, address - m->phase) + m->phase;
    return LIKELY(at + CHUNK_BYTES <= w->grid->shared_room) ? w->block->shared + at
                                                            : outside(w, op, at);
}

/* Lines from `first` on, `words` of 32 bits each, `pitch` of them apart. */
static bool read_lines(struct warp *w, const struct op *op, u64 descriptor, bool transposed,
                       u32 first, u32 count, u32 words, u32 *to, u32 pitch)
{
    struct matrix m = matrix_of(descriptor);
    const u8 *from;
    for (u32 i = 0; !transposed && i < count; i++) {
        for (u32 c = 0; c < words / 4; c++) {
            if (!(from = chunk_at(w, op, &m, along_k(&m, first + i, c))))
                return false;
            memcpy(to + i * pitch + 4 * c, from, CHUNK_BYTES);
        }
    }
    for (u32 i = 0; transposed && i < count; i += CORE_LINES) {
        for (u32 k = 0; k < 2 * words; k++) {
            if (!(from = chunk_at(w, op, &m, across_k(&m, (first + i) / CORE_LINES, k))))
                return false;
            for (u32 e = 0; e < CORE_LINES && i + e < count; e++)
                memcpy((u8 *)(to + (i + e) * pitch) + 2 * k, from + 2 * e, 2);
        }
    }
    return true;
}

/* Lane 4r + q has words q and q + 4 of rows r and r + 8. */
static void gather_a(struct warp *w, const struct product *p, struct group_product *g)
{
    for (u32 reg = 0; reg < 4; reg++) {
        const u32 *lanes = ref_get(w, p->a[reg]);
        for (u32 lane = 0; lane < LANES; lane++)
            g->a[lane / 4 + reg % 2 * 8][lane % 4 + reg / 2 * 4] = lanes[lane];
    }
}

static void negate(enum mma_type type, u32 *line, u32 words)
{
    u32 bits = mma_type_bits(type);
    u32 signs = bits == 32 ? 0x80000000u : bits == 16 ? 0x80008000u : 0x80808080u;
    for (u32 i = 0; i < words; i++)
        line[i] ^= signs;
}

/* Have all warps of the group issued what this one waits for? */
static bool products_are_there(const struct warp *w)
{
    const struct block *b = w->block;
    u32 first = w->index - w->index % GROUP_WARPS;
    for (u32 i = first; i < first + GROUP_WARPS && i < b->warp_count; i++) {
        if (b->warps[i].live && (i32)(b->warps[i].products - w->awaited_products) < 0)
            return false;
    }
    return true;
}

void group_check_products(struct warp *w)
{
    const struct block *b = w->block;
    u32 first = w->index - w->index % GROUP_WARPS;
    for (u32 i = first; i < first + GROUP_WARPS && i < b->warp_count; i++) {
        struct warp *other = &b->warps[i];
        EACH (k, other->used_paths) {
            struct path *p = &other->paths[k];
            if (p->state != PATH_AT_BARRIER || p->barrier != PRODUCTS_BARRIER ||
                !products_are_there(other))
                continue;
            p->state = PATH_READY;
            other->ready++;
        }
    }
}

static void run_commit(struct warp *w, const struct op *op, u32 mask)
{
    (void)op;
    (void)mask;
    w->products_of[w->product_groups++ % PRODUCT_GROUPS] = w->products;
}

/* The path is behind the instruction when it goes on. */
static void run_wait(struct warp *w, const struct op *op, u32 mask)
{
    (void)mask;
    if (w->product_groups <= op->imm || op->imm >= PRODUCT_GROUPS)
        return;
    w->awaited_products = w->products_of[(w->product_groups - 1 - op->imm) % PRODUCT_GROUPS];
    if (products_are_there(w))
        return;
    struct path *p = &w->paths[w->current];
    p->state = PATH_AT_BARRIER;
    p->barrier = PRODUCTS_BARRIER;
    w->block->barriers_used |= 1u << PRODUCTS_BARRIER;
    w->ready--;
}

static void run_product(struct warp *w, const struct op *op, u32 mask)
{
    const struct product *p = op->extra;
    struct group_product g; /* only the lines that are read have a value */
    u32 *sums[GROUP_COLUMNS / 2], words = p->shape.sparse ? GROUP_SPARSE_LINE : GROUP_LINE;
    const u64 *a = p->a ? NULL : ref_get(w, op->src[0]), *b = ref_get(w, op->src[1]);
    u32 row = w->index % GROUP_WARPS * GROUP_ROWS;
    (void)mask; /* all lanes take part, or the result is undefined */
    g.shape = p->shape;
    if (p->a)
        gather_a(w, p, &g);
    else if (!read_lines(w, op, a[0], p->transposed[0], row, GROUP_ROWS, GROUP_LINE, &g.a[0][0],
                         GROUP_LINE))
        return;
    if (!read_lines(w, op, b[0], p->transposed[1], 0, p->shape.n, words, &g.b[0][0],
                    GROUP_SPARSE_LINE))
        return;
    for (u32 i = 0; p->negated[0] && i < GROUP_ROWS; i++)
        negate(p->shape.a, g.a[i], GROUP_LINE);
    for (u32 j = 0; p->negated[1] && j < p->shape.n; j++)
        negate(p->shape.b, g.b[j], words);
    g.accumulates = *(const u32 *)ref_get(w, op->src[2]) & 1;
    g.metadata = p->shape.sparse ? ref_get(w, op->src[3]) : NULL;
    for (u32 i = 0; i < wgmma_registers(&p->shape); i++)
        sums[i] = ref_get(w, p->sums[i]);
    wgmma_execute(&g, sums);
    w->products++;
    group_check_products(w);
}

/* ---- decoding ------------------------------------------------------------------------------ */

static bool decode_sums(struct decoder *d, struct product *p)
{
    u8 bytes;
    const struct ptx_operand *o = d->statement->operands;
    u32 expected = wgmma_registers(&p->shape);
    if (!decode_list(d, &o[0], TYPE_B32, true, &bytes) || /* D is read and written */
        !decode_list(d, &o[0], TYPE_B32, false, &bytes))
        return false;
    p->sums = d->op->list;
    return (d->op->list_count == expected && bytes == 4) ||
           err_at(d->err, decode_pos(d), "the sums of wgmma have %u registers, expected %u",
                  d->op->list_count, expected);
}

static bool decode_a(struct decoder *d, struct product *p)
{
    u8 bytes;
    const struct ptx_operand *o = &d->statement->operands[1];
    if (o->kind != OPERAND_VECTOR)
        return decode_source_exact(d, 1, TYPE_B64, 0);
    if (!decode_list(d, o, TYPE_B32, true, &bytes))
        return false;
    p->a = d->op->list;
    return (d->op->list_count == 4 && bytes == 4) ||
           err_at(d->err, decode_pos(d), "A of wgmma has %u registers, expected 4",
                  d->op->list_count);
}

/* A constant operand that is one of two. */
static bool decode_choice(struct decoder *d, u32 operand, i64 no, i64 yes, bool *out)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    if (o->kind != OPERAND_INT || (o->value != no && o->value != yes))
        return err_at(d->err, decode_pos(d), "operand %u of wgmma is not a constant %lld or %lld",
                      operand + 1, (long long)no, (long long)yes);
    *out = o->value == yes;
    return true;
}

static bool decode_metadata(struct decoder *d, struct product *p, u32 *at)
{
    const struct ptx_operand *o = d->statement->operands;
    u32 most = mma_most_selector(&p->shape);
    if (!decode_source_exact(d, *at, TYPE_B32, 3))
        return false;
    if (o[*at + 1].kind != OPERAND_INT || o[*at + 1].value < 0 || o[*at + 1].value > most)
        return err_at(d->err, decode_pos(d), "the selector of wgmma is not a constant from 0 to %u",
                      most);
    p->shape.selector = (u8)o[*at + 1].value;
    *at += 2;
    return true;
}

static bool decode_product(struct decoder *d)
{
    struct product *p = ARENA_NEW(&d->program->arena, struct product);
    const struct ptx_statement *s = d->statement;
    d->op->run = run_product;
    d->op->extra = p;
    d->op->fp_mode = 0;
    if (!wgmma_parse(&p->shape, s->modifiers + 1, s->modifier_count - 1u, decode_pos(d), d->err))
        return false;
    bool scales = p->shape.d != MMA_S32, half = mma_type_bits(p->shape.a) == 16;
    bool in_registers = s->operand_count > 1 && s->operands[1].kind == OPERAND_VECTOR;
    u32 at = 3, sparse = p->shape.sparse ? 2 : 0;
    u32 count = 4 + sparse + (scales ? 2 : 0) + (half ? in_registers ? 1 : 2 : 0);
    if (!decode_operand_count(d, count, count) || !decode_sums(d, p) || !decode_a(d, p) ||
        !decode_source_exact(d, 2, TYPE_B64, 1) || (sparse && !decode_metadata(d, p, &at)) ||
        !decode_predicate_source(d, &s->operands[at++], 2))
        return false;
    for (u32 i = 0; scales && i < 2; i++) {
        if (!decode_choice(d, at++, 1, -1, &p->negated[i]))
            return false;
    }
    for (u32 i = in_registers ? 1 : 0; half && i < 2; i++) {
        if (!decode_choice(d, at++, 0, 1, &p->transposed[i]))
            return false;
    }
    return !d->op->negate || decode_unsupported(d, "a negated predicate");
}

/* wgmma.mma_async, .fence, .commit_group, .wait_group */
bool decode_wgmma(struct decoder *d)
{
    d->op->unit = UNIT_TENSOR;
    if (decode_is(d, 0, "mma_async"))
        return decode_product(d);
    d->op->run = lane_nothing;
    if (decode_is(d, 0, "wait_group")) {
        const struct ptx_operand *o = d->statement->operands;
        d->op->run = run_wait;
        d->op->imm = d->statement->operand_count && o->kind == OPERAND_INT ? (u64)o->value : 0;
        return decode_operand_count(d, 1, 1);
    }
    if (decode_is(d, 0, "commit_group"))
        d->op->run = run_commit;
    if (decode_is(d, 0, "fence") || decode_is(d, 0, "commit_group"))
        return decode_operand_count(d, 0, 0);
    return decode_unsupported(d, "");
}

/* setmaxnreg.inc, .dec: registers are as many as the kernel names, whatever the number. */
bool decode_setmaxnreg(struct decoder *d)
{
    const struct ptx_operand *o = d->statement->operands;
    d->op->run = lane_nothing;
    if (!decode_is(d, 0, "inc") && !decode_is(d, 0, "dec"))
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, 1, 1))
        return false;
    return (o->kind == OPERAND_INT && o->value >= 24 && o->value <= 256 && o->value % 8 == 0) ||
           err_at(d->err, decode_pos(d),
                  "setmaxnreg has no constant from 24 to 256 that is a multiple of 8");
}
