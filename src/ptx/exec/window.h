/*
 * What a warp has executed of a stretch of machine code and not issued yet (ptx/lower/machine.h).
 *
 * A stretch executes as a whole in the order of its ops; what each did is kept here, and told
 * when its instruction is issued, in the order of the machine.
 */
#ifndef PTX_EXEC_WINDOW_H
#define PTX_EXEC_WINDOW_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

/* What an op did; small, since those of all warps are looked at by turns. */
struct window_slot {
    u32 mask;
    u32 slow_lanes; /* those for which it takes a subroutine */
    u32 access;     /* where it went in memory; 0: nowhere */
};

struct window_access {
    u32 in_global, in_shared, in_local, in_const, in_cluster;
    u64 address[LANES];
};

struct window {
    const struct machine *machine; /* NULL: there is nothing to issue */
    const struct machine_stretch *stretch;
    const struct machine_issue *issues;
    u32 next, count;      /* of the issues */
    u32 turn, turns;      /* the turn that issues are of, and how many have executed */
    u32 loop_turn;        /* of a loop that it is only a part of */
    u32 swap_left;        /* lanes of an atomic's loop whose attempt failed */
    u32 swap_seen[LANES]; /* by lane: the swaps of its word when it was loaded */
    struct window_slot *slots;
    struct window_access *accesses;
    u32 access_count;
};

struct program;
/* Room for the largest stretch of a program. */
size_t window_bytes(const struct program *p);
struct window *window_place(const struct program *p, void *room);

/* Executes the stretch that starts where the warp stands. */
void window_fill(struct warp *w, const struct machine_stretch *stretch);
const struct instruction *window_next(const struct window *win);
/* Says what the next instruction did, and goes on. Lanes that need a subroutine after it come
 * back with its kind. */
u32 window_step(struct window *win, struct winst *out, enum lower_slow *slow);

#endif
