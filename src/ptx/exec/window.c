#include "ptx/exec/window.h"

#include "ptx/decode/function.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/step.h"

/* An even number of slots keeps what follows them aligned. */
static u32 slot_room(const struct program *p)
{
    return (p->most_stretch_ops + 1) & ~1u;
}

size_t window_bytes(const struct program *p)
{
    return sizeof(struct window) + slot_room(p) * sizeof(struct window_slot) +
           (size_t)(p->most_stretch_accesses + 1) * sizeof(struct window_access);
}

struct window *window_place(const struct program *p, void *room)
{
    struct window *win = room;
    win->machine = NULL;
    win->slots = (struct window_slot *)(void *)(win + 1);
    win->accesses = (struct window_access *)(void *)(win->slots + slot_room(p));
    return win;
}

/* ---- executing --------------------------------------------------------------------------------
 */

/* Several paths may come to one op: lanes of each are told together. */
static void keep_access(struct window *win, struct window_slot *s, const struct winst *x)
{
    bool is_new = !s->access;
    if (is_new)
        s->access = ++win->access_count;
    struct window_access *to = &win->accesses[s->access];
    if (is_new)
        to->in_global = to->in_shared = to->in_local = to->in_const = to->in_cluster = 0;
    if (x->mask == ALL_LANES) {
        memcpy(to->address, x->address, sizeof to->address);
    } else {
        EACH (i, x->mask)
            to->address[i] = x->address[i];
    }
    to->in_global |= x->in_global;
    to->in_shared |= x->in_shared;
    to->in_local |= x->in_local;
    to->in_const |= x->in_const;
    to->in_cluster |= x->in_cluster;
}

static void execute(struct warp *w, struct window *win, const struct op *op, u32 index, u32 slot)
{
    const struct function *f = w->paths[w->current].function;
    const struct machine *m = win->machine;
    struct window_slot *s = &win->slots[slot];
    bool is_there = m->first[index + 1] > m->first[index];
    u64 elsewhere[LANES], *address = w->on->address;
    struct lower_departure d = lowered_before_branch(w);
    if (m->slow[index])
        s->slow_lanes |= lowered_slow_lanes(w, op, m->slow[index]);
    w->on->address = elsewhere; /* those of the last access are still wanted */
    struct winst x;
    ptx_step(w, &f->instructions[index], &x);
    w->on->address = address;
    s->mask |= x.mask;
    if (is_there && f->instructions[index].unit == UNIT_MEMORY && x.mask)
        keep_access(win, s, &x);
    bool inside = m->walk_end[index] != 0; /* all its lanes' instructions are the stretch's */
    if (op->kind == OP_BRANCH && !inside && win->stretch->turns == 1)
        lowered_after_branch(w, &d, x.mask);
}

/* Is an instruction there only in another turn of the loop that the stretch is a part of? */
static bool is_skipped(const struct window *win, const struct machine_issue *x)
{
    u32 turns = win->machine->turns[win->stretch->first + x->op];
    return turns && win->loop_turn % turns;
}

static void skip(struct window *win)
{
    while (win->next < win->count && is_skipped(win, &win->issues[win->next]))
        win->next++;
    if (win->next < win->count)
        return;
    win->next = 0;
    if (win->issues == win->stretch->all || ++win->turn == win->turns)
        win->machine = NULL;
}

static void start_turn(struct window *win, u32 ops)
{
    memset(win->slots + (size_t)win->turns * ops, 0, ops * sizeof *win->slots);
    win->turns++;
}

void window_fill(struct warp *w, const struct machine_stretch *stretch)
{
    struct window *win = w->window;
    const struct function *f = w->paths[w->current].function;
    const struct op *op = NULL;
    u32 ops = stretch->end - stretch->first;
    win->machine = f->machine;
    win->stretch = stretch;
    win->access_count = win->turns = 0;
    win->loop_turn = stretch->turns == 1 ? w->place.turn : 0;
    while (warp_settle(w, &op) == NEXT_READY && w->paths[w->current].function == f) {
        u32 index = (u32)(op - f->ops), at = index - stretch->first;
        if (at >= ops || w->on->fault != FAULT_NONE || (!at && win->turns == stretch->turns))
            break;
        if (!at)
            start_turn(win, ops);
        execute(w, win, op, index, (win->turns - 1) * ops + at);
    }
    bool all = stretch->turns > 1 && win->turns == stretch->turns;
    win->issues = all ? stretch->all : stretch->once;
    win->count = all ? stretch->all_count : stretch->once_count;
    win->next = win->turn = 0;
    skip(win);
}

/* Lanes of one of the pieces that an access is made of: rows apart where sectors count, neighbours
 * where shared memory takes 128 bytes at a time. */
static u32 piece_lanes(const struct machine_issue *x, bool shared)
{
    u32 lanes = 0, many = LANES / x->pieces;
    for (u32 k = 0; k < many; k++)
        lanes |= 1u << (shared ? x->piece * many + k : x->piece + k * x->pieces);
    return lanes;
}

/* ---- issuing ------------------------------------------------------------------------------------
 */

const struct instruction *window_next(const struct window *win)
{
    return win->machine ? &win->machine->code[win->issues[win->next].instruction] : NULL;
}

u32 window_step(struct window *win, struct winst *out, enum lower_slow *slow)
{
    const struct machine_stretch *r = win->stretch;
    const struct machine_issue *x = &win->issues[win->next];
    u32 slot = (win->turn + x->turn) * (r->end - r->first) + x->op;
    const struct window_slot *s = &win->slots[slot];
    *out = (struct winst){.instruction = &win->machine->code[x->instruction], .mask = s->mask};
    u32 lanes = 0;
    if (x->executes && s->access) {
        const struct window_access *to = &win->accesses[s->access];
        out->in_global = to->in_global;
        out->in_shared = to->in_shared;
        out->in_local = to->in_local;
        out->in_const = to->in_const;
        out->in_cluster = to->in_cluster;
        out->address = to->address;
        if (x->pieces) {
            u32 piece = piece_lanes(x, to->in_shared != 0);
            out->in_global &= piece;
            out->in_shared &= piece;
            out->in_local &= piece;
            out->in_const &= piece;
        }
    }
    if (x->executes) {
        lanes = s->slow_lanes;
        *slow = win->machine->slow[r->first + x->op];
    }
    win->next++;
    skip(win);
    return lanes;
}
