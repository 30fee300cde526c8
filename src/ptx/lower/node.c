#include "ptx/lower/node.h"

#include <string.h>

static const struct {
    const char *name;
    u8 code;
} codes[] = {
#define X(id, name) {name, LOWER_##id},
    LOWER_CODES(X)
#undef X
};

static u8 find_code(const char *opcode)
{
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        if (strcmp(codes[i].name, opcode) == 0)
            return codes[i].code;
    }
    return LOWER_OTHER;
}

u32 lower_register(const struct ptx_operand *o)
{
    if (!o)
        return PTX_NONE;
    if (o->kind == OPERAND_REG || (o->kind == OPERAND_ADDRESS && o->base == OPERAND_REG))
        return o->index;
    return PTX_NONE;
}

const struct ptx_operand *lower_operand(const struct node *n, u32 k)
{
    return n->s && k < n->s->operand_count ? &n->s->operands[k] : NULL;
}

struct node *lower_definition(const struct lower *l, u32 reg)
{
    if (reg == PTX_NONE || l->values[reg].defs != 1 || l->values[reg].def == PTX_NONE)
        return NULL;
    return &l->nodes[l->values[reg].def];
}

bool lower_constant(const struct lower *l, const struct ptx_operand *o, i64 *value)
{
    for (u32 depth = 0; o && depth < 4; depth++) {
        if (o->kind == OPERAND_INT || o->kind == OPERAND_FLOAT) {
            *value = o->value;
            return true;
        }
        const struct node *d = o->kind == OPERAND_REG ? lower_definition(l, o->index) : NULL;
        if (!d || d->code != LOWER_MOV || (d->s && d->s->guard != PTX_NONE))
            return false;
        o = lower_operand(d, 1);
    }
    return false;
}

bool lower_has_word(const struct node *n, const char *word)
{
    for (u32 k = 0; n->s && k < n->s->modifier_count; k++) {
        if (strcmp(n->s->modifiers[k], word) == 0)
            return true;
    }
    return false;
}

/* ---- registers -------------------------------------------------------------------------- */

#define MOST_NAMED 48u

static void name_register(u32 *named, u32 *count, u32 reg)
{
    for (u32 i = 0; i < *count; i++) {
        if (named[i] == reg)
            return;
    }
    if (reg != PTX_NONE && *count < MOST_NAMED)
        named[(*count)++] = reg;
}

/* All registers that a statement names. */
static u32 registers_of(const struct function *f, const struct ptx_statement *s, u32 *named)
{
    u32 count = 0;
    for (u32 k = 0; k < s->operand_count; k++) {
        const struct ptx_operand *o = &s->operands[k];
        name_register(named, &count, lower_register(o));
        bool several = o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST;
        for (u32 e = 0; several && e < o->count; e++)
            name_register(named, &count, lower_register(&f->source->pool[o->index + e]));
    }
    name_register(named, &count, s->guard);
    return count;
}

/* Registers that one op names have places of their own, so its list of touched places says
 * which of them it reads and which it writes. */
static bool touches(const struct function *f, u32 op, ref_t ref)
{
    for (u32 k = f->touched_start[op]; k < f->touched_start[op + 1]; k++) {
        if (f->touched[k] == ref)
            return true;
    }
    return false;
}

static void list_registers(struct lower *l, u32 op)
{
    struct node *n = &l->nodes[op];
    u32 named[MOST_NAMED];
    u32 count = n->s ? registers_of(l->f, n->s, named) : 0;
    u32 *reads = ARENA_ARRAY(l->scratch, u32, count + 1);
    u32 *writes = ARENA_ARRAY(l->scratch, u32, count + 1);
    for (u32 i = 0; i < count; i++) {
        ref_t ref = l->f->reg_refs[named[i]];
        if (touches(l->f, op, ref))
            reads[n->read_count++] = named[i];
        if (touches(l->f, op, ref | REF_WRITTEN))
            writes[n->write_count++] = named[i];
    }
    n->reads = reads;
    n->writes = writes;
}

static void index_uses(struct lower *l)
{
    u32 total = 0;
    for (u32 i = 0; i < l->count; i++) {
        const struct node *n = &l->nodes[i];
        for (u32 k = 0; k < n->read_count; k++)
            l->values[n->reads[k]].uses++;
        for (u32 k = 0; k < n->write_count; k++) {
            struct value *v = &l->values[n->writes[k]];
            if (v->defs++ == 0)
                v->def = i;
        }
    }
    for (u32 r = 0; r < l->value_count; r++) {
        l->values[r].first_use = total;
        total += l->values[r].uses;
        l->values[r].uses = 0;
    }
    l->use_list = ARENA_ARRAY(l->scratch, u32, total + 1);
    for (u32 i = 0; i < l->count; i++) {
        const struct node *n = &l->nodes[i];
        for (u32 k = 0; k < n->read_count; k++) {
            struct value *v = &l->values[n->reads[k]];
            l->use_list[v->first_use + v->uses++] = i;
        }
    }
}

static void read_statement(struct lower *l, u32 op)
{
    struct node *n = &l->nodes[op];
    const struct ptx_function *source = l->f->source;
    n->s = op < source->statement_count ? &source->statements[op] : NULL;
    if (!n->s) {
        n->code = LOWER_RET;
        return;
    }
    n->code = find_code(n->s->opcode);
    mods_read(n->s, &n->mods);
    const struct type_info *t = &type_info[n->mods.types[0]];
    const struct type_info *from = &type_info[n->mods.types[n->mods.type_count > 1 ? 1 : 0]];
    n->bytes = t->bytes;
    n->class = t->class;
    n->from_bytes = from->bytes;
    n->from_class = from->class;
}

static void find_depths(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        const struct op *op = &l->f->ops[i];
        for (u32 k = op->target; op->kind == OP_BRANCH && op->target <= i && k <= i; k++)
            l->nodes[k].depth++;
    }
}

void lower_analyse(struct lower *l, const struct function *f, struct arena *scratch)
{
    *l = (struct lower){
        .f = f, .scratch = scratch, .count = f->op_count, .value_count = f->source->reg_count};
    l->nodes = ARENA_ARRAY(scratch, struct node, l->count + 1);
    l->values = ARENA_ARRAY(scratch, struct value, l->value_count + 1);
    for (u32 r = 0; r < l->value_count; r++)
        l->values[r].def = PTX_NONE;
    graph_build(f, &l->graph, scratch);
    for (u32 i = 0; i < l->count; i++) {
        l->nodes[i].region = l->nodes[i].leader = l->nodes[i].same_as = PTX_NONE;
        read_statement(l, i);
        list_registers(l, i);
    }
    index_uses(l);
    find_depths(l);
}

/* ---- questions of the rules --------------------------------------------------------------- */

bool lower_is_narrow(const struct lower *l, const struct node *n)
{
    u32 r = lower_result(n);
    return r != PTX_NONE && l->values[r].narrow;
}

bool lower_is_pair(const struct lower *l, const struct node *n)
{
    return n->bytes == 8 && lower_is_whole(n) && !lower_is_narrow(l, n);
}

struct node *lower_only_here(const struct lower *l, const struct node *n, u32 k)
{
    u32 reg = lower_register(lower_operand(n, k));
    struct node *d = reg == PTX_NONE ? NULL : lower_definition(l, reg);
    if (!d || !d->s || d->s->guard != PTX_NONE || l->values[reg].uses != 1 || !d->count)
        return NULL;
    u32 a = lower_index(l, d), b = lower_index(l, n);
    return l->graph.block_of[a] == l->graph.block_of[b] ? d : NULL;
}

bool lower_is_constant(const struct lower *l, const struct node *n, u32 k)
{
    i64 value;
    return lower_constant(l, lower_operand(n, k), &value);
}

bool lower_has_zero_upper(const struct lower *l, const struct node *n, u32 k)
{
    const struct ptx_operand *o = lower_operand(n, k);
    i64 value;
    if (lower_constant(l, o, &value))
        return value >= 0 && value <= UINT32_MAX;
    return o && o->kind == OPERAND_REG && l->values[o->index].zero_upper;
}

struct node *lower_source(const struct lower *l, const struct node *n, u32 k)
{
    return lower_definition(l, lower_register(lower_operand(n, k)));
}

bool lower_is_address(const struct lower *l, const struct node *n, u32 k)
{
    switch (n->code) {
    case LOWER_LD:
    case LOWER_ATOM:
    case LOWER_LDMATRIX:
        return k == 1;
    case LOWER_ST:
    case LOWER_RED:
        return k == 0;
    case LOWER_CP: /* asynchronous: to shared memory, from global memory */
        return l->f->instructions[lower_index(l, n)].kind == WINST_ASYNC_COPY && k < 2;
    case LOWER_WMMA:
        return l->f->instructions[lower_index(l, n)].unit == UNIT_MEMORY &&
               k == (l->f->instructions[lower_index(l, n)].kind == WINST_STORE ? 0 : 1);
    default:
        return false;
    }
}
