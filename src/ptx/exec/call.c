/* Calls and returns: frames, arguments, results. */
#include "ptx/decode/builtin.h"
#include "ptx/decode/function.h"
#include "ptx/exec/reconvergence.h"

#include <stdlib.h>
#include <string.h>

#define MOST_REGISTER_BYTES (64u << 20) /* frames of one warp */

static bool frame_room(struct warp *w, u32 frame, u32 bytes)
{
    if (frame + bytes <= w->register_room)
        return true;
    u32 room = w->register_room;
    while (room < frame + bytes)
        room *= 2;
    if (room > MOST_REGISTER_BYTES)
        return false;
    u8 *more = NULL;
    if (posix_memalign((void **)(void *)&more, 64, room + 64) != 0)
        abort();
    memcpy(more, w->registers, w->register_room);
    memset(more + w->register_room, 0, room + 64 - w->register_room);
    free(w->more_registers);
    w->registers = w->more_registers = more;
    w->register_room = room;
    return true;
}

/* The same for local memory, of each lane. */
static void local_reserve(struct warp *w, u32 bytes)
{
    if (bytes <= w->local_room)
        return;
    u32 room = w->local_room ? w->local_room : 64;
    while (room < bytes)
        room *= 2;
    u8 *more = xrealloc(NULL, (size_t)room * LANES + 64);
    memset(more, 0, (size_t)room * LANES + 64);
    for (u32 i = 0; i < LANES; i++)
        memcpy(more + (size_t)i * room, w->local + (size_t)i * w->local_room, w->local_room);
    free(w->more_local);
    w->local = w->more_local = more;
    w->local_room = room;
}

static u8 *local_of(struct warp *w, u32 lane, u32 offset)
{
    return w->local + (size_t)lane * w->local_room + offset;
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
                             ? w->registers + from_frame + (t->from & REF_OFFSET)
                             : (const u8 *)ref_get(w, t->from);
        memcpy(w->registers + to_frame + (t->to & REF_OFFSET) + (size_t)lane * t->bytes,
               from + (size_t)lane * t->bytes, t->bytes);
    }
}

/* The callee's side of a call by address. */
static struct transfer match(const struct transfer *t, const struct ptx_symbol *formal,
                             bool is_argument, const struct function *callee)
{
    struct transfer r = *t;
    *(is_argument ? &r.to : &r.from) = transfer_place(callee, formal);
    return r;
}

/* Whether a function takes what a call by address gives. */
static bool fits(const struct transfer *t, const struct ptx_symbol *formals, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        if (t[i].is_register != (formals[i].space == SPACE_REG) || t[i].bytes != formals[i].bytes)
            return false;
    }
    return true;
}

static void enter_function(struct warp *w, const struct op *op, const struct call *c,
                           const struct function *callee)
{
    struct path *p = &w->paths[w->current];
    u32 frame = p->frame + p->function->frame_bytes;
    u32 stack = p->stack + p->function->local_bytes;
    u32 lane = (u32)__builtin_ctz(p->mask);
    if (p->used + callee->stack_bytes > w->grid->stack_bytes ||
        !frame_room(w, frame, callee->frame_bytes)) {
        warp_fault(w, op, FAULT_STACK, lane,
                   "the stack of %u bytes is full in %s (cudaLimitStackSize)", w->grid->stack_bytes,
                   callee->name);
        return;
    }
    local_reserve(w, stack + callee->local_bytes);
    for (u32 i = 0; i < c->argument_count; i++) {
        struct transfer t = c->callee
                                ? c->arguments[i]
                                : match(&c->arguments[i], &callee->source->params[i], true, callee);
        copy_out(w, &t, p->mask, p->frame, p->stack, frame, stack);
    }
    EACH (i, p->mask) {
        frame_header(w, frame, 0)[i] = p->pc;
        frame_header(w, frame, 1)[i] = p->frame;
        frame_header(w, frame, 2)[i] = p->stack;
        frame_header(w, frame, 3)[i] = p->function->index;
        if (w->tops)
            frame_header(w, frame, 4)[i] = w->tops[i];
    }
    p->frame = frame;
    p->stack = stack;
    p->used += callee->stack_bytes;
    p->function = callee;
    p->pc = 0;
    path_enter(w, w->current);
}

void path_call(struct warp *w, const struct op *op, u32 mask)
{
    const struct call *c = op->extra;
    struct path *p = &w->paths[w->current];
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (mask != p->mask) { /* the others wait behind the call */
        path_diverge(w, p->mask & ~mask, p->pc + 1, p->pc, p->pc + 1);
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
    if (target < FUNCTION_WINDOW || index >= program->function_count ||
        (target - FUNCTION_WINDOW) % FUNCTION_STRIDE) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "call of 0x%llx, which is not a function",
                   (unsigned long long)target);
        return;
    }
    const struct function *callee = program->functions[index];
    const struct ptx_function *s = callee->source;
    if (callee->is_entry || s->param_count != c->argument_count ||
        s->return_count < c->result_count || !fits(c->arguments, s->params, c->argument_count) ||
        !fits(c->results, s->returns, c->result_count)) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane,
                   "call of %s, which takes other arguments than those given", callee->name);
        return;
    }
    const u64 *targets = ref_get(w, op->src[0]);
    EACH (i, p->mask)
        same |= (u32)(targets[i] == target) << i;
    if (same != p->mask) /* one function at a time: the others call after them */
        path_diverge(w, p->mask & ~same, p->pc, p->pc, p->pc + 1);
    enter_function(w, op, c, callee);
}

void path_return(struct warp *w, const struct op *op, u32 mask)
{
    (void)op;
    struct path *p = &w->paths[w->current];
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (mask != p->mask) {
        /* some lanes return early: they meet the others at the caller */
        path_diverge(w, p->mask & ~mask, p->pc + 1, p->pc, PTX_NONE);
        p = &w->paths[w->current];
    }
    u32 lane = (u32)__builtin_ctz(p->mask), frame = p->frame, stack = p->stack;
    const struct function *callee = p->function;
    u32 pc = frame_header(w, frame, 0)[lane];
    p->frame = frame_header(w, frame, 1)[lane];
    p->stack = frame_header(w, frame, 2)[lane];
    p->used -= callee->stack_bytes;
    p->function = w->grid->program->functions[frame_header(w, frame, 3)[lane]];
    EACH (i, w->tops ? p->mask : 0) /* what the callee has allocated is gone */
        w->tops[i] = frame_header(w, frame, 4)[i];
    const struct op *call_op = &p->function->ops[pc];
    const struct call *c = call_op->extra;
    for (u32 i = 0; i < c->result_count; i++) {
        struct transfer t = c->callee
                                ? c->results[i]
                                : match(&c->results[i], &callee->source->returns[i], false, callee);
        copy_out(w, &t, p->mask, frame, stack, p->frame, p->stack);
    }
    p->pc = pc + 1;
    path_enter(w, w->current);
}
