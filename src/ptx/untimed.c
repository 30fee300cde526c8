#include "ptx/untimed.h"

#include "base/arena.h"

#include <string.h>

#define WARP_TURN 256u /* instructions, when nothing else ends a turn */

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

/* As in ptx/launch.c: a memory access, unless no other warp of the block can go on; a barrier
 * or an exit. */
static bool ends_turn(const struct instruction *i, bool in_step)
{
    return i->unit == UNIT_MEMORY ? in_step : i->kind == WINST_BARRIER || i->kind == WINST_EXIT;
}

static bool over_limit(struct stepper *s)
{
    *s->fault = FAULT_LIMIT;
    return err_at(s->err, (struct src_pos){0},
                  "kernel %s: still running after %llu warp instructions of the program, the limit",
                  s->grid->name, (unsigned long long)s->u->max_instructions);
}

/* False: a fault. */
static bool warp_turn(struct stepper *s, struct resident *r, u32 warp, bool in_step)
{
    const struct source_ops *ops = s->grid->ops;
    const struct instruction *next;
    for (u32 n = 0; n < WARP_TURN && ops->next(r->block, warp, &next) == NEXT_READY; n++) {
        struct winst x;
        if (s->u->max_instructions && s->u->instructions == s->u->max_instructions)
            return over_limit(s);
        if (!ops->step(r->block, warp, &x)) {
            ops->fault(s->grid->self, s->err);
            return false;
        }
        if (x.transfer && x.transfer->token != NO_TOKEN)
            ops->arrived(r->block, x.transfer->token); /* a copy takes no time */
        s->u->clock = ++s->u->instructions;
        if (ends_turn(x.instruction, in_step))
            break;
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
        *r = (struct resident){.left = g->warps_per_block};
        struct sm_place at = {.sm = (u32)(s->next_block % s->u->sms), .clock = &s->u->clock};
        r->block = g->ops->block_begin(g->self, s->next_block++, &at);
    }
}

/* Of warps that have not ended; those that have now are noted. */
static u64 ready_warps(const struct stepper *s, struct resident *r)
{
    u64 ready = 0;
    for (u32 w = 0; w < s->grid->warps_per_block; w++) {
        const struct instruction *next;
        if (r->ended >> w & 1)
            continue;
        enum warp_next state = s->grid->ops->next(r->block, w, &next);
        ready |= (u64)(state == NEXT_READY) << w;
        if (state == NEXT_ENDED) {
            r->ended |= (u64)1 << w;
            r->left--;
        }
    }
    return ready;
}

/* Whoever can go on when the turn begins. */
static bool block_turn(struct stepper *s, struct resident *r)
{
    u64 ready = ready_warps(s, r);
    if (!ready && r->left)
        return explain_stuck(s, r);
    for (u64 left = ready; left; left &= left - 1) {
        u32 warp = (u32)__builtin_ctzll(left);
        if (!warp_turn(s, r, warp, ready & (ready - 1)))
            return false;
    }
    if (r->left)
        return true;
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
    if (grid->cluster_blocks > 1) /* its blocks would have to take turns */
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a launch of clusters cannot be recorded without timing",
                      grid->name);
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
