/* SVE: integer arithmetic, logic, shifts and comparisons of elements; reductions. */
#include "aarch64/sve.h"

enum {
    ADD,
    SUB,
    SMAX,
    UMAX,
    SMIN,
    UMIN,
    SABD,
    UABD,
    MUL,
    SMULH,
    UMULH,
    SDIV,
    UDIV,
    AND,
    ORR,
    EOR,
    BIC,
    ASR,
    LSR,
    LSL,
    ASRD,
    SQADD,
    UQADD,
    SQSUB,
    UQSUB,
    REVERSED = 0x80, /* operands change places */
};

u64 a64_saturate_by(u64 v, i128 by, bool is_signed, u32 bits)
{
    i128 most = is_signed ? ((i128)1 << (bits - 1)) - 1 : ((i128)1 << bits) - 1;
    i128 least = is_signed ? -most - 1 : 0;
    i128 r = (is_signed ? (i128)sign_extend(v, bits) : (i128)v) + by;
    return (u64)(r > most ? most : r < least ? least : r);
}

static u64 saturate(u64 a, u64 b, bool subtract, bool is_signed, u32 bits)
{
    i128 by = is_signed ? (i128)sign_extend(b, bits) : (i128)b;
    return a64_saturate_by(a, subtract ? -by : by, is_signed, bits);
}

static u64 high_half(u64 a, u64 b, bool is_signed, u32 bits)
{
    if (is_signed)
        return (u64)(((i128)sign_extend(a, bits) * sign_extend(b, bits)) >> bits);
    return (u64)(((u128)a * b) >> bits);
}

static u64 quotient(u64 a, u64 b, bool is_signed, u32 bits)
{
    if (!b)
        return 0;
    if (!is_signed)
        return a / b;
    i64 x = sign_extend(a, bits), y = sign_extend(b, bits);
    return y == -1 ? -(u64)x : (u64)(x / y);
}

static u64 shift(u32 what, u64 a, u64 by, u32 bits)
{
    i64 x = sign_extend(a, bits);
    switch (what) {
    case ASR:
        return (u64)(x >> min_u64(by, 63));
    case LSR:
        return by >= bits ? 0 : a >> by;
    case LSL:
        return by >= bits ? 0 : a << by;
    default: /* ASRD: towards 0; by is 1 or more */
        return (u64)((i64)((i128)(x < 0 ? (i128)x + (i128)ones((u32)by) : x) >> by));
    }
}

/* Of two elements without sign. */
static inline u64 combine(u32 what, u64 a, u64 b, u32 bits)
{
    i64 x = sign_extend(a, bits), y = sign_extend(b, bits);
    switch (what) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case SMAX:
        return x > y ? a : b;
    case UMAX:
        return a > b ? a : b;
    case SMIN:
        return x < y ? a : b;
    case UMIN:
        return a < b ? a : b;
    case SABD:
        return x > y ? a - b : b - a;
    case UABD:
        return a > b ? a - b : b - a;
    case MUL:
        return a * b;
    case SMULH:
    case UMULH:
        return high_half(a, b, what == SMULH, bits);
    case SDIV:
    case UDIV:
        return quotient(a, b, what == SDIV, bits);
    case AND:
        return a & b;
    case ORR:
        return a | b;
    case EOR:
        return a ^ b;
    case BIC:
        return a & ~b;
    case SQADD:
    case UQADD:
        return saturate(a, b, false, what == SQADD, bits);
    case SQSUB:
    case UQSUB:
        return saturate(a, b, true, what == SQSUB, bits);
    default:
        return shift(what, a, b, bits);
    }
}

static u64 in_order(u32 arg, u64 a, u64 b, u32 bits)
{
    return arg & REVERSED ? combine(arg & 0x7f, b, a, bits) : combine(arg, a, b, bits);
}

static void predicated(struct a64_thread *t, const struct a64_op *op)
{
    u8 *d = t->z[op->d];
    const u8 *m = t->z[op->n]; /* where others have their first operand */
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            set_element(d, e, op->size,
                        in_order(op->arg, element_of(d, e, op->size), element_of(m, e, op->size),
                                 8u << op->size));
    }
}

/* The second operand has elements of 64 bits. */
static void predicated_wide(struct a64_thread *t, const struct a64_op *op)
{
    u8 *d = t->z[op->d], bys[A64_MOST_VL];
    memcpy(bys, t->z[op->n], t->vl); /* which d may be */
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 by = element_of(bys, (e << op->size) / 8, 3);
        if (is_active(t->p[op->g], e, op->size))
            set_element(d, e, op->size,
                        shift(op->arg, element_of(d, e, op->size), by, 8u << op->size));
    }
}

static void unpredicated(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, op->size); e++)
        set_element(t->z[op->d], e, op->size,
                    combine(op->arg, element_of(t->z[op->n], e, op->size),
                            element_of(t->z[op->m], e, op->size), 8u << op->size));
}

static void unpredicated_wide(struct a64_thread *t, const struct a64_op *op)
{
    u8 result[A64_MOST_VL];
    for (u32 e = 0; e < elements(t, op->size); e++)
        set_element(result, e, op->size,
                    shift(op->arg, element_of(t->z[op->n], e, op->size),
                          element_of(t->z[op->m], (e << op->size) / 8, 3), 8u << op->size));
    memcpy(t->z[op->d], result, t->vl);
}

static void bitwise(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, 3); e++)
        set_element(
            t->z[op->d], e, 3,
            combine(op->arg, element_of(t->z[op->n], e, 3), element_of(t->z[op->m], e, 3), 64));
}

/* ---- immediates ---------------------------------------------------------------------------- */

struct shift_by {
    u32 size, by;
};

/* tsz and imm3 name element and shift at once. */
static struct shift_by shift_immediate(u32 tsz, u32 imm3, u32 what)
{
    u32 size = 31u - (u32)__builtin_clz(tsz), value = tsz << 3 | imm3;
    return (struct shift_by){size, what == LSL ? value - (8u << size) : (16u << size) - value};
}

static void predicated_shift(struct a64_thread *t, const struct a64_op *op)
{
    struct shift_by s = shift_immediate(BITS(op->word, 23, 22) << 2 | BITS(op->word, 9, 8),
                                        BITS(op->word, 7, 5), op->arg);
    u8 *d = t->z[op->d];
    for (u32 e = 0; e < elements(t, s.size); e++) {
        if (is_active(t->p[op->g], e, s.size))
            set_element(d, e, s.size, shift(op->arg, element_of(d, e, s.size), s.by, 8u << s.size));
    }
}

static void unpredicated_shift(struct a64_thread *t, const struct a64_op *op)
{
    struct shift_by s = shift_immediate(BITS(op->word, 23, 22) << 2 | BITS(op->word, 20, 19),
                                        BITS(op->word, 18, 16), op->arg);
    for (u32 e = 0; e < elements(t, s.size); e++)
        set_element(t->z[op->d], e, s.size,
                    shift(op->arg, element_of(t->z[op->n], e, s.size), s.by, 8u << s.size));
}

/* imm8, shifted by 8 bits if bit 13 says so. */
static void with_immediate(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = (u64)BITS(op->word, 12, 5) << (op->word >> 13 & 1 ? 8 : 0);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 a = element_of(t->z[op->d], e, op->size);
        if (op->arg == SQADD || op->arg == SQSUB) /* b is no negative number */
            a = a64_saturate_by(a, op->arg == SQSUB ? -(i128)b : (i128)b, true, 8u << op->size);
        else
            a = in_order(op->arg, a, b, 8u << op->size);
        set_element(t->z[op->d], e, op->size, a);
    }
}

/* imm8 with the sign that the operation has. */
static void with_small_immediate(struct a64_thread *t, const struct a64_op *op)
{
    u64 b = BITS(op->word, 12, 5);
    if (op->arg == SMAX || op->arg == SMIN || op->arg == MUL)
        b = (u64)sign_extend(b, 8) & ones(8u << op->size);
    for (u32 e = 0; e < elements(t, op->size); e++)
        set_element(t->z[op->d], e, op->size,
                    combine(op->arg, element_of(t->z[op->d], e, op->size), b, 8u << op->size));
}

static void bitwise_immediate(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, 3); e++)
        set_element(t->z[op->d], e, 3,
                    combine(op->arg, element_of(t->z[op->d], e, 3), op->imm, 64));
}

/* ---- one operand --------------------------------------------------------------------------- */

enum {
    SXTB,
    UXTB,
    SXTH,
    UXTH,
    SXTW,
    UXTW,
    ABS,
    NEG,
    CLS,
    CLZ,
    CNT,
    CNOT,
    FABS,
    FNEG,
    NOT,
    REVB,
    REVH,
    REVW,
    RBIT,
};

static u64 leading_zeros(u64 v, u32 bits)
{
    return v ? (u64)__builtin_clzll(v) - (64 - bits) : bits;
}

static u64 reversed(u64 v, u32 unit, u32 bits)
{
    u64 r = 0;
    for (u32 at = 0; at < bits; at += unit)
        r |= (v >> at & ones(unit)) << (bits - unit - at);
    return r;
}

static u64 transform(u32 what, u64 v, u32 bits)
{
    u64 sign = (u64)1 << (bits - 1);
    switch (what) {
    case SXTB:
        return (u64)(i64)(i8)v;
    case UXTB:
        return (u8)v;
    case SXTH:
        return (u64)(i64)(i16)v;
    case UXTH:
        return (u16)v;
    case SXTW:
        return (u64)(i64)(i32)v;
    case UXTW:
        return (u32)v;
    case ABS:
        return v & sign ? -v : v;
    case NEG:
        return -v;
    case CLS:
        return leading_zeros((v ^ (u64)(sign_extend(v, bits) >> 1)) & ones(bits), bits) - 1;
    case CLZ:
        return leading_zeros(v, bits);
    case CNT:
        return (u64)__builtin_popcountll(v);
    case CNOT:
        return v == 0;
    case FABS:
        return v & ~sign;
    case FNEG:
        return v ^ sign;
    case NOT:
        return ~v;
    case REVB:
        return reversed(v, 8, bits);
    case REVH:
        return reversed(v, 16, bits);
    case REVW:
        return reversed(v, 32, bits);
    default:
        return reversed(v, 1, bits);
    }
}

static void unary(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            set_element(t->z[op->d], e, op->size,
                        transform(op->arg, element_of(t->z[op->n], e, op->size), 8u << op->size));
    }
}

/* ---- multiply and add ---------------------------------------------------------------------- */

/* arg: 1 subtract, 2 into the multiplicand */
static void multiply_add(struct a64_thread *t, const struct a64_op *op)
{
    const u8 *n = t->z[op->n], *m = t->z[op->m];
    u8 *d = t->z[op->d];
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (!is_active(t->p[op->g], e, op->size))
            continue;
        u64 a = element_of(d, e, op->size), x = element_of(n, e, op->size),
            y = element_of(m, e, op->size);
        /* mad and msb: d is multiplied by m, n is added */
        u64 product = op->arg & 2 ? a * y : x * y, addend = op->arg & 2 ? x : a;
        set_element(d, e, op->size, op->arg & 1 ? addend - product : addend + product);
    }
}

/* ---- reductions ---------------------------------------------------------------------------- */

static u64 neutral(u32 what, u32 bits)
{
    switch (what) {
    case SMAX:
        return (u64)1 << (bits - 1);
    case SMIN:
        return ones(bits - 1);
    case UMIN:
    case AND:
        return ones(bits);
    default:
        return 0;
    }
}

static void reduce(struct a64_thread *t, const struct a64_op *op)
{
    u32 bits = 8u << op->size;
    u64 r = neutral(op->arg, bits);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            r = combine(op->arg, r, element_of(t->z[op->n], e, op->size), bits);
    }
    set_scalar(t, op->d, r & ones(bits), op->size);
}

/* arg: 1 signed; the sum has 64 bits */
static void sum(struct a64_thread *t, const struct a64_op *op)
{
    u64 r = 0;
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 v = element_of(t->z[op->n], e, op->size);
        if (is_active(t->p[op->g], e, op->size))
            r += op->arg ? (u64)sign_extend(v, 8u << op->size) : v;
    }
    set_scalar(t, op->d, r, 3);
}

/* ---- comparisons --------------------------------------------------------------------------- */

enum { HS, HI, GE, GT, EQ, NE, LT, LE, LO, LS };

static bool holds(u32 what, u64 a, u64 b, u32 bits)
{
    i64 x = sign_extend(a, bits), y = sign_extend(b, bits);
    switch (what) {
    case HS:
        return a >= b;
    case HI:
        return a > b;
    case GE:
        return x >= y;
    case GT:
        return x > y;
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LT:
        return x < y;
    case LE:
        return x <= y;
    case LO:
        return a < b;
    default:
        return a <= b;
    }
}

static void finish_compare(struct a64_thread *t, const struct a64_op *op, const u8 *result)
{
    t->flags = a64_predicate_flags(t, t->p[op->g], result, op->size);
    memcpy(t->p[op->d & 15], result, t->vl / 8);
}

static void compare(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size) &&
            holds(op->arg, element_of(t->z[op->n], e, op->size),
                  element_of(t->z[op->m], e, op->size), 8u << op->size))
            set_active(r, e, op->size, true);
    }
    finish_compare(t, op, r);
}

static void compare_wide(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    bool is_signed = op->arg >= GE && op->arg <= LE;
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 a = element_of(t->z[op->n], e, op->size);
        if (is_signed)
            a = (u64)sign_extend(a, 8u << op->size);
        if (is_active(t->p[op->g], e, op->size) &&
            holds(op->arg, a, element_of(t->z[op->m], (e << op->size) / 8, 3), 64))
            set_active(r, e, op->size, true);
    }
    finish_compare(t, op, r);
}

static void compare_immediate(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    u32 bits = 8u << op->size;
    bool is_unsigned = op->arg == HS || op->arg == HI || op->arg == LO || op->arg == LS;
    u64 b = is_unsigned ? BITS(op->word, 20, 14)
                        : (u64)sign_extend(BITS(op->word, 20, 16), 5) & ones(bits);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size) &&
            holds(op->arg, element_of(t->z[op->n], e, op->size), b, bits))
            set_active(r, e, op->size, true);
    }
    finish_compare(t, op, r);
}

/* ---- what not every encoding of a row is --------------------------------------------------- */

static bool predicated_shift_fits(u32 w)
{
    return BITS(w, 23, 22) || BITS(w, 9, 8);
}

static bool shift_fits(u32 w)
{
    return BITS(w, 23, 22) || BITS(w, 20, 19);
}

static bool immediate_fits(u32 w)
{
    return BITS(w, 23, 22) || !(w >> 13 & 1);
}

static bool bitmask_fits(u32 w)
{
    u64 v;
    return a64_bitmask(w >> 17 & 1, BITS(w, 16, 11), BITS(w, 10, 5), &v);
}

/* clang-format off */
#define PREDICATED(code, name, what, class, sizes) \
    {"00000100zz" code "gggnnnnnddddd", name, predicated, what, class, "Zd zd zn pg", sizes, NULL}
#define WIDE(code, name, what) \
    {"00000100zz" code "gggnnnnnddddd", name, predicated_wide, what, A64_VECTOR, "Zd zd zn pg", 7, NULL}
#define PLAIN(code, name, what) \
    {"00000100zz1mmmmm" code "nnnnnddddd", name, unpredicated, what, A64_VECTOR, "Zd zn zm", 0, NULL}
#define PLAIN_WIDE(code, name, what) \
    {"00000100zz1mmmmm" code "nnnnnddddd", name, unpredicated_wide, what, A64_VECTOR, "Zd zn zm", 7, NULL}
#define SHIFT(code, name, what) \
    {"00000100tt" code "gggttiiiddddd", name, predicated_shift, what, A64_VECTOR, "Zd zd pg", 0, predicated_shift_fits}
#define UNARY(code, name, what, sizes) \
    {"00000100zz" code "101gggnnnnnddddd", name, unary, what, A64_VECTOR, "Zd zd zn pg", sizes, NULL}
#define WITH(code, name, what) \
    {"00100101zz100" code "11siiiiiiiiddddd", name, with_immediate, what, A64_VECTOR, "Zd zd", 0, immediate_fits}
#define SMALL(code, name, what, class) \
    {"00100101zz" code "110iiiiiiiiddddd", name, with_small_immediate, what, class, "Zd zd", 0, NULL}
#define REDUCE(code, name, what) \
    {"00000100zz" code "001gggnnnnnddddd", name, reduce, what, A64_VECTOR, "Vd zn pg", 0, NULL}
#define COMPARE(code, bit, name, what) \
    {"00100100zz0mmmmm" code "gggnnnnn" bit "dddd", name, compare, what, A64_VECTOR, "Pd zn zm pg F", 0, NULL}
#define COMPARE_WIDE(code, bit, name, what) \
    {"00100100zz0mmmmm" code "gggnnnnn" bit "dddd", name, compare_wide, what, A64_VECTOR, "Pd zn zm pg F", 7, NULL}
#define COMPARE_IMMEDIATE(code, bit, name, what) \
    {"00100101zz0iiiii" code "gggnnnnn" bit "dddd", name, compare_immediate, what, A64_VECTOR, "Pd zn pg F", 0, NULL}
#define COMPARE_UNSIGNED(code, bit, name, what) \
    {"00100100zz1iiiiiii" code "gggnnnnn" bit "dddd", name, compare_immediate, what, A64_VECTOR, "Pd zn pg F", 0, NULL}
const struct a64_row a64_sve_integer_rows[] = {
    PREDICATED("000000000", "add", ADD, A64_VECTOR, 0), PREDICATED("000001000", "sub", SUB, A64_VECTOR, 0),
    PREDICATED("000011000", "subr", SUB | REVERSED, A64_VECTOR, 0),
    PREDICATED("001000000", "smax", SMAX, A64_VECTOR, 0), PREDICATED("001001000", "umax", UMAX, A64_VECTOR, 0),
    PREDICATED("001010000", "smin", SMIN, A64_VECTOR, 0), PREDICATED("001011000", "umin", UMIN, A64_VECTOR, 0),
    PREDICATED("001100000", "sabd", SABD, A64_VECTOR, 0), PREDICATED("001101000", "uabd", UABD, A64_VECTOR, 0),
    PREDICATED("010000000", "mul", MUL, A64_FMUL, 0), PREDICATED("010010000", "smulh", SMULH, A64_FMUL, 0),
    PREDICATED("010011000", "umulh", UMULH, A64_FMUL, 0),
    PREDICATED("010100000", "sdiv", SDIV, A64_FDIV, 12), PREDICATED("010101000", "udiv", UDIV, A64_FDIV, 12),
    PREDICATED("010110000", "sdivr", SDIV | REVERSED, A64_FDIV, 12),
    PREDICATED("010111000", "udivr", UDIV | REVERSED, A64_FDIV, 12),
    PREDICATED("011000000", "orr", ORR, A64_VECTOR, 0), PREDICATED("011001000", "eor", EOR, A64_VECTOR, 0),
    PREDICATED("011010000", "and", AND, A64_VECTOR, 0), PREDICATED("011011000", "bic", BIC, A64_VECTOR, 0),
    PREDICATED("010000100", "asr", ASR, A64_VECTOR, 0), PREDICATED("010001100", "lsr", LSR, A64_VECTOR, 0),
    PREDICATED("010011100", "lsl", LSL, A64_VECTOR, 0), PREDICATED("010100100", "asrr", ASR | REVERSED, A64_VECTOR, 0),
    PREDICATED("010101100", "lsrr", LSR | REVERSED, A64_VECTOR, 0),
    PREDICATED("010111100", "lslr", LSL | REVERSED, A64_VECTOR, 0),
    WIDE("011000100", "asr", ASR), WIDE("011001100", "lsr", LSR), WIDE("011011100", "lsl", LSL),
    SHIFT("000000100", "asr", ASR), SHIFT("000001100", "lsr", LSR), SHIFT("000011100", "lsl", LSL),
    SHIFT("000100100", "asrd", ASRD),
    PLAIN("000000", "add", ADD), PLAIN("000001", "sub", SUB), PLAIN("000100", "sqadd", SQADD),
    PLAIN("000101", "uqadd", UQADD), PLAIN("000110", "sqsub", SQSUB), PLAIN("000111", "uqsub", UQSUB),
    PLAIN_WIDE("100000", "asr", ASR), PLAIN_WIDE("100001", "lsr", LSR), PLAIN_WIDE("100011", "lsl", LSL),
    {"00000100001mmmmm001100nnnnnddddd", "and", bitwise, AND, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100011mmmmm001100nnnnnddddd", "orr", bitwise, ORR, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100101mmmmm001100nnnnnddddd", "eor", bitwise, EOR, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100111mmmmm001100nnnnnddddd", "bic", bitwise, BIC, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100tt1ttiii100100nnnnnddddd", "asr", unpredicated_shift, ASR, A64_VECTOR, "Zd zn", 0, shift_fits},
    {"00000100tt1ttiii100101nnnnnddddd", "lsr", unpredicated_shift, LSR, A64_VECTOR, "Zd zn", 0, shift_fits},
    {"00000100tt1ttiii100111nnnnnddddd", "lsl", unpredicated_shift, LSL, A64_VECTOR, "Zd zn", 0, shift_fits},
    WITH("000", "add", ADD), WITH("001", "sub", SUB), WITH("011", "subr", SUB | REVERSED),
    WITH("100", "sqadd", SQADD), WITH("101", "uqadd", UQADD), WITH("110", "sqsub", SQSUB), WITH("111", "uqsub", UQSUB),
    SMALL("101000", "smax", SMAX, A64_VECTOR), SMALL("101001", "umax", UMAX, A64_VECTOR),
    SMALL("101010", "smin", SMIN, A64_VECTOR), SMALL("101011", "umin", UMIN, A64_VECTOR),
    SMALL("110000", "mul", MUL, A64_FMUL),
    {"00000101000000iiiiiiiiiiiiiddddd", "orr", bitwise_immediate, ORR, A64_VECTOR, "Zd zd", 0, bitmask_fits},
    {"00000101010000iiiiiiiiiiiiiddddd", "eor", bitwise_immediate, EOR, A64_VECTOR, "Zd zd", 0, bitmask_fits},
    {"00000101100000iiiiiiiiiiiiiddddd", "and", bitwise_immediate, AND, A64_VECTOR, "Zd zd", 0, bitmask_fits},
    UNARY("010000", "sxtb", SXTB, 14), UNARY("010001", "uxtb", UXTB, 14), UNARY("010010", "sxth", SXTH, 12),
    UNARY("010011", "uxth", UXTH, 12), UNARY("010100", "sxtw", SXTW, 8), UNARY("010101", "uxtw", UXTW, 8),
    UNARY("010110", "abs", ABS, 0), UNARY("010111", "neg", NEG, 0), UNARY("011000", "cls", CLS, 0),
    UNARY("011001", "clz", CLZ, 0), UNARY("011010", "cnt", CNT, 0), UNARY("011011", "cnot", CNOT, 0),
    UNARY("011100", "fabs", FABS, 14), UNARY("011101", "fneg", FNEG, 14), UNARY("011110", "not", NOT, 0),
    {"00000101zz100100100gggnnnnnddddd", "revb", unary, REVB, A64_VECTOR, "Zd zd zn pg", 14, NULL},
    {"00000101zz100101100gggnnnnnddddd", "revh", unary, REVH, A64_VECTOR, "Zd zd zn pg", 12, NULL},
    {"00000101zz100110100gggnnnnnddddd", "revw", unary, REVW, A64_VECTOR, "Zd zd zn pg", 8, NULL},
    {"00000101zz100111100gggnnnnnddddd", "rbit", unary, RBIT, A64_VECTOR, "Zd zd zn pg", 0, NULL},
    {"00000100zz0mmmmm010gggnnnnnddddd", "mla", multiply_add, 0, A64_FMA, "Zd zd zn zm pg", 0, NULL},
    {"00000100zz0mmmmm011gggnnnnnddddd", "mls", multiply_add, 1, A64_FMA, "Zd zd zn zm pg", 0, NULL},
    {"00000100zz0mmmmm110gggnnnnnddddd", "mad", multiply_add, 2, A64_FMA, "Zd zd zn zm pg", 0, NULL},
    {"00000100zz0mmmmm111gggnnnnnddddd", "msb", multiply_add, 3, A64_FMA, "Zd zd zn zm pg", 0, NULL},
    REDUCE("001000", "smaxv", SMAX), REDUCE("001001", "umaxv", UMAX), REDUCE("001010", "sminv", SMIN),
    REDUCE("001011", "uminv", UMIN), REDUCE("011000", "orv", ORR), REDUCE("011001", "eorv", EOR),
    REDUCE("011010", "andv", AND),
    {"00000100zz000000001gggnnnnnddddd", "saddv", sum, 1, A64_VECTOR, "Vd zn pg", 7, NULL},
    {"00000100zz000001001gggnnnnnddddd", "uaddv", sum, 0, A64_VECTOR, "Vd zn pg", 0, NULL},
    COMPARE("000", "0", "cmphs", HS), COMPARE("000", "1", "cmphi", HI), COMPARE("100", "0", "cmpge", GE),
    COMPARE("100", "1", "cmpgt", GT), COMPARE("101", "0", "cmpeq", EQ), COMPARE("101", "1", "cmpne", NE),
    COMPARE_WIDE("001", "0", "cmpeq", EQ), COMPARE_WIDE("001", "1", "cmpne", NE), COMPARE_WIDE("010", "0", "cmpge", GE),
    COMPARE_WIDE("010", "1", "cmpgt", GT), COMPARE_WIDE("011", "0", "cmplt", LT), COMPARE_WIDE("011", "1", "cmple", LE),
    COMPARE_WIDE("110", "0", "cmphs", HS), COMPARE_WIDE("110", "1", "cmphi", HI), COMPARE_WIDE("111", "0", "cmplo", LO),
    COMPARE_WIDE("111", "1", "cmpls", LS),
    COMPARE_IMMEDIATE("000", "0", "cmpge", GE), COMPARE_IMMEDIATE("000", "1", "cmpgt", GT),
    COMPARE_IMMEDIATE("001", "0", "cmplt", LT), COMPARE_IMMEDIATE("001", "1", "cmple", LE),
    COMPARE_IMMEDIATE("100", "0", "cmpeq", EQ), COMPARE_IMMEDIATE("100", "1", "cmpne", NE),
    COMPARE_UNSIGNED("0", "0", "cmphs", HS), COMPARE_UNSIGNED("0", "1", "cmphi", HI),
    COMPARE_UNSIGNED("1", "0", "cmplo", LO), COMPARE_UNSIGNED("1", "1", "cmpls", LS),
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
