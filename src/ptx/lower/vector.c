/*
 * Loads of neighbouring words of shared memory become one of 8 or 16 bytes, where the address
 * is known to be a multiple of that; two words of constant memory, at an address that all lanes
 * share, one of 8 (ULDC.64). Global pointers are parameters, of which nothing is known.
 * And a load of what was just loaded is not there: compilers leave such behind where the text has
 * volatile assembly between them.
 */
#include "ptx/lower/rules.h"

#define MOST_ALIGNMENT 16u
/* ptxas puts a kernel's variables behind what the system keeps. */
#define SHARED_START 1024u

static u32 low_bit(u64 value)
{
    u64 bit = value & (0 - value);
    return !bit || bit > MOST_ALIGNMENT ? MOST_ALIGNMENT : (u32)bit;
}

static u32 smaller(u32 a, u32 b)
{
    return a < b ? a : b;
}

static u32 symbol_alignment(const struct ptx_symbol *s, u64 value)
{
    if (s->space == SPACE_CONST)
        return low_bit(s->offset + value);
    u64 offset = s->is_dynamic_shared ? 0 : s->offset;
    return s->space == SPACE_SHARED ? low_bit(SHARED_START + offset + value) : 1;
}

static u32 operand_alignment(const struct lower *l, const u8 *known, const struct ptx_operand *o)
{
    i64 value;
    if (!o)
        return 1;
    if (lower_constant(l, o, &value))
        return low_bit((u64)value);
    if (o->kind == OPERAND_REG)
        return known[o->index];
    if (o->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = l->f->module->symbols[o->index];
        return symbol_alignment(s, (u64)o->value);
    }
    return 1;
}

static u32 product(u32 a, u64 b)
{
    return b ? smaller(a * low_bit(b), MOST_ALIGNMENT) : MOST_ALIGNMENT;
}

/* What a node makes is a multiple of this. */
static u32 result_alignment(const struct lower *l, const u8 *known, const struct node *n)
{
    u32 a = operand_alignment(l, known, lower_operand(n, 1));
    u32 b = operand_alignment(l, known, lower_operand(n, 2));
    i64 value;
    bool constant = lower_constant(l, lower_operand(n, 2), &value);
    switch (n->code) {
    case LOWER_MOV:
    case LOWER_CVTA:
    case LOWER_CVT:
        return a;
    case LOWER_ADD:
    case LOWER_SUB:
        return smaller(a, b);
    case LOWER_MUL:
        return constant ? product(a, (u64)value) : smaller(a * b, MOST_ALIGNMENT);
    case LOWER_MAD:
        return smaller(smaller(a * b, MOST_ALIGNMENT),
                       operand_alignment(l, known, lower_operand(n, 3)));
    case LOWER_SHL:
        return constant && value < 8 ? product(a, (u64)1 << value) : a;
    case LOWER_AND:
        return a > b ? a : b;
    case LOWER_OR:
    case LOWER_SELP:
        return smaller(a, b);
    default:
        return 1;
    }
}

static u8 *find_alignments(struct lower *l)
{
    u8 *known = ARENA_ARRAY(l->scratch, u8, l->value_count + 1);
    for (u32 r = 0; r < l->value_count; r++)
        known[r] = l->values[r].defs ? MOST_ALIGNMENT : 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 0; i < l->count; i++) {
            const struct node *n = &l->nodes[i];
            for (u32 k = 0; k < n->write_count; k++) {
                u32 a = n->write_count == 1 ? result_alignment(l, known, n) : 1;
                if (a < known[n->writes[k]]) {
                    known[n->writes[k]] = (u8)a;
                    changed = true;
                }
            }
        }
    }
    return known;
}

/* A load that can be one with its neighbours. */
static bool can_join(const struct lower *l, u32 i)
{
    const struct node *n = &l->nodes[i];
    u8 space = l->f->instructions[i].space;
    if (n->code != LOWER_LD || l->f->ops[i].observes || n->mods.vector || n->s->guard != PTX_NONE ||
        n->leader != PTX_NONE || n->count != 1 || lower_operand(n, 1)->kind != OPERAND_ADDRESS)
        return false;
    u32 base = lower_register(lower_operand(n, 1));
    if (space == SPACE_CONST)
        return n->bytes == 4 && (base == PTX_NONE || !l->values[base].divergent);
    return space == SPACE_SHARED && (n->bytes == 4 || n->bytes == 8);
}

/* May memory or the base change between two loads? `other`: the space that they do not see. */
static bool stops(const struct lower *l, u32 i, u32 base, enum space other)
{
    const struct node *n = &l->nodes[i];
    const struct op *op = &l->f->ops[i];
    bool memory = n->code == LOWER_ST || n->code == LOWER_ATOM || n->code == LOWER_RED;
    for (u32 k = 0; k < n->write_count; k++) {
        if (n->writes[k] == base)
            return true;
    }
    return op->kind != OP_LANES || (memory && op->space != other) || n->code == LOWER_MEMBAR ||
           n->code == LOWER_FENCE;
}

/* The load of the word at `offset` from the same base, behind load i in its block. */
static u32 find_word(const struct lower *l, u32 i, i64 offset)
{
    const struct ptx_operand *a = lower_operand(&l->nodes[i], 1);
    u32 base = lower_register(a), block = l->graph.block_of[i];
    /* the one that starts a group may come later in the text than the others */
    u32 k = i;
    while (k > l->graph.first[block] && !stops(l, k - 1, base, SPACE_GLOBAL))
        k--;
    for (; k < l->graph.first[block + 1]; k++) {
        if (k > i && stops(l, k, base, SPACE_GLOBAL))
            return PTX_NONE;
        if (k == i || !can_join(l, k) || l->f->instructions[k].space != l->f->instructions[i].space)
            continue;
        const struct ptx_operand *b = lower_operand(&l->nodes[k], 1);
        if (b->base == a->base && b->index == a->index && b->value == offset &&
            l->nodes[k].bytes == l->nodes[i].bytes)
            return k;
    }
    return PTX_NONE;
}

static void join_words(struct lower *l, u32 i, u32 words)
{
    const struct ptx_operand *a = lower_operand(&l->nodes[i], 1);
    u32 group[4] = {i};
    for (u32 w = 1; w < words; w++) {
        group[w] = find_word(l, i, a->value + (i64)l->nodes[i].bytes * w);
        if (group[w] == PTX_NONE)
            return;
    }
    u32 first = i;
    for (u32 w = 1; w < words; w++)
        first = group[w] < first ? group[w] : first;
    for (u32 w = 0; w < words; w++) {
        l->nodes[group[w]].leader = first;
        l->nodes[group[w]].count = group[w] == first;
    }
}

static bool is_plain_load(const struct lower *l, u32 i)
{
    const struct node *n = &l->nodes[i];
    u8 space = l->f->ops[i].space;
    return n->code == LOWER_LD && !l->f->ops[i].observes && !n->mods.vector &&
           (space == SPACE_SHARED || space == SPACE_GLOBAL) && n->s->guard == PTX_NONE &&
           n->count == 1 && !n->dead && lower_result(n) != PTX_NONE &&
           lower_operand(n, 1)->kind == OPERAND_ADDRESS &&
           l->f->instructions[i].cache_operator != CACHE_VOLATILE;
}

/* The first load before load i, in its block, that has the same place and kind. */
static u32 find_same(const struct lower *l, u32 i)
{
    const struct node *n = &l->nodes[i];
    const struct ptx_operand *a = lower_operand(n, 1);
    u32 base = lower_register(a), first = l->graph.first[l->graph.block_of[i]], found = PTX_NONE;
    bool shared = l->f->ops[i].space == SPACE_SHARED;
    enum space other = shared ? SPACE_GLOBAL : SPACE_SHARED;
    for (u32 k = i; k-- > first && k + LOWER_MOST_APART > i && !stops(l, k, base, other);) {
        const struct node *m = &l->nodes[k];
        const struct ptx_operand *b = is_plain_load(l, k) ? lower_operand(m, 1) : NULL;
        if (b && l->values[lower_result(m)].defs == 1 && b->base == a->base &&
            b->index == a->index && b->value == a->value && m->bytes == n->bytes &&
            m->mods.types[0] == n->mods.types[0] && l->f->ops[k].space == l->f->ops[i].space)
            found = k;
    }
    return found;
}

static void drop_loads_of_the_same(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        u32 result = is_plain_load(l, i) ? lower_result(&l->nodes[i]) : PTX_NONE;
        if (result == PTX_NONE || l->values[result].defs != 1)
            continue;
        l->nodes[i].same_as = find_same(l, i);
        if (l->nodes[i].same_as != PTX_NONE)
            l->nodes[i].count = 0;
    }
}

void lower_vectors(struct lower *l)
{
    drop_loads_of_the_same(l);
    const u8 *known = find_alignments(l);
    for (u32 words = 4; words >= 2; words /= 2) {
        for (u32 i = 0; i < l->count; i++) {
            if (!can_join(l, i) || (l->f->instructions[i].space == SPACE_CONST && words > 2))
                continue;
            const struct ptx_operand *a = lower_operand(&l->nodes[i], 1);
            u32 base = a->base == OPERAND_REG ? known[a->index] : MOST_ALIGNMENT;
            if (a->base == OPERAND_SYMBOL)
                base = symbol_alignment(l->f->module->symbols[a->index], 0);
            u32 bytes = l->nodes[i].bytes * words;
            if (bytes <= MOST_ALIGNMENT && smaller(base, low_bit((u64)a->value)) >= bytes)
                join_words(l, i, words);
        }
    }
}
