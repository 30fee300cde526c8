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

/* A product that sums can take in. */
static inline bool lower_is_wide_product(const struct node *n)
{
    return n && n->code == LOWER_MUL && n->mods.flags & MOD_WIDE;
}

#endif
