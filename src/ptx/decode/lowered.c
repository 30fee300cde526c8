/*
 * A launched kernel as machine instructions (ptx/lower): ops execute as ever, but those that
 * the machine does not have cost nothing, and those that it has several of are issued as often.
 *
 * What is folded executes when the warp is asked for its next instruction. Nobody can see that:
 * such ops change registers of the warp alone, and read no memory that others may write but
 * words next to one that the warp has just loaded.
 */
#include "ptx/decode/function.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/step.h"
#include "ptx/exec/window.h"

#include <string.h>

/* How many instructions an op has this time. */
static u32 instructions_of(const struct machine *m, u32 op, const struct machine_place *at)
{
    if (m->turns[op] && at->turn % m->turns[op])
        return 0;
    return m->first[op + 1] - m->first[op];
}

struct lower_departure lowered_before_branch(const struct warp *w)
{
    const struct path *p = &w->paths[w->current];
    const struct op *op = &p->function->ops[p->pc];
    struct lower_departure d = {op, p->function->machine, p->pc, p->mask, false};
    const struct reconvergence *j = p->join == NO_JOIN ? NULL : &w->joins[p->join];
    d.others_come = op->guard == REF_NONE && j && j->pc == op->target && j->frame == p->frame &&
                    j->expected != p->mask;
    return d;
}

static void go_aside(struct machine_place *at, const struct machine *m, u32 from, u32 to, u32 lanes)
{
    at->sided = m;
    at->side = from;
    at->side_end = to;
    at->side_lanes = lanes;
    at->side_loop = 0;
}

/* Turns of an unrolled loop are counted; what all lanes skip under a guard is walked; lanes that
 * part come to their meeting point one path after the other. */
void lowered_after_branch(struct warp *w, const struct lower_departure *d, u32 taken)
{
    struct machine_place *at = &w->place;
    bool back = d->op->target <= d->pc;
    if (d->machine->turns[d->pc]) {
        bool goes_on = back ? taken != 0 : taken != d->lanes;
        at->turn = goes_on ? at->turn + 1 : 0;
    }
    u32 join = d->machine->joins[d->pc];
    if (join != UINT32_MAX && taken && taken != d->lanes)
        go_aside(at, d->machine, join, join + 1, taken);
    u32 end = d->machine->walk_end[d->pc];
    if (end && taken == d->lanes && !d->others_come) {
        at->walk = d->pc + 1;
        at->walk_end = end;
        at->walked = d->machine;
    }
}

static void execute_folded(struct warp *w, const struct op *op)
{
    u64 elsewhere[LANES], *address = w->on->address; /* those of the last access are still wanted */
    struct lower_departure d = lowered_before_branch(w);
    w->on->fp_mode = FP_UNKNOWN;
    w->on->address = elsewhere;
    u32 lanes = warp_step(w, op);
    if (w->on->fp_mode != FP_UNKNOWN && w->on->fp_mode != 0)
        executor_set_fp(w->on, 0);
    w->on->address = address;
    if (op->kind == OP_BRANCH)
        lowered_after_branch(w, &d, lanes);
}

/* ---- operands that need a subroutine ------------------------------------------------------ */

static bool divide_is_slow(u32 a, u32 b)
{
    u32 upper = a >> 23 & 255, lower = b >> 23 & 255; /* zero, subnormal, infinite, no number */
    return upper == 0 || upper == 255 || lower == 0 || lower == 255;
}

/* As ptxas's code asks: the radicand is below 2^-101, negative or not finite. */
static bool root_is_slow(u32 a)
{
    return a + 0xf3000000u > 0x727fffffu;
}

u32 lowered_slow_lanes(const struct warp *w, const struct op *op, enum lower_slow slow)
{
    u32 mask = path_guarded(w, op, w->paths[w->current].mask);
    const u32 *a = ref_get(w, op->src[0]);
    const u32 *b = slow == SLOW_DIVIDE ? ref_get(w, op->src[1]) : a;
    u32 lanes = 0;
    EACH (i, mask)
        lanes |= (u32)(slow == SLOW_DIVIDE ? divide_is_slow(a[i], b[i]) : root_is_slow(a[i])) << i;
    return lanes;
}

/* The instruction beside the ops that comes next; NULL: there is none. */
static const struct instruction *aside(const struct machine_place *at)
{
    return at->side < at->side_end ? &at->sided->code[at->side] : NULL;
}

/* The instruction of a walk that comes next; NULL: it has ended. */
static const struct instruction *walk(struct machine_place *at)
{
    for (; at->walk < at->walk_end; at->walk++) {
        if (instructions_of(at->walked, at->walk, at))
            return &at->walked->code[at->walked->first[at->walk] + at->phase];
    }
    return NULL;
}

enum warp_next lowered_next(void *block, u32 warp, const struct instruction **next)
{
    struct warp *w = &((struct block *)block)->warps[warp];
    struct machine_place *at = &w->place;
    for (u32 folded = 0;; folded++) {
        if ((*next = aside(at)) != NULL || (*next = window_next(w->window)) != NULL ||
            (*next = walk(at)) != NULL)
            return NEXT_READY;
        const struct op *op = NULL;
        enum warp_next state = warp_settle(w, &op);
        if (state != NEXT_READY)
            return state;
        const struct function *f = w->paths[w->current].function;
        u32 index = (u32)(op - f->ops);
        const struct machine_stretch *stretch = f->machine->stretch[index];
        if (stretch && !at->phase && w->on->fault == FAULT_NONE) {
            window_fill(w, stretch);
            continue;
        }
        if (instructions_of(f->machine, index, at)) {
            *next = &f->machine->code[f->machine->first[index] + at->phase];
            return NEXT_READY;
        }
        /* a loop of nothing but folded ops has an instruction all the same */
        if (folded > f->op_count || w->on->fault != FAULT_NONE) {
            *next = &f->instructions[index];
            return NEXT_READY;
        }
        execute_folded(w, op);
    }
}

/* ---- atomics that are loops --------------------------------------------------------------------
 *
 * A turn loads a word and swaps it if it still has that value. The lowest lane at a word does so,
 * unless another warp of the SM has swapped it since: then nobody does, and all lanes at the word
 * turn again. An H200 takes 1,394 cycles for an addition of floats to one word by all lanes of each
 * of 32 warps (micro.csv, adds).
 */

static u32 swap_key(const struct warp *w, u64 address)
{
    return (u32)(address / 4) + (u32)w->block->linear_id * 65537u;
}

static struct swap_word *swap_place(const struct warp *w, u32 key)
{
    return &w->on->swaps[key % SWAP_WORDS];
}

/* A word that takes another's place begins with a count that nobody has seen of either. */
static void load_words(const struct warp *w, u32 lanes)
{
    struct window *win = w->window;
    EACH (i, lanes) {
        u32 key = swap_key(w, win->accesses[0].address[i]);
        struct swap_word *at = swap_place(w, key);
        at->swaps += at->key != key;
        at->key = key;
        win->swap_seen[i] = at->swaps;
    }
}

/* Is it certain that another warp has swapped the word? */
static bool was_swapped(const struct warp *w, u32 lane, u32 key)
{
    const struct swap_word *at = swap_place(w, key);
    return at->key == key && at->swaps != w->window->swap_seen[lane];
}

static void swap_words(const struct warp *w, u32 lanes)
{
    struct window *win = w->window;
    const u64 *address = win->accesses[0].address;
    u32 done = 0;
    EACH (i, lanes) {
        bool is_first = !was_swapped(w, i, swap_key(w, address[i]));
        EACH (before, done) {
            is_first &= address[before] != address[i];
        }
        done |= (u32)is_first << i;
    }
    EACH (i, done) {
        u32 key = swap_key(w, address[i]);
        struct swap_word *at = swap_place(w, key);
        at->swaps += at->key == key;
    }
    win->swap_left = lanes & ~done;
}

/* The op executes with the first instruction; the turns that lanes at one address take are seen
 * after it. Their addresses are where no access of a window is. */
static bool start_atomic_loop(struct warp *w, const struct function *f, u32 op,
                              const struct instruction *i, struct winst *out)
{
    const struct machine *m = f->machine;
    if (!ptx_step(w, &f->instructions[op], out))
        return false;
    u32 lanes = out->in_shared;
    out->instruction = i;
    if (!lanes)
        return true;
    memcpy(w->window->accesses[0].address, out->address, sizeof w->window->accesses[0].address);
    w->window->accesses[0].in_cluster = out->in_cluster;
    out->in_shared = out->in_cluster = 0;
    go_aside(&w->place, m, m->first[op] + 1, m->first[op + 1], lanes);
    w->place.side_loop = w->place.side;
    return true;
}

/* One instruction of a turn; behind the last of them the lanes that are left turn again. */
static void step_atomic_loop(struct warp *w, struct machine_place *at, struct winst *out)
{
    const struct window_access *to = &w->window->accesses[0];
    if (out->instruction->kind != WINST_ARITHMETIC) {
        out->in_shared = at->side_lanes;
        out->in_cluster = to->in_cluster & at->side_lanes;
        out->address = to->address;
        if (out->instruction->kind == WINST_LOAD)
            load_words(w, at->side_lanes);
        else
            swap_words(w, at->side_lanes);
    }
    if (at->side + 1 < at->side_end)
        return;
    at->side_lanes = w->window->swap_left;
    if (at->side_lanes)
        at->side = at->side_loop - 1;
}

static bool step_walk(struct machine_place *at, const struct instruction *i, struct winst *out)
{
    *out = (struct winst){.instruction = i};
    if (++at->phase == instructions_of(at->walked, at->walk, at)) {
        at->phase = 0;
        at->walk++;
    }
    return true;
}

bool lowered_step(void *block, u32 warp, struct winst *out)
{
    struct warp *w = &((struct block *)block)->warps[warp];
    struct machine_place *at = &w->place;
    if (w->on->fault != FAULT_NONE)
        return false;
    if (at->side < at->side_end) {
        *out = (struct winst){.instruction = aside(at), .mask = at->side_lanes};
        if (UNLIKELY(at->side_loop))
            step_atomic_loop(w, at, out);
        at->side++;
        return true;
    }
    if (window_next(w->window)) {
        const struct machine *m = w->window->machine;
        enum lower_slow slow = SLOW_NONE;
        u32 lanes = window_step(w->window, out, &slow);
        if (lanes)
            go_aside(at, m, m->slow_first[slow], m->slow_first[slow + 1], lanes);
        return true;
    }
    const struct instruction *walked = walk(at);
    if (walked)
        return step_walk(at, walked, out);
    const struct path *p = &w->paths[w->current];
    const struct op *op = &p->function->ops[p->pc];
    const struct machine *m = p->function->machine;
    u32 count = instructions_of(m, p->pc, at);
    const struct instruction *i =
        count ? &m->code[m->first[p->pc] + at->phase] : &p->function->instructions[p->pc];
    u8 atomic = m->atomics[p->pc];
    if (UNLIKELY(atomic == ATOMIC_LOOP))
        return start_atomic_loop(w, p->function, p->pc, i, out);
    if (at->phase + 1 < count) {
        at->phase++;
        *out = (struct winst){.instruction = i, .mask = path_guarded(w, op, p->mask)};
        return true;
    }
    at->phase = 0;
    struct lower_departure d = lowered_before_branch(w);
    enum lower_slow slow = m->slow[p->pc];
    u32 lanes = slow ? lowered_slow_lanes(w, op, slow) : 0;
    if (lanes)
        go_aside(at, m, m->slow_first[slow], m->slow_first[slow + 1], lanes);
    bool ok = ptx_step(w, i, out);
    if (atomic == ATOMIC_GATHERED) { /* the lowest lane */
        out->in_global &= 0u - out->in_global;
        out->in_shared &= 0u - out->in_shared;
    }
    if (op->kind == OP_BRANCH)
        lowered_after_branch(w, &d, out->mask);
    return ok;
}
