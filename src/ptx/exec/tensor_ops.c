/* mma, wmma, ldmatrix, stmatrix, movmatrix: decoding, and running on a whole warp's registers. */
#include "ptx/exec/access.h"
#include "ptx/decode/decode.h"

#include "ptx/tensor/matrix.h"
#include "ptx/tensor/mma.h"

#include <string.h>

#define MOST_REGISTERS 32

struct tensor {
    struct mma_shape shape;
    struct fragment fragment;
    enum mma_layout layout;
    ref_t *lists[4]; /* d, a, b, c */
    u32 counts[4];
    struct address address;
    bool transposed;
};

static bool operand_list(struct decoder *d, struct tensor *t, u32 which, u32 operand,
                         bool is_source, u32 expected)
{
    u8 bytes;
    enum type type = t->shape.a == MMA_F64 ? TYPE_B64 : TYPE_B32;
    if (!decode_list(d, &d->statement->operands[operand], type, is_source, &bytes))
        return false;
    t->lists[which] = (ref_t *)(uintptr_t)d->op->list;
    t->counts[which] = d->op->list_count;
    if (bytes && bytes != type_info[type].bytes)
        return err_at(d->err, decode_pos(d),
                      "operand %u of %s has registers of %u bits, expected %u", operand + 1,
                      d->statement->opcode, 8u * bytes, 8u * type_info[type].bytes);
    if (t->counts[which] != expected || expected > MOST_REGISTERS)
        return err_at(d->err, decode_pos(d), "operand %u of %s has %u registers, expected %u",
                      operand + 1, d->statement->opcode, t->counts[which], expected);
    return true;
}

static struct tensor *new_tensor(struct decoder *d, lane_fn *run)
{
    struct tensor *t = ARENA_NEW(&d->program->arena, struct tensor);
    d->op->extra = t;
    d->op->run = run;
    d->op->unit = UNIT_TENSOR;
    d->op->fp_mode = 0;
    return t;
}

static void run_mma(struct warp *w, const struct op *op, u32 mask)
{
    const struct tensor *t = op->extra;
    u32 *regs[4][MOST_REGISTERS];
    (void)mask; /* all lanes take part, or the result is undefined */
    for (u32 i = 0; i < 4; i++) {
        for (u32 k = 0; k < t->counts[i]; k++)
            regs[i][k] = ref_get(w, t->lists[i][k]);
    }
    mma_execute(&t->shape, (const u32 *const *)regs[1], (const u32 *const *)regs[2],
                (const u32 *const *)regs[3], regs[0]);
}

static bool decode_product(struct decoder *d, struct tensor *t)
{
    static const enum fragment_kind kinds[] = {FRAGMENT_D, FRAGMENT_A, FRAGMENT_B, FRAGMENT_C};
    if (!t->shape.sparse && !decode_operand_count(d, 4, 4))
        return false;
    for (u32 i = 0; i < 4; i++) {
        if (!operand_list(d, t, i, i, i != 0, mma_registers(&t->shape, kinds[i])))
            return false;
    }
    return true;
}

static void run_sparse(struct warp *w, const struct op *op, u32 mask)
{
    const struct tensor *t = op->extra;
    u32 *regs[4][MOST_REGISTERS];
    (void)mask;
    for (u32 i = 0; i < 4; i++) {
        for (u32 k = 0; k < t->counts[i]; k++)
            regs[i][k] = ref_get(w, t->lists[i][k]);
    }
    mma_execute_sparse(&t->shape, (const u32 *const *)regs[1], (const u32 *const *)regs[2],
                       (const u32 *const *)regs[3], ref_get(w, op->src[0]), regs[0]);
}

/* d, a, b, c, metadata, selector */
static bool decode_sparse(struct decoder *d, struct tensor *t)
{
    const struct ptx_operand *o = d->statement->operands;
    u32 most = mma_most_selector(&t->shape);
    d->op->run = run_sparse;
    if (!decode_operand_count(d, 6, 6) || !decode_source_exact(d, 4, TYPE_B32, 0))
        return false;
    if (o[5].kind != OPERAND_INT || o[5].value < 0 || o[5].value > most)
        return err_at(d->err, decode_pos(d),
                      "the selector of mma.sp is not a constant from 0 to %u", most);
    t->shape.selector = (u8)o[5].value;
    return true;
}

bool decode_mma(struct decoder *d)
{
    struct tensor *t = new_tensor(d, run_mma);
    return mma_parse(&t->shape, d->statement->modifiers, d->statement->modifier_count,
                     decode_pos(d), d->err) &&
           (!t->shape.sparse || decode_sparse(d, t)) && decode_product(d, t);
}

/* ---- wmma.load and wmma.store ------------------------------------------------------------ */

#define AT_ONCE 8u /* lanes, 16 bytes each, that shared memory serves together */

/* A and B come from shared memory in groups of eight lines by 16 bytes, as LDSM takes them, or
 * where registers of 32 bits hold a column of the lines, four by 32 bytes. */
static u32 shared_order(const struct fragment *f, enum mma_layout layout, u32 lane, u32 per_line)
{
    bool along = f->bits <= 16 || (f->kind == FRAGMENT_A) == (layout == MMA_ROW);
    u32 wide = along ? 1 : 2, high = AT_ONCE / wide, across = per_line / wide;
    if (f->kind > FRAGMENT_B || per_line < wide || LANES / per_line < high)
        return lane;
    u32 group = lane / AT_ONCE, k = lane % AT_ONCE;
    u32 line = group / across * high + k / wide;
    return line * per_line + group % across * wide + k % wide;
}

/* What the timing model sees: the matrix line by line, 16 bytes a lane. */
static void show_lines(struct warp *w, const struct tensor *t, const u64 *base, const u64 *stride)
{
    const struct fragment *f = &t->fragment;
    u32 line_bytes = (u32)(t->layout == MMA_ROW ? f->cols : f->rows) * f->bits / 8;
    u32 per_line = line_bytes > 16 ? line_bytes / 16 : 1;
    bool shared = t->address.space == SPACE_SHARED || (t->address.space == SPACE_GENERIC &&
                                                       base[0] - SHARED_WINDOW < (u64)WINDOW_BYTES);
    for (u32 i = 0; i < LANES; i++) {
        u32 n = shared ? shared_order(f, t->layout, i, per_line) : i;
        w->on->address[i] = base[i] + n / per_line * stride[i] * f->bits / 8 + n % per_line * 16;
    }
}

static void move_fragment(struct warp *w, const struct op *op, u32 mask, bool is_load)
{
    const struct tensor *t = op->extra;
    const struct fragment *f = &t->fragment;
    bool small = f->bits < 8;
    u32 bytes = small ? 4 : f->bits / 8u, parts = small ? 1 : f->parts;
    u32 width = f->type == MMA_F64 ? 8 : 4;
    u64 base[LANES], stride[LANES];
    access_addresses(w, &t->address);
    memcpy(base, w->on->address, sizeof base);
    for (u32 i = 0; i < LANES; i++)
        stride[i] = op->src[1] == REF_NONE ? 0 : ((const u32 *)ref_get(w, op->src[1]))[i];
    for (u32 r = 0; r < f->registers; r++) {
        u8 *reg = ref_get(w, t->lists[0][r]);
        for (u32 part = 0; part < parts; part++) {
            u8 *where[LANES];
            for (u32 i = 0; i < LANES; i++)
                w->on->address[i] =
                    base[i] + wmma_offset(f, t->layout, stride[i], i, r, part) * f->bits / 8;
            if (!access_resolve(w, op, mask, bytes, where, t->address.space,
                                is_load ? ACCESS_READ : ACCESS_WRITE))
                return;
            EACH (i, mask) {
                u8 *in_register = reg + (size_t)i * width + (size_t)part * bytes;
                if (is_load)
                    memcpy(in_register, where[i], bytes);
                else
                    memcpy(where[i], in_register, bytes);
            }
        }
    }
    show_lines(w, t, base, stride);
}

static void run_wmma_load(struct warp *w, const struct op *op, u32 mask)
{
    move_fragment(w, op, mask, true);
}

static void run_wmma_store(struct warp *w, const struct op *op, u32 mask)
{
    move_fragment(w, op, mask, false);
}

static bool take_address(struct decoder *d, struct tensor *t, u32 operand)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    if (!decode_address(d, o) || !decode_space(d, o))
        return false;
    t->address = (struct address){d->op->src[0], d->op->imm, d->op->address_64, d->op->in_frame,
                                  d->op->space};
    return true;
}

bool decode_wmma(struct decoder *d)
{
    const struct ptx_statement *s = d->statement;
    if (decode_is(d, 0, "mma")) {
        struct tensor *t = new_tensor(d, run_mma);
        return wmma_parse(&t->shape, s->modifiers + 1, s->modifier_count - 1u, decode_pos(d),
                          d->err) &&
               decode_product(d, t);
    }
    bool is_load = decode_is(d, 0, "load");
    struct tensor *t = new_tensor(d, is_load ? run_wmma_load : run_wmma_store);
    d->op->unit = UNIT_MEMORY;
    enum fragment_kind kind = decode_is(d, 1, "a")   ? FRAGMENT_A
                              : decode_is(d, 1, "b") ? FRAGMENT_B
                              : decode_is(d, 1, "c") ? FRAGMENT_C
                                                     : FRAGMENT_D;
    const char *shape = NULL;
    for (u32 i = 0; i < s->modifier_count; i++) {
        if (s->modifiers[i][0] == 'm' && strchr(s->modifiers[i], 'k'))
            shape = s->modifiers[i];
    }
    if (!shape || (!is_load && !decode_is(d, 0, "store")))
        return decode_unsupported(d, "");
    t->layout = decode_has(d, "col") ? MMA_COL : MMA_ROW;
    if (!wmma_fragment_parse(&t->fragment, kind, shape, s->modifiers[s->modifier_count - 1],
                             decode_pos(d), d->err))
        return false;
    t->shape.a = t->fragment.type; /* f64 registers are wide */
    u32 list = is_load ? 0 : 1, address = is_load ? 1 : 0;
    if (!decode_operand_count(d, 2, 3) || !take_address(d, t, address) ||
        !operand_list(d, t, 0, list, !is_load, t->fragment.registers))
        return false;
    if (s->operand_count == 3)
        return decode_source_exact(d, 2, TYPE_B32, 1);
    /* without a stride: the matrix is packed */
    u32 packed = t->layout == MMA_ROW ? t->fragment.cols : t->fragment.rows;
    d->op->src[1] = decode_constant(d, packed, 4);
    return true;
}

/* ---- ldmatrix and its kin ------------------------------------------------------------------- */

static void run_matrix(struct warp *w, const struct op *op, u32 mask, bool is_load)
{
    const struct tensor *t = op->extra;
    u32 count = t->counts[0], lanes = count == 4 ? ALL_LANES : (1u << (8 * count)) - 1;
    u8 rows[LANES][MATRIX_ROW_BYTES] = {{0}}, *where[LANES];
    u32 *regs[4];
    access_addresses(w, &t->address);
    if (!access_resolve(w, op, mask & lanes, MATRIX_ROW_BYTES, where, t->address.space,
                        is_load ? ACCESS_READ : ACCESS_WRITE))
        return;
    for (u32 k = 0; k < count; k++)
        regs[k] = ref_get(w, t->lists[0][k]);
    if (is_load) {
        EACH (i, mask & lanes)
            memcpy(rows[i], where[i], MATRIX_ROW_BYTES);
        ldmatrix(count, t->transposed, (const u8(*)[MATRIX_ROW_BYTES])rows, regs);
        return;
    }
    stmatrix(count, t->transposed, (const u32 *const *)regs, rows);
    EACH (i, mask & lanes)
        memcpy(where[i], rows[i], MATRIX_ROW_BYTES);
}

static void run_ldmatrix(struct warp *w, const struct op *op, u32 mask)
{
    run_matrix(w, op, mask, true);
}

static void run_stmatrix(struct warp *w, const struct op *op, u32 mask)
{
    run_matrix(w, op, mask, false);
}

bool decode_ldmatrix(struct decoder *d)
{
    bool is_load = d->statement->opcode[0] == 'l';
    struct tensor *t = new_tensor(d, is_load ? run_ldmatrix : run_stmatrix);
    u32 count = decode_has(d, "x1") ? 1 : decode_has(d, "x2") ? 2 : decode_has(d, "x4") ? 4 : 0;
    d->op->unit = UNIT_MEMORY;
    t->transposed = decode_has(d, "trans");
    if (!count || !decode_has(d, "m8n8") || !decode_has(d, "b16"))
        return decode_unsupported(d, "");
    return decode_operand_count(d, 2, 2) && take_address(d, t, is_load ? 1 : 0) &&
           operand_list(d, t, 0, is_load ? 0 : 1, !is_load, count);
}

static void run_movmatrix(struct warp *w, const struct op *op, u32 mask)
{
    (void)mask;
    movmatrix(ref_get(w, op->src[0]), ref_get(w, op->dst));
}

bool decode_movmatrix(struct decoder *d)
{
    d->op->run = run_movmatrix;
    return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 4) &&
           decode_source_exact(d, 1, TYPE_B32, 0);
}
