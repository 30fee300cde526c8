/* Copies, conversions, stores and constants. */
#include "ptx/lower/folds.h"

void fold_move(const struct lower *l, struct node *n)
{
    const struct ptx_operand *to = lower_operand(n, 0), *from = lower_operand(n, 1);
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR) {
        /* two registers are one of 64 bits; who reads half a register says which */
        n->count = n->bytes == 8 || to->kind == OPERAND_VECTOR ? 0 : 1;
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
        n->count = overlaps ? (lower_is_pair(l, n) ? 2 : 1) : 0;
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
    const struct node *other = lower_source(l, sum, k);
    return !other || other->code != LOWER_CVT || other->count;
}

void fold_conversion(const struct lower *l, struct node *n)
{
    if (n->class == CLASS_FLOAT || n->from_class == CLASS_FLOAT)
        return;
    if (n->bytes == 8 && n->from_bytes < 8) {
        n->count =
            n->from_class == CLASS_SIGNED && lower_is_pair(l, n) && !extends_addend(l, n) ? 1 : 0;
        return;
    }
    const struct node *d = lower_source(l, n, 1);
    bool loaded = d && (d->code == LOWER_LD || d->code == LOWER_AND) && d->bytes <= n->from_bytes;
    n->count = n->bytes <= n->from_bytes || loaded ? 0 : 1;
}

/* REDUX does them. */
static bool is_reduced(const struct node *n)
{
    u32 o = n->mods.operation;
    bool known = o == OPERATION_ADD || o == OPERATION_MIN || o == OPERATION_MAX ||
                 o == OPERATION_AND || o == OPERATION_OR || o == OPERATION_XOR;
    return known && n->bytes == 4 && lower_is_whole(n);
}

/* An atomic at one address is made by one lane for all: who leads is voted, places within a sum are
 * counted and the result is handed out; or the lanes' values are reduced first. */
static void gather_atomic(const struct lower *l, struct node *n)
{
    u32 address = lower_register(lower_operand(n, n->code == LOWER_ATOM ? 1 : 0));
    if (!is_reduced(n) || (address != PTX_NONE && l->values[address].divergent))
        return;
    u32 result = lower_result(n);
    bool unused = n->code == LOWER_RED || result == PTX_NONE || !l->values[result].uses;
    bool is_counted = n->mods.operation == OPERATION_ADD && lower_is_constant(l, n, 2);
    if (!unused && !is_counted)
        return;
    n->atomic = ATOMIC_GATHERED;
    n->count = (u8)(n->count + (unused ? 5 : 10));
}

/* Integers of 32 bits have instructions of their own in shared memory, and lanes that add 1 to a
 * word are counted. The rest is a loop around a compare-and-swap. */
static void choose_shared_atomic(const struct lower *l, struct node *n)
{
    u32 at = n->code == LOWER_ATOM ? 2 : 1, result = lower_result(n);
    i64 value = 0;
    bool unused = n->code == LOWER_RED || result == PTX_NONE || !l->values[result].uses;
    bool swaps = n->mods.operation == OPERATION_CAS || n->mods.operation == OPERATION_EXCH;
    if (n->mods.operation == OPERATION_CAS)
        n->shared_atomic = SHARED_ATOMIC_SWAP;
    else if (!swaps && (n->bytes != 4 || !lower_is_whole(n)))
        n->atomic = ATOMIC_LOOP;
    else if (unused && n->mods.operation == OPERATION_ADD &&
             lower_constant(l, lower_operand(n, at), &value) && value == 1)
        n->shared_atomic = SHARED_ATOMIC_COUNT;
}

/* Stored constants other than zero need a register. */
void fold_store(const struct lower *l, struct node *n)
{
    if (!n->count)
        return;
    i64 value;
    u32 at = n->code == LOWER_ATOM ? 2 : 1;
    const struct ptx_operand *o = lower_operand(n, at);
    bool is_atomic = n->code == LOWER_ATOM || n->code == LOWER_RED;
    const struct instruction *plain = &l->f->instructions[lower_index(l, n)];
    if (is_atomic && plain->kind == WINST_ATOMIC && plain->space == SPACE_SHARED)
        choose_shared_atomic(l, n);
    if (n->atomic == ATOMIC_LOOP) {
        n->count = LOWER_LOOP_INSTRUCTIONS;
        return;
    }
    bool is_counted = n->shared_atomic == SHARED_ATOMIC_COUNT;
    if (!is_counted && o && lower_constant(l, o, &value) && value != 0)
        n->count++;
    if (is_atomic)
        gather_atomic(l, n);
}

/* Constants of 64 bits are immediate where the lower half is zero; else two moves make them. */
void count_constants(const struct lower *l, struct node *n)
{
    for (u32 k = 1; n->s && k < n->s->operand_count; k++) {
        i64 value;
        const struct ptx_operand *o = lower_operand(n, k);
        if (lower_constant(l, o, &value) && (u32)value != 0)
            n->entry = (u8)(n->entry + 2);
    }
}
