/* Integer arithmetic and logic of general registers. */
#include "aarch64/op.h"

#include <string.h>

static u64 cut(u64 v, u32 sf)
{
    return sf ? v : (u32)v;
}

#define SF(op) ((op)->word >> 31)

static u64 add_with_carry(struct a64_thread *t, u64 a, u64 b, u32 carry, u32 sf)
{
    u64 r;
    u8 f = 0;
    if (sf) {
        u128 wide = (u128)a + b + carry;
        r = (u64)wide;
        f |= wide >> 64 ? A64_C : 0;
        f |= (~(a ^ b) & (a ^ r)) >> 63 ? A64_V : 0;
    } else {
        u64 wide = (u64)(u32)a + (u32)b + carry;
        r = (u32)wide;
        f |= wide >> 32 ? A64_C : 0;
        f |= (~(a ^ b) & (a ^ r)) >> 31 & 1 ? A64_V : 0;
    }
    f |= r >> (sf ? 63 : 31) & 1 ? A64_N : 0;
    f |= r == 0 ? A64_Z : 0;
    t->flags = f;
    return r;
}

/* arg: 1 subtract, 2 set flags */
static u64 add_sub(struct a64_thread *t, const struct a64_op *op, u64 a, u64 b)
{
    bool subtract = op->arg & 1;
    if (op->arg & 2)
        return add_with_carry(t, a, subtract ? ~b : b, subtract, SF(op));
    return cut(subtract ? a - b : a + b, SF(op));
}

static void add_immediate(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = (u64)BITS(op->word, 21, 10) << (op->word >> 22 & 1 ? 12 : 0);
    u64 r = add_sub(t, op, get_sp(t, op->n), b);
    if (op->arg & 2)
        set_x(t, op->d, r);
    else
        set_sp(t, op->d, r);
}

static u64 shifted(u64 v, u32 kind, u32 by, u32 sf)
{
    v = cut(v, sf);
    u32 bits = sf ? 64 : 32;
    switch (kind) {
    case 0:
        return cut(v << by, sf);
    case 1:
        return v >> by;
    case 2:
        return cut((u64)(sign_extend(v, bits) >> by), sf);
    default:
        return by ? cut(v >> by | v << (bits - by), sf) : v;
    }
}

static void add_shifted(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = shifted(t->x[op->m], BITS(op->word, 23, 22), BITS(op->word, 15, 10), SF(op));
    set_x(t, op->d, add_sub(t, op, t->x[op->n], b));
}

static u64 extended(u64 v, u32 option, u32 shift)
{
    u32 bits = 8u << (option & 3);
    u64 r = option & 4 ? (u64)sign_extend(v, bits) : v & ones(bits);
    return r << shift;
}

static void add_extended(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = extended(t->x[op->m], BITS(op->word, 15, 13), BITS(op->word, 12, 10));
    u64 r = add_sub(t, op, get_sp(t, op->n), b);
    if (op->arg & 2)
        set_x(t, op->d, r);
    else
        set_sp(t, op->d, r);
}

static void add_carry(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = op->arg & 1 ? ~t->x[op->m] : t->x[op->m];
    u8 before = t->flags;
    u64 r = add_with_carry(t, t->x[op->n], b, before & A64_C ? 1 : 0, SF(op));
    if (!(op->arg & 2))
        t->flags = before;
    set_x(t, op->d, r);
}

/* arg: 0 and, 1 or, 2 xor, 3 and with flags; 4 more: the second is inverted */
static u64 logical(struct a64_thread *t, const struct a64_op *op, u64 a, u64 b)
{
    if (op->arg & 4)
        b = ~b;
    u32 kind = op->arg & 3;
    u64 r = cut(kind == 1 ? a | b : kind == 2 ? a ^ b : a & b, SF(op));
    if (kind == 3)
        t->flags = (u8)((r >> (SF(op) ? 63 : 31) & 1 ? A64_N : 0) | (r ? 0 : A64_Z));
    return r;
}

static void logical_immediate(struct a64_thread *t, const struct a64_op *op)
{
    u64 r = logical(t, op, t->x[op->n], op->imm);
    if (op->arg == 3)
        set_x(t, op->d, r);
    else
        set_sp(t, op->d, r);
}

static void logical_shifted(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = shifted(t->x[op->m], BITS(op->word, 23, 22), BITS(op->word, 15, 10), SF(op));
    set_x(t, op->d, logical(t, op, t->x[op->n], b));
}

static void move_wide(struct a64_thread *t, const struct a64_op *op)
{
    u32 shift = BITS(op->word, 22, 21) * 16;
    u64 v = (u64)BITS(op->word, 20, 5) << shift;
    if (op->arg == 0)
        v = ~v;
    else if (op->arg == 3)
        v |= t->x[op->d] & ~((u64)0xffff << shift);
    set_x(t, op->d, cut(v, SF(op)));
}

static void address(struct a64_thread *t, const struct a64_op *op)
{
    i64 offset = sign_extend((u64)BITS(op->word, 23, 5) << 2 | BITS(op->word, 30, 29), 21);
    u64 pc = t->pc - 4;
    set_x(t, op->d, op->arg ? (pc & ~(u64)4095) + ((u64)offset << 12) : pc + (u64)offset);
}

/* arg: 0 signed, 1 insert, 2 unsigned */
static void bitfield(struct a64_thread *t, const struct a64_op *op)
{
    u32 r = BITS(op->word, 21, 16), s = BITS(op->word, 15, 10), bits = SF(op) ? 64 : 32;
    u64 from = cut(t->x[op->n], SF(op)), v, mask;
    if (s >= r) {
        v = from >> r & ones(s - r + 1);
        mask = ones(s - r + 1);
        if (op->arg == 0)
            v = (u64)sign_extend(v, s - r + 1);
    } else {
        u32 at = bits - r;
        v = (from & ones(s + 1)) << at;
        mask = ones(s + 1) << at;
        if (op->arg == 0)
            v = (u64)sign_extend(from, s + 1) << at;
    }
    if (op->arg == 1)
        v = (t->x[op->d] & ~mask) | v;
    set_x(t, op->d, cut(v, SF(op)));
}

static void extract(struct a64_thread *t, const struct a64_op *op)
{
    u32 s = BITS(op->word, 15, 10), bits = SF(op) ? 64 : 32;
    u64 low = cut(t->x[op->m], SF(op)), high = cut(t->x[op->n], SF(op));
    set_x(t, op->d, s ? cut(low >> s | high << (bits - s), SF(op)) : low);
}

/* arg: 0 select, 1 increment, 2 invert, 3 negate */
static void select(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = t->x[op->n];
    if (!condition_holds(t->flags, BITS(op->word, 15, 12))) {
        v = t->x[op->m];
        v = op->arg == 1 ? v + 1 : op->arg == 2 ? ~v : op->arg == 3 ? -v : v;
    }
    set_x(t, op->d, cut(v, SF(op)));
}

/* arg: 1 subtract, 2 immediate */
static void compare_if(struct a64_thread *t, const struct a64_op *op)
{
    if (!condition_holds(t->flags, BITS(op->word, 15, 12))) {
        t->flags = (u8)BITS(op->word, 3, 0);
        return;
    }
    u64 b = op->arg & 2 ? op->m : t->x[op->m];
    bool subtract = op->arg & 1;
    add_with_carry(t, t->x[op->n], subtract ? ~b : b, subtract, SF(op));
}

enum { MADD, MSUB, SMADDL, SMSUBL, UMADDL, UMSUBL, SMULH, UMULH };

static void multiply(struct a64_thread *t, const struct a64_op *op)
{
    u64 n = t->x[op->n], m = t->x[op->m], a = t->x[op->a], v = 0;
    switch (op->arg) {
    case MADD:
        v = a + n * m;
        break;
    case MSUB:
        v = a - n * m;
        break;
    case SMADDL:
        v = a + (u64)((i64)(i32)n * (i32)m);
        break;
    case SMSUBL:
        v = a - (u64)((i64)(i32)n * (i32)m);
        break;
    case UMADDL:
        v = a + (u64)(u32)n * (u32)m;
        break;
    case UMSUBL:
        v = a - (u64)(u32)n * (u32)m;
        break;
    case SMULH:
        v = (u64)(((i128)(i64)n * (i64)m) >> 64);
        break;
    case UMULH:
        v = (u64)(((u128)n * m) >> 64);
        break;
    }
    set_x(t, op->d, cut(v, SF(op)));
}

static void divide(struct a64_thread *t, const struct a64_op *op)
{
    u64 n = cut(t->x[op->n], SF(op)), m = cut(t->x[op->m], SF(op)), v = 0;
    u32 bits = SF(op) ? 64 : 32;
    if (op->arg && m) {
        i64 a = sign_extend(n, bits), b = sign_extend(m, bits);
        v = b == -1 ? -(u64)a : (u64)(a / b);
    } else if (m) {
        v = n / m;
    }
    set_x(t, op->d, cut(v, SF(op)));
}

static void shift_variable(struct a64_thread *t, const struct a64_op *op)
{
    u32 by = (u32)t->x[op->m] & (SF(op) ? 63 : 31);
    set_x(t, op->d, shifted(t->x[op->n], op->arg, by, SF(op)));
}

static u64 reverse_bits(u64 v)
{
    v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
    v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(v);
}

enum { RBIT, REV16, REV32, REV64, CLZ, CLS };

static u64 leading(u64 v, u32 bits)
{
    return v ? (u64)__builtin_clzll(v) - (64 - bits) : bits;
}

static void one_source(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = cut(t->x[op->n], SF(op)), r = 0;
    u32 bits = SF(op) ? 64 : 32;
    switch (op->arg) {
    case RBIT:
        r = reverse_bits(v) >> (64 - bits);
        break;
    case REV16:
        r = (v >> 8 & 0x00ff00ff00ff00ff) | (v & 0x00ff00ff00ff00ff) << 8;
        break;
    case REV32:
        r = __builtin_bswap64(v);
        r = SF(op) ? r >> 32 | r << 32 : r >> 32;
        break;
    case REV64:
        r = __builtin_bswap64(v);
        break;
    case CLZ:
        r = leading(v, bits);
        break;
    case CLS:
        r = leading((v ^ (u64)(sign_extend(v, bits) >> 1)) & ones(bits), bits) - 1;
        break;
    }
    set_x(t, op->d, cut(r, SF(op)));
}

/* ---- what not every encoding of a row is --------------------------------------------------- */

static bool is_bitmask(u32 w)
{
    u64 v;
    return (w >> 31 || !(w >> 22 & 1)) &&
           a64_bitmask(w >> 22 & 1, BITS(w, 21, 16), BITS(w, 15, 10), &v);
}

static bool shift_fits(u32 w)
{
    return w >> 31 || !(w >> 15 & 1);
}

static bool add_shift_fits(u32 w)
{
    return BITS(w, 23, 22) != 3 && shift_fits(w);
}

static bool extend_fits(u32 w)
{
    return BITS(w, 12, 10) <= 4;
}

static bool wide_fits(u32 w)
{
    return w >> 31 || !(w >> 22 & 1);
}

static bool field_fits(u32 w)
{
    u32 sf = w >> 31;
    return sf == (w >> 22 & 1) && (sf || !(w >> 21 & 1 || w >> 15 & 1));
}

static bool extract_fits(u32 w)
{
    return w >> 31 == (w >> 22 & 1) && shift_fits(w);
}

/* clang-format off */
const struct a64_row a64_integer_rows[] = {
    {"f00100010siiiiiiiiiiiinnnnnddddd", "add", add_immediate, 0, A64_ALU, "Sd sn", 0, NULL},
    {"f01100010siiiiiiiiiiiinnnnnddddd", "adds", add_immediate, 2, A64_ALU, "Xd sn F", 0, NULL},
    {"f10100010siiiiiiiiiiiinnnnnddddd", "sub", add_immediate, 1, A64_ALU, "Sd sn", 0, NULL},
    {"f11100010siiiiiiiiiiiinnnnnddddd", "subs", add_immediate, 3, A64_ALU, "Xd sn F", 0, NULL},
    {"f0001011ss0mmmmmiiiiiinnnnnddddd", "add", add_shifted, 0, A64_ALU, "Xd xn xm", 0, add_shift_fits},
    {"f0101011ss0mmmmmiiiiiinnnnnddddd", "adds", add_shifted, 2, A64_ALU, "Xd xn xm F", 0, add_shift_fits},
    {"f1001011ss0mmmmmiiiiiinnnnnddddd", "sub", add_shifted, 1, A64_ALU, "Xd xn xm", 0, add_shift_fits},
    {"f1101011ss0mmmmmiiiiiinnnnnddddd", "subs", add_shifted, 3, A64_ALU, "Xd xn xm F", 0, add_shift_fits},
    {"f0001011001mmmmmoooiiinnnnnddddd", "add", add_extended, 0, A64_ALU, "Sd sn xm", 0, extend_fits},
    {"f0101011001mmmmmoooiiinnnnnddddd", "adds", add_extended, 2, A64_ALU, "Xd sn xm F", 0, extend_fits},
    {"f1001011001mmmmmoooiiinnnnnddddd", "sub", add_extended, 1, A64_ALU, "Sd sn xm", 0, extend_fits},
    {"f1101011001mmmmmoooiiinnnnnddddd", "subs", add_extended, 3, A64_ALU, "Xd sn xm F", 0, extend_fits},
    {"f0011010000mmmmm000000nnnnnddddd", "adc", add_carry, 0, A64_ALU, "Xd xn xm f", 0, NULL},
    {"f0111010000mmmmm000000nnnnnddddd", "adcs", add_carry, 2, A64_ALU, "Xd xn xm f F", 0, NULL},
    {"f1011010000mmmmm000000nnnnnddddd", "sbc", add_carry, 1, A64_ALU, "Xd xn xm f", 0, NULL},
    {"f1111010000mmmmm000000nnnnnddddd", "sbcs", add_carry, 3, A64_ALU, "Xd xn xm f F", 0, NULL},
    {"f00100100Nrrrrrrssssssnnnnnddddd", "and", logical_immediate, 0, A64_ALU, "Sd xn", 0, is_bitmask},
    {"f01100100Nrrrrrrssssssnnnnnddddd", "orr", logical_immediate, 1, A64_ALU, "Sd xn", 0, is_bitmask},
    {"f10100100Nrrrrrrssssssnnnnnddddd", "eor", logical_immediate, 2, A64_ALU, "Sd xn", 0, is_bitmask},
    {"f11100100Nrrrrrrssssssnnnnnddddd", "ands", logical_immediate, 3, A64_ALU, "Xd xn F", 0, is_bitmask},
    {"f0001010ss0mmmmmiiiiiinnnnnddddd", "and", logical_shifted, 0, A64_ALU, "Xd xn xm", 0, shift_fits},
    {"f0001010ss1mmmmmiiiiiinnnnnddddd", "bic", logical_shifted, 4, A64_ALU, "Xd xn xm", 0, shift_fits},
    {"f0101010ss0mmmmmiiiiiinnnnnddddd", "orr", logical_shifted, 1, A64_ALU, "Xd xn xm", 0, shift_fits},
    {"f0101010ss1mmmmmiiiiiinnnnnddddd", "orn", logical_shifted, 5, A64_ALU, "Xd xn xm", 0, shift_fits},
    {"f1001010ss0mmmmmiiiiiinnnnnddddd", "eor", logical_shifted, 2, A64_ALU, "Xd xn xm", 0, shift_fits},
    {"f1001010ss1mmmmmiiiiiinnnnnddddd", "eon", logical_shifted, 6, A64_ALU, "Xd xn xm", 0, shift_fits},
    {"f1101010ss0mmmmmiiiiiinnnnnddddd", "ands", logical_shifted, 3, A64_ALU, "Xd xn xm F", 0, shift_fits},
    {"f1101010ss1mmmmmiiiiiinnnnnddddd", "bics", logical_shifted, 7, A64_ALU, "Xd xn xm F", 0, shift_fits},
    {"f00100101hhiiiiiiiiiiiiiiiiddddd", "movn", move_wide, 0, A64_ALU, "Xd", 0, wide_fits},
    {"f10100101hhiiiiiiiiiiiiiiiiddddd", "movz", move_wide, 2, A64_ALU, "Xd", 0, wide_fits},
    {"f11100101hhiiiiiiiiiiiiiiiiddddd", "movk", move_wide, 3, A64_ALU, "Xd xd", 0, wide_fits},
    {"0ii10000iiiiiiiiiiiiiiiiiiiddddd", "adr", address, 0, A64_ALU, "Xd", 0, NULL},
    {"1ii10000iiiiiiiiiiiiiiiiiiiddddd", "adrp", address, 1, A64_ALU, "Xd", 0, NULL},
    {"f00100110Nrrrrrrssssssnnnnnddddd", "sbfm", bitfield, 0, A64_ALU, "Xd xn", 0, field_fits},
    {"f01100110Nrrrrrrssssssnnnnnddddd", "bfm", bitfield, 1, A64_ALU, "Xd xn xd", 0, field_fits},
    {"f10100110Nrrrrrrssssssnnnnnddddd", "ubfm", bitfield, 2, A64_ALU, "Xd xn", 0, field_fits},
    {"f00100111N0mmmmmssssssnnnnnddddd", "extr", extract, 0, A64_ALU, "Xd xn xm", 0, extract_fits},
    {"f0011010100mmmmmcccc00nnnnnddddd", "csel", select, 0, A64_ALU, "Xd xn xm f", 0, NULL},
    {"f0011010100mmmmmcccc01nnnnnddddd", "csinc", select, 1, A64_ALU, "Xd xn xm f", 0, NULL},
    {"f1011010100mmmmmcccc00nnnnnddddd", "csinv", select, 2, A64_ALU, "Xd xn xm f", 0, NULL},
    {"f1011010100mmmmmcccc01nnnnnddddd", "csneg", select, 3, A64_ALU, "Xd xn xm f", 0, NULL},
    {"f0111010010mmmmmcccc00nnnnn0vvvv", "ccmn", compare_if, 0, A64_ALU, "xn xm f F", 0, NULL},
    {"f1111010010mmmmmcccc00nnnnn0vvvv", "ccmp", compare_if, 1, A64_ALU, "xn xm f F", 0, NULL},
    {"f0111010010iiiiicccc10nnnnn0vvvv", "ccmn", compare_if, 2, A64_ALU, "xn f F", 0, NULL},
    {"f1111010010iiiiicccc10nnnnn0vvvv", "ccmp", compare_if, 3, A64_ALU, "xn f F", 0, NULL},
    {"f0011011000mmmmm0aaaaannnnnddddd", "madd", multiply, MADD, A64_MUL, "Xd xn xm xa", 0, NULL},
    {"f0011011000mmmmm1aaaaannnnnddddd", "msub", multiply, MSUB, A64_MUL, "Xd xn xm xa", 0, NULL},
    {"10011011001mmmmm0aaaaannnnnddddd", "smaddl", multiply, SMADDL, A64_MUL, "Xd xn xm xa", 0, NULL},
    {"10011011001mmmmm1aaaaannnnnddddd", "smsubl", multiply, SMSUBL, A64_MUL, "Xd xn xm xa", 0, NULL},
    {"10011011101mmmmm0aaaaannnnnddddd", "umaddl", multiply, UMADDL, A64_MUL, "Xd xn xm xa", 0, NULL},
    {"10011011101mmmmm1aaaaannnnnddddd", "umsubl", multiply, UMSUBL, A64_MUL, "Xd xn xm xa", 0, NULL},
    {"10011011010mmmmm011111nnnnnddddd", "smulh", multiply, SMULH, A64_MUL, "Xd xn xm", 0, NULL},
    {"10011011110mmmmm011111nnnnnddddd", "umulh", multiply, UMULH, A64_MUL, "Xd xn xm", 0, NULL},
    {"f0011010110mmmmm000010nnnnnddddd", "udiv", divide, 0, A64_DIV, "Xd xn xm", 0, NULL},
    {"f0011010110mmmmm000011nnnnnddddd", "sdiv", divide, 1, A64_DIV, "Xd xn xm", 0, NULL},
    {"f0011010110mmmmm001000nnnnnddddd", "lslv", shift_variable, 0, A64_ALU, "Xd xn xm", 0, NULL},
    {"f0011010110mmmmm001001nnnnnddddd", "lsrv", shift_variable, 1, A64_ALU, "Xd xn xm", 0, NULL},
    {"f0011010110mmmmm001010nnnnnddddd", "asrv", shift_variable, 2, A64_ALU, "Xd xn xm", 0, NULL},
    {"f0011010110mmmmm001011nnnnnddddd", "rorv", shift_variable, 3, A64_ALU, "Xd xn xm", 0, NULL},
    {"f101101011000000000000nnnnnddddd", "rbit", one_source, RBIT, A64_ALU, "Xd xn", 0, NULL},
    {"f101101011000000000001nnnnnddddd", "rev16", one_source, REV16, A64_ALU, "Xd xn", 0, NULL},
    {"f101101011000000000010nnnnnddddd", "rev32", one_source, REV32, A64_ALU, "Xd xn", 0, NULL},
    {"1101101011000000000011nnnnnddddd", "rev", one_source, REV64, A64_ALU, "Xd xn", 0, NULL},
    {"f101101011000000000100nnnnnddddd", "clz", one_source, CLZ, A64_ALU, "Xd xn", 0, NULL},
    {"f101101011000000000101nnnnnddddd", "cls", one_source, CLS, A64_ALU, "Xd xn", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
