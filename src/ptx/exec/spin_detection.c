/* Warps that go round in a loop: whether they come back to where they were, and what they read. */
#include "ptx/decode/function.h"
#include "ptx/exec/reconvergence.h"

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
            (*op)->kind == OP_CALL)
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

bool warp_explain_loop(const struct warp *w, u64 *address, struct err *err)
{
    struct warp copy = *w;
    struct executor on = *w->on;
    const struct op *op = NULL;
    copy.on = &on;
    on.log = NULL;
    on.address = on.addresses;
    copy.registers = xrealloc(NULL, w->register_room + 64);
    memcpy(copy.registers, w->registers, w->register_room);
    path_enter(&copy, w->current);
    bool found = find_read(&copy, &op, address);
    if (found) {
        char what[80];
        snprintf(what, sizeof what, "reads address 0x%llx again and again",
                 (unsigned long long)*address);
        const struct path *p = &copy.paths[copy.current];
        path_say(w, p, op, (u32)__builtin_ctz(p->mask), what, err);
    }
    free(copy.registers);
    return found;
}
