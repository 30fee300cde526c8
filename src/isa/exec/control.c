/* Paths of a warp: divergence, joining, calls, barriers, and the loop that runs it. */
#include "isa/exec/warp.h"

#include "isa/exec/builtin.h"
#include "isa/exec/function.h"
#include "isa/exec/modifiers.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#define SPIN_LIMIT 64         /* turns of a waiting loop before it gives way */
#define LOOP_LIMIT (1u << 20) /* turns of any loop before others get theirs */

void warp_fault(struct warp *w, const struct op *op, enum launch_fault fault, u32 lane,
                const char *fmt, ...)
{
    struct grid *g = w->grid;
    if (g->fault != FAULT_NONE)
        return;
    g->fault = fault;
    g->fault_op = op;
    char what[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    u32 thread = w->index * LANES + lane;
    const u32 *n = g->launch->block;
    const struct path *p = &w->paths[w->current];
    err_at(g->err,
           (struct src_pos){p->function ? p->function->file : "kernel", op ? op->line : 0, 1},
           "kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s", kernel_info(g->launch->kernel)->name,
           w->block->id[0], w->block->id[1], w->block->id[2], thread % n[0],
           thread / n[0] % n[1], thread / (n[0] * n[1]), what);
}

/* ---- frames ------------------------------------------------------------------------ */

static void enter_path(struct warp *w, u8 index)
{
    w->current = index;
    w->spins = 0;
    w->base[REF_FRAME] = w->registers + w->paths[index].frame;
}

static bool frame_room(struct warp *w, u32 frame, u32 bytes)
{
    if (frame + bytes <= w->register_room)
        return true;
    u32 room = w->register_room;
    while (room < frame + bytes)
        room *= 2;
    if (room > 64u << 20)
        return false;
    u8 *more = xrealloc(NULL, room + 64);
    memset(more, 0, room + 64);
    memcpy(more, w->registers, w->register_room);
    block_free_registers(w);
    w->registers = more;
    w->register_room = room;
    return true;
}

void warp_start(struct warp *w, const struct function *f, u32 lanes)
{
    memset(w->paths, 0, sizeof w->paths);
    memset(w->joins, 0, sizeof w->joins);
    w->live = lanes;
    w->ready = lanes ? 1 : 0;
    w->paths[0] = (struct path){.state = PATH_READY, .join = NO_JOIN, .mask = lanes, .function = f};
    enter_path(w, 0);
}

/* ---- paths and joins --------------------------------------------------------------- */

static u8 new_path(struct warp *w)
{
    for (u8 i = 0; i < MOST_PATHS; i++) {
        if (w->paths[i].state == PATH_FREE)
            return i;
    }
    assert(false && "there are no more paths than lanes");
    return 0;
}

static u8 new_join(struct warp *w)
{
    for (u8 i = 0; i < MOST_PATHS; i++) {
        if (!w->joins[i].used)
            return i;
    }
    assert(false && "every join holds lanes of its own");
    return 0;
}

/* Any path that can run, the newest slot after the current one first. */
static bool choose_path(struct warp *w)
{
    for (u32 k = 1; k <= MOST_PATHS; k++) {
        u8 i = (u8)((w->current + k) % MOST_PATHS);
        if (w->paths[i].state == PATH_READY) {
            enter_path(w, i);
            return true;
        }
    }
    return false;
}

static void free_path(struct warp *w, u8 i)
{
    if (w->paths[i].state == PATH_READY)
        w->ready--;
    w->paths[i].state = PATH_FREE;
}

/* All lanes of a join that are still alive have arrived: they go on as one path. */
static void release_join(struct warp *w, u8 index)
{
    struct join *j = &w->joins[index];
    j->used = false;
    if (!j->arrived)
        return;
    u8 i = new_path(w);
    w->paths[i] = (struct path){.state = PATH_READY,
                                .join = j->parent,
                                .pc = j->pc,
                                .mask = j->arrived,
                                .frame = j->frame,
                                .stack = j->stack,
                                .function = j->function};
    w->ready++;
    enter_path(w, i);
}

/* The current path stands at its join: wait there. */
static void arrive(struct warp *w)
{
    u8 index = w->paths[w->current].join;
    struct join *j = &w->joins[index];
    j->arrived |= w->paths[w->current].mask;
    free_path(w, w->current);
    if (j->arrived == j->expected)
        release_join(w, index);
}

/* Lanes leave for good: nobody waits for them any more. */
static void leave_joins(struct warp *w, u8 index, u32 lanes)
{
    while (index != NO_JOIN) {
        struct join *j = &w->joins[index];
        u8 parent = j->parent;
        j->expected &= ~lanes;
        if (j->used && j->arrived == j->expected)
            release_join(w, index);
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
    leave_joins(w, join, lanes);
    for (u32 b = 0; b < MOST_BARRIERS; b++)
        block_check_barrier(w->block, b);
}

static u32 *header(struct warp *w, u32 frame, u32 row)
{
    return (u32 *)(void *)(w->registers + frame + row * 4 * LANES);
}

/* Lanes of the current path are about to part and will meet at `meet` of its
 * function; PTX_NONE: not before they return, so behind the call. */
static void expect_join(struct warp *w, u32 meet)
{
    struct path *p = &w->paths[w->current];
    struct join j = {.used = true,
                     .parent = p->join,
                     .pc = meet,
                     .frame = p->frame,
                     .stack = p->stack,
                     .expected = p->mask,
                     .function = p->function};
    if (meet == PTX_NONE) {
        if (p->function->is_entry)
            return;
        u32 lane = (u32)__builtin_ctz(p->mask);
        j.pc = header(w, p->frame, 0)[lane] + 1;
        j.frame = header(w, p->frame, 1)[lane];
        j.stack = header(w, p->frame, 2)[lane];
        j.function = w->grid->program->functions[header(w, p->frame, 3)[lane]];
    }
    if (p->join != NO_JOIN && w->joins[p->join].pc == j.pc && w->joins[p->join].frame == j.frame)
        return; /* they are expected there already */
    u8 index = new_join(w);
    w->joins[index] = j;
    p->join = index;
}

/* Splits the current path: lanes of `taken` go to `target`, the others go on at
 * `next`; they meet at `meet`. */
static void diverge(struct warp *w, u32 taken, u32 target, u32 next, u32 meet)
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
    for (u8 i = 0; op->may_spin && i < MOST_PATHS; i++) {
        struct join *j = &w->joins[i];
        if (!j->used || !j->arrived)
            continue;
        u8 k = new_path(w);
        w->paths[k] = (struct path){.state = PATH_READY,
                                    .join = j->parent,
                                    .pc = j->pc,
                                    .mask = j->arrived,
                                    .frame = j->frame,
                                    .stack = j->stack,
                                    .function = j->function};
        j->expected &= ~j->arrived;
        j->arrived = 0;
        w->ready++;
        enter_path(w, k);
        return;
    }
    if (w->ready > 1)
        choose_path(w);
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
        diverge(w, mask, op->target, p->pc + 1, op->reconverge);
    }
    if (op->target <= here)
        give_way(w, op);
}

static void do_branch_table(struct warp *w, const struct op *op, u32 mask)
{
    const struct branch_table *t = op->extra;
    const u32 *index = ref_get(w, op->src[0]);
    struct path *p = &w->paths[w->current];
    u32 next = p->pc + 1;
    if (mask != p->mask) /* predicated off: those lanes go on */
        diverge(w, mask, p->pc, next, op->reconverge);
    if (mask == 0)
        return;
    /* every target a path of its own; the lanes of the guard are at the branch */
    for (u8 i = 0; i < MOST_PATHS; i++) {
        if (w->paths[i].state == PATH_READY && w->paths[i].mask == mask) {
            enter_path(w, i);
            break;
        }
    }
    while (true) {
        p = &w->paths[w->current];
        u32 lane = (u32)__builtin_ctz(p->mask), target = index[lane], same = 0;
        if (target >= t->count) {
            warp_fault(w, op, FAULT_INSTRUCTION, lane, "brx.idx %u of %u targets", target,
                       t->count);
            return;
        }
        EACH (i, p->mask)
            same |= (u32)(index[i] == target) << i;
        if (same == p->mask) {
            p->pc = t->targets[target];
            return;
        }
        diverge(w, same, t->targets[target], p->pc, op->reconverge);
    }
}

/* ---- calls ------------------------------------------------------------------------- */

static u8 *local_of(struct warp *w, u32 lane, u32 offset)
{
    return w->local + (size_t)lane * w->grid->local_bytes + offset;
}

static void copy_out(struct warp *w, const struct transfer *t, u32 mask, u32 from_frame,
                     u32 from_stack, u32 to_frame, u32 to_stack)
{
    EACH (lane, mask) {
        if (!t->is_register) {
            memmove(local_of(w, lane, to_stack + t->to), local_of(w, lane, from_stack + t->from),
                    t->bytes);
            continue;
        }
        const u8 *from = t->from >> 30 == REF_FRAME
                             ? w->registers + from_frame + (t->from & 0x3fffffff)
                             : (const u8 *)ref_get(w, t->from);
        memcpy(w->registers + to_frame + (t->to & 0x3fffffff) + (size_t)lane * t->bytes,
               from + (size_t)lane * t->bytes, t->bytes);
    }
}

/* Arguments or results of a call by address: matched with the callee in order. */
static struct transfer match(const struct transfer *t, const struct ptx_symbol *formal,
                             bool is_argument, const struct function *callee)
{
    struct transfer r = *t;
    u32 there = formal->space == SPACE_REG ? callee->reg_refs[formal->offset]
                                           : (u32)formal->offset;
    if (is_argument)
        r.to = there;
    else
        r.from = there;
    if (formal->bytes && formal->bytes < r.bytes)
        r.bytes = (u32)formal->bytes;
    return r;
}

static void enter_function(struct warp *w, const struct op *op, const struct call *c,
                           const struct function *callee)
{
    struct path *p = &w->paths[w->current];
    u32 frame = p->frame + p->function->frame_bytes;
    u32 stack = p->stack + p->function->local_bytes;
    u32 lane = (u32)__builtin_ctz(p->mask);
    if (!frame_room(w, frame, callee->frame_bytes) ||
        stack + callee->local_bytes > w->grid->local_bytes) {
        warp_fault(w, op, FAULT_STACK, lane, "the stack of %u bytes is full in %s",
                   w->grid->local_bytes, callee->name);
        return;
    }
    for (u32 i = 0; i < c->argument_count; i++) {
        struct transfer t = c->callee ? c->arguments[i]
                                      : match(&c->arguments[i], &callee->source->params[i], true,
                                              callee);
        copy_out(w, &t, p->mask, p->frame, p->stack, frame, stack);
    }
    EACH (i, p->mask) {
        header(w, frame, 0)[i] = p->pc;
        header(w, frame, 1)[i] = p->frame;
        header(w, frame, 2)[i] = p->stack;
        header(w, frame, 3)[i] = p->function->index;
    }
    p->frame = frame;
    p->stack = stack;
    p->function = callee;
    p->pc = 0;
    enter_path(w, w->current);
}

static void do_call(struct warp *w, const struct op *op, u32 mask)
{
    const struct call *c = op->extra;
    struct path *p = &w->paths[w->current];
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (mask != p->mask) { /* the others wait behind the call */
        diverge(w, p->mask & ~mask, p->pc + 1, p->pc, p->pc + 1);
        p = &w->paths[w->current];
    }
    if (c->builtin != BUILTIN_NONE) {
        builtin_run(w, op, c, p->mask);
        p->pc++;
        return;
    }
    if (c->callee) {
        enter_function(w, op, c, c->callee);
        return;
    }
    const struct program *program = w->grid->program;
    u32 lane = (u32)__builtin_ctz(p->mask), same = 0;
    u64 target = ((const u64 *)ref_get(w, op->src[0]))[lane];
    u64 index = (target - FUNCTION_WINDOW) / FUNCTION_STRIDE;
    if (op->src_bytes[0] != 8 || target < FUNCTION_WINDOW || index >= program->function_count ||
        (target - FUNCTION_WINDOW) % FUNCTION_STRIDE) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "call of 0x%llx, which is no function",
                   (unsigned long long)target);
        return;
    }
    const struct function *callee = program->functions[index];
    if (callee->source->param_count != c->argument_count ||
        callee->source->return_count < c->result_count) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "call of %s with %u arguments, expected %u",
                   callee->name, c->argument_count, callee->source->param_count);
        return;
    }
    const u64 *targets = ref_get(w, op->src[0]);
    EACH (i, p->mask)
        same |= (u32)(targets[i] == target) << i;
    if (same != p->mask) /* one function at a time: the others call after them */
        diverge(w, p->mask & ~same, p->pc, p->pc, p->pc + 1);
    enter_function(w, op, c, callee);
}

static void do_return(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (mask != p->mask) {
        /* some lanes return early: they meet the others at the caller */
        diverge(w, p->mask & ~mask, p->pc + 1, p->pc, PTX_NONE);
        p = &w->paths[w->current];
    }
    (void)op;
    u32 lane = (u32)__builtin_ctz(p->mask), frame = p->frame, stack = p->stack;
    const struct function *callee = p->function;
    u32 pc = header(w, frame, 0)[lane];
    p->frame = header(w, frame, 1)[lane];
    p->stack = header(w, frame, 2)[lane];
    p->function = w->grid->program->functions[header(w, frame, 3)[lane]];
    const struct op *call_op = &p->function->ops[pc];
    const struct call *c = call_op->extra;
    for (u32 i = 0; i < c->result_count; i++) {
        struct transfer t = c->callee ? c->results[i]
                                      : match(&c->results[i], &callee->source->returns[i], false,
                                              callee);
        copy_out(w, &t, p->mask, frame, stack, p->frame, p->stack);
    }
    p->pc = pc + 1;
    enter_path(w, w->current);
}

/* ---- waiting ------------------------------------------------------------------------ */

/* Runs for every group of lanes that name the same members. */
static void run_groups(struct warp *w, const struct op *op, const u32 *members, u32 lanes)
{
    for (u32 left = lanes; left;) {
        u32 group = members[__builtin_ctz(left)] & left;
        group = group ? group : left & -left; /* a lane that forgot itself */
        op->run(w, op, group);
        left &= ~group;
    }
}

/* All lanes that the lanes of a path wait for. */
static u32 wanted(const struct warp *w, const u32 *members, u32 lanes)
{
    u32 all = 0;
    EACH (i, lanes)
        all |= members[i];
    return all & w->live;
}

/* A .sync instruction runs once all live lanes that its lanes name stand at it. */
static void do_collective(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    const u32 *members = ref_get(w, op->src[3]);
    u32 want = wanted(w, members, mask);
    if (LIKELY(!(want & ~p->mask))) {
        run_groups(w, op, members, mask);
        p->pc++;
        return;
    }
    u32 here = mask;
    for (u32 i = 0; i < MOST_PATHS; i++) {
        const struct path *q = &w->paths[i];
        if (q->state == PATH_AT_COLLECTIVE && q->pc == p->pc && q->frame == p->frame)
            here |= q->mask;
    }
    want = wanted(w, members, here);
    if (want & ~here) {
        p->state = PATH_AT_COLLECTIVE;
        w->ready--;
        choose_path(w);
        return;
    }
    run_groups(w, op, members, here);
    u32 pc = p->pc, frame = p->frame;
    p->pc++;
    for (u32 i = 0; i < MOST_PATHS; i++) {
        struct path *q = &w->paths[i];
        if (q->state == PATH_AT_COLLECTIVE && q->pc == pc && q->frame == frame) {
            q->state = PATH_READY;
            q->pc++;
            w->ready++;
        }
    }
}

void block_release(struct block *b, u32 id)
{
    struct barrier *bar = &b->barriers[id];
    *bar = (struct barrier){.count = bar->count, .all = bar->all, .any = bar->any};
    for (u32 i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        for (u32 k = 0; k < MOST_PATHS; k++) {
            struct path *p = &w->paths[k];
            if (p->state != PATH_AT_BARRIER || p->barrier != id)
                continue;
            p->state = PATH_READY;
            w->ready++;
            const struct op *op = &p->function->ops[p->pc];
            if (op->operation) {
                u32 *d = (u32 *)(void *)(w->registers + p->frame + (op->dst & 0x3fffffff));
                u32 r = op->operation == OPERATION_AND ? bar->all : bar->any;
                if (op->dst_bytes == 4) {
                    EACH (lane, p->mask)
                        d[lane] = bar->count;
                } else {
                    *d = (*d & ~p->mask) | (r ? p->mask : 0);
                }
            }
            p->pc++;
        }
    }
    bar->count = bar->all = bar->any = 0;
}

void block_check_barrier(struct block *b, u32 id)
{
    struct barrier *bar = &b->barriers[id];
    if (!bar->arrived)
        return;
    /* without a count, all threads that are still there */
    u32 expected = bar->expected ? bar->expected : b->live_threads;
    if (bar->arrived >= expected)
        block_release(b, id);
}

static void do_barrier(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    u32 lane = (u32)__builtin_ctz(p->mask);
    if (mask != p->mask) { /* a guarded barrier: the others pass */
        if (mask == 0) {
            p->pc++;
            return;
        }
        diverge(w, p->mask & ~mask, p->pc + 1, p->pc, PTX_NONE);
        p = &w->paths[w->current];
    }
    u32 id = ((const u32 *)ref_get(w, op->src[0]))[lane];
    u32 count = op->src[1] == REF_NONE ? 0 : ((const u32 *)ref_get(w, op->src[1]))[lane];
    if (id >= MOST_BARRIERS || count % LANES) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "barrier %u with %u threads", id, count);
        return;
    }
    struct barrier *bar = &w->block->barriers[id];
    u32 threads = (u32)__builtin_popcount(p->mask);
    /* a count is of whole warps: threads that exited count as arrived */
    if (count && p->mask == w->live)
        threads = LANES;
    if (!bar->arrived) {
        bar->expected = count;
        bar->count = bar->any = 0;
        bar->all = 1;
    }
    bar->arrived += threads;
    if (op->operation) {
        u32 v = *(const u32 *)ref_get(w, op->src[2]);
        if (op->negate)
            v = ~v;
        v &= p->mask;
        bar->count += (u32)__builtin_popcount(v);
        bar->any |= v != 0;
        bar->all &= v == p->mask;
    }
    if (op->flags & MOD_ARRIVE) {
        p->pc++;
    } else {
        p->state = PATH_AT_BARRIER;
        p->barrier = (u8)id;
        w->ready--;
    }
    block_check_barrier(w->block, id);
    if (w->paths[w->current].state != PATH_READY)
        choose_path(w);
}

/* ---- the loop ------------------------------------------------------------------------ */

#define MXCSR_DEFAULT 0x1f80u
#define MXCSR_FLUSH 0x8040u /* flush results, read subnormals as zero */

void grid_set_fp(struct grid *g, u32 mode)
{
    g->fp_mode = mode;
    _mm_setcsr(MXCSR_DEFAULT | (mode & 3) << 13 | (mode & FP_FLUSH ? MXCSR_FLUSH : 0));
}

static inline u32 guarded(const struct warp *w, const struct op *op, u32 mask)
{
    if (op->guard == REF_NONE)
        return mask;
    u32 p = *(const u32 *)ref_get(w, op->guard);
    return mask & (op->guard_negated ? ~p : p);
}

static void do_control(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    switch ((enum op_kind)op->kind) {
    case OP_COLLECTIVE:
        if (mask)
            do_collective(w, op, mask);
        else
            p->pc++;
        break;
    case OP_BRANCH:
        do_branch(w, op, mask);
        break;
    case OP_BRANCH_TABLE:
        do_branch_table(w, op, mask);
        break;
    case OP_CALL:
        do_call(w, op, mask);
        break;
    case OP_RETURN:
        do_return(w, op, mask);
        break;
    case OP_EXIT:
        p->pc++;
        if (mask)
            exit_lanes(w, mask);
        break;
    case OP_BARRIER:
        do_barrier(w, op, mask);
        break;
    case OP_YIELD:
        p->pc++;
        if (w->ready > 1)
            choose_path(w);
        break;
    case OP_TRAP:
        p->pc++;
        if (mask)
            warp_fault(w, op, FAULT_TRAP, (u32)__builtin_ctz(mask), "trap");
        break;
    case OP_LANES:
    case OP_WARP_BARRIER:
        break;
    }
}

enum warp_status warp_run(struct warp *w, u32 budget)
{
    struct grid *g = w->grid;
    u64 start = g->warp_instructions;
    while (g->warp_instructions - start < budget) {
        struct path *p = &w->paths[w->current];
        if (UNLIKELY(p->state != PATH_READY)) {
            if (!choose_path(w))
                return w->live ? WARP_BLOCKED : WARP_DONE;
            continue;
        }
        if (UNLIKELY(p->join != NO_JOIN && w->joins[p->join].pc == p->pc &&
                     w->joins[p->join].frame == p->frame)) {
            arrive(w);
            continue;
        }
        const struct op *op = &p->function->ops[p->pc];
        u32 mask = guarded(w, op, p->mask);
        g->warp_instructions++;
        g->thread_instructions += (u32)__builtin_popcount(mask);
        if (LIKELY(op->kind == OP_LANES)) {
            if (UNLIKELY(op->fp_mode != g->fp_mode && op->fp_mode != FP_ANY))
                grid_set_fp(g, op->fp_mode);
            if (LIKELY(mask))
                op->run(w, op, mask);
            p->pc++;
            if (UNLIKELY(g->fault != FAULT_NONE))
                return WARP_BLOCKED;
            continue;
        }
        do_control(w, op, mask);
        if (UNLIKELY(g->fault != FAULT_NONE))
            return WARP_BLOCKED;
        if (UNLIKELY(w->waits)) {
            w->waits = false;
            return WARP_WAITS;
        }
    }
    return w->live ? WARP_RAN : WARP_DONE;
}
