/* Stretches of a function: where they start and end, and the order of their instructions. */
#include "ptx/lower/builder.h"

#include "ptx/lower/schedule.h"

#include <string.h>

/* What a warp keeps of a stretch while it is issued has a limit. */
#define MOST_OPS 256u
#define MOST_ACCESSES 64u

#define MOST_DEPTH 8u /* of what is folded into an address; one may lead to itself */

/* ---- where they are ------------------------------------------------------------------------- */

static bool reads_a_clock(const struct node *n)
{
    for (u32 k = 0; n->s && k < n->s->operand_count; k++) {
        const struct ptx_operand *o = &n->s->operands[k];
        if (o->kind == OPERAND_SPECIAL && special_info[o->index].changes)
            return true;
    }
    return false;
}

static bool is_access(const struct lower *l, u32 i)
{
    return l->f->instructions[i].unit == UNIT_MEMORY;
}

/* Does nobody but the thread itself see when it executes? */
static bool is_quiet(const struct lower *l, u32 i)
{
    const struct instruction *x = &l->f->instructions[i];
    const struct op *op = &l->f->ops[i];
    bool kind = x->kind == WINST_ARITHMETIC || x->kind == WINST_LOAD || x->kind == WINST_STORE;
    /* the compiler may not leave out a volatile or relaxed load, but what follows need not wait */
    const struct node *n = &l->nodes[i];
    bool loose = n->s && strcmp(n->s->opcode, "ld") == 0 && x->unit == UNIT_MEMORY &&
                 !(n->mods.flags & (MOD_ACQUIRE | MOD_SC | MOD_MMIO));
    return op->kind == OP_LANES && kind && !reads_a_clock(n) &&
           (loose || (!op->observes && x->cache_operator != CACHE_VOLATILE));
}

/* A branch that the machine does not have, within what is walked under a guard. */
static bool is_inner_branch(const struct lower *l, u32 i)
{
    const struct op *op = &l->f->ops[i];
    const struct node *n = &l->nodes[i];
    return op->kind == OP_BRANCH && op->target > i &&
           (n->is_guard || n->region != PTX_NONE || (op->guard == REF_NONE && op->target == i + 1));
}

static bool is_outer_branch(const struct lower *l, u32 i)
{
    const struct op *op = &l->f->ops[i];
    return op->kind == OP_BRANCH && !op->may_spin && !is_inner_branch(l, i);
}

/* Ops that others than the one before lead to. */
static bool *find_entries(const struct lower *l)
{
    bool *entries = ARENA_ARRAY(l->scratch, bool, l->count + 1);
    for (u32 i = 0; i < l->count; i++) {
        const struct op *op = &l->f->ops[i];
        if (op->kind != OP_BRANCH && op->kind != OP_BRANCH_TABLE && op->kind != OP_LANES)
            entries[i + 1] = true;
        if (op->kind == OP_BRANCH_TABLE) {
            const struct branch_table *t = op->extra;
            for (u32 k = 0; k < t->count; k++)
                entries[t->targets[k]] = true;
        }
        if (op->kind != OP_BRANCH || is_inner_branch(l, i))
            continue;
        entries[i + 1] = entries[op->target] = true;
        if (op->reconverge != PTX_NONE && op->reconverge < l->count)
            entries[op->reconverge] = true;
    }
    return entries;
}

/* The end of what starts with an op; the op itself: nothing does. */
static u32 find_end(const struct lower *l, const bool *entries, u32 first)
{
    u32 i = first, accesses = 0;
    while (i < l->count && (i == first || !entries[i]) && i - first < MOST_OPS) {
        accesses += is_access(l, i);
        if (is_outer_branch(l, i))
            return i + 1;
        if (accesses > MOST_ACCESSES || (!is_quiet(l, i) && !is_inner_branch(l, i)))
            break;
        i++;
        if (lower_has_branch(l, &l->nodes[i - 1])) /* nothing behind it passes that */
            break;
    }
    return i;
}

/* Can all turns of an unrolled loop be one? */
static bool is_whole_loop(const struct lower *l, u32 first, u32 end)
{
    for (u32 i = first; i < end; i++) {
        if (!is_quiet(l, i) && l->f->ops[i].kind != OP_BRANCH)
            return false;
    }
    return end > first;
}

/* ---- their instructions ------------------------------------------------------------------------
 */

struct list {
    struct builder *b;
    const u32 *first; /* of each op in code */
    struct schedule_item *items;
    struct machine_issue *issues;
    u32 count;
    u16 *versions; /* by register: how often it has been set */
    bool all;      /* turns of an unrolled loop */
};

static const struct node *folded_sum(const struct lower *l, u32 reg)
{
    const struct node *d = lower_definition(l, reg);
    bool moves = d && !d->count && !lower_is_joined(d) && !d->turns &&
                 (d->code == LOWER_ADD || d->code == LOWER_CVTA || d->code == LOWER_MOV);
    return moves && lower_register(lower_operand(d, 1)) != PTX_NONE ? d : NULL;
}

/* Does the loop move a register by a constant? */
static const struct node *step_of(const struct list *s, u32 reg)
{
    const struct node *d = reg == PTX_NONE ? NULL : s->b->stepped[reg];
    return s->all ? d : NULL;
}

static struct schedule_access describe(const struct list *s, u32 op, u32 turn, u32 bytes)
{
    const struct lower *l = s->b->l;
    const struct node *n = &l->nodes[op];
    const struct instruction *x = &l->f->instructions[op];
    struct schedule_access a = {
        .is_there = true, .writes = x->kind == WINST_STORE, .space = x->space, .bytes = bytes};
    a.is_constant = x->space == SPACE_CONST || x->space == SPACE_PARAM;
    for (u32 k = 0; k < n->s->modifier_count; k++)
        a.is_constant |= strcmp(n->s->modifiers[k], "nc") == 0;
    const struct ptx_operand *o = lower_operand(n, x->kind == WINST_STORE ? 0 : 1);
    if (!o || o->kind != OPERAND_ADDRESS)
        return a;
    a.base_kind = o->base;
    a.base = o->index;
    a.offset = o->value;
    for (u32 depth = 0; a.base_kind == OPERAND_REG && depth < MOST_DEPTH; depth++) {
        const struct node *d = folded_sum(l, a.base);
        i64 more = 0;
        if (!d || (d->code == LOWER_ADD && !lower_constant(l, lower_operand(d, 2), &more)))
            break;
        a.offset += more;
        a.base = lower_operand(d, 1)->index;
    }
    if (a.base_kind == OPERAND_REG) {
        const struct node *moves = step_of(s, a.base);
        a.offset += moves ? moves->step * turn : 0;
        a.base_version = s->versions[a.base];
    }
    return a;
}

static void add_items(struct list *s, u32 first, u32 op, u32 turn)
{
    const struct lower *l = s->b->l;
    const struct node *n = &l->nodes[op];
    u32 from = s->first[op], end = s->first[op + 1];
    u32 pieces = n->pieces ? n->pieces : 1;
    for (u32 k = from; k < end; k++) {
        bool executes = k + pieces >= end && n->count;
        s->items[s->count] = (struct schedule_item){
            .instruction = &s->b->code[k],
            .is_first = op == first && k < from + n->control + n->entry,
            .is_last = is_outer_branch(l, op),
        };
        if (executes && is_access(l, op) && n->s)
            s->items[s->count].access = describe(s, op, turn, s->b->code[k].bytes);
        s->issues[s->count++] = (struct machine_issue){.instruction = k,
                                                       .op = (u16)(op - first),
                                                       .turn = (u8)turn,
                                                       .executes = executes,
                                                       .piece = (u8)(executes ? end - 1 - k : 0),
                                                       .pieces = n->pieces};
    }
    for (u32 k = 0; k < n->write_count && !(s->all && n->turns); k++)
        s->versions[n->writes[k]]++;
}

/* Of an unrolled loop's ops that are there once: does it belong behind the last turn? */
static bool comes_last(const struct lower *l, u32 op)
{
    const struct node *n = &l->nodes[op];
    u32 result = lower_result(n);
    bool steps = false;
    for (u32 k = 0; k < n->read_count; k++)
        steps |= n->reads[k] == result;
    return n->turns && (steps || n->code != LOWER_ADD);
}

static void list_once(struct list *s, const struct machine_stretch *r)
{
    for (u32 i = r->first; i < r->end; i++)
        add_items(s, r->first, i, 0);
}

static void list_all(struct list *s, const struct machine_stretch *r)
{
    const struct lower *l = s->b->l;
    for (u32 turn = 0; turn < r->turns; turn++) {
        for (u32 i = r->first; i < r->end; i++) {
            if (!comes_last(l, i) && (!turn || !l->nodes[i].turns))
                add_items(s, r->first, i, turn);
        }
    }
    for (u32 i = r->first; i < r->end; i++) {
        if (comes_last(l, i))
            add_items(s, r->first, i, 0);
    }
}

static struct list new_list(struct builder *b, const u32 *first, u32 room, bool all)
{
    struct arena *scratch = b->l->scratch;
    return (struct list){.b = b,
                         .first = first,
                         .items = ARENA_ARRAY(scratch, struct schedule_item, room + 1),
                         .issues = ARENA_ARRAY(scratch, struct machine_issue, room + 1),
                         .versions = ARENA_ARRAY(scratch, u16, b->l->value_count + 1),
                         .all = all};
}

static bool *find_live(struct builder *b, const u64 *bits, u32 room)
{
    bool *live = ARENA_ARRAY(b->l->scratch, bool, room);
    for (u32 k = 0; k < lower_live_words(b->l); k++) {
        for (u64 left = bits[k]; left; left &= left - 1)
            live[builder_number(b, k * 64 + (u32)__builtin_ctzll(left))] = true;
    }
    return live;
}

static struct schedule_registers describe_registers(struct builder *b,
                                                    const struct machine_stretch *r)
{
    u64 *bits = ARENA_ARRAY(b->l->scratch, u64, lower_live_words(b->l) + 1);
    u32 room = b->numbers + b->l->value_count + 2; /* some have no number yet */
    struct schedule_registers regs = {.weight = b->weight, .limit = b->limit};
    lower_live_before(b->l, r->first, bits);
    regs.live_in = find_live(b, bits, room);
    lower_live_behind(b->l, r->end, bits);
    regs.live_out = find_live(b, bits, room);
    regs.count = b->numbers + 1;
    return regs;
}

static const struct machine_issue *put_in_order(struct list *s, const struct machine_stretch *r)
{
    struct builder *b = s->b;
    u32 *order = ARENA_ARRAY(b->l->scratch, u32, s->count + 1);
    struct schedule_registers regs = describe_registers(b, r);
    u32 live = schedule(s->items, s->count, &regs, order, b->l->scratch);
    b->live = live > b->live ? live : b->live;
    struct machine_issue *out = ARENA_ARRAY(&b->p->arena, struct machine_issue, s->count + 1);
    for (u32 k = 0; k < s->count; k++)
        out[k] = s->issues[order[k]];
    return out;
}

/* Who reads what an op sets when the lanes that skip it do not? */
static bool keeps_old_value(const struct lower *l, u32 op)
{
    const struct node *n = &l->nodes[op];
    if (n->s && n->s->guard != PTX_NONE)
        return true;
    for (u32 k = 0; k < n->write_count && n->region != PTX_NONE; k++) {
        EACH_USE(user, l, n->writes[k])
        {
            if (l->nodes[user].region != n->region || user <= op)
                return true;
        }
    }
    return false;
}

/* The turns' instructions are the loop's own with other registers. */
static void copy_turns(struct list *s, const struct machine_stretch *r)
{
    struct builder *b = s->b;
    struct turns t = unroll_start(b);
    u32 ops = r->end - r->first;
    for (u32 k = 0; k < s->count; k++) {
        const struct machine_issue *x = &s->issues[k];
        unroll_note(&t, x->instruction, x->turn * ops + x->op);
    }
    for (u32 k = 0; k < s->count; k++) {
        struct machine_issue *x = &s->issues[k];
        bool partly = keeps_old_value(b->l, r->first + x->op);
        x->instruction = unroll_copy(&t, x->instruction, x->turn * ops + x->op, partly);
        s->items[k].instruction = &b->code[x->instruction];
    }
}

static void note_steps(struct builder *b, const struct machine_stretch *r, bool there)
{
    for (u32 i = r->first; i < r->end; i++) {
        const struct node *n = &b->l->nodes[i];
        if (n->turns && lower_result(n) != PTX_NONE)
            b->stepped[lower_result(n)] = there ? n : NULL;
    }
}

static struct machine_stretch *make(struct builder *b, const u32 *first, u32 start, u32 end,
                                    u32 turns)
{
    struct machine_stretch *r = ARENA_ARRAY(&b->p->arena, struct machine_stretch, 1);
    *r = (struct machine_stretch){.first = start, .end = end, .turns = turns};
    u32 room = first[end] - first[start];
    struct list once = new_list(b, first, room, false);
    list_once(&once, r);
    r->once = put_in_order(&once, r);
    r->once_count = once.count;
    if (turns == 1)
        return r;
    note_steps(b, r, true);
    struct list all = new_list(b, first, room * turns, true);
    list_all(&all, r);
    note_steps(b, r, false);
    copy_turns(&all, r);
    r->all = put_in_order(&all, r);
    r->all_count = all.count;
    return r;
}

void builder_find_stretches(struct builder *b, const u32 *first, struct machine *m)
{
    const struct lower *l = b->l;
    const bool *entries = find_entries(l);
    const struct machine_stretch **stretches =
        ARENA_ARRAY(&b->p->arena, const struct machine_stretch *, l->count + 1);
    b->stepped = ARENA_ARRAY(l->scratch, const struct node *, l->value_count + 1);
    m->stretch = stretches;
    for (u32 i = 0, end; i < l->count; i = end) {
        u32 loop_end = l->nodes[i].unrolled_end, turns = 1;
        end = find_end(l, entries, i);
        if (loop_end && is_whole_loop(l, i, loop_end)) {
            end = loop_end;
            turns = l->nodes[end - 1].turns ? l->nodes[end - 1].turns : l->nodes[end - 2].turns;
        }
        if (end == i) { /* an op that stands alone */
            end = i + 1;
            continue;
        }
        u32 accesses = 0;
        for (u32 k = i; k < end; k++)
            accesses += is_access(l, k);
        struct machine_stretch *r = make(b, first, i, end, turns);
        if (r->once_count < 2)
            continue;
        stretches[i] = r;
        m->most_ops = (u32)max_u64(m->most_ops, turns * (end - i));
        m->most_accesses = (u32)max_u64(m->most_accesses, turns * accesses);
    }
}
