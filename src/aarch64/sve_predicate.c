/* SVE: predicates, the first-fault register, loop conditions. */
#include "aarch64/sve.h"

#define G4(op) BITS((op)->word, 13, 10)
#define N4(op) BITS((op)->word, 8, 5)
#define M4(op) BITS((op)->word, 19, 16)
#define D4(op) ((op)->word & 15)
#define SETS_FLAGS(op) ((op)->word >> 22 & 1)

#define EIGHT 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
static const u8 all_true[A64_MOST_VL / 8] = {EIGHT, EIGHT, EIGHT, EIGHT};

u8 a64_predicate_flags(const struct a64_thread *t, const u8 *g, const u8 *p, u32 size)
{
    bool any = false, first = false, last = false, seen = false;
    for (u32 e = 0; e < elements(t, size); e++) {
        if (!is_active(g, e, size))
            continue;
        last = is_active(p, e, size);
        if (!seen)
            first = last;
        any |= last;
        seen = true;
    }
    return (u8)((first ? A64_N : 0) | (any ? 0 : A64_Z) | (last ? 0 : A64_C));
}

static void write_predicate(struct a64_thread *t, u32 d, const u8 *p)
{
    memcpy(t->p[d], p, t->vl / 8);
}

/* ---- initialising and testing ---------------------------------------------------------------- */

static void true_pattern(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    u32 n = a64_pattern_elements(BITS(op->word, 9, 5), elements(t, op->size));
    for (u32 e = 0; e < n; e++)
        set_active(r, e, op->size, true);
    if (op->word >> 16 & 1)
        t->flags = a64_predicate_flags(t, r, r, op->size);
    write_predicate(t, D4(op), r);
}

static void all_false(struct a64_thread *t, const struct a64_op *op)
{
    memset(t->p[D4(op)], 0, t->vl / 8);
}

static void test(struct a64_thread *t, const struct a64_op *op)
{
    t->flags = a64_predicate_flags(t, t->p[G4(op)], t->p[N4(op)], 0);
}

static void first_active(struct a64_thread *t, const struct a64_op *op)
{
    const u8 *g = t->p[N4(op)];
    u8 *d = t->p[D4(op)];
    for (u32 e = 0; e < elements(t, 0); e++) {
        if (is_active(g, e, 0)) {
            set_active(d, e, 0, true);
            break;
        }
    }
    t->flags = a64_predicate_flags(t, g, d, 0);
}

static void next_active(struct a64_thread *t, const struct a64_op *op)
{
    const u8 *g = t->p[N4(op)];
    u8 r[A64_MOST_VL / 8] = {0};
    u32 n = elements(t, op->size), next = 0;
    for (u32 e = 0; e < n; e++) {
        if (is_active(t->p[D4(op)], e, op->size))
            next = e + 1;
    }
    while (next < n && !is_active(g, next, op->size))
        next++;
    if (next < n)
        set_active(r, next, op->size, true);
    t->flags = a64_predicate_flags(t, g, r, op->size);
    write_predicate(t, D4(op), r);
}

/* ---- the first-fault register ---------------------------------------------------------------- */

static void read_ffr(struct a64_thread *t, const struct a64_op *op)
{
    write_predicate(t, D4(op), t->ffr);
}

static void read_ffr_active(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8];
    const u8 *g = t->p[N4(op)];
    for (u32 i = 0; i < t->vl / 8; i++)
        r[i] = t->ffr[i] & g[i];
    if (SETS_FLAGS(op))
        t->flags = a64_predicate_flags(t, g, r, 0);
    write_predicate(t, D4(op), r);
}

static void write_ffr(struct a64_thread *t, const struct a64_op *op)
{
    memcpy(t->ffr, t->p[N4(op)], t->vl / 8);
}

static void set_ffr(struct a64_thread *t, const struct a64_op *op)
{
    (void)op;
    memcpy(t->ffr, all_true, t->vl / 8);
}

/* ---- logic ---------------------------------------------------------------------------------- */

enum { AND, BIC, EOR, SEL, ORR, ORN, NOR, NAND };

static void logical(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8];
    const u8 *g = t->p[G4(op)], *n = t->p[N4(op)], *m = t->p[M4(op)];
    for (u32 i = 0; i < t->vl / 8; i++) {
        u32 v = 0, a = n[i], b = m[i], mask = g[i];
        switch (op->arg) {
        case AND:
            v = a & b;
            break;
        case BIC:
            v = a & ~b;
            break;
        case EOR:
            v = a ^ b;
            break;
        case ORR:
            v = a | b;
            break;
        case ORN:
            v = a | ~b;
            break;
        case NOR:
            v = ~(a | b);
            break;
        case NAND:
            v = ~(a & b);
            break;
        default:
            v = a;
            break;
        }
        r[i] = (u8)(op->arg == SEL ? (v & mask) | (b & ~mask) : v & mask);
    }
    if (SETS_FLAGS(op))
        t->flags = a64_predicate_flags(t, g, r, 0);
    write_predicate(t, D4(op), r);
}

/* ---- breaks --------------------------------------------------------------------------------- */

/* arg: 1 before the first true element (B), 0 with it (A); 2: others are kept */
static void break_at(struct a64_thread *t, const struct a64_op *op)
{
    const u8 *g = t->p[G4(op)], *n = t->p[N4(op)];
    u8 r[A64_MOST_VL / 8];
    bool stopped = false;
    memcpy(r, t->p[D4(op)], t->vl / 8);
    for (u32 e = 0; e < elements(t, 0); e++) {
        if (!is_active(g, e, 0)) {
            if (!(op->arg & 2))
                set_active(r, e, 0, false);
            continue;
        }
        bool here = is_active(n, e, 0), stops_here = stopped || (op->arg & 1 && here);
        stopped |= here;
        set_active(r, e, 0, !stops_here);
    }
    if (!(op->arg & 2) && SETS_FLAGS(op))
        t->flags = a64_predicate_flags(t, g, r, 0);
    write_predicate(t, D4(op), r);
}

static bool last_is_true(const struct a64_thread *t, const u8 *g, const u8 *p)
{
    for (u32 e = elements(t, 0); e-- > 0;) {
        if (is_active(g, e, 0))
            return is_active(p, e, 0);
    }
    return false;
}

/* arg: 1 B, 0 A */
static void break_pair(struct a64_thread *t, const struct a64_op *op)
{
    const u8 *g = t->p[G4(op)], *m = t->p[M4(op)];
    u8 r[A64_MOST_VL / 8] = {0};
    bool on = last_is_true(t, g, t->p[N4(op)]);
    for (u32 e = 0; e < elements(t, 0); e++) {
        if (!is_active(g, e, 0))
            continue;
        bool stops = is_active(m, e, 0);
        set_active(r, e, 0, on && !(op->arg && stops));
        on = on && !stops;
    }
    if (SETS_FLAGS(op))
        t->flags = a64_predicate_flags(t, g, r, 0);
    write_predicate(t, D4(op), r);
}

static void break_next(struct a64_thread *t, const struct a64_op *op)
{
    if (!last_is_true(t, t->p[G4(op)], t->p[N4(op)]))
        memset(t->p[D4(op)], 0, t->vl / 8);
    if (SETS_FLAGS(op))
        t->flags = a64_predicate_flags(t, all_true, t->p[D4(op)], 0);
}

/* ---- counts --------------------------------------------------------------------------------- */

static u64 count_active(const struct a64_thread *t, const u8 *g, const u8 *p, u32 size)
{
    u64 n = 0;
    for (u32 e = 0; e < elements(t, size); e++)
        n += is_active(g, e, size) && is_active(p, e, size);
    return n;
}

static void count(struct a64_thread *t, const struct a64_op *op)
{
    set_x(t, op->d, count_active(t, t->p[G4(op)], t->p[N4(op)], op->size));
}

/* bit 16 decrements */
static void add_count(struct a64_thread *t, const struct a64_op *op)
{
    u64 n = count_active(t, t->p[N4(op)], all_true, op->size);
    set_x(t, op->d, op->word >> 16 & 1 ? t->x[op->d] - n : t->x[op->d] + n);
}

static void add_count_vector(struct a64_thread *t, const struct a64_op *op)
{
    u64 n = count_active(t, t->p[N4(op)], all_true, op->size);
    for (u32 e = 0; e < elements(t, op->size); e++) {
        u64 v = element_of(t->z[op->d], e, op->size);
        set_element(t->z[op->d], e, op->size, op->word >> 16 & 1 ? v - n : v + n);
    }
}

/* ---- loop conditions ------------------------------------------------------------------------ */

/* bit 12: 64 bits, bit 11: without sign, bit 4: or equal */
static void while_less(struct a64_thread *t, const struct a64_op *op)
{
    u32 bits = op->word >> 12 & 1 ? 64 : 32;
    bool is_signed = !(op->word >> 11 & 1), or_equal = op->word >> 4 & 1, on = true;
    u64 a = t->x[op->n] & ones(bits), b = t->x[op->m] & ones(bits);
    u8 r[A64_MOST_VL / 8] = {0};
    for (u32 e = 0; e < elements(t, op->size) && on; e++) {
        on = (is_signed ? sign_extend(a, bits) < sign_extend(b, bits) : a < b) ||
             (or_equal && a == b);
        set_active(r, e, op->size, on);
        a = (a + 1) & ones(bits);
    }
    t->flags = a64_predicate_flags(t, all_true, r, op->size);
    write_predicate(t, D4(op), r);
}

/* bit 22: 64 bits, bit 4: not equal */
static void terminate(struct a64_thread *t, const struct a64_op *op)
{
    u64 mask = op->word >> 22 & 1 ? ~(u64)0 : 0xffffffff;
    bool equal = ((t->x[op->n] ^ t->x[op->m]) & mask) == 0, ends = equal != (op->word >> 4 & 1);
    u8 v = ends || t->flags & A64_C ? 0 : A64_V;
    t->flags = (u8)((t->flags & (A64_Z | A64_C)) | (ends ? A64_N : 0) | v);
}

/* ---- permutations: all bits of an element move ---------------------------------------------- */

static u32 bits_of(const u8 *p, u32 e, u32 size)
{
    u32 bit = e << size;
    return p[bit >> 3] >> (bit & 7) & ((1u << (1u << size)) - 1);
}

static void set_bits(u8 *p, u32 e, u32 size, u32 v)
{
    u32 bit = e << size, mask = ((1u << (1u << size)) - 1) << (bit & 7);
    p[bit >> 3] = (u8)((p[bit >> 3] & ~mask) | (v << (bit & 7) & mask));
}

/* arg as of vectors: 0 zip, 2 unzip, 4 transpose; 1: the second of the two */
static void interleave(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    const u8 *n = t->p[N4(op)], *m = t->p[M4(op)];
    u32 pairs = elements(t, op->size) / 2, second = op->arg & 1, size = op->size;
    for (u32 e = 0; e < pairs; e++) {
        u32 from = (op->arg & 6) == 0 ? e + second * pairs : 2 * e + second;
        u32 to = (op->arg & 6) == 2 ? e : 2 * e;
        set_bits(r, to, size, bits_of(n, from, size));
        set_bits(r, (op->arg & 6) == 2 ? to + pairs : to + 1, size, bits_of(m, from, size));
    }
    write_predicate(t, D4(op), r);
}

static void reverse(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    u32 n = elements(t, op->size);
    for (u32 e = 0; e < n; e++)
        set_bits(r, e, op->size, bits_of(t->p[N4(op)], n - 1 - e, op->size));
    write_predicate(t, D4(op), r);
}

static void unpack(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL / 8] = {0};
    u32 n = elements(t, 1);
    for (u32 e = 0; e < n; e++)
        set_bits(r, e, 1, bits_of(t->p[N4(op)], e + (op->arg ? n : 0), 0));
    write_predicate(t, D4(op), r);
}

/* clang-format off */
#define LOGIC(high, bit9, bit4, name, what, s) \
    {"00100101" high s "00mmmm01gggg" bit9 "nnnn" bit4 "dddd", name, logical, what, A64_VECTOR, "Pd pN pm pG F", 0, NULL}
const struct a64_row a64_sve_predicate_rows[] = {
    {"00100101zz01100s111000ppppp0dddd", "ptrue", true_pattern, 0, A64_VECTOR, "Pd F", 0, NULL},
    {"0010010100011000111001000000dddd", "pfalse", all_false, 0, A64_VECTOR, "Pd", 0, NULL},
    {"001001010101000011gggg0nnnn00000", "ptest", test, 0, A64_VECTOR, "pN pG F", 0, NULL},
    {"00100101010110001100000nnnn0dddd", "pfirst", first_active, 0, A64_VECTOR, "Pd pd pN F", 0, NULL},
    {"00100101zz0110011100010nnnn0dddd", "pnext", next_active, 0, A64_VECTOR, "Pd pd pN F", 0, NULL},
    {"0010010100011001111100000000dddd", "rdffr", read_ffr, 0, A64_VECTOR, "Pd r", 0, NULL},
    {"001001010s0110001111000nnnn0dddd", "rdffr", read_ffr_active, 0, A64_VECTOR, "Pd pN r F", 0, NULL},
    {"00100101001010001001000nnnn00000", "wrffr", write_ffr, 0, A64_VECTOR, "pN R", 0, NULL},
    {"00100101001011001001000000000000", "setffr", set_ffr, 0, A64_VECTOR, "R", 0, NULL},
    LOGIC("0", "0", "0", "and", AND, "s"), LOGIC("0", "0", "1", "bic", BIC, "s"), LOGIC("0", "1", "0", "eor", EOR, "s"),
    LOGIC("0", "1", "1", "sel", SEL, "0"), LOGIC("1", "0", "0", "orr", ORR, "s"), LOGIC("1", "0", "1", "orn", ORN, "s"),
    LOGIC("1", "1", "0", "nor", NOR, "s"), LOGIC("1", "1", "1", "nand", NAND, "s"),
    {"001001010s01000001gggg0nnnn0dddd", "brka", break_at, 0, A64_VECTOR, "Pd pN pG F", 0, NULL},
    {"001001011s01000001gggg0nnnn0dddd", "brkb", break_at, 1, A64_VECTOR, "Pd pN pG F", 0, NULL},
    {"001001010001000001gggg0nnnn1dddd", "brka", break_at, 2, A64_VECTOR, "Pd pd pN pG", 0, NULL},
    {"001001011001000001gggg0nnnn1dddd", "brkb", break_at, 3, A64_VECTOR, "Pd pd pN pG", 0, NULL},
    {"001001010s00mmmm11gggg0nnnn0dddd", "brkpa", break_pair, 0, A64_VECTOR, "Pd pN pm pG F", 0, NULL},
    {"001001010s00mmmm11gggg0nnnn1dddd", "brkpb", break_pair, 1, A64_VECTOR, "Pd pN pm pG F", 0, NULL},
    {"001001010s01100001gggg0nnnn0dddd", "brkn", break_next, 0, A64_VECTOR, "Pd pd pN pG F", 0, NULL},
    {"00100101zz10000010gggg0nnnnddddd", "cntp", count, 0, A64_ALU, "Xd pN pG", 0, NULL},
    {"00100101zz10110x1000100nnnnddddd", "incp", add_count, 0, A64_ALU, "Xd xd pN", 0, NULL},
    {"00100101zz10110x1000000nnnnddddd", "incp", add_count_vector, 0, A64_VECTOR, "Zd zd pN", 14, NULL},
    {"00100101zz1mmmmm000fu1nnnnnqdddd", "while", while_less, 0, A64_VECTOR, "Pd xn xm F", 0, NULL},
    {"001001011f1mmmmm001000nnnnnx0000", "cterm", terminate, 0, A64_ALU, "xn xm f F", 0, NULL},
    {"00000101zz10mmmm0100000nnnn0dddd", "zip1", interleave, 0, A64_VECTOR, "Pd pN pm", 0, NULL},
    {"00000101zz10mmmm0100010nnnn0dddd", "zip2", interleave, 1, A64_VECTOR, "Pd pN pm", 0, NULL},
    {"00000101zz10mmmm0100100nnnn0dddd", "uzp1", interleave, 2, A64_VECTOR, "Pd pN pm", 0, NULL},
    {"00000101zz10mmmm0100110nnnn0dddd", "uzp2", interleave, 3, A64_VECTOR, "Pd pN pm", 0, NULL},
    {"00000101zz10mmmm0101000nnnn0dddd", "trn1", interleave, 4, A64_VECTOR, "Pd pN pm", 0, NULL},
    {"00000101zz10mmmm0101010nnnn0dddd", "trn2", interleave, 5, A64_VECTOR, "Pd pN pm", 0, NULL},
    {"00000101zz1101000100000nnnn0dddd", "rev", reverse, 0, A64_VECTOR, "Pd pN", 0, NULL},
    {"00000101001100000100000nnnn0dddd", "punpklo", unpack, 0, A64_VECTOR, "Pd pN", 0, NULL},
    {"00000101001100010100000nnnn0dddd", "punpkhi", unpack, 1, A64_VECTOR, "Pd pN", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
