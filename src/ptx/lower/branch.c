/* Branches: which of them the machine has, and what brings lanes together again. */
#include "ptx/lower/rules.h"

/* A region of at most so many machine instructions is walked under a guard. */
#define MOST_GUARDED 9u
#define MOST_DISTANCE 64u /* ops, folded ones among them */

static bool falls_through(const struct lower *l, u32 i)
{
    const struct op *op = &l->f->ops[i];
    bool ends = op->kind == OP_BRANCH || op->kind == OP_BRANCH_TABLE || op->kind == OP_RETURN ||
                op->kind == OP_EXIT || op->kind == OP_TRAP;
    return !ends || op->guard != REF_NONE;
}

/* An unconditional branch costs nothing where the blocks can be put one behind the other. */
static void count_jump(struct lower *l, u32 i)
{
    u32 target = l->f->ops[i].target;
    bool inverts = i > 0 && l->f->ops[i - 1].kind == OP_BRANCH; /* the branch before goes here */
    bool adjacent = target == i + 1 || target == 0 || inverts || !falls_through(l, target - 1);
    l->nodes[i].count = adjacent ? 0 : 1;
}

static bool is_end(const struct lower *l, u32 i)
{
    while (i < l->count && l->f->ops[i].kind == OP_BRANCH && l->f->ops[i].guard == REF_NONE &&
           l->f->ops[i].target > i)
        i = l->f->ops[i].target;
    return i >= l->count || l->f->ops[i].kind == OP_RETURN || l->f->ops[i].kind == OP_EXIT;
}

/* ---- guards instead of branches ------------------------------------------------------------ */

/* Can ops [first, end) be walked under a guard? Adds up their machine instructions. */
static bool can_guard(const struct lower *l, u32 first, u32 end, u32 meet, u32 *total)
{
    for (u32 i = first; i < end; i++) {
        const struct node *n = &l->nodes[i];
        const struct op *op = &l->f->ops[i];
        bool within = op->target > i && op->target <= end;
        bool inner = op->kind == OP_BRANCH &&
                     (op->guard == REF_NONE ? within || op->target == meet : n->is_guard);
        if (op->kind != OP_LANES && !inner)
            return false;
        const char *letters = lower_expansion(l, n);
        for (; letters && n->count > 2 && *letters; letters++) {
            if (*letters == 's' || *letters == 'b')
                return false; /* has branches or guards of its own */
        }
        *total += n->count;
    }
    return true;
}

/* Is what lies between a branch and `end` entered through the branch alone? */
static bool entered_by(const struct lower *l, u32 branch, u32 end)
{
    u32 first = branch + 1;
    for (u32 i = 0; i < l->count; i++) {
        const struct op *op = &l->f->ops[i];
        bool inside = i >= branch && i < end;
        if (op->kind == OP_BRANCH && !inside && op->target > first && op->target < end)
            return false;
        if (op->kind == OP_BRANCH_TABLE)
            return false;
    }
    return true;
}

static void guard_region(struct lower *l, u32 branch, u32 end)
{
    struct node *guard = &l->nodes[branch];
    guard->is_guard = true;
    guard->count = 0;
    u32 target = l->f->ops[branch].target;
    guard->walk_end = target > branch && target < end ? target : end;
    for (u32 i = branch + 1; i < end; i++) {
        struct node *n = &l->nodes[i];
        n->region = branch;
        if (l->f->ops[i].kind != OP_BRANCH)
            continue;
        n->count = 0;
        if (i + 1 == target && target < end) /* behind it lies the other side */
            n->walk_end = end;
    }
}

static bool leads_out(const struct lower *l, u32 i, u32 first, u32 last)
{
    const struct op *op = &l->f->ops[i];
    return op->kind == OP_BRANCH && (op->target < first || op->target > last);
}

/* Does the innermost loop around an op turn more often for some lanes than for others? */
static bool in_divergent_loop(const struct lower *l, u32 i)
{
    u32 first = 0, last = PTX_NONE;
    for (u32 k = i; k < l->count; k++) {
        const struct op *op = &l->f->ops[k];
        if (op->kind == OP_BRANCH && op->target <= i && (last == PTX_NONE || op->target >= first)) {
            first = op->target;
            last = k;
        }
    }
    for (u32 k = first; last != PTX_NONE && k <= last; k++) {
        bool leaves =
            k == last || leads_out(l, k, first, last) ||
            (k < last && l->f->ops[k + 1].guard == REF_NONE && leads_out(l, k + 1, first, last));
        if (leaves && lower_branch_diverges(l, k))
            return true;
    }
    return false;
}

/* Where the side of a branch that falls through ends, if it is one that a guard can replace:
 *   @p bra end; then...; end:
 *   @p bra other; then...; bra end; other: else...; end:
 *   @p bra end; then...; bra end;         with the end elsewhere
 */
static u32 find_region_end(const struct lower *l, u32 i)
{
    const struct op *op = &l->f->ops[i];
    u32 target = op->target, meet = op->reconverge;
    if (meet == PTX_NONE || is_end(l, meet))
        return PTX_NONE;
    if (target > i && target - i <= MOST_DISTANCE) {
        const struct op *last = &l->f->ops[target - 1];
        bool has_else = last->kind == OP_BRANCH && last->guard == REF_NONE &&
                        last->target == meet && meet > target;
        if (target == meet || (has_else && meet - i <= MOST_DISTANCE))
            return meet;
    }
    for (u32 k = i + 1; target == meet && k < l->count && k - i <= MOST_DISTANCE; k++) {
        const struct op *last = &l->f->ops[k];
        if (last->kind == OP_BRANCH && last->guard == REF_NONE && last->target == target)
            return in_divergent_loop(l, i) ? PTX_NONE : k + 1;
    }
    return PTX_NONE;
}

static void try_guard(struct lower *l, u32 i)
{
    u32 total = 0, end = find_region_end(l, i);
    if (end != PTX_NONE && can_guard(l, i + 1, end, l->f->ops[i].reconverge, &total) &&
        total <= MOST_GUARDED && entered_by(l, i, end))
        guard_region(l, i, end);
}

/* ---- bringing lanes together ---------------------------------------------------------------- */

/* Where the barrier of a branch is set up: before the outermost loop that the meeting point is
 * not part of. */
static u32 set_up_place(const struct lower *l, u32 branch, u32 meet)
{
    u32 place = branch;
    for (u32 i = branch; i < l->count; i++) {
        const struct op *op = &l->f->ops[i];
        if (op->kind == OP_BRANCH && op->target <= branch && op->target < place &&
            !(meet >= op->target && meet <= i))
            place = op->target ? op->target - 1 : 0;
    }
    return place;
}

static void join_lanes(struct lower *l)
{
    u8 *joined = ARENA_ARRAY(l->scratch, u8, l->count + 1);
    for (u32 i = 0; i < l->count; i++) {
        const struct op *op = &l->f->ops[i];
        u32 meet = op->reconverge;
        if (op->kind != OP_BRANCH || l->nodes[i].is_guard || !lower_branch_diverges(l, i) ||
            meet == PTX_NONE || is_end(l, meet))
            continue;
        l->nodes[i].joins = true;
        if (joined[meet])
            continue;
        joined[meet] = 1;
        l->nodes[meet].control++;
        l->nodes[set_up_place(l, i, meet)].control++;
    }
}

void lower_branches(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        if (l->f->ops[i].kind == OP_BRANCH && l->f->ops[i].guard == REF_NONE)
            count_jump(l, i);
    }
    for (u32 i = l->count; i-- > 0;) { /* inner ones first: they come later */
        if (l->f->ops[i].kind == OP_BRANCH && l->f->ops[i].guard != REF_NONE)
            try_guard(l, i);
    }
    join_lanes(l);
}
