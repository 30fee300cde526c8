/*
 * Control flow of a decoded function: where diverged lanes meet again.
 *
 * The meeting point of a branch is its immediate post-dominator. Post-dominators
 * are dominators of the reversed graph, found by the iterative method of Cooper,
 * Harvey and Kennedy (2001), on single instructions grouped into basic blocks.
 */
#include "ptx/decode/control_flow.h"

#include <string.h>

static bool ends_block(const struct op *op)
{
    return op->kind == OP_BRANCH || op->kind == OP_BRANCH_TABLE || op->kind == OP_RETURN ||
           op->kind == OP_EXIT || op->kind == OP_TRAP;
}

static bool falls_through(const struct op *op)
{
    if (!ends_block(op))
        return true;
    return op->guard != REF_NONE;
}

static u32 targets_of(const struct op *op, const u32 **list)
{
    if (op->kind == OP_BRANCH) {
        *list = &op->target;
        return 1;
    }
    if (op->kind == OP_BRANCH_TABLE) {
        const struct branch_table *t = op->extra;
        *list = t->targets;
        return t->count;
    }
    return 0;
}

static void find_blocks(const struct function *f, struct graph *g, struct arena *a)
{
    u8 *leader = ARENA_ARRAY(a, u8, f->op_count + 1);
    leader[0] = 1;
    for (u32 i = 0; i < f->op_count; i++) {
        const u32 *t;
        u32 n = targets_of(&f->ops[i], &t);
        for (u32 k = 0; k < n; k++)
            leader[t[k]] = 1;
        if (ends_block(&f->ops[i]) || f->ops[i].kind == OP_CALL)
            leader[i + 1] = 1;
    }
    g->block_of = ARENA_ARRAY(a, u32, f->op_count + 1);
    g->first = ARENA_ARRAY(a, u32, f->op_count + 2);
    for (u32 i = 0; i < f->op_count; i++) {
        if (leader[i])
            g->first[g->count++] = i;
        g->block_of[i] = g->count - 1;
    }
    g->first[g->count] = f->op_count;
}

static void find_successors(const struct function *f, struct graph *g, struct arena *a)
{
    u32 total = 0;
    for (u32 b = 0; b < g->count; b++) {
        const u32 *t;
        total += 2 + targets_of(&f->ops[g->first[b + 1] - 1], &t);
    }
    g->successors = ARENA_ARRAY(a, u32, total + 1);
    g->successor_start = ARENA_ARRAY(a, u32, g->count + 2);
    u32 used = 0;
    for (u32 b = 0; b < g->count; b++) {
        u32 last = g->first[b + 1] - 1;
        const struct op *op = &f->ops[last];
        const u32 *t;
        u32 n = targets_of(op, &t);
        g->successor_start[b] = used;
        for (u32 k = 0; k < n; k++)
            g->successors[used++] = g->block_of[t[k]];
        if (falls_through(op))
            g->successors[used++] = last + 1 < f->op_count ? g->block_of[last + 1] : g->count;
        if (op->kind == OP_RETURN || op->kind == OP_EXIT || op->kind == OP_TRAP)
            g->successors[used++] = g->count;
    }
    g->successor_start[g->count] = used;
}

/* Reverse post-order of the reversed graph, from the exit. */
static u32 order_backward(const struct graph *g, u32 *order, struct arena *a)
{
    u32 n = g->count + 1, edges = g->successor_start[g->count];
    u32 *start = ARENA_ARRAY(a, u32, n + 2), *predecessors = ARENA_ARRAY(a, u32, edges + 1);
    for (u32 e = 0; e < edges; e++)
        start[g->successors[e] + 1]++;
    for (u32 i = 0; i < n; i++)
        start[i + 1] += start[i];
    u32 *fill = ARENA_ARRAY(a, u32, n + 1);
    memcpy(fill, start, n * sizeof *fill);
    for (u32 b = 0; b < g->count; b++) {
        for (u32 e = g->successor_start[b]; e < g->successor_start[b + 1]; e++)
            predecessors[fill[g->successors[e]]++] = b;
    }
    u8 *seen = ARENA_ARRAY(a, u8, n + 1);
    u32 *stack = ARENA_ARRAY(a, u32, n + 1), *next = ARENA_ARRAY(a, u32, n + 1);
    u32 depth = 0, done = 0;
    stack[depth++] = g->count;
    seen[g->count] = 1;
    memcpy(next, start, n * sizeof *next);
    while (depth) {
        u32 b = stack[depth - 1];
        if (next[b] < start[b + 1]) {
            u32 p = predecessors[next[b]++];
            if (!seen[p]) {
                seen[p] = 1;
                stack[depth++] = p;
            }
        } else {
            order[done++] = b;
            depth--;
        }
    }
    for (u32 i = 0; i < done / 2; i++) {
        u32 t = order[i];
        order[i] = order[done - 1 - i];
        order[done - 1 - i] = t;
    }
    return done;
}

static u32 intersect(const u32 *idom, const u32 *rank, u32 a, u32 b)
{
    while (a != b) {
        while (rank[a] > rank[b])
            a = idom[a];
        while (rank[b] > rank[a])
            b = idom[b];
    }
    return a;
}

/* Immediate post-dominator of each block; PTX_NONE for blocks that never end. */
static u32 *post_dominators(const struct graph *g, struct arena *a)
{
    u32 n = g->count + 1;
    u32 *order = ARENA_ARRAY(a, u32, n), *rank = ARENA_ARRAY(a, u32, n);
    u32 *idom = ARENA_ARRAY(a, u32, n);
    u32 reached = order_backward(g, order, a);
    for (u32 i = 0; i < n; i++) {
        idom[i] = PTX_NONE;
        rank[i] = PTX_NONE;
    }
    for (u32 i = 0; i < reached; i++)
        rank[order[i]] = i;
    idom[g->count] = g->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 1; i < reached; i++) {
            u32 b = order[i], best = PTX_NONE;
            for (u32 e = g->successor_start[b]; e < g->successor_start[b + 1]; e++) {
                u32 s = g->successors[e];
                if (rank[s] == PTX_NONE || idom[s] == PTX_NONE)
                    continue;
                best = best == PTX_NONE ? s : intersect(idom, rank, best, s);
            }
            if (best != idom[b]) {
                idom[b] = best;
                changed = true;
            }
        }
    }
    return idom;
}

/* ---- loops that wait for another thread ------------------------------------------------ */

static bool in_set(const ref_t *set, u32 count, ref_t ref)
{
    for (u32 i = 0; i < count; i++) {
        if (set[i] == ref)
            return true;
    }
    return false;
}

#define MOST_TRACKED 64

/* A loop waits if leaving it depends on something another thread may write: what
 * an atomic or an ordered load gave, followed through the loop's registers. */
static bool loop_waits(const struct function *f, u32 first, u32 last)
{
    ref_t set[MOST_TRACKED];
    u32 count = 0;
    for (u32 round = 0; round < 2; round++) {
        for (u32 i = first; i <= last; i++) {
            const struct op *op = &f->ops[i];
            bool tainted = op->observes;
            for (u32 k = f->touched_start[i]; k < f->touched_start[i + 1] && !tainted; k++)
                tainted = !(f->touched[k] & REF_WRITTEN) && in_set(set, count, f->touched[k]);
            if (op->kind == OP_YIELD)
                return true;
            bool leaves =
                op->kind == OP_BRANCH && (i == last || op->target < first || op->target > last);
            if (leaves && op->guard != REF_NONE && in_set(set, count, op->guard))
                return true;
            for (u32 k = f->touched_start[i]; k < f->touched_start[i + 1] && tainted; k++) {
                ref_t ref = f->touched[k] & ~REF_WRITTEN;
                if (f->touched[k] & REF_WRITTEN && !in_set(set, count, ref) && count < MOST_TRACKED)
                    set[count++] = ref;
            }
        }
    }
    return false;
}

void graph_build(const struct function *f, struct graph *g, struct arena *a)
{
    *g = (struct graph){0};
    find_blocks(f, g, a);
    find_successors(f, g, a);
}

void function_flow(struct function *f, struct arena *scratch)
{
    struct graph g;
    graph_build(f, &g, scratch);
    const u32 *idom = post_dominators(&g, scratch);
    for (u32 i = 0; i < f->op_count; i++) {
        struct op *op = &f->ops[i];
        if (op->kind == OP_CALL) {
            op->reconverge = i + 1;
            continue;
        }
        if (op->kind != OP_BRANCH && op->kind != OP_BRANCH_TABLE)
            continue;
        if (op->kind == OP_BRANCH && op->target <= i)
            op->may_spin = loop_waits(f, op->target, i);
        u32 meet = idom[g.block_of[i]];
        op->reconverge = meet == PTX_NONE || meet == g.count ? PTX_NONE : g.first[meet];
    }
}
