/*
 * What disappears into other machine instructions: copies, constants, address arithmetic,
 * products that are added, three-input sums and logic, comparisons that are combined.
 *
 * Ops are visited in the order of the text; a definition comes before its uses but for loops,
 * so what a rule asks of a definition has been decided.
 */
#include "ptx/lower/folds.h"

#include <string.h>

static const struct {
    u8 code;
    fold_fn *fold;
} folds[] = {
    {LOWER_ADD, fold_sum},         {LOWER_SUB, fold_sum},   {LOWER_MUL, fold_product},
    {LOWER_SHL, fold_shift},       {LOWER_SHR, fold_shift}, {LOWER_AND, fold_logic},
    {LOWER_OR, fold_logic},        {LOWER_XOR, fold_logic}, {LOWER_NOT, fold_not},
    {LOWER_NEG, fold_sign},        {LOWER_ABS, fold_sign},  {LOWER_MIN, fold_extreme},
    {LOWER_MAX, fold_extreme},     {LOWER_MOV, fold_move},  {LOWER_CVT, fold_conversion},
    {LOWER_SETP, fold_comparison}, {LOWER_ST, fold_store},  {LOWER_ATOM, fold_store},
    {LOWER_RED, fold_store},
};

#define FENCE_OPS 4u /* ERRBAR and its kin, CCTL, MEMBAR */

/* MEMBAR and ERRBAR before what releases beyond its block (ptxas 13.0, sm_90a). A barrier of the
 * cluster releases unless it says otherwise. */
static bool releases_widely(const struct node *n)
{
    if (!n->s || n->code == LOWER_FENCE || n->code == LOWER_MEMBAR)
        return false;
    bool cluster = lower_has_word(n, "cluster");
    if (strcmp(n->s->opcode, "barrier") == 0)
        return cluster && lower_has_word(n, "arrive") && !lower_has_word(n, "relaxed");
    return (lower_has_word(n, "release") || lower_has_word(n, "acq_rel")) &&
           (cluster || lower_has_word(n, "gpu") || lower_has_word(n, "sys"));
}

void lower_fold(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        struct node *n = &l->nodes[i];
        const char *letters = lower_expansion(l, n);
        n->count = (u8)(letters ? strlen(letters) : 1);
        n->pieces = lower_pieces(n);
        bool argument = (n->code == LOWER_LD || n->code == LOWER_ST) &&
                        n->mods.space == SPACE_PARAM && l->f->ops[i].space == SPACE_LOCAL;
        if ((n->code == LOWER_MEMBAR || n->code == LOWER_FENCE) && !lower_has_word(n, "cta"))
            n->count = FENCE_OPS;
        n->fence = releases_widely(n) ? FENCE_OPS : 0;
        if (n->code == LOWER_CVTA || argument) /* functions are put into their callers */
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
    lower_drop_unused(l);
}
