/* One rule per opcode: what disappears into the machine instructions of others. */
#ifndef PTX_LOWER_FOLDS_H
#define PTX_LOWER_FOLDS_H

#include "ptx/lower/rules.h"

typedef void fold_fn(const struct lower *l, struct node *n);

/* fold_sum.c */
fold_fn fold_sum, fold_product, fold_shift;
/* fold_logic.c */
fold_fn fold_logic, fold_not, fold_sign, fold_extreme, fold_comparison;
/* fold_move.c */
fold_fn fold_move, fold_conversion, fold_store;
/* Constants that have to be made first. */
fold_fn count_constants;

static inline bool lower_is_logic(const struct node *n)
{
    return n->code == LOWER_AND || n->code == LOWER_OR || n->code == LOWER_XOR;
}

/* A product of 32 bits by 32 with 64, which sums can take in: IMAD.WIDE. */
static inline bool lower_is_wide_product(const struct lower *l, const struct node *n)
{
    if (!n || n->code != LOWER_MUL)
        return false;
    return n->mods.flags & MOD_WIDE ||
           (n->mods.flags & MOD_LO && lower_is_pair(l, n) && lower_has_zero_upper(l, n, 1) &&
            lower_has_zero_upper(l, n, 2));
}

#endif
