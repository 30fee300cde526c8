/* Warps that go round in a loop: whether they come back to where they were, and what they read. */
#include "ptx/decode/function.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/stretch.h"

#include <stdio.h>
#include <stdlib.h>

static u64 mixed(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

u64 warp_state(const struct warp *w)
{
    u64 h = mixed(w->live, (u64)w->used_paths << 32 | w->used_reconvergence);
    h = mixed(h, w->stretch ? w->stretch->left : 0);
    EACH (k, w->used_paths) {
        const struct path *p = &w->paths[k];
        h = mixed(h, (u64)p->state << 48 | (u64)p->join << 40 | (u64)p->barrier << 32 | p->pc);
        h = mixed(h, (u64)p->mask << 32 | p->frame);
        h = mixed(h, (u64)(uintptr_t)p->function ^ p->stack);
    }
    for (u32 at = 0; at + 8 <= w->register_room; at += 8) {
        u64 x;
        memcpy(&x, w->registers + at, 8);
        h = mixed(h, x);
    }
    return h;
}

#define MOST_STEPS 4096u

static bool reads_what_others_write(const struct instruction *i)
{
    bool is_read = i->kind == WINST_LOAD || i->kind == WINST_ATOMIC;
    return is_read && i->space != SPACE_PARAM && i->space != SPACE_CONST && i->space != SPACE_LOCAL;
}

/* It goes on from here, on copies: until it reads, or would change something. */
static bool find_read(struct warp *w, const struct op **op, u64 *address)
{
    for (u32 k = 0; k < MOST_STEPS; k++) {
        if (warp_settle(w, op) != NEXT_READY)
            return false;
        const struct function *f = w->paths[w->current].function;
        const struct instruction *i = &f->instructions[*op - f->ops];
        if (i->kind == WINST_STORE || i->kind == WINST_BARRIER || i->kind == WINST_EXIT ||
            (*op)->kind == OP_CALL || mbarrier_changes(*op))
            return false;
        u32 mask = warp_step(w, *op);
        if (w->on->fault != FAULT_NONE)
            return false;
        if (mask && reads_what_others_write(i)) {
            *address = w->on->address[__builtin_ctz(mask)];
            return true;
        }
    }
    return false;
}

/* The warp goes on, on copies, from one of its paths. */
struct trial {
    struct warp w;
    struct executor on;
    struct reconvergence joins[MOST_PATHS];
};

static void trial_begin(struct trial *t, const struct warp *w, u8 path)
{
    t->w = *w;
    t->on = *w->on;
    t->w.on = &t->on;
    t->w.joins = memcpy(t->joins, w->joins, sizeof t->joins);
    t->on.log = NULL;
    t->on.address = t->on.addresses;
    t->w.spins = 0;
    t->w.registers = xrealloc(NULL, w->register_room + 64);
    memcpy(t->w.registers, w->registers, w->register_room);
    path_enter(&t->w, path);
}

static void trial_end(struct trial *t)
{
    free(t->w.registers);
}

bool warp_explain_loop(const struct warp *w, u64 *address, struct err *err)
{
    struct trial t;
    const struct op *op = NULL;
    trial_begin(&t, w, w->current);
    bool found = find_read(&t.w, &op, address);
    if (found) {
        char what[160] = "";
        if (mbarrier_is_look(op))
            mbarrier_explain(&t.w, *address, what, sizeof what);
        if (!*what)
            snprintf(what, sizeof what, "reads address 0x%llx again and again",
                     (unsigned long long)*address);
        const struct path *p = &t.w.paths[t.w.current];
        path_say(w, p, op, (u32)__builtin_ctz(p->mask), what, err);
    }
    trial_end(&t);
    return found;
}

/* It changes nothing but the warp's registers, and reads nothing that threads outside the cluster
 * may write. Asked before it executes: memory is not a copy. */
static bool is_of_cluster(const struct op *op, const struct instruction *i)
{
    if (mbarrier_is_look(op))
        return true;
    if (op->kind == OP_CALL || mbarrier_changes(op))
        return false;
    return i->kind == WINST_ARITHMETIC || i->kind == WINST_CONTROL || i->kind == WINST_SLEEP ||
           (i->kind == WINST_LOAD && i->space != SPACE_GLOBAL && i->space != SPACE_GENERIC);
}

static bool looks_at_global(const struct warp *w, const struct op *op, u32 mask)
{
    const struct address *a = op->extra;
    return mbarrier_is_look(op) && access_in_global(w, mask, a->space);
}

/* From here the warp comes back to a state in which it was, having looked at an mbarrier. */
static bool comes_back(struct warp *w)
{
    u64 seen = 0;
    u32 looks = 0, back = PTX_NONE;
    for (u32 k = 0; k < MOST_STEPS; k++) {
        const struct op *op;
        if (warp_settle(w, &op) != NEXT_READY)
            return false;
        const struct function *f = w->paths[w->current].function;
        const struct instruction *i = &f->instructions[op - f->ops];
        u32 here = (u32)(op - f->ops), current = w->current;
        if (!is_of_cluster(op, i))
            return false;
        u32 mask = warp_step(w, op);
        if (w->on->fault != FAULT_NONE || w->current != current || looks_at_global(w, op, mask))
            return false;
        looks += mbarrier_is_look(op);
        if (op->kind != OP_BRANCH || !op->may_spin)
            continue;
        u64 state = warp_state(w);
        if (looks && back == here && state == seen)
            return true;
        back = here;
        seen = state;
    }
    return false;
}

bool warp_waits_for_cluster(const struct warp *w)
{
    bool waits = true;
    for (u32 k = 0; k < MOST_PATHS && waits; k++) {
        struct trial t;
        if (!(w->used_paths >> k & 1) || w->paths[k].state != PATH_READY)
            continue;
        trial_begin(&t, w, (u8)k);
        waits = comes_back(&t.w);
        trial_end(&t);
    }
    return waits;
}
