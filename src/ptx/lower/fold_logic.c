/* Logic, comparisons, signs, and the smaller of two: LOP3, ISETP, VIMNMX3. */
#include "ptx/lower/folds.h"

/* LOP3 takes any function of three inputs. */
void fold_logic(const struct lower *l, struct node *n)
{
    if (n->class == CLASS_PREDICATE) {
        for (u32 k = 1; k <= 2; k++) {
            struct node *d = lower_source(l, n, k);
            u32 reg = lower_register(lower_operand(n, k));
            if ((d && d->code == LOWER_SETP && !d->taken && l->values[reg].uses == 1) ||
                lower_is_constant(l, n, k)) {
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
        struct node *d = lower_only_here(l, n, k);
        if (d && lower_is_logic(d) && d->inputs == 2 && n->inputs == 2) {
            d->count = 0;
            n->inputs = 3;
        }
    }
}

void fold_not(const struct lower *l, struct node *n)
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
        if (!lower_is_logic(&l->nodes[user]))
            return;
    }
    n->count = 0;
}

/* Signs of floating point are bits of the operand; of integers, only in sums. */
void fold_sign(const struct lower *l, struct node *n)
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
void fold_extreme(const struct lower *l, struct node *n)
{
    n->inputs = 2;
    for (u32 k = 1; k <= 2 && n->bytes == 4 && lower_is_whole(n); k++) {
        struct node *d = lower_only_here(l, n, k);
        if (d && d->code == n->code && d->inputs == 2 && n->inputs == 2 && d->class == n->class) {
            d->count = 0;
            n->inputs = 3;
        }
    }
}

/* setp of a single-use and against zero: LOP3 has a predicate of its own. */
void fold_comparison(const struct lower *l, struct node *n)
{
    i64 value;
    struct node *d = lower_only_here(l, n, 1);
    bool against_zero = (n->mods.compare == COMPARE_EQ || n->mods.compare == COMPARE_NE) &&
                        lower_constant(l, lower_operand(n, 2), &value) && value == 0;
    if (n->bytes == 4 && lower_is_whole(n) && against_zero && d && lower_is_logic(d) &&
        d->class != CLASS_PREDICATE)
        d->count = 0;
}
