/* SVE: moves, permutations, and counts of elements. */
#include "aarch64/fp.h"
#include "aarch64/sve.h"

/* ---- counts -------------------------------------------------------------------------------- */

u32 a64_pattern_elements(u32 pattern, u32 n)
{
    u32 wants;
    switch (pattern) {
    case 0:
        return 1u << (31 - (u32)__builtin_clz(n));
    case 29:
        return n - n % 4;
    case 30:
        return n - n % 3;
    case 31:
        return n;
    default:
        wants = pattern <= 8 ? pattern : pattern <= 13 ? 16u << (pattern - 9) : n + 1;
        return wants <= n ? wants : 0;
    }
}

static u64 count_of(const struct a64_thread *t, const struct a64_op *op)
{
    u32 multiple = BITS(op->word, 19, 16) + 1;
    return (u64)multiple * a64_pattern_elements(BITS(op->word, 9, 5), elements(t, op->size));
}

static void count(struct a64_thread *t, const struct a64_op *op)
{
    set_x(t, op->d, count_of(t, op));
}

static void add_count(struct a64_thread *t, const struct a64_op *op)
{
    u64 n = count_of(t, op), v = t->x[op->d];
    set_x(t, op->d, op->word >> 10 & 1 ? v - n : v + n);
}

static void add_count_vector(struct a64_thread *t, const struct a64_op *op)
{
    u64 n = count_of(t, op);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 v = element_of(t->z[op->d], e, op->size);
        set_element(t->z[op->d], e, op->size, op->word >> 10 & 1 ? v - n : v + n);
    }
}

/* arg: 0 32 bits, 1 64 bits; bit 11 decrements, bit 10 is without sign */
static void add_count_saturating(struct a64_thread *t, const struct a64_op *op)
{
    bool subtract = op->word >> 11 & 1, is_signed = !(op->word >> 10 & 1);
    u32 bits = op->arg ? 64 : 32;
    u64 v = t->x[op->d] & ones(bits);
    i128 n = (i128)count_of(t, op);
    v = a64_saturate_by(v, subtract ? -n : n, is_signed, bits) & ones(bits);
    set_x(t, op->d, is_signed ? (u64)sign_extend(v, bits) : v);
}

static void add_count_saturating_vector(struct a64_thread *t, const struct a64_op *op)
{
    bool subtract = op->word >> 11 & 1, is_signed = !(op->word >> 10 & 1);
    i128 n = (i128)count_of(t, op);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 v = element_of(t->z[op->d], e, op->size);
        set_element(t->z[op->d], e, op->size,
                    a64_saturate_by(v, subtract ? -n : n, is_signed, 8u << op->size));
    }
}

/* arg: bytes of a unit of a vector's length: 8 of a vector, 1 of a predicate */
static void add_length(struct a64_thread *t, const struct a64_op *op)
{
    i64 by = sign_extend(BITS(op->word, 10, 5), 6) * (i64)(t->vl / 8 * op->arg);
    set_sp(t, op->d, get_sp(t, op->m) + (u64)by);
}

static void read_length(struct a64_thread *t, const struct a64_op *op)
{
    set_x(t, op->d, (u64)(sign_extend(BITS(op->word, 10, 5), 6) * (i64)t->vl));
}

/* ---- values for all elements ---------------------------------------------------------------- */

static void fill(struct a64_thread *t, u32 d, u32 size, u64 v)
{
    for (u32 e = 0; e < elements(t, size); e++)
        set_element(t->z[d], e, size, v);
}

/* arg: 1 the start is a register, 2 the step is */
static void index_vector(struct a64_thread *t, const struct a64_op *op)
{
    u64 start = op->arg & 1 ? t->x[op->n] : (u64)sign_extend(op->n, 5);
    u64 step = op->arg & 2 ? t->x[op->m] : (u64)sign_extend(op->m, 5);
    for (u32 e = 0; e < elements(t, op->size); e++)
        set_element(t->z[op->d], e, op->size, start + e * step);
}

static u64 shifted_immediate(const struct a64_op *op)
{
    return (u64)sign_extend(BITS(op->word, 12, 5), 8) << (op->word >> 13 & 1 ? 8 : 0);
}

static void dup_immediate(struct a64_thread *t, const struct a64_op *op)
{
    fill(t, op->d, op->size, shifted_immediate(op));
}

static void dup_float(struct a64_thread *t, const struct a64_op *op)
{
    fill(t, op->d, op->size, fp_from_double(a64_float_immediate(BITS(op->word, 12, 5)), op->size));
}

static void dup_mask(struct a64_thread *t, const struct a64_op *op)
{
    fill(t, op->d, 3, op->imm);
}

static void dup_general(struct a64_thread *t, const struct a64_op *op)
{
    fill(t, op->d, op->size, get_sp(t, op->n));
}

static void dup_element(struct a64_thread *t, const struct a64_op *op)
{
    u32 imm7 = BITS(op->word, 23, 22) << 5 | op->m, size = (u32)__builtin_ctz(imm7);
    u32 index = imm7 >> (size + 1), bytes = 1u << size;
    u8 value[16] = {0};
    if ((index + 1) * bytes <= t->vl)
        memcpy(value, t->z[op->n] + index * bytes, bytes);
    for (u32 at = 0; at < t->vl; at += bytes)
        memcpy(t->z[op->d] + at, value, bytes);
}

/* ---- values for active elements ------------------------------------------------------------- */

static void copy_active(struct a64_thread *t, const struct a64_op *op, const u8 *p, u64 v)
{
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(p, e, op->size))
            set_element(t->z[op->d], e, op->size, v);
    }
}

/* arg: 1 others become 0 */
static void copy_immediate(struct a64_thread *t, const struct a64_op *op)
{
    if (op->arg)
        memset(t->z[op->d], 0, t->vl);
    copy_active(t, op, t->p[op->m & 15], shifted_immediate(op));
}

static void copy_float(struct a64_thread *t, const struct a64_op *op)
{
    copy_active(t, op, t->p[op->m & 15],
                fp_from_double(a64_float_immediate(BITS(op->word, 12, 5)), op->size));
}

static void copy_scalar(struct a64_thread *t, const struct a64_op *op)
{
    copy_active(t, op, t->p[op->g], element_of(t->z[op->n], 0, op->size));
}

static void copy_general(struct a64_thread *t, const struct a64_op *op)
{
    copy_active(t, op, t->p[op->g], get_sp(t, op->n));
}

static void move_prefix(struct a64_thread *t, const struct a64_op *op)
{
    memmove(t->z[op->d], t->z[op->n], t->vl);
}

/* arg: 1 merging */
static void move_prefix_active(struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            set_element(t->z[op->d], e, op->size, element_of(t->z[op->n], e, op->size));
        else if (!op->arg)
            set_element(t->z[op->d], e, op->size, 0);
    }
}

static void select(struct a64_thread *t, const struct a64_op *op)
{
    const u8 *p = t->p[BITS(op->word, 13, 10)];
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u32 from = is_active(p, e, op->size) ? op->n : op->m;
        set_element(t->z[op->d], e, op->size, element_of(t->z[from], e, op->size));
    }
}

/* ---- permutations --------------------------------------------------------------------------- */

static void extract(struct a64_thread *t, const struct a64_op *op)
{
    u32 by = BITS(op->word, 20, 16) << 3 | BITS(op->word, 12, 10);
    u8 both[2 * A64_MOST_VL];
    memcpy(both, t->z[op->d], t->vl);
    memcpy(both + t->vl, t->z[op->n], t->vl);
    memcpy(t->z[op->d], both + (by < t->vl ? by : 0), t->vl);
}

static void insert_first(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = op->arg ? element_of(t->z[op->n], 0, op->size) : t->x[op->n];
    u8 *d = t->z[op->d];
    memmove(d + (1u << op->size), d, t->vl - (1u << op->size));
    set_element(d, 0, op->size, v);
}

static void reverse(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL];
    u32 n = elements(t, op->size);
    for (u32 e = 0; e < n; e++)
        set_element(r, e, op->size, element_of(t->z[op->n], n - 1 - e, op->size));
    memcpy(t->z[op->d], r, t->vl);
}

static void table(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL];
    u32 n = elements(t, op->size);
    for (u32 e = 0; e < n; e++) {
        u64 from = element_of(t->z[op->m], e, op->size);
        set_element(r, e, op->size, from < n ? element_of(t->z[op->n], (u32)from, op->size) : 0);
    }
    memcpy(t->z[op->d], r, t->vl);
}

/* bit 17: without sign, bit 16: the upper half */
static void unpack(struct a64_thread *t, const struct a64_op *op)
{
    u8 from[A64_MOST_VL];
    u32 size = op->size - 1u, n = elements(t, op->size);
    memcpy(from, t->z[op->n], t->vl);
    for (u32 e = 0; e < n; e++) {
        u64 v = element_of(from, e + (op->word >> 16 & 1 ? n : 0), size);
        if (!(op->word >> 17 & 1))
            v = (u64)sign_extend(v, 8u << size);
        set_element(t->z[op->d], e, op->size, v);
    }
}

/* arg: 0 zip, 2 unzip, 4 transpose; 1: the second of the two */
static void interleave(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL];
    const u8 *n = t->z[op->n], *m = t->z[op->m];
    u32 count = elements(t, op->size), pairs = count / 2, second = op->arg & 1;
    for (u32 e = 0; e < pairs; e++) {
        switch (op->arg & 6) {
        case 0:
            set_element(r, 2 * e, op->size, element_of(n, e + second * pairs, op->size));
            set_element(r, 2 * e + 1, op->size, element_of(m, e + second * pairs, op->size));
            break;
        case 2:
            set_element(r, e, op->size, element_of(n, 2 * e + second, op->size));
            set_element(r, e + pairs, op->size, element_of(m, 2 * e + second, op->size));
            break;
        default:
            set_element(r, 2 * e, op->size, element_of(n, 2 * e + second, op->size));
            set_element(r, 2 * e + 1, op->size, element_of(m, 2 * e + second, op->size));
        }
    }
    memcpy(t->z[op->d], r, t->vl);
}

static void compact(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL] = {0};
    u32 to = 0;
    for (u32 e = 0; e < elements(t, op->size); e++) {
        if (is_active(t->p[op->g], e, op->size))
            set_element(r, to++, op->size, element_of(t->z[op->n], e, op->size));
    }
    memcpy(t->z[op->d], r, t->vl);
}

/* -1: none */
static i32 last_active(const struct a64_thread *t, const struct a64_op *op)
{
    for (u32 e = elements(t, op->size); e-- > 0;) {
        if (is_active(t->p[op->g], e, op->size))
            return (i32)e;
    }
    return -1;
}

/* The last active element, or the one after it, of a vector. */
static u64 last_element(const struct a64_thread *t, const struct a64_op *op, i32 last)
{
    i32 n = (i32)elements(t, op->size), e = op->arg & 1 ? last : last + 1;
    e = e < 0 ? n - 1 : e >= n ? 0 : e;
    return element_of(t->z[op->n], (u32)e, op->size);
}

/* arg: 1 the last (B), 0 the one after it (A); 2: to a general register; 4: only if there is one */
static void last(struct a64_thread *t, const struct a64_op *op)
{
    i32 at = last_active(t, op);
    u64 v = op->arg & 2 ? t->x[op->d] & ones(8u << op->size) : element_of(t->z[op->d], 0, op->size);
    if (!(op->arg & 4) || at >= 0)
        v = last_element(t, op, at);
    if (op->arg & 2)
        set_x(t, op->d, v);
    else
        set_scalar(t, op->d, v, op->size);
}

static void broadcast_last(struct a64_thread *t, const struct a64_op *op)
{
    i32 at = last_active(t, op);
    if (at >= 0)
        fill(t, op->d, op->size, last_element(t, op, at));
}

static void splice(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL], second[A64_MOST_VL];
    u32 n = elements(t, op->size), to = 0, first = 0;
    i32 end = last_active(t, op);
    memcpy(second, t->z[op->n], t->vl);
    while (end >= 0 && !is_active(t->p[op->g], first, op->size))
        first++;
    for (u32 e = first; end >= 0 && e <= (u32)end; e++)
        set_element(r, to++, op->size, element_of(t->z[op->d], e, op->size));
    for (u32 e = 0; to < n; e++)
        set_element(r, to++, op->size, element_of(second, e, op->size));
    memcpy(t->z[op->d], r, t->vl);
}

/* arg: 0 signed, 1 unsigned 32-bit offsets; 2: of elements of 32, 3: of 64 bits */
static void vector_address(struct a64_thread *t, const struct a64_op *op)
{
    u32 shift = BITS(op->word, 11, 10), size = op->arg == 2 ? 2 : 3;
    for (u32 e = 0; e < elements(t, size); e++) {
        u64 offset = element_of(t->z[op->m], e, size);
        offset = op->arg == 0 ? (u64)(i64)(i32)offset : op->arg == 1 ? (u32)offset : offset;
        set_element(t->z[op->d], e, size, element_of(t->z[op->n], e, size) + (offset << shift));
    }
}

/* ---- what not every encoding of a row is --------------------------------------------------- */

static bool immediate_fits(u32 w)
{
    return BITS(w, 23, 22) || !(w >> 13 & 1);
}

static bool mask_fits(u32 w)
{
    u64 v;
    return a64_bitmask(w >> 17 & 1, BITS(w, 16, 11), BITS(w, 10, 5), &v);
}

static bool element_fits(u32 w)
{
    return BITS(w, 20, 16) != 0;
}

/* clang-format off */
#define LAST(code, name, arg, operands) \
    {"00000101zz" code "gggnnnnnddddd", name, last, arg, A64_VECTOR, operands, 0, NULL}
#define INTERLEAVE(code, name, arg) \
    {"00000101zz1mmmmm" code "nnnnnddddd", name, interleave, arg, A64_VECTOR, "Zd zn zm", 0, NULL}
const struct a64_row a64_sve_move_rows[] = {
    {"00000100zz10iiii111000pppppddddd", "cnt", count, 0, A64_ALU, "Xd", 0, NULL},
    {"00000100zz11iiii11100dpppppddddd", "inc", add_count, 0, A64_ALU, "Xd xd", 0, NULL},
    {"00000100zz11iiii11000dpppppddddd", "inc", add_count_vector, 0, A64_VECTOR, "Zd zd", 14, NULL},
    {"00000100zz10iiii1111dupppppddddd", "sqinc", add_count_saturating, 0, A64_ALU, "Xd xd", 0, NULL},
    {"00000100zz11iiii1111dupppppddddd", "sqinc", add_count_saturating, 1, A64_ALU, "Xd xd", 0, NULL},
    {"00000100zz10iiii1100dupppppddddd", "sqinc", add_count_saturating_vector, 0, A64_VECTOR, "Zd zd", 14, NULL},
    {"00000100001mmmmm01010iiiiiiddddd", "addvl", add_length, 8, A64_ALU, "Sd sm", 0, NULL},
    {"00000100011mmmmm01010iiiiiiddddd", "addpl", add_length, 1, A64_ALU, "Sd sm", 0, NULL},
    {"000001001011111101010iiiiiiddddd", "rdvl", read_length, 0, A64_ALU, "Xd", 0, NULL},
    {"00000100zz1jjjjj010000iiiiiddddd", "index", index_vector, 0, A64_VECTOR, "Zd", 0, NULL},
    {"00000100zz1jjjjj010001nnnnnddddd", "index", index_vector, 1, A64_VECTOR, "Zd xn", 0, NULL},
    {"00000100zz1mmmmm010010iiiiiddddd", "index", index_vector, 2, A64_VECTOR, "Zd xm", 0, NULL},
    {"00000100zz1mmmmm010011nnnnnddddd", "index", index_vector, 3, A64_VECTOR, "Zd xn xm", 0, NULL},
    {"00100101zz11100011siiiiiiiiddddd", "dup", dup_immediate, 0, A64_VECTOR, "Zd", 0, immediate_fits},
    {"00100101zz111001110iiiiiiiiddddd", "fdup", dup_float, 0, A64_VECTOR, "Zd", 14, NULL},
    {"00000101110000iiiiiiiiiiiiiddddd", "dupm", dup_mask, 0, A64_VECTOR, "Zd", 0, mask_fits},
    {"00000101zz100000001110nnnnnddddd", "dup", dup_general, 0, A64_VECTOR, "Zd sn", 0, NULL},
    {"00000101ii1iiiii001000nnnnnddddd", "dup", dup_element, 0, A64_VECTOR, "Zd zn", 0, element_fits},
    {"00000101zz01gggg01siiiiiiiiddddd", "cpy", copy_immediate, 0, A64_VECTOR, "Zd zd pM", 0, immediate_fits},
    {"00000101zz01gggg00siiiiiiiiddddd", "cpy", copy_immediate, 1, A64_VECTOR, "Zd pM", 0, immediate_fits},
    {"00000101zz01gggg110iiiiiiiiddddd", "fcpy", copy_float, 0, A64_VECTOR, "Zd zd pM", 14, NULL},
    {"00000101zz100000100gggnnnnnddddd", "cpy", copy_scalar, 0, A64_VECTOR, "Zd zd vn pg", 0, NULL},
    {"00000101zz101000101gggnnnnnddddd", "cpy", copy_general, 0, A64_VECTOR, "Zd zd sn pg", 0, NULL},
    {"0000010000100000101111nnnnnddddd", "movprfx", move_prefix, 0, A64_VECTOR, "Zd zn", 0, NULL},
    {"00000100zz010000001gggnnnnnddddd", "movprfx", move_prefix_active, 0, A64_VECTOR, "Zd zn pg", 0, NULL},
    {"00000100zz010001001gggnnnnnddddd", "movprfx", move_prefix_active, 1, A64_VECTOR, "Zd zd zn pg", 0, NULL},
    {"00000101zz1mmmmm11GGGGnnnnnddddd", "sel", select, 0, A64_VECTOR, "Zd zn zm pG", 0, NULL},
    {"00000101001iiiii000iiinnnnnddddd", "ext", extract, 0, A64_VECTOR, "Zd zd zn", 0, NULL},
    {"00000101zz100100001110nnnnnddddd", "insr", insert_first, 0, A64_VECTOR, "Zd zd xn", 0, NULL},
    {"00000101zz110100001110nnnnnddddd", "insr", insert_first, 1, A64_VECTOR, "Zd zd vn", 0, NULL},
    {"00000101zz111000001110nnnnnddddd", "rev", reverse, 0, A64_VECTOR, "Zd zn", 0, NULL},
    {"00000101zz1mmmmm001100nnnnnddddd", "tbl", table, 0, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000101zz1100uh001110nnnnnddddd", "unpk", unpack, 0, A64_VECTOR, "Zd zn", 14, NULL},
    INTERLEAVE("011000", "zip1", 0), INTERLEAVE("011001", "zip2", 1), INTERLEAVE("011010", "uzp1", 2),
    INTERLEAVE("011011", "uzp2", 3), INTERLEAVE("011100", "trn1", 4), INTERLEAVE("011101", "trn2", 5),
    {"00000101zz100001100gggnnnnnddddd", "compact", compact, 0, A64_VECTOR, "Zd zn pg", 12, NULL},
    LAST("100000101", "lasta", 2, "Xd zn pg"), LAST("100001101", "lastb", 3, "Xd zn pg"),
    LAST("100010100", "lasta", 0, "Vd zn pg"), LAST("100011100", "lastb", 1, "Vd zn pg"),
    LAST("110000101", "clasta", 6, "Xd xd zn pg"), LAST("110001101", "clastb", 7, "Xd xd zn pg"),
    LAST("101010100", "clasta", 4, "Vd vd zn pg"), LAST("101011100", "clastb", 5, "Vd vd zn pg"),
    {"00000101zz101000100gggnnnnnddddd", "clasta", broadcast_last, 0, A64_VECTOR, "Zd zd zn pg", 0, NULL},
    {"00000101zz101001100gggnnnnnddddd", "clastb", broadcast_last, 1, A64_VECTOR, "Zd zd zn pg", 0, NULL},
    {"00000101zz101100100gggnnnnnddddd", "splice", splice, 0, A64_VECTOR, "Zd zd zn pg", 0, NULL},
    {"00000100001mmmmm1010ssnnnnnddddd", "adr", vector_address, 0, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100011mmmmm1010ssnnnnnddddd", "adr", vector_address, 1, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100101mmmmm1010ssnnnnnddddd", "adr", vector_address, 2, A64_VECTOR, "Zd zn zm", 0, NULL},
    {"00000100111mmmmm1010ssnnnnnddddd", "adr", vector_address, 3, A64_VECTOR, "Zd zn zm", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
