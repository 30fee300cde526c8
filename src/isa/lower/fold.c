/*
 * What disappears into other machine instructions: copies, constants, address arithmetic,
 * products that are added, three-input sums and logic, comparisons that are combined.
 *
 * Ops are visited in the order of the text; a definition comes before its uses but for loops,
 * so what a rule asks of a definition has been decided.
 */
#include "isa/lower/rules.h"

#include <string.h>

/* Bytes that an offset in a load or store can hold: 24 bits with sign. */
#define MOST_OFFSET (1 << 23)

static bool is_narrow(const struct lower *l, const struct node *n)
{
    u32 r = lower_result(n);
    return r != PTX_NONE && l->values[r].narrow;
}

/* Is a 64-bit integer that needs both halves computed? */
static bool is_pair(const struct lower *l, const struct node *n)
{
    return n->bytes == 8 && lower_is_whole(n) && !is_narrow(l, n);
}

/* The definition of source k if nothing else uses it, in the same block and unguarded: it can
 * become a part of n. */
static struct node *only_here(const struct lower *l, const struct node *n, u32 k)
{
    u32 reg = lower_register(lower_operand(n, k));
    struct node *d = reg == PTX_NONE ? NULL : lower_definition(l, reg);
    if (!d || !d->s || d->s->guard != PTX_NONE || l->values[reg].uses != 1 || !d->count)
        return NULL;
    u32 a = lower_index(l, d), b = lower_index(l, n);
    return l->graph.block_of[a] == l->graph.block_of[b] ? d : NULL;
}

static bool is_constant(const struct lower *l, const struct node *n, u32 k)
{
    i64 value;
    return lower_constant(l, lower_operand(n, k), &value);
}

/* ---- addresses -------------------------------------------------------------------------- */

static bool is_address_of(const struct lower *l, u32 user, u32 reg)
{
    const struct node *n = &l->nodes[user];
    u32 at = n->code == LOWER_ST || n->code == LOWER_RED ? 0 : 1;
    bool access =
        n->code == LOWER_LD || n->code == LOWER_ST || n->code == LOWER_ATOM || n->code == LOWER_RED;
    if (!access || lower_register(lower_operand(n, at)) != reg)
        return false;
    for (u32 k = 0; k < n->s->operand_count; k++) {
        if (k != at && lower_register(&n->s->operands[k]) == reg)
            return false;
    }
    return true;
}

/* Is a register only the base of accesses, so that a constant in it is their offset? */
static bool only_addresses(const struct lower *l, u32 reg)
{
    if (l->values[reg].defs != 1 || !l->values[reg].uses)
        return false;
    EACH_USE(user, l, reg)
    {
        if (!is_address_of(l, user, reg))
            return false;
    }
    return true;
}

/* A product that an addition can take in: mul.wide with single uses in sums. */
static bool is_wide_product(const struct node *d)
{
    return d && d->code == LOWER_MUL && d->mods.flags & MOD_WIDE;
}

static bool only_sums(const struct lower *l, u32 reg)
{
    if (reg == PTX_NONE || l->values[reg].defs != 1 || !l->values[reg].uses)
        return false;
    EACH_USE(user, l, reg)
    {
        const struct node *n = &l->nodes[user];
        if (n->code != LOWER_ADD || n->bytes != 8 || is_constant(l, n, 1) || is_constant(l, n, 2))
            return false;
    }
    return true;
}

static struct node *source(const struct lower *l, const struct node *n, u32 k)
{
    return lower_definition(l, lower_register(lower_operand(n, k)));
}

/* ---- one rule per opcode ------------------------------------------------------------------ */

/* add(add(a, b), c) is one of three inputs, add(a << k, b) and add(a * b, c) one each. */
static void take_into_sum(const struct lower *l, struct node *n)
{
    n->inputs = 2;
    for (u32 k = 1; k <= 2; k++) {
        struct node *d = only_here(l, n, k);
        if (!d || d->class == CLASS_FLOAT)
            continue;
        bool sum = (d->code == LOWER_ADD || d->code == LOWER_SUB) && d->inputs == 2;
        bool product = (d->code == LOWER_SHL && is_constant(l, d, 2) && n->code == LOWER_ADD) ||
                       (d->code == LOWER_MUL && d->mods.flags & MOD_LO);
        if (n->inputs == 2 && (sum || product)) {
            d->count = 0;
            n->inputs = 3;
        }
    }
}

static void fold_sum_64(const struct lower *l, struct node *n)
{
    i64 value;
    u32 result = lower_result(n);
    bool constant = lower_constant(l, lower_operand(n, 2), &value) && n->code == LOWER_ADD;
    if (constant && value < MOST_OFFSET && value > -MOST_OFFSET && only_addresses(l, result)) {
        n->count = 0;
        return;
    }
    n->count = is_pair(l, n) ? 2 : 1;
    for (u32 k = 1; k <= 2 && is_narrow(l, n) && n->code == LOWER_ADD; k++) {
        const struct node *base = source(l, n, k), *other = source(l, n, 3 - k);
        const struct ptx_operand *o = base ? lower_operand(base, 1) : NULL;
        if (base && base->code == LOWER_MOV && o->kind == OPERAND_SYMBOL &&
            !(other && is_wide_product(other)) && only_addresses(l, result)) {
            n->count = 0; /* [register + uniform register] */
            return;
        }
    }
    if (is_narrow(l, n)) {
        take_into_sum(l, n);
        return;
    }
    for (u32 k = 1; k <= 2 && n->code == LOWER_ADD; k++) {
        const struct node *d = source(l, n, k);
        if (d && is_wide_product(d) && !d->count) {
            n->count = 1;
            return;
        }
    }
}

static void fold_sum(const struct lower *l, struct node *n)
{
    if (n->class == CLASS_FLOAT) {
        /* contracted where the text leaves the rounding open */
        for (u32 k = 1; k <= 2 && n->mods.round == ROUND_NONE; k++) {
            struct node *d = only_here(l, n, k);
            if (d && d->code == LOWER_MUL && d->class == CLASS_FLOAT &&
                d->mods.round == ROUND_NONE && n->inputs < 3) {
                d->count = 0;
                n->inputs = 3;
            }
        }
    } else if (n->bytes == 8) {
        fold_sum_64(l, n);
    } else {
        take_into_sum(l, n);
    }
}

static void fold_product(const struct lower *l, struct node *n)
{
    i64 value;
    if (n->class == CLASS_FLOAT || n->code != LOWER_MUL)
        return;
    if (n->mods.flags & MOD_WIDE)
        n->count = only_sums(l, lower_result(n)) ? 0 : 1;
    else if (is_narrow(l, n))
        n->count = 1;
    else if (n->bytes == 8 && lower_constant(l, lower_operand(n, 2), &value))
        n->count = 3;
}

static void fold_shift(const struct lower *l, struct node *n)
{
    i64 value;
    u32 result = lower_result(n);
    if (n->bytes != 8)
        return;
    bool constant = lower_constant(l, lower_operand(n, 2), &value);
    n->count = is_pair(l, n) ? 2 : 1;
    if (constant && n->code == LOWER_SHL && only_sums(l, result))
        n->count = 0; /* LEA and LEA.HI.X shift and add */
    if (constant && n->code == LOWER_SHR && value >= 32)
        n->count = 1;
}

static bool is_logic(const struct node *n)
{
    return n->code == LOWER_AND || n->code == LOWER_OR || n->code == LOWER_XOR;
}

/* LOP3 takes any function of three inputs. */
static void fold_logic(const struct lower *l, struct node *n)
{
    if (n->class == CLASS_PREDICATE) {
        for (u32 k = 1; k <= 2; k++) {
            struct node *d = source(l, n, k);
            u32 reg = lower_register(lower_operand(n, k));
            if ((d && d->code == LOWER_SETP && !d->taken && l->values[reg].uses == 1) ||
                is_constant(l, n, k)) {
                n->count = 0;
                if (d)
                    d->taken = true;
                return;
            }
        }
        return;
    }
    i64 mask;
    if (n->bytes == 8 && n->code == LOWER_AND && lower_constant(l, lower_operand(n, 2), &mask) &&
        mask >= 0 && mask <= UINT32_MAX)
        n->count = mask == UINT32_MAX ? 0 : 1; /* the upper half is zero */
    n->inputs = 2;
    for (u32 k = 1; k <= 2 && n->bytes <= 4; k++) {
        struct node *d = only_here(l, n, k);
        if (d && is_logic(d) && d->inputs == 2 && n->inputs == 2) {
            d->count = 0;
            n->inputs = 3;
        }
    }
}

static void fold_not(const struct lower *l, struct node *n)
{
    u32 reg = lower_result(n);
    if (n->class == CLASS_PREDICATE) {
        n->count = 0;
        return;
    }
    if (reg == PTX_NONE || n->bytes > 4 || !l->values[reg].uses)
        return;
    EACH_USE(user, l, reg)
    {
        if (!is_logic(&l->nodes[user]))
            return;
    }
    n->count = 0;
}

/* Signs of floating point are bits of the operand; of integers, only in sums. */
static void fold_sign(const struct lower *l, struct node *n)
{
    u32 reg = lower_result(n);
    if (reg == PTX_NONE || !l->values[reg].uses)
        return;
    if (n->class == CLASS_FLOAT) {
        n->count = 0;
        return;
    }
    if (n->code != LOWER_NEG)
        return;
    EACH_USE(user, l, reg)
    {
        const struct node *u = &l->nodes[user];
        if ((u->code != LOWER_ADD && u->code != LOWER_SUB) || u->bytes > 4)
            return;
    }
    n->count = 0;
}

/* VIMNMX3: the smaller of three integers. */
static void fold_extreme(const struct lower *l, struct node *n)
{
    n->inputs = 2;
    for (u32 k = 1; k <= 2 && n->bytes == 4 && lower_is_whole(n); k++) {
        struct node *d = only_here(l, n, k);
        if (d && d->code == n->code && d->inputs == 2 && n->inputs == 2 && d->class == n->class) {
            d->count = 0;
            n->inputs = 3;
        }
    }
}

static void fold_move(const struct lower *l, struct node *n)
{
    const struct ptx_operand *to = lower_operand(n, 0), *from = lower_operand(n, 1);
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR) {
        n->count = n->bytes == 8 ? 0 : 1; /* two registers are one of 64 bits */
        return;
    }
    u32 result = lower_result(n);
    bool once = result != PTX_NONE && l->values[result].defs == 1;
    i64 value;
    if (from->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = l->f->module->symbols[from->index];
        n->count = s->space == SPACE_CONST    ? 0 /* an offset in the constant bank */
                   : n->depth                 ? 0 /* made before the loop */
                   : s->space == SPACE_SHARED ? 3 /* the block's window, its place, their sum */
                                              : 1;
    } else if (lower_constant(l, from, &value)) {
        n->count = once ? 0 : 1;
    } else if (from->kind == OPERAND_REG) {
        const struct value *v = &l->values[from->index];
        bool overlaps = once ? v->defs > 1 : v->uses > 1;
        n->count = overlaps ? (is_pair(l, n) ? 2 : 1) : 0;
    } else {
        n->count = 1;
    }
}

/* LEA.HI.X.SX32 extends the sign of one addend. */
static bool extends_addend(const struct lower *l, const struct node *n)
{
    u32 result = lower_result(n);
    if (result == PTX_NONE || l->values[result].uses != 1 || l->values[result].defs != 1)
        return false;
    const struct node *sum = &l->nodes[l->use_list[l->values[result].first_use]];
    if (sum->code != LOWER_ADD || sum->bytes != 8)
        return false;
    u32 k = lower_register(lower_operand(sum, 1)) == result ? 2 : 1;
    const struct node *other = source(l, sum, k);
    return !other || other->code != LOWER_CVT || other->count;
}

static void fold_conversion(const struct lower *l, struct node *n)
{
    if (n->class == CLASS_FLOAT || n->from_class == CLASS_FLOAT)
        return;
    if (n->bytes == 8 && n->from_bytes < 8) {
        n->count = n->from_class == CLASS_SIGNED && is_pair(l, n) && !extends_addend(l, n) ? 1 : 0;
        return;
    }
    const struct node *d = source(l, n, 1);
    bool loaded = d && (d->code == LOWER_LD || d->code == LOWER_AND) && d->bytes <= n->from_bytes;
    n->count = n->bytes <= n->from_bytes || loaded ? 0 : 1;
}

/* setp of a single-use and against zero: LOP3 has a predicate of its own. */
static void fold_comparison(const struct lower *l, struct node *n)
{
    i64 value;
    struct node *d = only_here(l, n, 1);
    bool against_zero = (n->mods.compare == COMPARE_EQ || n->mods.compare == COMPARE_NE) &&
                        lower_constant(l, lower_operand(n, 2), &value) && value == 0;
    if (n->bytes == 4 && lower_is_whole(n) && against_zero && d && is_logic(d) &&
        d->class != CLASS_PREDICATE)
        d->count = 0;
}

/* An atomic sum at one address is made by one lane for all: who leads is voted, places within
 * the sum are counted and the result is handed out; or the lanes' values are added up first. */
static void gather_atomic(const struct lower *l, struct node *n)
{
    u32 address = lower_register(lower_operand(n, n->code == LOWER_ATOM ? 1 : 0));
    bool sum = n->mods.operation == OPERATION_ADD && n->bytes == 4 && lower_is_whole(n);
    if (!sum || (address != PTX_NONE && l->values[address].divergent))
        return;
    u32 result = lower_result(n);
    if (n->code == LOWER_RED || result == PTX_NONE || !l->values[result].uses)
        n->count = (u8)(n->count + 5);
    else if (is_constant(l, n, 2))
        n->count = (u8)(n->count + 10);
}

/* Stored constants other than zero need a register. */
static void fold_store(const struct lower *l, struct node *n)
{
    i64 value;
    u32 at = n->code == LOWER_ATOM ? 2 : 1;
    const struct ptx_operand *o = lower_operand(n, at);
    if (o && lower_constant(l, o, &value) && value != 0)
        n->count++;
    if (n->code == LOWER_ATOM || n->code == LOWER_RED)
        gather_atomic(l, n);
}

/* Constants of 64 bits are immediate where the lower half is zero; else two moves make them. */
static void count_constants(const struct lower *l, struct node *n)
{
    for (u32 k = 1; n->s && k < n->s->operand_count; k++) {
        i64 value;
        const struct ptx_operand *o = lower_operand(n, k);
        if (lower_constant(l, o, &value) && (u32)value != 0)
            n->entry = (u8)(n->entry + 2);
    }
}

static const struct {
    u8 code;
    void (*fold)(const struct lower *l, struct node *n);
} folds[] = {
    {LOWER_ADD, fold_sum},         {LOWER_SUB, fold_sum},   {LOWER_MUL, fold_product},
    {LOWER_SHL, fold_shift},       {LOWER_SHR, fold_shift}, {LOWER_AND, fold_logic},
    {LOWER_OR, fold_logic},        {LOWER_XOR, fold_logic}, {LOWER_NOT, fold_not},
    {LOWER_NEG, fold_sign},        {LOWER_ABS, fold_sign},  {LOWER_MIN, fold_extreme},
    {LOWER_MAX, fold_extreme},     {LOWER_MOV, fold_move},  {LOWER_CVT, fold_conversion},
    {LOWER_SETP, fold_comparison}, {LOWER_ST, fold_store},  {LOWER_ATOM, fold_store},
    {LOWER_RED, fold_store},
};

static bool is_pure(const struct node *n)
{
    return n->write_count && n->code != LOWER_ATOM && n->code != LOWER_OTHER &&
           (n->code != LOWER_LD || n->mods.space == SPACE_PARAM);
}

/* What nobody reads, or only what is dead does. */
static void bury_the_dead(struct lower *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = l->count; i-- > 0;) {
            struct node *n = &l->nodes[i];
            bool used = n->dead || !is_pure(n);
            for (u32 w = 0; w < n->write_count && !used; w++) {
                EACH_USE(user, l, n->writes[w])
                used |= !l->nodes[user].dead && user != i;
            }
            if (!used) {
                n->dead = changed = true;
                n->count = 0;
            }
        }
    }
}

void lower_fold(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        struct node *n = &l->nodes[i];
        const char *letters = lower_expansion(l, n);
        n->count = (u8)(letters ? strlen(letters) : 1);
        if (n->code == LOWER_CVTA)
            n->count = 0;
        bool exact = n->mods.types[0] == TYPE_F32 && !(n->mods.flags & (MOD_APPROX | MOD_FULL));
        if (exact && n->code == LOWER_DIV)
            n->slow = SLOW_DIVIDE;
        if (exact && n->code == LOWER_SQRT)
            n->slow = SLOW_ROOT;
    }
    for (u32 i = 0; i < l->count; i++) {
        struct node *n = &l->nodes[i];
        for (size_t k = 0; k < ARRAY_LEN(folds); k++) {
            if (folds[k].code == n->code)
                folds[k].fold(l, n);
        }
        bool arithmetic = n->code == LOWER_ADD || n->code == LOWER_SUB || n->code == LOWER_MUL ||
                          n->code == LOWER_FMA || n->code == LOWER_SETP;
        if (arithmetic && n->class == CLASS_FLOAT && n->bytes == 8)
            count_constants(l, n);
    }
    bury_the_dead(l);
}
