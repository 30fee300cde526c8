/* Sums, products and shifts: IADD3, IMAD, LEA, and address arithmetic that is part of an access. */
#include "ptx/lower/folds.h"

/* Bytes that an offset in a load or store can hold: 24 bits with sign. */
#define MOST_OFFSET (1 << 23)

static bool is_address_of(const struct lower *l, u32 user, u32 reg)
{
    const struct node *n = &l->nodes[user];
    bool is_one = false;
    for (u32 k = 0; n->s && k < n->s->operand_count; k++) {
        if (lower_register(&n->s->operands[k]) != reg)
            continue;
        if (!lower_is_address(l, n, k))
            return false;
        is_one = true;
    }
    return is_one;
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

static bool only_sums(const struct lower *l, u32 reg)
{
    if (reg == PTX_NONE || l->values[reg].defs != 1 || !l->values[reg].uses)
        return false;
    EACH_USE(user, l, reg)
    {
        const struct node *n = &l->nodes[user];
        if (n->code != LOWER_ADD || n->bytes != 8 || lower_is_constant(l, n, 1) ||
            lower_is_constant(l, n, 2))
            return false;
    }
    return true;
}

/* add(add(a, b), c) is one of three inputs, add(a << k, b) and add(a * b, c) one each. */
static void take_into_sum(const struct lower *l, struct node *n)
{
    n->inputs = 2;
    for (u32 k = 1; k <= 2; k++) {
        struct node *d = lower_only_here(l, n, k);
        if (!d || d->class == CLASS_FLOAT)
            continue;
        bool sum = (d->code == LOWER_ADD || d->code == LOWER_SUB) && d->inputs == 2;
        bool product =
            (d->code == LOWER_SHL && lower_is_constant(l, d, 2) && n->code == LOWER_ADD) ||
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
    n->count = lower_is_pair(l, n) ? 2 : 1;
    for (u32 k = 1; k <= 2 && lower_is_narrow(l, n) && n->code == LOWER_ADD; k++) {
        const struct node *base = lower_source(l, n, k), *other = lower_source(l, n, 3 - k);
        const struct ptx_operand *o = base ? lower_operand(base, 1) : NULL;
        if (base && base->code == LOWER_MOV && o->kind == OPERAND_SYMBOL &&
            !(other && lower_is_wide_product(l, other)) && only_addresses(l, result)) {
            n->count = 0; /* [register + uniform register] */
            return;
        }
    }
    if (lower_is_narrow(l, n)) {
        take_into_sum(l, n);
        return;
    }
    for (u32 k = 1; k <= 2 && n->code == LOWER_ADD; k++) {
        const struct node *d = lower_source(l, n, k);
        if (d && lower_is_wide_product(l, d) && !d->count) {
            n->count = 1;
            return;
        }
    }
}

void fold_sum(const struct lower *l, struct node *n)
{
    if (n->class == CLASS_FLOAT) {
        /* contracted where the text leaves the rounding open */
        for (u32 k = 1; k <= 2 && n->mods.round == ROUND_NONE; k++) {
            struct node *d = lower_only_here(l, n, k);
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

void fold_product(const struct lower *l, struct node *n)
{
    i64 value;
    if (n->class == CLASS_FLOAT || n->code != LOWER_MUL)
        return;
    if (lower_is_wide_product(l, n))
        n->count = only_sums(l, lower_result(n)) ? 0 : 1;
    else if (lower_is_narrow(l, n))
        n->count = 1;
    else if (n->bytes == 8 && lower_constant(l, lower_operand(n, 2), &value))
        n->count = 3;
}

void fold_shift(const struct lower *l, struct node *n)
{
    i64 value;
    u32 result = lower_result(n);
    if (n->bytes != 8)
        return;
    bool constant = lower_constant(l, lower_operand(n, 2), &value);
    n->count = lower_is_pair(l, n) ? 2 : 1;
    if (constant && n->code == LOWER_SHL && only_sums(l, result))
        n->count = 0; /* LEA and LEA.HI.X shift and add */
    if (constant && n->code == LOWER_SHR && value >= 32)
        n->count = 1;
}
