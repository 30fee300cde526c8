/* What is true of values everywhere: which lanes agree on, which half matters, which is zero. */
#include "ptx/lower/rules.h"

/* ---- 64-bit values of which the lower half is enough ------------------------------------- */

/* Does an op need the upper half of a register that it reads? Addresses of shared memory have
 * 32 bits, and what only leads to them is computed in 32. */
static bool needs_upper_half(const struct lower *l, u32 user, u32 reg)
{
    const struct node *n = &l->nodes[user];
    u32 result = lower_result(n);
    switch (n->code) {
    case LOWER_CVT:
        return n->bytes > 4 || n->class == CLASS_FLOAT;
    case LOWER_LD:
    case LOWER_ST:
    case LOWER_ATOM:
    case LOWER_RED:
    case LOWER_CP:
    case LOWER_WMMA:
    case LOWER_LDMATRIX: {
        bool is_address = false;
        bool narrow = l->f->ops[user].space == SPACE_SHARED ||
                      (n->mods.has_space && n->mods.space == SPACE_CONST);
        for (u32 k = 0; k < n->s->operand_count; k++) {
            if (lower_register(&n->s->operands[k]) != reg)
                continue;
            if (!lower_is_address(l, n, k))
                return true; /* it is stored itself */
            is_address = n->code == LOWER_CP ? k == 0 : narrow;
        }
        return !is_address;
    }
    case LOWER_AND: {
        i64 mask;
        if (lower_constant(l, lower_operand(n, 2), &mask) && mask >= 0 && mask <= UINT32_MAX)
            return false;
        return result == PTX_NONE || !l->values[result].narrow;
    }
    case LOWER_ADD:
    case LOWER_SUB:
    case LOWER_MUL:
    case LOWER_MAD:
    case LOWER_SHL:
    case LOWER_MOV:
    case LOWER_SELP:
        return result == PTX_NONE || !l->values[result].narrow;
    default:
        return true;
    }
}

static bool is_64_bit(const struct lower *l, u32 reg)
{
    const struct type_info *t = &type_info[l->f->source->regs[reg].type];
    return t->bytes == 8 && t->class != CLASS_FLOAT;
}

static void find_narrow(struct lower *l)
{
    for (u32 r = 0; r < l->value_count; r++)
        l->values[r].narrow = is_64_bit(l, r);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 r = 0; r < l->value_count; r++) {
            if (!l->values[r].narrow)
                continue;
            EACH_USE(user, l, r)
            {
                if (needs_upper_half(l, user, r)) {
                    l->values[r].narrow = false;
                    changed = true;
                    break;
                }
            }
        }
    }
}

/* ---- 64-bit values whose upper half is zero ----------------------------------------------- */

static bool is_unsigned(u8 class)
{
    return class == CLASS_UNSIGNED || class == CLASS_BITS;
}

static bool makes_zero_upper(const struct lower *l, const struct node *n)
{
    i64 places;
    switch (n->code) {
    case LOWER_CVT:
        return n->bytes == 8 && n->from_bytes <= 4 && is_unsigned(n->from_class);
    case LOWER_LD:
        return n->write_count == 1 && n->bytes <= 4 && is_unsigned(n->class);
    case LOWER_AND:
        return lower_has_zero_upper(l, n, 1) || lower_has_zero_upper(l, n, 2);
    case LOWER_OR:
    case LOWER_XOR:
    case LOWER_SELP:
        return lower_has_zero_upper(l, n, 1) && lower_has_zero_upper(l, n, 2);
    case LOWER_MOV:
        return lower_has_zero_upper(l, n, 1);
    case LOWER_SHR:
        return lower_has_zero_upper(l, n, 1) ||
               (is_unsigned(n->class) && lower_constant(l, lower_operand(n, 2), &places) &&
                places >= 32);
    default:
        return false;
    }
}

/* Of values with one definition: where paths meet, ptxas does not know it either (its code for
 * b+tree, whose node numbers come from a 32-bit load in a loop, multiplies both halves). */
static void find_zero_upper(struct lower *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 0; i < l->count; i++) {
            const struct node *n = &l->nodes[i];
            u32 reg = lower_result(n);
            if (reg == PTX_NONE || l->values[reg].defs != 1 || l->values[reg].zero_upper ||
                !is_64_bit(l, reg) || !makes_zero_upper(l, n))
                continue;
            l->values[reg].zero_upper = changed = true;
        }
    }
}

/* ---- values on which the lanes of a warp may differ --------------------------------------- */

static bool is_divergent_source(const struct node *n)
{
    const struct ptx_operand *from = lower_operand(n, 1);
    switch (n->code) {
    case LOWER_MOV:
        return from && from->kind == OPERAND_SPECIAL &&
               (from->index <= SPECIAL_TID_Z || from->index == SPECIAL_LANEID);
    case LOWER_LD:
        return n->mods.space != SPACE_PARAM && n->mods.space != SPACE_CONST;
    case LOWER_ATOM:
        return true;
    case LOWER_OTHER:
        return n->write_count > 0 && n->s->opcode[0] != 'v'; /* vote gives all lanes the same */
    default:
        return false;
    }
}

static bool spread(struct lower *l, u32 i)
{
    const struct node *n = &l->nodes[i];
    bool divergent = is_divergent_source(n), changed = false;
    for (u32 k = 0; k < n->read_count && !divergent; k++)
        divergent = l->values[n->reads[k]].divergent;
    for (u32 k = 0; k < n->write_count && divergent; k++) {
        changed |= !l->values[n->writes[k]].divergent;
        l->values[n->writes[k]].divergent = true;
    }
    return changed;
}

bool lower_branch_diverges(const struct lower *l, u32 i)
{
    const struct node *n = &l->nodes[i];
    return n->s && n->s->guard != PTX_NONE && l->values[n->s->guard].divergent;
}

/* Is a register that is set in [first, end), which some lanes skip, also set outside? */
static bool is_set_elsewhere(const struct lower *l, u32 reg, u32 first, u32 end)
{
    u32 inside = 0;
    for (u32 i = first; i < end; i++) {
        for (u32 k = 0; k < l->nodes[i].write_count; k++)
            inside += l->nodes[i].writes[k] == reg;
    }
    return inside < l->values[reg].defs;
}

/* What some lanes set and others do not, between a branch and where they meet. */
static bool spread_from_branch(struct lower *l, u32 i)
{
    const struct op *op = &l->f->ops[i];
    bool changed = false;
    if (op->kind != OP_BRANCH || !lower_branch_diverges(l, i) || op->target <= i ||
        op->reconverge == PTX_NONE || l->f->ops[op->reconverge].kind == OP_RETURN)
        return false;
    for (u32 k = i + 1; k < op->reconverge && k < l->count; k++) {
        const struct node *n = &l->nodes[k];
        for (u32 w = 0; w < n->write_count; w++) {
            struct value *v = &l->values[n->writes[w]];
            if (!v->divergent && v->defs > 1 &&
                is_set_elsewhere(l, n->writes[w], i + 1, op->target)) {
                v->divergent = true;
                changed = true;
            }
        }
    }
    return changed;
}

void lower_facts(struct lower *l)
{
    find_narrow(l);
    find_zero_upper(l);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 0; i < l->count; i++) {
            changed |= spread(l, i);
            changed |= spread_from_branch(l, i);
        }
    }
}
