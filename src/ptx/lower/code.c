/* The machine instructions of one op: units, costs, and registers for the scoreboard. */
#include "ptx/lower/builder.h"

#include <string.h>

/* The letters of expand.c. */
static const struct {
    char letter;
    u8 unit, cost;
} letters[] = {
    {'i', UNIT_INT, COST_SIMPLE},          {'c', UNIT_INT, COST_SELECT},
    {'m', UNIT_INT, COST_MULTIPLY_ADD},    {'f', UNIT_FP32, COST_MULTIPLY_ADD},
    {'d', UNIT_FP64, COST_MULTIPLY_ADD},   {'s', UNIT_SFU, COST_SIMPLE},
    {'b', UNIT_BRANCH, COST_SIMPLE},       {'p', UNIT_INT, COST_COMPARE},
    {'t', UNIT_TENSOR, COST_MULTIPLY_ADD}, {'w', UNIT_INT, COST_WIDE},
    {'h', UNIT_TENSOR, COST_SELECT},       {'D', UNIT_TENSOR, COST_DIVIDE},
};

/* ---- registers ------------------------------------------------------------------------------- */

static u32 find_same(const struct builder *b, u32 reg)
{
    while (b->same[reg] != reg)
        reg = b->same[reg];
    return reg;
}

u16 builder_number(struct builder *b, u32 reg)
{
    u16 *n = &b->number[find_same(b, reg)];
    if (!*n && b->numbers < UINT16_MAX)
        *n = (u16)++b->numbers;
    b->weight[*n] = (u8)max_u64(b->weight[*n], lower_weight(b->l, reg));
    return *n;
}

/* Copies that cost nothing share a register where neither is defined just once. */
void builder_join_copies(struct builder *b)
{
    const struct lower *l = b->l;
    for (u32 r = 0; r < l->value_count; r++)
        b->same[r] = r;
    for (u32 i = 0; i < l->count; i++) {
        const struct node *n = &l->nodes[i];
        u32 to = lower_result(n);
        if (n->count || n->dead || n->read_count != 1 || to == PTX_NONE || l->values[to].defs == 1)
            continue;
        b->same[find_same(b, to)] = find_same(b, n->reads[0]);
    }
}

struct list {
    u16 items[64];
    u32 count;
};

static void add_number(struct list *list, u16 number)
{
    for (u32 i = 0; i < list->count; i++) {
        if (list->items[i] == number)
            return;
    }
    if (list->count < ARRAY_LEN(list->items))
        list->items[list->count++] = number;
}

/* Who reads what a folded op makes waits for what that op reads. */
static void add_source(struct builder *b, struct list *list, u32 reg, u32 depth)
{
    const struct node *d = lower_definition(b->l, reg);
    if (!d || d->count || lower_is_joined(d) || depth > 8) {
        add_number(list, builder_number(b, reg));
        return;
    }
    for (u32 k = 0; k < d->read_count; k++)
        add_source(b, list, d->reads[k], depth + 1);
}

static void list_destinations(struct builder *b, u32 op, struct list *list)
{
    const struct lower *l = b->l;
    u32 most = l->nodes[op].code == LOWER_LD ? LOWER_MOST_APART : 1;
    for (u32 i = op; i < l->count && i < op + most; i++) { /* and of loads that are one with it */
        const struct node *n = &l->nodes[i];
        u32 other = n->same_as == PTX_NONE ? i : n->same_as;
        if (other != op && l->nodes[other].leader != op)
            continue;
        for (u32 k = 0; k < n->write_count; k++)
            add_number(list, builder_number(b, n->writes[k]));
    }
}

static void set_registers(struct builder *b, struct instruction *out, const struct list *to,
                          const struct list *from, bool chained)
{
    struct list all = {.count = 0};
    u16 *regs = ARENA_ARRAY(&b->p->arena, u16, 2 * to->count + from->count + 1);
    u32 count = 0;
    for (u32 k = 0; k < to->count; k++)
        regs[count++] = to->items[k];
    out->dst_count = (u8)count;
    for (u32 k = 0; k < from->count; k++)
        add_number(&all, from->items[k]);
    for (u32 k = 0; chained && k < to->count; k++) /* needs what the one before it made */
        add_number(&all, to->items[k]);
    for (u32 k = 0; k < all.count; k++)
        regs[count++] = all.items[k];
    out->src_count = (u8)all.count;
    out->regs = regs;
}

/* ---- instructions ------------------------------------------------------------------------------
 */

struct instruction *builder_add(struct builder *b, struct instruction i)
{
    b->code[b->count] = i;
    return &b->code[b->count++];
}

struct instruction builder_simple(char letter)
{
    static const u16 none;
    size_t k = 0;
    while (k + 1 < ARRAY_LEN(letters) && letters[k].letter != letter)
        k++;
    return (struct instruction){
        .regs = &none, .kind = WINST_ARITHMETIC, .unit = letters[k].unit, .cost = letters[k].cost};
}

static u32 words_of(const struct lower *l, u32 op)
{
    u32 words = 0;
    for (u32 i = op; i < l->count && i < op + LOWER_MOST_APART; i++)
        words += l->nodes[i].leader == op;
    return words;
}

/* How often an unrolled loop turns is worked out step by step. */
static void add_trip(struct builder *b)
{
    struct list trips = {.count = 0};
    if (!b->trips)
        b->trips = (u16)++b->numbers;
    add_number(&trips, b->trips);
    set_registers(b, builder_add(b, builder_simple('i')), &trips, &trips, false);
}

/* Is what a comparison says a guard, or does it decide a branch? */
static bool guards(const struct lower *l, const struct node *n)
{
    for (u32 k = 0; n->code == LOWER_SETP && k < n->write_count; k++) {
        EACH_USE(user, l, n->writes[k])
        {
            const struct node *u = &l->nodes[user];
            if (u->code != LOWER_SELP || u->s->guard == n->writes[k])
                return true;
        }
    }
    return false;
}

/* What a branch that became a guard depends on. */
static void add_guard(struct builder *b, const struct node *n, struct list *from)
{
    const struct node *branch = n->region == PTX_NONE ? NULL : &b->l->nodes[n->region];
    if (branch && branch != n && branch->s && branch->s->guard != PTX_NONE)
        add_source(b, from, branch->s->guard, 0);
}

/* A loop around a compare-and-swap: the instruction before it is where the op executes, and waits
 * for all that it reads. The others turn (lowered.c). */
static void add_atomic_loop(struct builder *b, u32 op, const struct list *to,
                            const struct list *from)
{
    const struct instruction *plain = &b->l->f->instructions[op];
    const struct list none = {.count = 0};
    struct list old = *to, one = {.count = 0};
    struct instruction load = *plain, swap = *plain;
    char sum = plain->bytes == 8 ? 'd' : 'f';
    if (lower_is_whole(&b->l->nodes[op]))
        sum = 'i';
    load.kind = WINST_LOAD;
    swap.cost = SHARED_ATOMIC_TRY;
    add_number(&one, (u16)++b->numbers);
    add_number(&old, one.items[0]);
    set_registers(b, builder_add(b, builder_simple('b')), &none, from, false);
    set_registers(b, builder_add(b, load), &old, from, false);
    set_registers(b, builder_add(b, builder_simple(sum)), &one, &one, false);
    set_registers(b, builder_add(b, swap), &one, &one, false);
    set_registers(b, builder_add(b, builder_simple('p')), &one, &one, false);
    set_registers(b, builder_add(b, builder_simple('b')), &none, &one, false);
}

/* Of the registers that an access in pieces loads, those that a piece brings: a warp waits for all
 * pieces. */
static struct list share_of(const struct list *to, u32 piece, u32 pieces)
{
    struct list mine = {.count = 0};
    for (u32 k = piece * to->count / pieces; k < (piece + 1) * to->count / pieces; k++)
        add_number(&mine, to->items[k]);
    return mine;
}

/* What is released must be there before: the op waits for its fence. */
static void add_fence(struct builder *b, const struct node *n)
{
    static const u16 none;
    for (u32 k = 1; k < n->fence; k++)
        builder_add(b, builder_simple('b'));
    bool of_cluster = n->fence && strcmp(n->s->opcode, "barrier") == 0;
    if (n->fence)
        builder_add(b, (struct instruction){.regs = &none,
                                            .kind = WINST_FENCE,
                                            .unit = UNIT_MEMORY,
                                            .bytes = of_cluster ? FENCE_OF_CLUSTER : FENCE_WIDE});
}

void builder_add_op(struct builder *b, u32 op)
{
    const struct node *n = &b->l->nodes[op];
    const struct instruction *plain = &b->l->f->instructions[op];
    for (u32 k = 0; k < n->control; k++)
        builder_add(b, builder_simple('b'));
    for (u32 k = 0; k < n->entry; k++)
        builder_add(b, builder_simple('i'));
    for (u32 k = 0; k < n->trips; k++)
        add_trip(b);
    add_fence(b, n);
    if (!n->count)
        return;
    const char *expansion = lower_expansion(b->l, n);
    if (expansion && strlen(expansion) != n->count)
        expansion = NULL;
    struct list to = {.count = 0}, from = {.count = 0};
    list_destinations(b, op, &to);
    for (u32 k = 0; k < n->read_count; k++)
        add_source(b, &from, n->reads[k], 0);
    add_guard(b, n, &from);
    if (b->acquired)
        add_number(&from, b->acquired);
    b->acquired = n->code == LOWER_LD && n->mods.flags & MOD_ACQUIRE && to.count ? to.items[0] : 0;
    if (n->atomic == ATOMIC_LOOP) {
        add_atomic_loop(b, op, &to, &from);
        return;
    }
    bool apart = plain->unit == UNIT_MEMORY || plain->unit == UNIT_TENSOR;
    for (u32 k = 0; k < n->count; k++) {
        bool is_last = k + 1 == n->count, is_piece = k + n->pieces >= n->count;
        struct instruction i = builder_simple(expansion ? expansion[k] : 'i');
        if ((is_last && (!expansion || plain->kind != WINST_ARITHMETIC)) || is_piece)
            i = *plain;
        else if (is_last && i.unit == UNIT_INT && guards(b->l, n))
            i = builder_simple('p');
        if (i.kind == WINST_ATOMIC && i.space == SPACE_SHARED)
            i.cost = n->shared_atomic;
        if (is_last && n->leader == op)
            i.bytes = (u8)(n->bytes * words_of(b->l, op));
        const struct list none = {.count = 0};
        const struct list share =
            is_piece ? share_of(&to, k + n->pieces - n->count, n->pieces) : none;
        bool gives = is_last || !apart;
        const struct list *result = is_piece                     ? &share
                                    : gives || !to.count         ? &to
                                    : plain->unit == UNIT_TENSOR ? &none
                                                                 : &from;
        set_registers(b, builder_add(b, i), result, &from, k > 0 && !apart);
    }
}
