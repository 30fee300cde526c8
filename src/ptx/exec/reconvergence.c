/* Paths of a warp: divergence, joining, branches, and the loop that runs it. */
#include "ptx/exec/reconvergence.h"

#include "ptx/decode/function.h"
#include "ptx/exec/signature_step.h"
#include "ptx/exec/step_observer.h"
#include "ptx/exec/stretch.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#define SPIN_LIMIT 64         /* turns of a waiting loop before it gives way */
#define LOOP_LIMIT (1u << 20) /* turns of any loop before others get theirs */

void path_say(const struct warp *w, const struct path *p, const struct op *op, u32 lane,
              const char *what, struct err *err)
{
    const struct launch *l = w->grid->launch;
    u32 thread = w->index * LANES + lane;
    const u32 *n = l->block;
    err_at(err, (struct src_pos){p->function ? p->function->file : "kernel", op ? op->line : 0, 1},
           "kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s", kernel_info(l->kernel)->name,
           w->block->id[0], w->block->id[1], w->block->id[2], thread % n[0], thread / n[0] % n[1],
           thread / (n[0] * n[1]), what);
}

void warp_fault(struct warp *w, const struct op *op, enum launch_fault fault, u32 lane,
                const char *fmt, ...)
{
    if (w->on->fault != FAULT_NONE)
        return;
    w->on->fault = fault;
    char what[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    path_say(w, &w->paths[w->current], op, lane, what, &w->on->err);
}

/* ---- paths and joins --------------------------------------------------------------- */

void path_enter(struct warp *w, u8 index)
{
    u8 join = w->paths[index].join;
    w->current = index;
    w->meet = join == NO_JOIN ? PTX_NONE : w->joins[join].pc;
    w->spins = 0;
    w->base[REF_FRAME] = w->base[REF_TEMPORARY] = w->registers + w->paths[index].frame;
}

void warp_start(struct warp *w, const struct function *f, u32 lanes)
{
    w->used_paths = 1;
    w->used_reconvergence = 0;
    w->live = lanes;
    w->clock_reads = 0;
    if (w->stretch)
        w->stretch->left = 0;
    w->ready = lanes ? 1 : 0;
    w->paths[0] = (struct path){
        .state = PATH_READY, .join = NO_JOIN, .mask = lanes, .used = f->stack_bytes, .function = f};
    w->paths[0].stack = w->grid->alloca_bytes;
    if (w->tops)
        memset(w->tops, 0, LANES * sizeof *w->tops);
    path_enter(w, 0);
}

/* Paths hold disjoint sets of lanes, none of them empty, and so do joins at which
 * some lanes have arrived: there are never more of both together than lanes. */
static u8 new_path(struct warp *w)
{
    assert(~w->used_paths && "there are no more paths than lanes");
    u8 i = (u8)__builtin_ctz(~w->used_paths);
    w->used_paths |= 1u << i;
    return i;
}

/* A join with one path or join under it, and nobody waiting, joins nothing. Such are
 * left behind by lanes that exit, and by those that go on without a spinning path. */
static bool splice_join(struct warp *w, u8 index)
{
    struct reconvergence *j = &w->joins[index];
    u8 *under = NULL;
    u32 count = 0;
    EACH (i, w->used_paths) {
        if (w->paths[i].join == index) {
            under = &w->paths[i].join;
            count++;
        }
    }
    EACH (i, w->used_reconvergence) {
        if (w->joins[i].parent == index) {
            under = &w->joins[i].parent;
            count++;
        }
    }
    if (j->arrived || count != 1)
        return false;
    *under = j->parent;
    w->used_reconvergence &= ~(1u << index);
    return true;
}

/* After splicing, every join has at least two branches under it, one of which may be
 * the lanes that wait: a tree whose leaves are disjoint sets of lanes. It has fewer
 * inner nodes than leaves, so that one of as many joins as lanes is free. */
static u8 new_reconvergence(struct warp *w)
{
    for (u8 i = 0; !~w->used_reconvergence && i < MOST_PATHS; i++)
        splice_join(w, i);
    assert(~w->used_reconvergence && "there are fewer joins than lanes");
    u8 i = (u8)__builtin_ctz(~w->used_reconvergence);
    w->used_reconvergence |= 1u << i;
    return i;
}

/* Any path that can run, the newest slot after the current one first. */
bool path_choose(struct warp *w)
{
    u32 after = w->current < MOST_PATHS - 1 ? ~0u << (w->current + 1) : 0;
    const u32 parts[2] = {w->used_paths & after, w->used_paths & ~after};
    for (u32 k = 0; k < 2; k++) {
        EACH (i, parts[k]) {
            if (w->paths[i].state == PATH_READY) {
                path_enter(w, (u8)i);
                return true;
            }
        }
    }
    return false;
}

static void free_path(struct warp *w, u8 i)
{
    if (w->paths[i].state == PATH_READY)
        w->ready--;
    w->paths[i].state = PATH_FREE;
    w->used_paths &= ~(1u << i);
}

/* The lanes that have arrived at a join go on as one path. */
static void leave_reconvergence(struct warp *w, const struct reconvergence *j)
{
    u8 i = new_path(w);
    w->paths[i] = (struct path){.state = PATH_READY,
                                .join = j->parent,
                                .pc = j->pc,
                                .mask = j->arrived,
                                .frame = j->frame,
                                .stack = j->stack,
                                .used = j->used,
                                .function = j->function};
    w->ready++;
    path_enter(w, i);
}

/* All lanes of a join that are still alive have arrived. */
static void release_reconvergence(struct warp *w, u8 index)
{
    struct reconvergence *j = &w->joins[index];
    w->used_reconvergence &= ~(1u << index);
    if (j->arrived)
        leave_reconvergence(w, j);
}

/* Those who wait at a join wait no longer for the rest. */
static void go_on_without(struct warp *w, u8 index)
{
    struct reconvergence *j = &w->joins[index];
    leave_reconvergence(w, j);
    j->expected &= ~j->arrived;
    j->arrived = 0;
}

/* Has a lane nothing to do from here on but to return and exit? */
static bool leads_to_exit(struct warp *w, const struct function *f, u32 pc, u32 frame, u32 lane)
{
    for (;;) { /* forward, or out of a frame: this ends */
        const struct op *op = &f->ops[pc];
        if (op->guard != REF_NONE)
            return false;
        if (op->kind == OP_EXIT)
            return true;
        if (op->kind == OP_BRANCH && op->target > pc) {
            pc = op->target;
        } else if (op->kind == OP_RETURN) {
            pc = frame_header(w, frame, 0)[lane] + 1;
            f = w->grid->program->functions[frame_header(w, frame, 3)[lane]];
            frame = frame_header(w, frame, 1)[lane];
        } else {
            return false;
        }
    }
}

static bool join_leads_to_exit(struct warp *w, const struct reconvergence *j)
{
    return j->arrived &&
           leads_to_exit(w, j->function, j->pc, j->frame, (u32)__builtin_ctz(j->arrived));
}

u32 warp_ended_lanes(struct warp *w)
{
    u32 ended = ~w->live;
    EACH (i, w->used_reconvergence)
        ended |= join_leads_to_exit(w, &w->joins[i]) ? w->joins[i].arrived : 0;
    EACH (i, w->used_paths) {
        const struct path *p = &w->paths[i];
        if (leads_to_exit(w, p->function, p->pc, p->frame, (u32)__builtin_ctz(p->mask)))
            ended |= p->mask;
    }
    return ended;
}

/* No path can run. nvcc makes a branch to the last `ret` of an early return, and lanes that
 * took it wait there. ptxas makes them exit at once: nobody may wait for them. */
static bool exit_early(struct warp *w)
{
    EACH (i, w->used_reconvergence) {
        if (join_leads_to_exit(w, &w->joins[i])) {
            go_on_without(w, (u8)i);
            return true;
        }
    }
    return false;
}

/* No path can run. Lanes that left a loop early wait behind it for those that still go round; these
 * wait at a collective instruction inside for them. On an H200 the lanes that left run on, and once
 * they have exited nobody waits for them. With a barrier the wait may still end by itself, unless
 * those at the join and at the collective wait for each other. */
static bool leave_awaited_join(struct warp *w)
{
    u32 awaited = 0;
    bool at_barrier = false;
    EACH (i, w->used_paths) {
        const struct path *p = &w->paths[i];
        u32 lanes = path_awaits(w, p);
        at_barrier |= p->state == PATH_AT_BARRIER;
        awaited |= lanes;
        EACH (k, lanes ? w->used_reconvergence : 0) {
            const struct reconvergence *j = &w->joins[k];
            if (j->arrived & lanes && j->expected & p->mask) {
                go_on_without(w, (u8)k);
                return true;
            }
        }
    }
    EACH (k, at_barrier ? 0 : w->used_reconvergence) {
        if (w->joins[k].arrived & awaited) {
            go_on_without(w, (u8)k);
            return true;
        }
    }
    return false;
}

/* The current path stands at its join: wait there. */
static void arrive(struct warp *w)
{
    u8 index = w->paths[w->current].join;
    struct reconvergence *j = &w->joins[index];
    j->arrived |= w->paths[w->current].mask;
    free_path(w, w->current);
    if (j->arrived == j->expected)
        release_reconvergence(w, index);
}

/* Lanes leave for good: nobody waits for them any more. */
static void leave_all_reconvergence(struct warp *w, u8 index, u32 lanes)
{
    while (index != NO_JOIN) {
        struct reconvergence *j = &w->joins[index];
        u8 parent = j->parent;
        j->expected &= ~lanes;
        if (w->used_reconvergence >> index & 1 && j->arrived == j->expected)
            release_reconvergence(w, index);
        index = parent;
    }
}

static void exit_lanes(struct warp *w, u32 lanes)
{
    struct path *p = &w->paths[w->current];
    u8 join = p->join;
    w->live &= ~lanes;
    p->mask &= ~lanes;
    w->block->live_threads -= (u32)__builtin_popcount(lanes);
    bool gone = p->mask == 0;
    if (gone)
        free_path(w, w->current);
    leave_all_reconvergence(w, join, lanes);
    EACH (i, w->used_paths) { /* those who wait for lanes look again who is left */
        if (w->paths[i].state == PATH_AT_COLLECTIVE) {
            w->paths[i].state = PATH_READY;
            w->ready++;
        }
    }
    warp_leaves_barriers(w, lanes);
    block_check_cluster(w->block);
}

void warp_exit_path(struct warp *w)
{
    exit_lanes(w, w->paths[w->current].mask);
}

/* Lanes of the current path are about to part and will meet at `meet` of its
 * function; PTX_NONE: not before they return, so behind the call. */
static void expect_join(struct warp *w, u32 meet)
{
    struct path *p = &w->paths[w->current];
    const struct reconvergence *outer = p->join == NO_JOIN ? NULL : &w->joins[p->join];
    struct reconvergence j = {.pc = meet,
                              .frame = p->frame,
                              .stack = p->stack,
                              .used = p->used,
                              .expected = p->mask,
                              .function = p->function};
    if (meet == PTX_NONE) {
        /* inside a region of this activation they meet where it ends */
        if (p->function->is_entry || (outer && outer->frame == p->frame))
            return;
        u32 lane = (u32)__builtin_ctz(p->mask);
        j.pc = frame_header(w, p->frame, 0)[lane] + 1;
        j.frame = frame_header(w, p->frame, 1)[lane];
        j.stack = frame_header(w, p->frame, 2)[lane];
        j.used = p->used - p->function->stack_bytes;
        j.function = w->grid->program->functions[frame_header(w, p->frame, 3)[lane]];
    }
    if (outer && outer->pc == j.pc && outer->frame == j.frame)
        return; /* they are expected there already */
    u8 index = new_reconvergence(w);
    j.parent = p->join;
    w->joins[index] = j;
    p->join = index;
    w->meet = j.pc;
}

/* Splits the current path: lanes of `taken` go to `target`, the others go on at
 * `next`; they meet at `meet`. */
void path_diverge(struct warp *w, u32 taken, u32 target, u32 next, u32 meet)
{
    expect_join(w, meet);
    struct path *p = &w->paths[w->current];
    u8 i = new_path(w);
    w->paths[i] = *p;
    w->paths[i].mask = taken;
    w->paths[i].pc = target;
    w->ready++;
    p->mask &= ~taken;
    p->pc = next;
}

/* A loop goes round once more. If it waits for another thread, lanes that wait for
 * it at a join go on without it: one of them may be who it waits for. If there are
 * none, the other paths get their turn. */
static void give_way(struct warp *w, const struct op *op)
{
    if (++w->spins <= (op->may_spin ? SPIN_LIMIT : LOOP_LIMIT))
        return;
    w->spins = 0;
    EACH (i, op->may_spin ? w->used_reconvergence : 0) {
        if (w->joins[i].arrived) {
            go_on_without(w, (u8)i);
            return;
        }
    }
    if (w->ready > 1)
        path_choose(w);
    else
        w->waits = op->may_spin;
}

static void do_branch(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    u32 here = p->pc;
    if (mask == p->mask) {
        p->pc = op->target;
    } else if (mask == 0) {
        p->pc++;
        return;
    } else {
        path_diverge(w, mask, op->target, p->pc + 1, op->reconverge);
    }
    if (op->target <= here)
        give_way(w, op);
}

static void do_branch_table(struct warp *w, const struct op *op, u32 mask)
{
    const struct branch_table *t = op->extra;
    const u32 *index = ref_get(w, op->src[0]);
    struct path *p = &w->paths[w->current];
    u32 here = p->pc, rest = p->mask & ~mask;
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (rest) /* predicated off: those lanes go on */
        path_diverge(w, rest, here + 1, here, op->reconverge);
    bool back = false;
    while (true) { /* every target a path of its own */
        u32 lane = (u32)__builtin_ctz(p->mask), target = index[lane], same = 0;
        if (target >= t->count) {
            warp_fault(w, op, FAULT_INSTRUCTION, lane, "brx.idx %u of %u targets", target,
                       t->count);
            return;
        }
        EACH (i, p->mask)
            same |= (u32)(index[i] == target) << i;
        back |= t->targets[target] <= here;
        if (same == p->mask)
            break;
        path_diverge(w, same, t->targets[target], here, op->reconverge);
    }
    p->pc = t->targets[index[__builtin_ctz(p->mask)]];
    if (back)
        give_way(w, op);
}

/* ---- the loop ------------------------------------------------------------------------ */

#define MXCSR_DEFAULT 0x1f80u
#define MXCSR_FLUSH 0x8040u /* flush results, read subnormals as zero */

void executor_set_fp(struct executor *e, u32 mode)
{
    e->fp_mode = mode;
    _mm_setcsr(MXCSR_DEFAULT | (mode & 3) << 13 | (mode & FP_FLUSH ? MXCSR_FLUSH : 0));
}

void executor_put_off(struct warp *w, const struct op *op, u32 mask, u8 *const *where,
                      log_action *run)
{
    memory_log_defer(w->on->log, run, w, op, mask, where);
    w->on->put_off = true;
}

static void do_control(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    switch ((enum op_kind)op->kind) {
    case OP_COLLECTIVE:
        path_collective(w, op, mask);
        break;
    case OP_BRANCH:
        do_branch(w, op, mask);
        break;
    case OP_BRANCH_TABLE:
        do_branch_table(w, op, mask);
        break;
    case OP_CALL:
        path_call(w, op, mask);
        break;
    case OP_RETURN:
        path_return(w, op, mask);
        break;
    case OP_EXIT:
        p->pc++;
        if (mask)
            exit_lanes(w, mask);
        break;
    case OP_BARRIER:
        path_barrier(w, op, mask);
        break;
    case OP_CLUSTER:
        path_cluster(w, op, mask);
        break;
    case OP_YIELD:
        p->pc++;
        if (w->ready > 1)
            path_choose(w);
        break;
    case OP_TRAP:
        p->pc++;
        if (mask)
            warp_fault(w, op, FAULT_TRAP, (u32)__builtin_ctz(mask), "trap");
        break;
    case OP_LANES:
        break;
    }
}

/* The current path, ready and not at its join; NULL: all wait, or have ended. */
static inline struct path *settle(struct warp *w)
{
    for (;;) {
        struct path *p = &w->paths[w->current];
        if (UNLIKELY(p->state != PATH_READY)) {
            if (!path_choose(w) && !exit_early(w) && !leave_awaited_join(w))
                return NULL;
            continue;
        }
        if (LIKELY(w->meet != p->pc || w->joins[p->join].frame != p->frame ||
                   w->joins[p->join].function != p->function))
            return p;
        arrive(w);
    }
}

static inline u32 execute(struct warp *w, struct path *p, const struct op *op)
{
    struct executor *e = w->on;
    u32 mask = path_guarded(w, op, p->mask);
    e->warp_instructions++;
    e->thread_instructions += (u32)__builtin_popcount(mask);
    if (UNLIKELY(op->kind != OP_LANES)) {
        do_control(w, op, mask);
        return mask;
    }
    if (UNLIKELY(op->fp_mode != e->fp_mode && op->fp_mode != FP_ANY))
        executor_set_fp(e, op->fp_mode);
    if (LIKELY(mask))
        op->run(w, op, mask);
    p->pc++;
    return mask;
}

enum warp_next warp_settle(struct warp *w, const struct op **next)
{
    const struct path *p = settle(w);
    if (!p)
        return w->live ? NEXT_WAITS : NEXT_ENDED;
    *next = &p->function->ops[p->pc];
    return NEXT_READY;
}

/* The path may be another one afterwards, with another frame. */
static __attribute__((noinline)) u32 step_observed(struct warp *w, const struct op *op)
{
    struct path *p = &w->paths[w->current];
    struct step_place at = {p->function, w->base[REF_FRAME], p->frame};
    struct executor *e = w->on;
    e->put_off = false; /* of a step before */
    u32 mask = execute(w, p, op);
    if (e->fault != FAULT_NONE)
        return mask;
    if (e->signature)
        collector_step(e->signature, w, at.function, op, mask);
    if (e->watch)
        watch_step(w, op, mask, &at);
    return mask;
}

u32 warp_step(struct warp *w, const struct op *op)
{
    w->waits = false;
    if (UNLIKELY(w->on->is_observed))
        return step_observed(w, op);
    return execute(w, &w->paths[w->current], op);
}

/* Compiled with and without somebody who observes. */
static inline __attribute__((always_inline)) enum warp_status
run_warp(struct warp *w, u32 budget, bool in_step, bool is_observed)
{
    struct executor *e = w->on;
    u64 start = e->warp_instructions;
    while (e->warp_instructions - start < budget) {
        struct path *p = settle(w);
        if (UNLIKELY(!p))
            return w->live ? WARP_BLOCKED : WARP_DONE;
        const struct function *f = p->function;
        const struct op *op = &f->ops[p->pc];
        if (is_observed)
            e->pattern = ACCESS_ANY; /* of a step before */
        u32 mask = execute(w, p, op);
        if (UNLIKELY(e->fault != FAULT_NONE))
            return WARP_BLOCKED;
        if (is_observed)
            collector_step(e->signature, w, f, op, mask);
        if (UNLIKELY(w->waits)) {
            w->waits = false;
            return WARP_WAITS;
        }
        if (op->unit == UNIT_MEMORY
                ? in_step
                : op->kind == OP_BARRIER || op->kind == OP_CLUSTER || op->kind == OP_EXIT)
            break;
    }
    /* without a path that is ready it may still have lanes that can go on to exit */
    return w->ready || settle(w) ? WARP_RAN : w->live ? WARP_BLOCKED : WARP_DONE;
}

enum warp_status warp_run(struct warp *w, u32 budget, bool in_step)
{
    return UNLIKELY(w->on->signature) ? run_warp(w, budget, in_step, true)
                                      : run_warp(w, budget, in_step, false);
}
