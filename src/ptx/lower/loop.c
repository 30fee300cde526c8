/*
 * Loops that ptxas unrolls four times: innermost, one block once short branches are guards,
 * with a counter that a constant is added to and compared with something that does not change.
 *
 * The counter, its comparison, the branch, and pointers that move by a constant are then there
 * once in four turns: their steps are offsets of the accesses.
 */
#include "ptx/lower/rules.h"

#define LONG_OP 8u
#define MOST_UNROLLED 68u /* ops of a body: none larger was seen unrolled, smaller ones were */

struct loop {
    u32 first, last; /* ops; the last is the branch back, or the exit before it */
};

static bool writes(const struct node *n, u32 reg)
{
    for (u32 k = 0; k < n->write_count; k++) {
        if (n->writes[k] == reg)
            return true;
    }
    return false;
}

static u32 writers_inside(const struct lower *l, const struct loop *o, u32 reg, u32 *writer)
{
    u32 count = 0;
    for (u32 i = o->first; i <= o->last; i++) {
        if (writes(&l->nodes[i], reg)) {
            *writer = i;
            count++;
        }
    }
    return count;
}

static bool is_invariant(const struct lower *l, const struct loop *o, const struct ptx_operand *x)
{
    u32 writer, reg = lower_register(x);
    return reg == PTX_NONE || writers_inside(l, o, reg, &writer) == 0;
}

/* r = r + constant, once in the loop. */
static bool is_step(const struct lower *l, const struct loop *o, u32 i, i64 *value)
{
    const struct node *n = &l->nodes[i];
    u32 reg = lower_result(n), writer;
    return n->code == LOWER_ADD && lower_is_whole(n) && n->s->guard == PTX_NONE &&
           n->region == PTX_NONE && lower_register(lower_operand(n, 1)) == reg &&
           lower_constant(l, lower_operand(n, 2), value) && writers_inside(l, o, reg, &writer) == 1;
}

/* The comparison that the exit depends on, if it is of a counter with an invariant. */
static u32 find_comparison(const struct lower *l, const struct loop *o)
{
    u32 guard = l->nodes[o->last].s->guard, setp = PTX_NONE, step;
    i64 value;
    if (guard == PTX_NONE || writers_inside(l, o, guard, &setp) != 1)
        return PTX_NONE;
    const struct node *n = &l->nodes[setp];
    if (n->code != LOWER_SETP || !lower_is_whole(n))
        return PTX_NONE;
    for (u32 k = 1; k <= 2; k++) {
        u32 reg = lower_register(lower_operand(n, k));
        if (reg != PTX_NONE && writers_inside(l, o, reg, &step) == 1 &&
            is_step(l, o, step, &value) && is_invariant(l, o, lower_operand(n, 3 - k)))
            return setp;
    }
    return PTX_NONE;
}

/* Is the body small enough? Loads of global memory and double precision, which take more
 * registers, count twice. */
static bool is_small(const struct lower *l, const struct loop *o)
{
    u32 weight = 0;
    for (u32 i = o->first; i <= o->last; i++) {
        const struct node *n = &l->nodes[i];
        bool global = n->code == LOWER_LD && l->f->ops[i].space == SPACE_GLOBAL;
        if (n->count >= LONG_OP)
            return false; /* division and the like */
        weight += global || (n->class == CLASS_FLOAT && n->bytes == 8) ? 2 : 1;
    }
    return weight <= MOST_UNROLLED;
}

/* Does the loop follow pointers, an address coming out of the load before? */
static bool follows_pointers(const struct lower *l, const struct loop *o)
{
    for (u32 i = o->first; i <= o->last; i++) {
        const struct node *n = &l->nodes[i];
        if (n->code == LOWER_LD && lower_register(lower_operand(n, 1)) == lower_result(n) &&
            lower_result(n) != PTX_NONE)
            return true;
    }
    return false;
}

static bool is_one_block(const struct lower *l, const struct loop *o)
{
    for (u32 i = o->first; i < o->last; i++) {
        const struct op *op = &l->f->ops[i];
        bool inner =
            op->kind == OP_BRANCH && (l->nodes[i].is_guard || l->nodes[i].region != PTX_NONE ||
                                      (op->guard == REF_NONE && op->target == i + 1));
        if (op->kind != OP_LANES && op->kind != OP_COLLECTIVE && op->kind != OP_BARRIER && !inner)
            return false;
    }
    return true;
}

/* Values of an unrolled loop that differ from turn to turn by a constant: steps, and sums of
 * such with what does not change. */
static bool moves_evenly(const struct lower *l, const struct loop *o, u32 reg, u32 depth, i64 *by)
{
    u32 writer;
    u32 count = reg == PTX_NONE ? 0 : writers_inside(l, o, reg, &writer);
    *by = 0;
    if (count == 0)
        return true;
    if (count != 1 || depth > 8)
        return false;
    const struct node *n = &l->nodes[writer];
    if (is_step(l, o, writer, by))
        return true;
    i64 first, second;
    bool even = n->code == LOWER_ADD && n->bytes == 8 && lower_is_whole(n) &&
                moves_evenly(l, o, lower_register(lower_operand(n, 1)), depth + 1, &first) &&
                moves_evenly(l, o, lower_register(lower_operand(n, 2)), depth + 1, &second);
    *by = even ? first + second : 0;
    return even;
}

/* How often it turns must be looked at first, and what is left over of four afterwards. */
static void count_trips(struct lower *l, const struct loop *o)
{
    if (!o->first)
        return;
    l->nodes[o->first - 1].trips = (u8)(l->nodes[o->first - 1].trips + 6);
    /* lanes that turn differently often meet behind the turns of four, of two and of one */
    u32 control = lower_branch_diverges(l, o->last) ? 8 : 4;
    l->nodes[o->first - 1].control = (u8)(l->nodes[o->first - 1].control + control);
}

static void unroll(struct lower *l, const struct loop *o, u32 comparison, u32 end)
{
    count_trips(l, o);
    l->nodes[o->first].unrolled_end = end;
    l->nodes[o->last].turns = l->nodes[comparison].turns = UNROLLED;
    for (u32 i = o->first; i <= o->last; i++) {
        struct node *n = &l->nodes[i];
        i64 by;
        bool is_sum = n->code == LOWER_ADD && n->bytes == 8 && lower_is_whole(n);
        if (is_step(l, o, i, &by) || (is_sum && moves_evenly(l, o, lower_result(n), 0, &by))) {
            n->turns = UNROLLED;
            n->step = by;
        }
    }
}

/* What depends on the divisor alone is computed before the loop. */
static void share_divisors(struct lower *l, const struct loop *o)
{
    for (u32 i = o->first; i <= o->last; i++) {
        struct node *n = &l->nodes[i];
        bool divides = n->code == LOWER_DIV || n->code == LOWER_REM;
        if (divides && lower_is_whole(n) && n->bytes == 4 && n->count > LONG_OP &&
            is_invariant(l, o, lower_operand(n, 2)))
            lower_share_reciprocal(l, n);
    }
}

void lower_loops(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        const struct op *op = &l->f->ops[i];
        if (op->kind != OP_BRANCH || op->target > i)
            continue;
        struct loop o = {op->target, i};
        if (op->guard == REF_NONE && i > op->target && l->f->ops[i - 1].kind == OP_BRANCH &&
            l->f->ops[i - 1].guard != REF_NONE)
            o.last = i - 1;
        share_divisors(l, &o);
        /* in the listings a loop that is left in its middle stays as it is, unless it is in another
         */
        bool left_inside = o.last != i && l->nodes[i].depth < 2;
        if (!l->nodes[o.last].s || l->nodes[o.first].s->no_unroll || !is_one_block(l, &o) ||
            !is_small(l, &o) || follows_pointers(l, &o) || left_inside)
            continue;
        u32 comparison = find_comparison(l, &o);
        if (comparison != PTX_NONE)
            unroll(l, &o, comparison, i + 1);
    }
}
