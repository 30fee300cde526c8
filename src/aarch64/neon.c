/* Neon, as far as compilers use it beside SVE: moves, logic, additions, comparisons for equality,
 * and arithmetic of floating point. */
#include "aarch64/fp.h"
#include "aarch64/op.h"

#include <string.h>

#define Q(op) ((op)->word >> 30 & 1)

static u64 lane(const struct a64_thread *t, u32 reg, u32 index, u32 size)
{
    u64 v = 0;
    memcpy(&v, t->z[reg] + (index << size), (size_t)1 << size);
    return v;
}

static void set_lane(struct a64_thread *t, u32 reg, u32 index, u32 size, u64 v)
{
    memcpy(t->z[reg] + (index << size), &v, (size_t)1 << size);
}

/* What lies behind the 64 or 128 bits that an instruction writes is 0. */
static void clear_behind(struct a64_thread *t, const struct a64_op *op)
{
    u32 bytes = Q(op) ? 16 : 8;
    memset(t->z[op->d] + bytes, 0, A64_MOST_VL - bytes);
}

/* ---- immediates ---------------------------------------------------------------------------- */

static u64 repeated(u64 v, u32 bits)
{
    v &= ones(bits);
    for (; bits < 64; bits *= 2)
        v |= v << bits;
    return v;
}

static u64 byte_mask(u32 imm8)
{
    u64 v = 0;
    for (u32 i = 0; i < 8; i++)
        v |= imm8 >> i & 1 ? (u64)0xff << 8 * i : 0;
    return v;
}

static u64 expand(u32 cmode, bool invert, u32 imm8)
{
    switch (cmode >> 1) {
    case 0:
    case 1:
    case 2:
    case 3:
        return repeated((u64)imm8 << 8 * (cmode >> 1), 32);
    case 4:
    case 5:
        return repeated((u64)imm8 << (cmode & 2 ? 8 : 0), 16);
    case 6:
        return repeated(cmode & 1 ? (u64)imm8 << 16 | 0xffff : (u64)imm8 << 8 | 0xff, 32);
    default:
        break;
    }
    if (!(cmode & 1))
        return invert ? byte_mask(imm8) : repeated(imm8, 8);
    double f = a64_float_immediate(imm8);
    return invert ? fp_from_double(f, 3) : repeated(fp_from_double(f, 2), 32);
}

static void modified_immediate(struct a64_thread *t, const struct a64_op *op)
{
    u32 cmode = BITS(op->word, 15, 12);
    bool invert = op->word >> 29 & 1;
    u64 v = expand(cmode, invert, BITS(op->word, 18, 16) << 5 | BITS(op->word, 9, 5));
    bool combines = (cmode & 1) && cmode < 12;
    if (invert && cmode < 14)
        v = ~v;
    for (u32 i = 0; i < 2; i++) {
        u64 old = lane(t, op->d, i, 3);
        set_lane(t, op->d, i, 3, !combines ? v : invert ? old & v : old | v);
    }
    clear_behind(t, op);
}

/* ---- lanes --------------------------------------------------------------------------------- */

static u32 lane_size(const struct a64_op *op)
{
    return (u32)__builtin_ctz(op->m);
}

static u32 lane_index(const struct a64_op *op)
{
    return op->m >> (lane_size(op) + 1);
}

/* arg: 0 of an element, 1 of a general register */
static void duplicate(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = lane_size(op);
    u64 v = op->arg ? t->x[op->n] : lane(t, op->n, lane_index(op), size);
    for (u32 i = 0; i < 16u >> size; i++)
        set_lane(t, op->d, i, size, v);
    clear_behind(t, op);
}

static void scalar_duplicate(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = lane(t, op->n, lane_index(op), lane_size(op));
    memset(t->z[op->d], 0, A64_MOST_VL);
    set_lane(t, op->d, 0, lane_size(op), v);
}

/* arg: 0 unsigned, 1 signed */
static void move_out(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = lane(t, op->n, lane_index(op), lane_size(op));
    if (op->arg) {
        v = (u64)sign_extend(v, 8u << lane_size(op));
        v = Q(op) ? v : (u32)v;
    }
    set_x(t, op->d, v);
}

/* arg: 0 from a general register, 1 from an element */
static void insert(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = lane_size(op);
    u64 v = op->arg ? lane(t, op->n, BITS(op->word, 14, 11) >> size, size) : t->x[op->n];
    set_lane(t, op->d, lane_index(op), size, v);
    clear_behind(t, op);
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

enum { AND, BIC, ORR, ORN, EOR, BSL, BIT, BIF };

static void logical(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 i = 0; i < 2; i++) {
        u64 n = lane(t, op->n, i, 3), m = lane(t, op->m, i, 3), d = lane(t, op->d, i, 3), r = 0;
        switch (op->arg) {
        case AND:
            r = n & m;
            break;
        case BIC:
            r = n & ~m;
            break;
        case ORR:
            r = n | m;
            break;
        case ORN:
            r = n | ~m;
            break;
        case EOR:
            r = n ^ m;
            break;
        case BSL:
            r = (n & d) | (m & ~d);
            break;
        case BIT:
            r = (n & m) | (d & ~m);
            break;
        case BIF:
            r = (d & m) | (n & ~m);
            break;
        }
        set_lane(t, op->d, i, 3, r);
    }
    clear_behind(t, op);
}

enum { ADD, SUB, EQUAL };

static void integer(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 i = 0; i < 16u >> op->size; i++) {
        u64 n = lane(t, op->n, i, op->size), m = lane(t, op->m, i, op->size);
        u64 r = op->arg == ADD ? n + m : op->arg == SUB ? n - m : n == m ? ~(u64)0 : 0;
        set_lane(t, op->d, i, op->size, r);
    }
    clear_behind(t, op);
}

enum { FMLA = 32, FMLS };

static void floating(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = 2 + (op->size & 1);
    for (u32 i = 0; i < 16u >> size; i++) {
        u64 n = lane(t, op->n, i, size), m = lane(t, op->m, i, size), r;
        if (op->arg >= FMLA)
            r = fp_fma(lane(t, op->d, i, size), op->arg == FMLS ? fp_negate(n, size) : n, m, size);
        else
            r = fp_binary(op->arg, n, m, size);
        set_lane(t, op->d, i, size, r);
    }
    clear_behind(t, op);
}

static void add_across(struct a64_thread *t, const struct a64_op *op)
{
    u64 sum = 0;
    for (u32 i = 0; i < (Q(op) ? 16u : 8u) >> op->size; i++)
        sum += lane(t, op->n, i, op->size);
    memset(t->z[op->d], 0, A64_MOST_VL);
    set_lane(t, op->d, 0, op->size, sum);
}

static void add_pair(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = op->arg ? 2 + (op->size & 1) : 3;
    u64 a = lane(t, op->n, 0, size), b = lane(t, op->n, 1, size);
    u64 r = op->arg ? fp_binary(FP_ADD, a, b, size) : a + b;
    memset(t->z[op->d], 0, A64_MOST_VL);
    set_lane(t, op->d, 0, size, r);
}

/* ---- what not every encoding of a row is --------------------------------------------------- */

static bool immediate_fits(u32 w)
{
    bool is_double = BITS(w, 15, 12) == 15 && w >> 29 & 1;
    return !is_double || w >> 30 & 1;
}

static bool lane_fits(u32 w)
{
    u32 imm5 = BITS(w, 20, 16);
    return (imm5 & 15) && ((imm5 & 7) || w >> 30 & 1);
}

static bool any_lane_fits(u32 w)
{
    return (BITS(w, 20, 16) & 15) != 0;
}

static bool unsigned_lane_fits(u32 w)
{
    u32 imm5 = BITS(w, 20, 16);
    return w >> 30 & 1 ? (imm5 & 15) == 8 : (imm5 & 7) != 0;
}

static bool signed_lane_fits(u32 w)
{
    u32 imm5 = BITS(w, 20, 16);
    return imm5 & (w >> 30 & 1 ? 7 : 3);
}

static bool integer_fits(u32 w)
{
    return BITS(w, 23, 22) != 3 || w >> 30 & 1;
}

static bool float_fits(u32 w)
{
    return !(w >> 22 & 1) || w >> 30 & 1;
}

static bool across_fits(u32 w)
{
    u32 size = BITS(w, 23, 22);
    return size != 3 && (size != 2 || w >> 30 & 1);
}

/* clang-format off */
#define LOGIC(u, size, name, what, operands) \
    {"0q" u "01110" size "1mmmmm000111nnnnnddddd", name, logical, what, A64_VECTOR, operands, 0, NULL}
#define FLOAT(u, high, code, name, what, class, operands) \
    {"0q" u "01110" high "z1mmmmm" code "1nnnnnddddd", name, floating, what, class, operands, 0, float_fits}
const struct a64_row a64_neon_rows[] = {
    {"0qo0111100000iiicccc01iiiiiddddd", "movi", modified_immediate, 0, A64_VECTOR, "Vd vd", 0, immediate_fits},
    {"0q001110000mmmmm000001nnnnnddddd", "dup", duplicate, 0, A64_VECTOR, "Vd vn", 0, lane_fits},
    {"0q001110000mmmmm000011nnnnnddddd", "dup", duplicate, 1, A64_VECTOR, "Vd xn", 0, lane_fits},
    {"01011110000mmmmm000001nnnnnddddd", "dup", scalar_duplicate, 0, A64_VECTOR, "Vd vn", 0, any_lane_fits},
    {"0q001110000mmmmm001011nnnnnddddd", "smov", move_out, 1, A64_VECTOR, "Xd vn", 0, signed_lane_fits},
    {"0q001110000mmmmm001111nnnnnddddd", "umov", move_out, 0, A64_VECTOR, "Xd vn", 0, unsigned_lane_fits},
    {"01001110000mmmmm000111nnnnnddddd", "ins", insert, 0, A64_VECTOR, "Vd vd xn", 0, any_lane_fits},
    {"01101110000mmmmm0iiii1nnnnnddddd", "ins", insert, 1, A64_VECTOR, "Vd vd vn", 0, any_lane_fits},
    LOGIC("0", "00", "and", AND, "Vd vn vm"), LOGIC("0", "01", "bic", BIC, "Vd vn vm"),
    LOGIC("0", "10", "orr", ORR, "Vd vn vm"), LOGIC("0", "11", "orn", ORN, "Vd vn vm"),
    LOGIC("1", "00", "eor", EOR, "Vd vn vm"), LOGIC("1", "01", "bsl", BSL, "Vd vd vn vm"),
    LOGIC("1", "10", "bit", BIT, "Vd vd vn vm"), LOGIC("1", "11", "bif", BIF, "Vd vd vn vm"),
    {"0q001110zz1mmmmm100001nnnnnddddd", "add", integer, ADD, A64_VECTOR, "Vd vn vm", 0, integer_fits},
    {"0q101110zz1mmmmm100001nnnnnddddd", "sub", integer, SUB, A64_VECTOR, "Vd vn vm", 0, integer_fits},
    {"0q101110zz1mmmmm100011nnnnnddddd", "cmeq", integer, EQUAL, A64_VECTOR, "Vd vn vm", 0, integer_fits},
    FLOAT("0", "0", "11010", "fadd", FP_ADD, A64_FADD, "Vd vn vm"),
    FLOAT("0", "1", "11010", "fsub", FP_SUB, A64_FADD, "Vd vn vm"),
    FLOAT("1", "0", "11011", "fmul", FP_MUL, A64_FMUL, "Vd vn vm"),
    FLOAT("1", "0", "11111", "fdiv", FP_DIV, A64_FDIV, "Vd vn vm"),
    FLOAT("0", "0", "11001", "fmla", FMLA, A64_FMA, "Vd vd vn vm"),
    FLOAT("0", "1", "11001", "fmls", FMLS, A64_FMA, "Vd vd vn vm"),
    {"0q001110zz110001101110nnnnnddddd", "addv", add_across, 0, A64_VECTOR, "Vd vn", 0, across_fits},
    {"0101111011110001101110nnnnnddddd", "addp", add_pair, 0, A64_VECTOR, "Vd vn", 0, NULL},
    {"011111100z110000110110nnnnnddddd", "faddp", add_pair, 1, A64_FADD, "Vd vn", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
