/* SVE: contiguous loads and stores, gathers and scatters, first faults, whole registers. */
#include "aarch64/sve.h"

/* How the bytes of an access become elements. */
struct shape {
    u8 size;   /* of an element */
    u8 memory; /* of it in memory */
    bool is_signed;
};

/* The field dtype of loads. */
static const struct shape shapes[16] = {
    {0, 0, false}, {1, 0, false}, {2, 0, false}, {3, 0, false}, {3, 2, true},  {1, 1, false},
    {2, 1, false}, {3, 1, false}, {3, 1, true},  {2, 1, true},  {2, 2, false}, {3, 2, false},
    {3, 0, true},  {2, 0, true},  {1, 0, true},  {3, 3, false},
};

static void say_lanes(struct a64_thread *t, struct shape s, u32 active)
{
    t->lanes = elements(t, s.size);
    t->active_lanes = active;
    t->element_bytes = 1u << s.memory;
}

static u64 load_element(const u8 *p, struct shape s)
{
    u64 v = element_of(p, 0, s.memory);
    return s.is_signed ? (u64)sign_extend(v, 8u << s.memory) : v;
}

/* ---- contiguous ----------------------------------------------------------------------------- */

/* First and last active element; false: none. */
static bool range_of(const struct a64_thread *t, const u8 *p, u32 size, u32 *first, u32 *last)
{
    u32 n = elements(t, size), e = 0;
    while (e < n && !is_active(p, e, size))
        e++;
    if (e == n)
        return false;
    *first = e;
    for (e = n - 1; !is_active(p, e, size);)
        e--;
    *last = e;
    return true;
}

static void say_range(struct a64_thread *t, u64 address, u64 bytes, bool is_write)
{
    t->access[t->access_count++] = (struct a64_access){address, (u32)bytes, is_write};
}

/* The elements of `registers` vectors lie side by side, one of each after the other. Only active
 * ones are touched, and all of them are there before any is written. */
static bool check_elements(struct a64_thread *t, const u8 *p, struct shape s, u64 base,
                           u32 registers, u32 permission)
{
    u32 n = elements(t, s.size), bytes = registers << s.memory;
    for (u32 e = 0; e < n; e++) {
        if (is_active(p, e, s.size) &&
            !a64_memory_at(t->memory, base + (u64)e * bytes, bytes, permission)) {
            a64_bad_access(t, base + (u64)e * bytes);
            return false;
        }
    }
    return true;
}

static u32 count_active(const struct a64_thread *t, const u8 *p, u32 size)
{
    u32 n = 0;
    for (u32 e = 0; e < elements(t, size); e++)
        n += is_active(p, e, size);
    return n;
}

static void load_contiguous(struct a64_thread *t, const struct a64_op *op, struct shape s, u64 base,
                            u32 registers)
{
    u8 r[4][A64_MOST_VL] = {{0}};
    const u8 *p = t->p[op->g], *bytes = t->memory->bytes;
    u32 first, last, unit = registers << s.memory;
    say_lanes(t, s, count_active(t, p, s.size));
    if (range_of(t, p, s.size, &first, &last)) {
        if (!check_elements(t, p, s, base, registers, A64_MAPPED))
            return;
        say_range(t, base + (u64)first * unit, (u64)(last - first + 1) * unit, false);
        for (u32 e = first; e <= last; e++) {
            for (u32 k = 0; k < registers && is_active(p, e, s.size); k++)
                set_element(r[k], e, s.size,
                            load_element(bytes + base + (u64)e * unit + ((u64)k << s.memory), s));
        }
    }
    for (u32 k = 0; k < registers; k++)
        memcpy(t->z[(op->d + k) % 32], r[k], t->vl);
}

static void store_contiguous(struct a64_thread *t, const struct a64_op *op, struct shape s,
                             u64 base, u32 registers)
{
    const u8 *p = t->p[op->g];
    u8 *bytes = t->memory->bytes;
    u32 first, last, unit = registers << s.memory;
    say_lanes(t, s, count_active(t, p, s.size));
    if (!range_of(t, p, s.size, &first, &last) ||
        !check_elements(t, p, s, base, registers, A64_WRITABLE))
        return;
    say_range(t, base + (u64)first * unit, (u64)(last - first + 1) * unit, true);
    for (u32 e = first; e <= last; e++) {
        for (u32 k = 0; k < registers && is_active(p, e, s.size); k++)
            set_element(bytes + base + (u64)e * unit + ((u64)k << s.memory), 0, s.memory,
                        element_of(t->z[(op->d + k) % 32], e, s.size));
    }
}

/* From the element that cannot be loaded on, FFR is false and the vector 0. arg: 1 the first
 * active element may not fault either. */
static void load_until_fault(struct a64_thread *t, const struct a64_op *op, struct shape s,
                             u64 base, bool is_first_free)
{
    u8 r[A64_MOST_VL] = {0};
    const u8 *g = t->p[op->g];
    u32 n = elements(t, s.size), e, first = n, last = 0;
    for (e = 0; e < n; e++) {
        u64 at = base + ((u64)e << s.memory);
        if (!is_active(g, e, s.size))
            continue;
        const u8 *p = a64_memory_at(t->memory, at, (u64)1 << s.memory, A64_MAPPED);
        if (!p && first == n && !is_first_free) {
            a64_bad_access(t, at);
            return;
        }
        if (!p)
            break;
        first = first == n ? e : first;
        last = e;
        set_element(r, e, s.size, load_element(p, s));
    }
    say_lanes(t, s, first == n ? 0 : count_active(t, g, s.size));
    for (; e < n; e++)
        set_active(t->ffr, e, s.size, false);
    if (first < n)
        say_range(t, base + ((u64)first << s.memory), (u64)(last - first + 1) << s.memory, false);
    memcpy(t->z[op->d], r, t->vl);
}

static u64 register_base(const struct a64_thread *t, const struct a64_op *op, u32 scale)
{
    return get_sp(t, op->n) + (t->x[op->m] << scale);
}

static u64 immediate_base(const struct a64_thread *t, const struct a64_op *op, struct shape s,
                          u32 registers)
{
    i64 bytes = (i64)(elements(t, s.size) * registers) << s.memory;
    return get_sp(t, op->n) + (u64)(sign_extend(op->m & 15, 4) * bytes);
}

static struct shape load_shape(const struct a64_op *op)
{
    return shapes[BITS(op->word, 24, 21)];
}

static struct shape same_shape(const struct a64_op *op)
{
    u8 size = BITS(op->word, 24, 23);
    return (struct shape){size, size, false};
}

static struct shape store_shape(const struct a64_op *op)
{
    return (struct shape){(u8)BITS(op->word, 22, 21), (u8)BITS(op->word, 24, 23), false};
}

static void load_register(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = load_shape(op);
    load_contiguous(t, op, s, register_base(t, op, s.memory), 1);
}

static void load_immediate(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = load_shape(op);
    load_contiguous(t, op, s, immediate_base(t, op, s, 1), 1);
}

static void load_first_fault(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = load_shape(op);
    load_until_fault(t, op, s, register_base(t, op, s.memory), false);
}

static void load_no_fault(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = load_shape(op);
    load_until_fault(t, op, s, immediate_base(t, op, s, 1), true);
}

static void store_register(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = store_shape(op);
    store_contiguous(t, op, s, register_base(t, op, s.memory), 1);
}

static void store_immediate(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = store_shape(op);
    store_contiguous(t, op, s, immediate_base(t, op, s, 1), 1);
}

/* Structures of 1 (not temporal) to 4 elements. */
static void load_structures(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = same_shape(op);
    u32 registers = BITS(op->word, 22, 21) + 1;
    load_contiguous(t, op, s,
                    op->arg ? immediate_base(t, op, s, registers) : register_base(t, op, s.memory),
                    registers);
}

static void store_structures(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = same_shape(op);
    u32 registers = BITS(op->word, 22, 21) + 1;
    store_contiguous(t, op, s,
                     op->arg ? immediate_base(t, op, s, registers) : register_base(t, op, s.memory),
                     registers);
}

/* ---- broadcasts ------------------------------------------------------------------------------ */

static void load_broadcast(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = shapes[BITS(op->word, 24, 23) << 2 | BITS(op->word, 14, 13)];
    u64 at = get_sp(t, op->n) + ((u64)BITS(op->word, 21, 16) << s.memory), v = 0;
    u32 active = count_active(t, t->p[op->g], s.size);
    say_lanes(t, s, active);
    if (active) {
        const u8 *p = a64_read(t, at, 1u << s.memory);
        if (!p)
            return;
        v = load_element(p, s);
    }
    for (u32 e = 0; e < elements(t, s.size); e++)
        set_element(t->z[op->d], e, s.size, is_active(t->p[op->g], e, s.size) ? v : 0);
}

/* 128 bits in all of them; only the predicate's first 16 bits count. */
static void load_quadword(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = same_shape(op);
    u64 at = op->arg ? get_sp(t, op->n) + (u64)(sign_extend(op->m & 15, 4) * 16)
                     : register_base(t, op, s.memory);
    u8 r[16] = {0};
    for (u32 e = 0; e < 16u >> s.size; e++) {
        if (!is_active(t->p[op->g], e, s.size))
            continue;
        const u8 *p =
            a64_memory_at(t->memory, at + ((u64)e << s.size), (u64)1 << s.size, A64_MAPPED);
        if (!p) {
            a64_bad_access(t, at + ((u64)e << s.size));
            return;
        }
        memcpy(r + (e << s.size), p, (size_t)1 << s.size);
    }
    say_lanes(t, s, 16u >> s.size);
    say_range(t, at, 16, false);
    for (u32 to = 0; to < t->vl; to += 16)
        memcpy(t->z[op->d] + to, r, 16);
}

/* ---- whole registers ------------------------------------------------------------------------- */

/* arg: 1 stores, 2 a predicate */
static void whole(struct a64_thread *t, const struct a64_op *op)
{
    u32 bytes = op->arg & 2 ? t->vl / 8 : t->vl;
    i64 imm = sign_extend(BITS(op->word, 21, 16) << 3 | BITS(op->word, 12, 10), 9);
    u64 at = get_sp(t, op->n) + (u64)(imm * (i64)bytes);
    u8 *reg = op->arg & 2 ? t->p[op->d & 15] : t->z[op->d];
    u8 *p = op->arg & 1 ? a64_write(t, at, bytes) : a64_read(t, at, bytes);
    if (!p)
        return;
    if (op->arg & 1)
        memcpy(p, reg, bytes);
    else
        memcpy(reg, p, bytes);
}

/* ---- gathers and scatters ---------------------------------------------------------------------
 */

enum {
    WIDE = 1,      /* elements of 64 bits */
    OFFSETS = 0,   /* a base and offsets of 32 bits, */
    OFFSETS64 = 2, /* of 64 bits; */
    BASES = 4,     /* or bases and an immediate */
    SCATTER = 8,
};

static u64 element_address(const struct a64_thread *t, const struct a64_op *op, u32 e, u32 size,
                           u32 memory)
{
    if (op->arg & BASES)
        return element_of(t->z[op->n], e, size) + ((u64)op->m << memory);
    u64 offset = element_of(t->z[op->m], e, size);
    bool is_scaled = op->word >> 21 & 1;
    u32 extend_bit = op->arg & SCATTER ? 14 : 22;
    if (!(op->arg & OFFSETS64))
        offset = op->word >> extend_bit & 1 ? (u64)(i64)(i32)offset : (u32)offset;
    return get_sp(t, op->n) + (offset << (is_scaled ? memory : 0));
}

static void say_element(struct a64_thread *t, u64 address)
{
    t->element[t->element_count++] = address;
}

static void gather(struct a64_thread *t, const struct a64_op *op)
{
    u8 r[A64_MOST_VL] = {0};
    const u8 *g = t->p[op->g];
    struct shape s = {op->arg & WIDE ? 3 : 2, (u8)BITS(op->word, 24, 23), !(op->word >> 14 & 1)};
    bool first_fault = op->word >> 13 & 1, has_first = false;
    u32 n = elements(t, s.size), e;
    for (e = 0; e < n; e++) {
        if (!is_active(g, e, s.size))
            continue;
        u64 at = element_address(t, op, e, s.size, s.memory);
        const u8 *p = a64_memory_at(t->memory, at, (u64)1 << s.memory, A64_MAPPED);
        if (!p && (!first_fault || !has_first)) {
            a64_bad_access(t, at);
            return;
        }
        if (!p)
            break;
        has_first = true;
        set_element(r, e, s.size, load_element(p, s));
        say_element(t, at);
    }
    for (; e < n; e++)
        set_active(t->ffr, e, s.size, false);
    say_lanes(t, s, t->element_count);
    memcpy(t->z[op->d], r, t->vl);
}

static void scatter(struct a64_thread *t, const struct a64_op *op)
{
    struct shape s = {op->arg & WIDE ? 3 : 2, (u8)BITS(op->word, 24, 23), false};
    u32 n = elements(t, s.size);
    t->elements_write = true;
    for (u32 e = 0; e < n; e++) {
        if (!is_active(t->p[op->g], e, s.size))
            continue;
        u64 at = element_address(t, op, e, s.size, s.memory);
        u8 *p = a64_memory_at(t->memory, at, (u64)1 << s.memory, A64_WRITABLE);
        if (!p) {
            a64_bad_access(t, at);
            return;
        }
        set_element(p, 0, s.memory, element_of(t->z[op->d], e, s.size));
        say_element(t, at);
    }
    say_lanes(t, s, t->element_count);
}

static void prefetch(struct a64_thread *t, const struct a64_op *op)
{
    (void)t;
    (void)op;
}

/* ---- what not every encoding of a row is --------------------------------------------------- */

static bool index_fits(u32 w)
{
    return BITS(w, 20, 16) != 31;
}

static bool store_fits(u32 w)
{
    return BITS(w, 24, 23) <= BITS(w, 22, 21);
}

static bool store_index_fits(u32 w)
{
    return store_fits(w) && index_fits(w);
}

static bool narrow_fits(u32 w) /* elements of 32 bits */
{
    u32 memory = BITS(w, 24, 23);
    return memory <= 2 && (memory < 2 || w >> 14 & 1);
}

static bool wide_fits(u32 w)
{
    return BITS(w, 24, 23) < 3 || w >> 14 & 1;
}

static bool scaled_fits(u32 w) /* of a gather with an offset: bytes are not scaled */
{
    return BITS(w, 24, 23) || !(w >> 21 & 1);
}

static bool narrow_offset_fits(u32 w)
{
    return narrow_fits(w) && scaled_fits(w);
}

static bool wide_offset_fits(u32 w)
{
    return wide_fits(w) && scaled_fits(w);
}

static bool narrow_scatter_fits(u32 w)
{
    u32 memory = BITS(w, 24, 23);
    return memory <= 2 && (memory || !(w >> 21 & 1));
}

static bool wide_scatter_fits(u32 w)
{
    return BITS(w, 24, 23) || !(w >> 21 & 1);
}

static bool narrow_bases_fit(u32 w)
{
    return BITS(w, 24, 23) <= 2;
}

/* clang-format off */
const struct a64_row a64_sve_memory_rows[] = {
    {"1000010110iiiiii000iiinnnnn0dddd", "ldr", whole, 2, A64_LOAD, "Pd sn", 0, NULL},
    {"1000010110iiiiii010iiinnnnnddddd", "ldr", whole, 0, A64_LOAD, "Zd sn", 0, NULL},
    {"1110010110iiiiii000iiinnnnn0dddd", "str", whole, 3, A64_STORE, "pd sn", 0, NULL},
    {"1110010110iiiiii010iiinnnnnddddd", "str", whole, 1, A64_STORE, "zd sn", 0, NULL},
    {"1010010ttttmmmmm010gggnnnnnddddd", "ld1", load_register, 0, A64_LOAD, "Zd sn xm pg", 0, index_fits},
    {"1010010tttt0iiii101gggnnnnnddddd", "ld1", load_immediate, 0, A64_LOAD, "Zd sn pg", 0, NULL},
    {"1010010ttttmmmmm011gggnnnnnddddd", "ldff1", load_first_fault, 0, A64_LOAD, "Zd sn xm pg r R", 0, NULL},
    {"1010010tttt1iiii101gggnnnnnddddd", "ldnf1", load_no_fault, 0, A64_LOAD, "Zd sn pg r R", 0, NULL},
    {"1010010zzkkmmmmm110gggnnnnnddddd", "ld2", load_structures, 0, A64_LOAD, "Zd Zk sn xm pg", 0, index_fits},
    {"1010010zzkk0iiii111gggnnnnnddddd", "ld2", load_structures, 1, A64_LOAD, "Zd Zk sn pg", 0, NULL},
    {"1000010tt1iiiiii1ttgggnnnnnddddd", "ld1r", load_broadcast, 0, A64_LOAD, "Zd sn pg", 0, NULL},
    {"1010010zz00mmmmm000gggnnnnnddddd", "ld1rq", load_quadword, 0, A64_LOAD, "Zd sn xm pg", 0, index_fits},
    {"1010010zz000iiii001gggnnnnnddddd", "ld1rq", load_quadword, 1, A64_LOAD, "Zd sn pg", 0, NULL},
    {"1110010zzzzmmmmm010gggnnnnnddddd", "st1", store_register, 0, A64_STORE, "zd sn xm pg", 0, store_index_fits},
    {"1110010zzzz0iiii111gggnnnnnddddd", "st1", store_immediate, 0, A64_STORE, "zd sn pg", 0, store_fits},
    {"1110010zzkkmmmmm011gggnnnnnddddd", "st2", store_structures, 0, A64_STORE, "zd zk sn xm pg", 0, index_fits},
    {"1110010zzkk1iiii111gggnnnnnddddd", "st2", store_structures, 1, A64_STORE, "zd zk sn pg", 0, NULL},
    {"1000010111iiiiii0zzgggnnnnn0pppp", "prf", prefetch, 0, A64_NOP, "", 0, NULL},
    {"1000010zz00mmmmm110gggnnnnn0pppp", "prf", prefetch, 0, A64_NOP, "", 0, index_fits},
    {"1000010zzxs mmmmm0ufgggnnnnnddddd", "ld1 gather", gather, OFFSETS, A64_LOAD, "Zd sn zm pg", 0, narrow_offset_fits},
    {"1000010zz01iiiii1ufgggnnnnnddddd", "ld1 gather", gather, BASES, A64_LOAD, "Zd zn pg", 0, narrow_fits},
    {"1100010zz1smmmmm1ufgggnnnnnddddd", "ld1 gather", gather, OFFSETS64 + WIDE, A64_LOAD, "Zd sn zm pg", 0, wide_offset_fits},
    {"1100010zz01iiiii1ufgggnnnnnddddd", "ld1 gather", gather, BASES + WIDE, A64_LOAD, "Zd zn pg", 0, wide_fits},
    {"1100010zzxsmmmmm0ufgggnnnnnddddd", "ld1 gather", gather, OFFSETS + WIDE, A64_LOAD, "Zd sn zm pg", 0, wide_offset_fits},
    {"1110010zz1smmmmm1x0gggnnnnnddddd", "st1 scatter", scatter, SCATTER, A64_STORE, "zd sn zm pg", 0, narrow_scatter_fits},
    {"1110010zz0smmmmm1x0gggnnnnnddddd", "st1 scatter", scatter, SCATTER + WIDE, A64_STORE, "zd sn zm pg", 0, wide_scatter_fits},
    {"1110010zz0smmmmm101gggnnnnnddddd", "st1 scatter", scatter, SCATTER + OFFSETS64 + WIDE, A64_STORE, "zd sn zm pg", 0, wide_scatter_fits},
    {"1110010zz10iiiii101gggnnnnnddddd", "st1 scatter", scatter, SCATTER + BASES + WIDE, A64_STORE, "zd zn pg", 0, NULL},
    {"1110010zz11iiiii101gggnnnnnddddd", "st1 scatter", scatter, SCATTER + BASES, A64_STORE, "zd zn pg", 0, narrow_bases_fit},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
