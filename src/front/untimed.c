#include "front/untimed.h"

#include "base/arena.h"

#include <string.h>

#define WARP_TURN 256u /* instructions, when none of them accesses memory */

struct resident {
    void *block; /* NULL: the place is free */
    u32 left;    /* warps that have not ended */
    u64 ended;   /* those that have */
};

struct stepper {
    struct untimed *u;
    const struct grid_source *grid;
    struct resident *places;
    u32 place_count;
    u64 next_block, done;
    enum launch_fault *fault;
    struct err *err;
};

static bool is_access(const struct winst *x)
{
    return x->in_global | x->in_shared | x->in_local;
}

static bool over_limit(struct stepper *s)
{
    *s->fault = FAULT_LIMIT;
    return err_at(s->err, (struct src_pos){0},
                  "kernel %s: still running after %llu warp instructions of the program, the limit",
                  s->grid->name, (unsigned long long)s->u->max_instructions);
}

/* Up to its next access; false: a fault. */
static bool warp_turn(struct stepper *s, struct resident *r, u32 warp, bool *moved)
{
    const struct source_ops *ops = s->grid->ops;
    const struct instruction *next;
    struct winst x = {0};
    enum warp_next state = ops->next(r->block, warp, &next);
    for (u32 n = 0; state == NEXT_READY && n < WARP_TURN && !is_access(&x); n++) {
        if (s->u->max_instructions && s->u->instructions == s->u->max_instructions)
            return over_limit(s);
        if (!ops->step(r->block, warp, &x)) {
            ops->fault(s->grid->self, s->err);
            return false;
        }
        s->u->clock = ++s->u->instructions;
        *moved = true;
        state = ops->next(r->block, warp, &next);
    }
    if (state == NEXT_ENDED) {
        r->ended |= (u64)1 << warp;
        r->left--;
    }
    return true;
}

static bool explain_stuck(struct stepper *s, const struct resident *r)
{
    const struct source_ops *ops = s->grid->ops;
    u64 address;
    *s->fault = FAULT_DEADLOCK;
    for (u32 w = 0; ops->explain && w < s->grid->warps_per_block; w++) {
        if (!(r->ended >> w & 1) && ops->explain(r->block, w, &address, s->err))
            return false;
    }
    return err_at(s->err, (struct src_pos){0}, "kernel %s: no thread of a block can go on",
                  s->grid->name);
}

static void fill_places(struct stepper *s)
{
    const struct grid_source *g = s->grid;
    for (u32 i = 0; i < s->place_count && s->next_block < g->blocks; i++) {
        struct resident *r = &s->places[i];
        if (r->block)
            continue;
        u32 sm = (u32)(s->next_block % s->u->sms);
        *r = (struct resident){.left = g->warps_per_block};
        r->block = g->ops->block_begin(g->self, s->next_block++, sm, &s->u->clock);
    }
}

static bool block_turn(struct stepper *s, struct resident *r)
{
    bool moved = false;
    for (u32 w = 0; w < s->grid->warps_per_block; w++) {
        if (!(r->ended >> w & 1) && !warp_turn(s, r, w, &moved))
            return false;
    }
    if (r->left)
        return moved || explain_stuck(s, r);
    s->grid->ops->block_end(s->grid->self, r->block);
    r->block = NULL;
    s->done++;
    return true;
}

bool untimed_run(struct untimed *u, const struct grid_source *grid, u32 resident_blocks,
                 enum launch_fault *fault, struct err *err)
{
    struct arena arena = {0};
    struct stepper s = {.u = u, .grid = grid, .fault = fault, .err = err};
    bool ok = true;
    *fault = FAULT_NONE;
    s.place_count = (u32)min_u64(resident_blocks ? resident_blocks : 1, grid->blocks);
    s.places = ARENA_ARRAY(&arena, struct resident, s.place_count);
    while (ok && s.done < grid->blocks) {
        fill_places(&s);
        for (u32 i = 0; ok && i < s.place_count; i++)
            ok = !s.places[i].block || block_turn(&s, &s.places[i]);
    }
    arena_fini(&arena);
    return ok;
}
