/* Loads and stores of general and Neon registers. */
#include "aarch64/op.h"

#include <string.h>

/* ---- accesses ------------------------------------------------------------------------------ */

void a64_bad_access(struct a64_thread *t, u64 address)
{
    bool below = address < t->stack_low && address >= t->stack_low - 64 * A64_PAGE;
    stop_thread(t, below ? A64_STACK_OVERFLOW : A64_BAD_ACCESS, address);
}

static u8 *access(struct a64_thread *t, u64 address, u32 bytes, bool is_write)
{
    u8 *p = a64_memory_at(t->memory, address, bytes, is_write ? A64_WRITABLE : A64_MAPPED);
    if (UNLIKELY(!p)) {
        a64_bad_access(t, address);
        return NULL;
    }
    t->access[t->access_count++] = (struct a64_access){address, bytes, is_write};
    return p;
}

u8 *a64_read(struct a64_thread *t, u64 address, u32 bytes)
{
    return access(t, address, bytes, false);
}

u8 *a64_write(struct a64_thread *t, u64 address, u32 bytes)
{
    return access(t, address, bytes, true);
}

/* ---- one register -------------------------------------------------------------------------- */

/* What size and opc say: arg of the rows below is bit 0: of Neon, bits 1 and 2: the kind of
 * address. */
enum { NEON = 1, UNSIGNED = 0, UNSCALED = 2, POST = 4, PRE = 6, REGISTER = 8, ADDRESS = 14 };

static void load_general(struct a64_thread *t, u32 reg, const u8 *p, u32 bytes, u32 opc)
{
    u64 v = 0;
    memcpy(&v, p, bytes);
    if (opc & 2) {
        v = (u64)sign_extend(v, bytes * 8);
        if (opc & 1)
            v = (u32)v;
    }
    set_x(t, reg, v);
}

static void load_neon(struct a64_thread *t, u32 reg, const u8 *p, u32 bytes)
{
    u8 value[16];
    memcpy(value, p, bytes);
    memset(t->z[reg], 0, A64_MOST_VL);
    memcpy(t->z[reg], value, bytes);
}

static void move(struct a64_thread *t, const struct a64_op *op, u64 address)
{
    u32 size = op->word >> 30, opc = BITS(op->word, 23, 22), neon = op->arg & NEON;
    if (neon && opc & 2)
        size = 4;
    bool is_load = neon ? opc & 1 : opc != 0;
    u32 bytes = 1u << size;
    u8 *p = is_load ? a64_read(t, address, bytes) : a64_write(t, address, bytes);
    if (!p)
        return;
    if (!is_load)
        memcpy(p, neon ? (const void *)t->z[op->d] : (const void *)&t->x[op->d], bytes);
    else if (neon)
        load_neon(t, op->d, p, bytes);
    else
        load_general(t, op->d, p, bytes, opc);
}

static u64 index_offset(const struct a64_thread *t, const struct a64_op *op, u32 size)
{
    u32 option = BITS(op->word, 15, 13);
    u64 v = t->x[op->m];
    if (option == 2)
        v = (u32)v;
    else if (option == 6)
        v = (u64)(i64)(i32)v;
    return v << (op->word >> 12 & 1 ? size : 0);
}

static void one(struct a64_thread *t, const struct a64_op *op)
{
    u32 size = op->word >> 30, kind = op->arg & ADDRESS;
    if (op->arg & NEON && op->word >> 23 & 1)
        size = 4;
    u64 base = get_sp(t, op->n), offset = (u64)sign_extend(BITS(op->word, 20, 12), 9);
    if (kind == UNSIGNED)
        offset = (u64)BITS(op->word, 21, 10) << size;
    else if (kind == REGISTER)
        offset = index_offset(t, op, size);
    move(t, op, kind == POST ? base : base + offset);
    if ((kind == POST || kind == PRE) && !t->stop)
        set_sp(t, op->n, base + offset);
}

static void literal(struct a64_thread *t, const struct a64_op *op)
{
    u32 opc = op->word >> 30;
    u64 at = t->pc - 4 + (u64)(sign_extend(BITS(op->word, 23, 5), 19) * 4);
    u32 bytes = op->arg ? 4u << opc : opc == 1 ? 8 : 4;
    u8 *p = a64_read(t, at, bytes);
    if (!p)
        return;
    if (op->arg)
        load_neon(t, op->d, p, bytes);
    else
        load_general(t, op->d, p, bytes, opc == 2 ? 2 : 1);
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* arg: 1 Neon; 2 post, 4 pre */
static void pair(struct a64_thread *t, const struct a64_op *op)
{
    u32 opc = op->word >> 30, neon = op->arg & 1;
    u32 bytes = neon ? 4u << opc : opc == 2 ? 8 : 4;
    u64 base = get_sp(t, op->n);
    u64 offset = (u64)(sign_extend(BITS(op->word, 21, 15), 7) * (i64)bytes);
    u64 at = op->arg & 2 ? base : base + offset;
    bool is_load = op->word >> 22 & 1;
    u8 *p = is_load ? a64_read(t, at, 2 * bytes) : a64_write(t, at, 2 * bytes);
    if (!p)
        return;
    u8 copy[32];
    memcpy(copy, p, 2 * bytes);
    if (!is_load) {
        memcpy(p, neon ? (const void *)t->z[op->d] : (const void *)&t->x[op->d], bytes);
        memcpy(p + bytes, neon ? (const void *)t->z[op->a] : (const void *)&t->x[op->a], bytes);
    } else if (neon) {
        load_neon(t, op->d, copy, bytes);
        load_neon(t, op->a, copy + bytes, bytes);
    } else {
        load_general(t, op->d, copy, bytes, opc == 1 ? 2 : 1);
        load_general(t, op->a, copy + bytes, bytes, opc == 1 ? 2 : 1);
    }
    if (op->arg & 6)
        set_sp(t, op->n, base + offset);
}

/* ---- exclusive and ordered ----------------------------------------------------------------- */

/* arg: 0 plain, 1 exclusive */
static void ordered_load(struct a64_thread *t, const struct a64_op *op)
{
    u32 bytes = 1u << (op->word >> 30);
    u64 at = get_sp(t, op->n);
    u8 *p = a64_read(t, at, bytes);
    if (!p)
        return;
    load_general(t, op->d, p, bytes, 1);
    if (!op->arg)
        return;
    t->exclusive = at + 1;
    t->exclusive_value = 0;
    memcpy(&t->exclusive_value, p, bytes);
}

static void ordered_store(struct a64_thread *t, const struct a64_op *op)
{
    u32 bytes = 1u << (op->word >> 30);
    u64 at = get_sp(t, op->n);
    if (op->arg && t->exclusive != at + 1) {
        t->exclusive = 0;
        set_x(t, op->m, 1);
        return;
    }
    u8 *p = a64_write(t, at, bytes);
    if (!p)
        return;
    bool fails = op->arg && memcmp(p, &t->exclusive_value, bytes) != 0;
    if (fails)
        t->access_count = 0;
    else
        memcpy(p, &t->x[op->d], bytes);
    t->exclusive = 0;
    if (op->arg)
        set_x(t, op->m, fails);
}

static void prefetch(struct a64_thread *t, const struct a64_op *op)
{
    (void)op;
    t->access_count = 0; /* a hint */
}

/* ---- what not every encoding of a row is --------------------------------------------------- */

static bool general_fits(u32 w)
{
    u32 size = w >> 30, opc = BITS(w, 23, 22);
    return !(size == 3 && opc >= 2) && !(size == 2 && opc == 3);
}

static bool neon_fits(u32 w)
{
    return !(w >> 23 & 1) || w >> 30 == 0;
}

static bool index_fits(u32 w)
{
    return (w >> 14 & 1) != 0;
}

static bool general_index_fits(u32 w)
{
    return general_fits(w) && index_fits(w);
}

static bool neon_index_fits(u32 w)
{
    return neon_fits(w) && index_fits(w);
}

/* The base that is written is none of those that are moved. */
static bool update_fits(u32 w)
{
    u32 n = BITS(w, 9, 5);
    return general_fits(w) && (n == 31 || n != (w & 31));
}

static bool pair_fits(u32 w)
{
    u32 opc = w >> 30, load = w >> 22 & 1, d = w & 31, a = BITS(w, 14, 10);
    return opc != 3 && (opc != 1 || load) && (!load || d != a);
}

static bool pair_update_fits(u32 w)
{
    u32 n = BITS(w, 9, 5);
    return pair_fits(w) && (n == 31 || (n != (w & 31) && n != BITS(w, 14, 10)));
}

static bool neon_pair_fits(u32 w)
{
    return w >> 30 != 3 && (!(w >> 22 & 1) || (w & 31) != BITS(w, 14, 10));
}

static bool not_pair_of_loads(u32 w)
{
    return (w >> 30) != 1 && pair_fits(w);
}

static bool literal_fits(u32 w)
{
    return w >> 30 != 3;
}

static bool store_exclusive_fits(u32 w)
{
    u32 s = BITS(w, 20, 16), n = BITS(w, 9, 5);
    return s != (w & 31) && (n == 31 || s != n);
}

/* clang-format off */
const struct a64_row a64_memory_rows[] = {
    {"1111100110iiiiiiiiiiiinnnnnttttt", "prfm", prefetch, 0, A64_NOP, "", 0, NULL},
    {"11111000101mmmmmooos10nnnnnttttt", "prfm", prefetch, 0, A64_NOP, "", 0, index_fits},
    {"11111000100iiiiiiiii00nnnnnttttt", "prfum", prefetch, 0, A64_NOP, "", 0, NULL},
    {"zz11100100iiiiiiiiiiiinnnnnddddd", "str", one, UNSIGNED, A64_STORE, "xd sn", 0, NULL},
    {"zz111001ooiiiiiiiiiiiinnnnnddddd", "ldr", one, UNSIGNED, A64_LOAD, "Xd sn", 0, general_fits},
    {"zz11100000 0iiiiiiiii00nnnnnddddd", "stur", one, UNSCALED, A64_STORE, "xd sn", 0, NULL},
    {"zz111000oo 0iiiiiiiii00nnnnnddddd", "ldur", one, UNSCALED, A64_LOAD, "Xd sn", 0, general_fits},
    {"zz11100000 0iiiiiiiii01nnnnnddddd", "str", one, POST, A64_STORE, "xd sn B", 0, update_fits},
    {"zz111000oo 0iiiiiiiii01nnnnnddddd", "ldr", one, POST, A64_LOAD, "Xd sn B", 0, update_fits},
    {"zz11100000 0iiiiiiiii11nnnnnddddd", "str", one, PRE, A64_STORE, "xd sn B", 0, update_fits},
    {"zz111000oo 0iiiiiiiii11nnnnnddddd", "ldr", one, PRE, A64_LOAD, "Xd sn B", 0, update_fits},
    {"zz11100000 1mmmmmooos10nnnnnddddd", "str", one, REGISTER, A64_STORE, "xd sn xm", 0, index_fits},
    {"zz111000oo 1mmmmmooos10nnnnnddddd", "ldr", one, REGISTER, A64_LOAD, "Xd sn xm", 0, general_index_fits},
    {"zz111101o0iiiiiiiiiiiinnnnnddddd", "str", one, UNSIGNED + NEON, A64_STORE, "vd sn", 0, neon_fits},
    {"zz111101o1iiiiiiiiiiiinnnnnddddd", "ldr", one, UNSIGNED + NEON, A64_LOAD, "Vd sn", 0, neon_fits},
    {"zz111100o0 0iiiiiiiii00nnnnnddddd", "stur", one, UNSCALED + NEON, A64_STORE, "vd sn", 0, neon_fits},
    {"zz111100o1 0iiiiiiiii00nnnnnddddd", "ldur", one, UNSCALED + NEON, A64_LOAD, "Vd sn", 0, neon_fits},
    {"zz111100o0 0iiiiiiiii01nnnnnddddd", "str", one, POST + NEON, A64_STORE, "vd sn B", 0, neon_fits},
    {"zz111100o1 0iiiiiiiii01nnnnnddddd", "ldr", one, POST + NEON, A64_LOAD, "Vd sn B", 0, neon_fits},
    {"zz111100o0 0iiiiiiiii11nnnnnddddd", "str", one, PRE + NEON, A64_STORE, "vd sn B", 0, neon_fits},
    {"zz111100o1 0iiiiiiiii11nnnnnddddd", "ldr", one, PRE + NEON, A64_LOAD, "Vd sn B", 0, neon_fits},
    {"zz111100o0 1mmmmmooos10nnnnnddddd", "str", one, REGISTER + NEON, A64_STORE, "vd sn xm", 0, neon_index_fits},
    {"zz111100o1 1mmmmmooos10nnnnnddddd", "ldr", one, REGISTER + NEON, A64_LOAD, "Vd sn xm", 0, neon_index_fits},
    {"zz011000iiiiiiiiiiiiiiiiiiiddddd", "ldr", literal, 0, A64_LOAD, "Xd", 0, literal_fits},
    {"zz011100iiiiiiiiiiiiiiiiiiiddddd", "ldr", literal, 1, A64_LOAD, "Vd", 0, literal_fits},
    {"zz1010000 0iiiiiiiaaaaannnnnddddd", "stnp", pair, 0, A64_STORE, "xd xa sn", 0, not_pair_of_loads},
    {"zz1010000 1iiiiiiiaaaaannnnnddddd", "ldnp", pair, 0, A64_LOAD, "Xd Xa sn", 0, not_pair_of_loads},
    {"zz1010001 0iiiiiiiaaaaannnnnddddd", "stp", pair, 2, A64_STORE, "xd xa sn B", 0, pair_update_fits},
    {"zz1010001 1iiiiiiiaaaaannnnnddddd", "ldp", pair, 2, A64_LOAD, "Xd Xa sn B", 0, pair_update_fits},
    {"zz1010010 0iiiiiiiaaaaannnnnddddd", "stp", pair, 0, A64_STORE, "xd xa sn", 0, pair_fits},
    {"zz1010010 1iiiiiiiaaaaannnnnddddd", "ldp", pair, 0, A64_LOAD, "Xd Xa sn", 0, pair_fits},
    {"zz1010011 0iiiiiiiaaaaannnnnddddd", "stp", pair, 4, A64_STORE, "xd xa sn B", 0, pair_update_fits},
    {"zz1010011 1iiiiiiiaaaaannnnnddddd", "ldp", pair, 4, A64_LOAD, "Xd Xa sn B", 0, pair_update_fits},
    {"zz1011001 0iiiiiiiaaaaannnnnddddd", "stp", pair, 3, A64_STORE, "vd va sn B", 0, neon_pair_fits},
    {"zz1011001 1iiiiiiiaaaaannnnnddddd", "ldp", pair, 3, A64_LOAD, "Vd Va sn B", 0, neon_pair_fits},
    {"zz1011010 0iiiiiiiaaaaannnnnddddd", "stp", pair, 1, A64_STORE, "vd va sn", 0, neon_pair_fits},
    {"zz1011010 1iiiiiiiaaaaannnnnddddd", "ldp", pair, 1, A64_LOAD, "Vd Va sn", 0, neon_pair_fits},
    {"zz1011011 0iiiiiiiaaaaannnnnddddd", "stp", pair, 5, A64_STORE, "vd va sn B", 0, neon_pair_fits},
    {"zz1011011 1iiiiiiiaaaaannnnnddddd", "ldp", pair, 5, A64_LOAD, "Vd Va sn B", 0, neon_pair_fits},
    {"zz00100001011111a11111nnnnnddddd", "ldxr", ordered_load, 1, A64_LOAD, "Xd sn", 0, NULL},
    {"zz001000000mmmmma11111nnnnnddddd", "stxr", ordered_store, 1, A64_STORE, "Xm xd sn", 0, store_exclusive_fits},
    {"zz00100011011111111111nnnnnddddd", "ldar", ordered_load, 0, A64_LOAD, "Xd sn", 0, NULL},
    {"zz00100010011111111111nnnnnddddd", "stlr", ordered_store, 0, A64_STORE, "xd sn", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */
