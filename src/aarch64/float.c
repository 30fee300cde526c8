/* Scalar floating point. */
#include "aarch64/fp.h"
#include "aarch64/op.h"

#include <math.h>
#include <string.h>

double a64_float_immediate(u32 imm8)
{
    i32 exponent = (i32)((~imm8 >> 4 & 4) | (imm8 >> 4 & 3)) - 3;
    double v = ldexp(16 + (imm8 & 15), exponent - 4);
    return imm8 >> 7 ? -v : v;
}

/* The precision is bits 23:22: 0 single, 1 double, 3 half. */
enum { SINGLE = 1, DOUBLE = 2, HALF = 8, ALL = SINGLE | DOUBLE | HALF };

static u32 precision(const struct a64_op *op)
{
    return op->size == 3 ? 1 : 2 + op->size;
}

static u64 get(const struct a64_thread *t, u32 reg, u32 size)
{
    u64 v = 0;
    memcpy(&v, t->z[reg], (size_t)1 << size);
    return v;
}

static void set(struct a64_thread *t, u32 reg, u64 v, u32 size)
{
    memset(t->z[reg], 0, A64_MOST_VL);
    memcpy(t->z[reg], &v, (size_t)1 << size);
}

enum { MOV, ABS, NEG, SQRT, TO_SINGLE, TO_DOUBLE, TO_HALF, ROUND = 8 };
static const u8 roundings[] = {ROUND_NEAREST, ROUND_UP,      ROUND_DOWN,    ROUND_ZERO,
                               ROUND_AWAY,    ROUND_NEAREST, ROUND_NEAREST, ROUND_NEAREST};

static void one_source(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op);
    u64 v = get(t, op->n, size);
    switch (op->arg) {
    case MOV:
        break;
    case ABS:
        v = fp_abs(v, size);
        break;
    case NEG:
        v = fp_negate(v, size);
        break;
    case SQRT:
        v = fp_sqrt(v, size);
        break;
    case TO_SINGLE:
        set(t, op->d, fp_convert(v, size, 2), 2);
        return;
    case TO_DOUBLE:
        set(t, op->d, fp_convert(v, size, 3), 3);
        return;
    case TO_HALF:
        set(t, op->d, fp_convert(v, size, 1), 1);
        return;
    default:
        v = fp_round(v, roundings[op->arg - ROUND], size);
    }
    set(t, op->d, v, size);
}

static void two_sources(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op);
    set(t, op->d, fp_binary(op->arg, get(t, op->n, size), get(t, op->m, size), size), size);
}

/* arg: 1 the product is negated, 2 the addend */
static void fused(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op);
    u64 n = get(t, op->n, size), a = get(t, op->a, size);
    if (op->arg & 1)
        n = fp_negate(n, size);
    if (op->arg & 2)
        a = fp_negate(a, size);
    set(t, op->d, fp_fma(a, n, get(t, op->m, size), size), size);
}

static u8 flags_of(enum fp_relation r)
{
    static const u8 flags[] = {[FP_LESS] = A64_N,
                               [FP_EQUAL] = A64_Z | A64_C,
                               [FP_GREATER] = A64_C,
                               [FP_UNORDERED] = A64_C | A64_V};
    return flags[r];
}

static void compare(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op);
    u64 b = op->arg ? 0 : get(t, op->m, size);
    t->flags = flags_of(fp_compare(get(t, op->n, size), b, size));
}

static void compare_if(struct a64_thread *t, const struct a64_op *op)
{
    if (condition_holds(t->flags, BITS(op->word, 15, 12)))
        compare(t, op);
    else
        t->flags = (u8)(op->word & 15);
}

static void select(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op);
    u32 from = condition_holds(t->flags, BITS(op->word, 15, 12)) ? op->n : op->m;
    set(t, op->d, get(t, from, size), size);
}

static void immediate(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op);
    set(t, op->d, fp_from_double(a64_float_immediate(BITS(op->word, 20, 13)), size), size);
}

/* arg: enum fp_rounding * 2 + unsigned */
static void to_integer(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = precision(op), bits = op->word >> 31 ? 64 : 32;
    set_x(t, op->d, fp_to_integer(get(t, op->n, size), size, op->arg >> 1, !(op->arg & 1), bits));
}

static void from_integer(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = t->x[op->n];
    if (!(op->word >> 31))
        v = op->arg ? (u32)v : (u64)(i64)(i32)v;
    set(t, op->d, fp_from_integer(v, !op->arg, precision(op)), precision(op));
}

/* arg: 1 to a Neon register, 2 its high half, 4 half precision */
static void move_bits(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = op->arg & 4 ? 1 : op->word >> 31 ? 3 : 2;
    if (op->arg == 3)
        memcpy(t->z[op->d] + 8, &t->x[op->n], 8), memset(t->z[op->d] + 16, 0, A64_MOST_VL - 16);
    else if (op->arg == 2) {
        u64 v;
        memcpy(&v, t->z[op->n] + 8, 8);
        set_x(t, op->d, v);
    } else if (op->arg & 1)
        set(t, op->d, t->x[op->n], size);
    else
        set_x(t, op->d, get(t, op->n, size));
}

/* clang-format off */
#define TWO(code, name, operation, class) \
    {"00011110zz1mmmmm" code "10nnnnnddddd", name, two_sources, operation, class, "Vd vn vm", ALL, NULL}
#define ONE(code, name, what, class, sizes) \
    {"00011110zz1" code "10000nnnnnddddd", name, one_source, what, class, "Vd vn", sizes, NULL}
#define TO(code, name, rounding) \
    {"f0011110zz1" code "000000nnnnnddddd", name "s", to_integer, rounding * 2, A64_FADD, "Xd vn", ALL, NULL}
#define TO_U(code, name, rounding) \
    {"f0011110zz1" code "000000nnnnnddddd", name "u", to_integer, rounding * 2 + 1, A64_FADD, "Xd vn", ALL, NULL}
const struct a64_row a64_float_rows[] = {
    TWO("0000", "fmul", FP_MUL, A64_FMUL),     TWO("0001", "fdiv", FP_DIV, A64_FDIV),
    TWO("0010", "fadd", FP_ADD, A64_FADD),     TWO("0011", "fsub", FP_SUB, A64_FADD),
    TWO("0100", "fmax", FP_MAX, A64_FADD),     TWO("0101", "fmin", FP_MIN, A64_FADD),
    TWO("0110", "fmaxnm", FP_MAXNM, A64_FADD), TWO("0111", "fminnm", FP_MINNM, A64_FADD),
    TWO("1000", "fnmul", FP_NMUL, A64_FMUL),
    ONE("000000", "fmov", MOV, A64_VECTOR, ALL), ONE("000001", "fabs", ABS, A64_VECTOR, ALL),
    ONE("000010", "fneg", NEG, A64_VECTOR, ALL), ONE("000011", "fsqrt", SQRT, A64_FDIV, ALL),
    ONE("000100", "fcvt", TO_SINGLE, A64_FADD, DOUBLE | HALF), ONE("000101", "fcvt", TO_DOUBLE, A64_FADD, SINGLE | HALF),
    ONE("000111", "fcvt", TO_HALF, A64_FADD, SINGLE | DOUBLE),
    ONE("001000", "frintn", ROUND, A64_FADD, ALL), ONE("001001", "frintp", ROUND + 1, A64_FADD, ALL),
    ONE("001010", "frintm", ROUND + 2, A64_FADD, ALL), ONE("001011", "frintz", ROUND + 3, A64_FADD, ALL),
    ONE("001100", "frinta", ROUND + 4, A64_FADD, ALL), ONE("001110", "frintx", ROUND + 6, A64_FADD, ALL),
    ONE("001111", "frinti", ROUND + 7, A64_FADD, ALL),
    {"00011111zz0mmmmm0aaaaannnnnddddd", "fmadd", fused, 0, A64_FMA, "Vd vn vm va", ALL, NULL},
    {"00011111zz0mmmmm1aaaaannnnnddddd", "fmsub", fused, 1, A64_FMA, "Vd vn vm va", ALL, NULL},
    {"00011111zz1mmmmm0aaaaannnnnddddd", "fnmadd", fused, 3, A64_FMA, "Vd vn vm va", ALL, NULL},
    {"00011111zz1mmmmm1aaaaannnnnddddd", "fnmsub", fused, 2, A64_FMA, "Vd vn vm va", ALL, NULL},
    {"00011110zz1mmmmm001000nnnnne0000", "fcmp", compare, 0, A64_FADD, "vn vm F", ALL, NULL},
    {"00011110zz100000001000nnnnne1000", "fcmp", compare, 1, A64_FADD, "vn F", ALL, NULL},
    {"00011110zz1mmmmmcccc01nnnnnevvvv", "fccmp", compare_if, 0, A64_FADD, "vn vm f F", ALL, NULL},
    {"00011110zz1mmmmmcccc11nnnnnddddd", "fcsel", select, 0, A64_VECTOR, "Vd vn vm f", ALL, NULL},
    {"00011110zz1iiiiiiii10000000ddddd", "fmov", immediate, 0, A64_VECTOR, "Vd", ALL, NULL},
    TO("00000", "fcvtn", ROUND_NEAREST), TO_U("00001", "fcvtn", ROUND_NEAREST),
    TO("01000", "fcvtp", ROUND_UP), TO_U("01001", "fcvtp", ROUND_UP),
    TO("10000", "fcvtm", ROUND_DOWN), TO_U("10001", "fcvtm", ROUND_DOWN),
    TO("11000", "fcvtz", ROUND_ZERO), TO_U("11001", "fcvtz", ROUND_ZERO),
    TO("00100", "fcvta", ROUND_AWAY), TO_U("00101", "fcvta", ROUND_AWAY),
    {"f0011110zz100010000000nnnnnddddd", "scvtf", from_integer, 0, A64_FADD, "Vd xn", ALL, NULL},
    {"f0011110zz100011000000nnnnnddddd", "ucvtf", from_integer, 1, A64_FADD, "Vd xn", ALL, NULL},
    {"0001111000100110000000nnnnnddddd", "fmov", move_bits, 0, A64_VECTOR, "Xd vn", 0, NULL},
    {"0001111000100111000000nnnnnddddd", "fmov", move_bits, 1, A64_VECTOR, "Vd xn", 0, NULL},
    {"f001111011100110000000nnnnnddddd", "fmov", move_bits, 4, A64_VECTOR, "Xd vn", 0, NULL},
    {"f001111011100111000000nnnnnddddd", "fmov", move_bits, 5, A64_VECTOR, "Vd xn", 0, NULL},
    {"1001111001100110000000nnnnnddddd", "fmov", move_bits, 0, A64_VECTOR, "Xd vn", 0, NULL},
    {"1001111001100111000000nnnnnddddd", "fmov", move_bits, 1, A64_VECTOR, "Vd xn", 0, NULL},
    {"1001111010101110000000nnnnnddddd", "fmov", move_bits, 2, A64_VECTOR, "Xd vn", 0, NULL},
    {"1001111010101111000000nnnnnddddd", "fmov", move_bits, 3, A64_VECTOR, "Vd vd xn", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
