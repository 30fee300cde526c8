/* SVE: floating point. */
#include "aarch64/fp.h"
#include "aarch64/sve.h"

enum { REVERSED = 0x80 };

static u64 in_order(u32 arg, u64 a, u64 b, u32 size)
{
    return arg & REVERSED ? fp_binary(arg & 0x7f, b, a, size) : fp_binary(arg, a, b, size);
}

static void unpredicated(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, op->size); e++)
        set_element(t->z[op->d], e, op->size,
                    fp_binary(op->arg, element_of(t->z[op->n], e, op->size),
                              element_of(t->z[op->m], e, op->size), op->size));
}

static void predicated(struct a64_thread *t, const struct a64_op *op)
{
    u8 *d = t->z[op->d];
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            set_element(d, e, op->size,
                        in_order(op->arg, element_of(d, e, op->size),
                                 element_of(t->z[op->n], e, op->size), op->size));
    }
}

/* Bit 5 chooses one of two constants: 0.5 or 1, for a product 0.5 or 2, for extremes 0 or 1. */
static void with_constant(struct a64_thread *t, const struct a64_op *op)
{
    u32 what = op->arg & 0x7f;
    bool second = op->word >> 5 & 1;
    double c = what >= FP_MAX ? second : what == FP_MUL ? (second ? 2 : 0.5) : second ? 1 : 0.5;
    u64 b = fp_from_double(c, op->size);
    u8 *d = t->z[op->d];
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            set_element(d, e, op->size, in_order(op->arg, element_of(d, e, op->size), b, op->size));
    }
}

/* arg: 1 the product is negated, 2 the addend, 4: d is a factor and not the addend */
static void fused(struct a64_thread *t, const struct a64_op *op)
{
    u8 *d = t->z[op->d];
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (!is_active(t->p[op->g], e, op->size))
            continue;
        u64 a = element_of(d, e, op->size), n = element_of(t->z[op->n], e, op->size),
            m = element_of(t->z[op->m], e, op->size);
        if (op->arg & 4) { /* d times n, and m is added */
            u64 addend = m;
            m = n;
            n = a;
            a = addend;
        }
        if (op->arg & 1)
            n = fp_negate(n, op->size);
        if (op->arg & 2)
            a = fp_negate(a, op->size);
        set_element(d, e, op->size, fp_fma(a, n, m, op->size));
    }
}

enum { NEGATES = 1, PRODUCT = 2, HALVES = 4 };

/* Which element of each 128 bits of m is the factor. */
static u32 factor_index(const struct a64_op *op)
{
    if (op->arg & HALVES)
        return (op->word >> 22 & 1) << 2 | op->m >> 3;
    return op->size == 3 ? op->m >> 4 : op->m >> 3;
}

static void fused_indexed(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = op->arg & HALVES ? 1 : op->size, m = size == 3 ? op->m & 15 : op->m & 7;
    u32 index = factor_index(op), per = 16u >> size;
    u8 factor[A64_MOST_VL];
    memcpy(factor, t->z[m], t->vl);
    for (u32 e = 0; e < elements(t, size); e++) {
        u64 n = element_of(t->z[op->n], e, size), f = element_of(factor, e - e % per + index, size);
        u64 a = element_of(t->z[op->d], e, size);
        u64 r = op->arg & PRODUCT ? fp_binary(FP_MUL, n, f, size)
                                  : fp_fma(a, op->arg & NEGATES ? fp_negate(n, size) : n, f, size);
        set_element(t->z[op->d], e, size, r);
    }
}

enum { SQRT = 8 };

static void unary(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 v = element_of(t->z[op->n], e, op->size);
        if (is_active(t->p[op->g], e, op->size))
            set_element(t->z[op->d], e, op->size,
                        op->arg == SQRT ? fp_sqrt(v, op->size) : fp_round(v, op->arg, op->size));
    }
}

/* ---- conversions: elements of the larger of the two ----------------------------------------- */

/* arg: the two sizes, 0 8 bits to 3 64 bits, and whether integers have no sign */
#define SIZES(from, to) ((from) << 1 | (to) << 3)
enum { UNSIGNED = 1 };

static u32 from_of(const struct a64_op *op)
{
    return op->arg >> 1 & 3;
}

static u32 to_of(const struct a64_op *op)
{
    return op->arg >> 3;
}

static u32 larger_of(const struct a64_op *op)
{
    return (u32)max_u64(from_of(op), to_of(op));
}

static void convert(struct a64_thread *t, const struct a64_op *op)
{
    u32 from = from_of(op), to = to_of(op), size = larger_of(op);
    for (u32 e = 0; e < elements(t, size); e++) {
        u64 v = element_of(t->z[op->n], e, size) & ones(8u << from);
        if (is_active(t->p[op->g], e, size))
            set_element(t->z[op->d], e, size, fp_convert(v, from, to));
    }
}

static void to_integer(struct a64_thread *t, const struct a64_op *op)
{
    u32 from = from_of(op), bits = 8u << to_of(op), size = larger_of(op);
    bool is_signed = !(op->arg & UNSIGNED);
    for (u32 e = 0; e < elements(t, size); e++) {
        u64 v = element_of(t->z[op->n], e, size) & ones(8u << from);
        u64 r = fp_to_integer(v, from, ROUND_ZERO, is_signed, bits);
        if (is_signed)
            r = (u64)sign_extend(r, bits);
        if (is_active(t->p[op->g], e, size))
            set_element(t->z[op->d], e, size, r);
    }
}

static void from_integer(struct a64_thread *t, const struct a64_op *op)
{
    u32 bits = 8u << from_of(op), size = larger_of(op);
    bool is_signed = !(op->arg & UNSIGNED);
    for (u32 e = 0; e < elements(t, size); e++) {
        u64 v = element_of(t->z[op->n], e, size) & ones(bits);
        if (is_signed)
            v = (u64)sign_extend(v, bits);
        if (is_active(t->p[op->g], e, size))
            set_element(t->z[op->d], e, size, fp_from_integer(v, is_signed, to_of(op)));
    }
}

/* ---- reductions ---------------------------------------------------------------------------- */

static u64 neutral(u32 what, u32 size)
{
    switch (what) {
    case FP_MAX:
        return fp_infinity(size) | fp_sign(size);
    case FP_MIN:
        return fp_infinity(size);
    case FP_ADD:
        return 0;
    default:
        return fp_default_nan(size);
    }
}

/* As a tree: halves are combined element by element until one is left. */
static void reduce(struct a64_thread *t, const struct a64_op *op)
{
    u64 v[A64_MOST_VL / 2];
    u32 n = elements(t, op->size), room = 1;
    while (room < n)
        room *= 2;
    for (u32 e = 0; e < room; e++)
        v[e] = e < n && is_active(t->p[op->g], e, op->size) ? element_of(t->z[op->n], e, op->size)
                                                            : neutral(op->arg, op->size);
    for (; room > 1; room /= 2) {
        for (u32 e = 0; e < room / 2; e++)
            v[e] = fp_binary(op->arg, v[2 * e], v[2 * e + 1], op->size);
    }
    set_scalar(t, op->d, v[0], op->size);
}

static void add_in_order(struct a64_thread *t, const struct a64_op *op)
{
    u64 r = element_of(t->z[op->d], 0, op->size);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            r = fp_binary(FP_ADD, r, element_of(t->z[op->n], e, op->size), op->size);
    }
    set_scalar(t, op->d, r, op->size);
}

/* ---- comparisons --------------------------------------------------------------------------- */

enum { GE, GT, EQ, NE, UO, LT, LE, ABSOLUTE = 8, ZERO = 16 };

static bool holds(u32 what, enum fp_relation r)
{
    switch (what & 7) {
    case GE:
        return r == FP_GREATER || r == FP_EQUAL;
    case GT:
        return r == FP_GREATER;
    case EQ:
        return r == FP_EQUAL;
    case NE:
        return r != FP_EQUAL;
    case UO:
        return r == FP_UNORDERED;
    case LT:
        return r == FP_LESS;
    default:
        return r == FP_LESS || r == FP_EQUAL;
    }
}

static void compare(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 a = element_of(t->z[op->n], e, op->size);
        u64 b = op->arg & ZERO ? 0 : element_of(t->z[op->m], e, op->size);
        if (op->arg & ABSOLUTE) {
            a = fp_abs(a, op->size);
            b = fp_abs(b, op->size);
        }
        if (is_active(t->p[op->g], e, op->size) && holds(op->arg, fp_compare(a, b, op->size)))
            set_active(r, e, op->size, true);
    }
    memcpy(t->p[op->d & 15], r, t->vl / 8);
}

/* clang-format off */
#define PLAIN(code, name, what, class) \
    {"01100101zz0mmmmm" code "nnnnnddddd", name, unpredicated, what, class, "Zd zn zm", 14, NULL}
#define PREDICATED(code, name, what, class) \
    {"01100101zz00" code "100gggnnnnnddddd", name, predicated, what, class, "Zd zd zn pg", 14, NULL}
#define CONSTANT(code, name, what, class) \
    {"01100101zz011" code "100ggg0000iddddd", name, with_constant, what, class, "Zd zd pg", 14, NULL}
#define FUSED(code, name, arg) \
    {"01100101zz1mmmmm" code "gggnnnnnddddd", name, fused, arg, A64_FMA, "Zd zd zn zm pg", 14, NULL}
#define UNARY(code, name, what, class) \
    {"01100101zz00" code "101gggnnnnnddddd", name, unary, what, class, "Zd zd zn pg", 14, NULL}
#define CONVERT(code, name, how, arg) \
    {"01100101" code "101gggnnnnnddddd", name, how, arg, A64_FADD, "Zd zd zn pg", 0, NULL}
#define REDUCE(code, name, what) \
    {"01100101zz000" code "001gggnnnnnddddd", name, reduce, what, A64_FADD, "Vd zn pg", 14, NULL}
#define COMPARE(code, bit, name, what) \
    {"01100101zz0mmmmm" code "gggnnnnn" bit "dddd", name, compare, what, A64_FADD, "Pd zn zm pg", 14, NULL}
#define COMPARE_ZERO(code, bit, name, what) \
    {"01100101zz0100" code "001gggnnnnn" bit "dddd", name, compare, what + ZERO, A64_FADD, "Pd zn pg", 14, NULL}
const struct a64_row a64_sve_float_rows[] = {
    PLAIN("000000", "fadd", FP_ADD, A64_FADD), PLAIN("000001", "fsub", FP_SUB, A64_FADD),
    PLAIN("000010", "fmul", FP_MUL, A64_FMUL),
    PREDICATED("0000", "fadd", FP_ADD, A64_FADD), PREDICATED("0001", "fsub", FP_SUB, A64_FADD),
    PREDICATED("0010", "fmul", FP_MUL, A64_FMUL), PREDICATED("0011", "fsubr", FP_SUB | REVERSED, A64_FADD),
    PREDICATED("0100", "fmaxnm", FP_MAXNM, A64_FADD), PREDICATED("0101", "fminnm", FP_MINNM, A64_FADD),
    PREDICATED("0110", "fmax", FP_MAX, A64_FADD), PREDICATED("0111", "fmin", FP_MIN, A64_FADD),
    PREDICATED("1000", "fabd", FP_ABD, A64_FADD), PREDICATED("1100", "fdivr", FP_DIV | REVERSED, A64_FDIV),
    PREDICATED("1101", "fdiv", FP_DIV, A64_FDIV),
    CONSTANT("000", "fadd", FP_ADD, A64_FADD), CONSTANT("001", "fsub", FP_SUB, A64_FADD),
    CONSTANT("010", "fmul", FP_MUL, A64_FMUL), CONSTANT("011", "fsubr", FP_SUB | REVERSED, A64_FADD),
    CONSTANT("100", "fmaxnm", FP_MAXNM, A64_FADD), CONSTANT("101", "fminnm", FP_MINNM, A64_FADD),
    CONSTANT("110", "fmax", FP_MAX, A64_FADD), CONSTANT("111", "fmin", FP_MIN, A64_FADD),
    FUSED("000", "fmla", 0), FUSED("001", "fmls", 1), FUSED("010", "fnmla", 3), FUSED("011", "fnmls", 2),
    FUSED("100", "fmad", 4), FUSED("101", "fmsb", 5), FUSED("110", "fnmad", 7), FUSED("111", "fnmsb", 6),
    {"01100100zz1mmmmm000000nnnnnddddd", "fmla", fused_indexed, 0, A64_FMA, "Zd zd zn zi", 12, NULL},
    {"01100100zz1mmmmm000001nnnnnddddd", "fmls", fused_indexed, NEGATES, A64_FMA, "Zd zd zn zi", 12, NULL},
    {"01100100zz1mmmmm001000nnnnnddddd", "fmul", fused_indexed, PRODUCT, A64_FMUL, "Zd zn zi", 12, NULL},
    {"011001000i1iimmm000000nnnnnddddd", "fmla", fused_indexed, HALVES, A64_FMA, "Zd zd zn zi", 0, NULL},
    {"011001000i1iimmm000001nnnnnddddd", "fmls", fused_indexed, HALVES | NEGATES, A64_FMA, "Zd zd zn zi", 0, NULL},
    {"011001000i1iimmm001000nnnnnddddd", "fmul", fused_indexed, HALVES | PRODUCT, A64_FMUL, "Zd zn zi", 0, NULL},
    UNARY("0000", "frintn", ROUND_NEAREST, A64_FADD), UNARY("0001", "frintp", ROUND_UP, A64_FADD),
    UNARY("0010", "frintm", ROUND_DOWN, A64_FADD), UNARY("0011", "frintz", ROUND_ZERO, A64_FADD),
    UNARY("0100", "frinta", ROUND_AWAY, A64_FADD), UNARY("0110", "frintx", ROUND_NEAREST, A64_FADD),
    UNARY("0111", "frinti", ROUND_NEAREST, A64_FADD), UNARY("1101", "fsqrt", SQRT, A64_FDIV),
    CONVERT("10001000", "fcvt", convert, SIZES(2, 1)), CONVERT("10001001", "fcvt", convert, SIZES(1, 2)),
    CONVERT("11001000", "fcvt", convert, SIZES(3, 1)), CONVERT("11001001", "fcvt", convert, SIZES(1, 3)),
    CONVERT("11001010", "fcvt", convert, SIZES(3, 2)), CONVERT("11001011", "fcvt", convert, SIZES(2, 3)),
    CONVERT("01011010", "fcvtzs", to_integer, SIZES(1, 1)), CONVERT("01011011", "fcvtzu", to_integer, SIZES(1, 1) | UNSIGNED),
    CONVERT("01011100", "fcvtzs", to_integer, SIZES(1, 2)), CONVERT("01011101", "fcvtzu", to_integer, SIZES(1, 2) | UNSIGNED),
    CONVERT("01011110", "fcvtzs", to_integer, SIZES(1, 3)), CONVERT("01011111", "fcvtzu", to_integer, SIZES(1, 3) | UNSIGNED),
    CONVERT("10011100", "fcvtzs", to_integer, SIZES(2, 2)), CONVERT("10011101", "fcvtzu", to_integer, SIZES(2, 2) | UNSIGNED),
    CONVERT("11011000", "fcvtzs", to_integer, SIZES(3, 2)), CONVERT("11011001", "fcvtzu", to_integer, SIZES(3, 2) | UNSIGNED),
    CONVERT("11011100", "fcvtzs", to_integer, SIZES(2, 3)), CONVERT("11011101", "fcvtzu", to_integer, SIZES(2, 3) | UNSIGNED),
    CONVERT("11011110", "fcvtzs", to_integer, SIZES(3, 3)), CONVERT("11011111", "fcvtzu", to_integer, SIZES(3, 3) | UNSIGNED),
    CONVERT("01010010", "scvtf", from_integer, SIZES(1, 1)), CONVERT("01010011", "ucvtf", from_integer, SIZES(1, 1) | UNSIGNED),
    CONVERT("01010100", "scvtf", from_integer, SIZES(2, 1)), CONVERT("01010101", "ucvtf", from_integer, SIZES(2, 1) | UNSIGNED),
    CONVERT("01010110", "scvtf", from_integer, SIZES(3, 1)), CONVERT("01010111", "ucvtf", from_integer, SIZES(3, 1) | UNSIGNED),
    CONVERT("10010100", "scvtf", from_integer, SIZES(2, 2)), CONVERT("10010101", "ucvtf", from_integer, SIZES(2, 2) | UNSIGNED),
    CONVERT("11010000", "scvtf", from_integer, SIZES(2, 3)), CONVERT("11010001", "ucvtf", from_integer, SIZES(2, 3) | UNSIGNED),
    CONVERT("11010100", "scvtf", from_integer, SIZES(3, 2)), CONVERT("11010101", "ucvtf", from_integer, SIZES(3, 2) | UNSIGNED),
    CONVERT("11010110", "scvtf", from_integer, SIZES(3, 3)), CONVERT("11010111", "ucvtf", from_integer, SIZES(3, 3) | UNSIGNED),
    REDUCE("000", "faddv", FP_ADD), REDUCE("100", "fmaxnmv", FP_MAXNM), REDUCE("101", "fminnmv", FP_MINNM),
    REDUCE("110", "fmaxv", FP_MAX), REDUCE("111", "fminv", FP_MIN),
    {"01100101zz011000001gggnnnnnddddd", "fadda", add_in_order, 0, A64_FADD, "Vd vd zn pg", 14, NULL},
    COMPARE("010", "0", "fcmge", GE), COMPARE("010", "1", "fcmgt", GT), COMPARE("011", "0", "fcmeq", EQ),
    COMPARE("011", "1", "fcmne", NE), COMPARE("110", "0", "fcmuo", UO), COMPARE("110", "1", "facge", GE + ABSOLUTE),
    COMPARE("111", "1", "facgt", GT + ABSOLUTE),
    COMPARE_ZERO("00", "0", "fcmge", GE), COMPARE_ZERO("00", "1", "fcmgt", GT), COMPARE_ZERO("01", "0", "fcmlt", LT),
    COMPARE_ZERO("01", "1", "fcmle", LE), COMPARE_ZERO("10", "0", "fcmeq", EQ), COMPARE_ZERO("11", "0", "fcmne", NE),
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
