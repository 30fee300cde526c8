/* What the parts that move the paths of a warp share: branches, calls, waiting. */
#ifndef PTX_EXEC_RECONVERGENCE_H
#define PTX_EXEC_RECONVERGENCE_H

#include "ptx/exec/warp.h"

/* reconvergence.c */
void path_enter(struct warp *w, u8 index);
/* Says something of a thread, with its kernel and block and the line of the op, or NULL. */
void path_say(const struct warp *w, const struct path *p, const struct op *op, u32 lane,
              const char *what, struct err *err);
/* Another path that can run becomes the current one; false: there is none. */
bool path_choose(struct warp *w);
/* Splits the current path: lanes of `taken` (some, not all) go to `target`, the others,
 * which stay current, to `next`; they meet at `meet`, or PTX_NONE: behind the call. */
void path_diverge(struct warp *w, u32 taken, u32 target, u32 next, u32 meet);

/* call.c */
void path_call(struct warp *w, const struct op *op, u32 mask);
void path_return(struct warp *w, const struct op *op, u32 mask);

/* warp_sync.c */
void path_collective(struct warp *w, const struct op *op, u32 mask);
void path_barrier(struct warp *w, const struct op *op, u32 mask);
/* Lanes that a path waits for at a collective instruction; 0: it does not wait at one. */
u32 path_awaits(const struct warp *w, const struct path *p);
/* Where the warp waits, for threads of its block or for its own lanes; false: it does not. */
bool warp_explain(const struct warp *w, struct err *err);

/* cluster.c */
void path_cluster(struct warp *w, const struct op *op, u32 mask);
void block_check_cluster(struct block *b);
/* Threads of its cluster that have not exited. */
u32 block_cluster_threads(const struct block *b);

/* warpgroup.c: those of its warp group that wait for products look again */
void group_check_products(struct warp *w);

/* spin_detection.c */
/* Equal when the warp is where it was, with the same registers. */
u64 warp_state(const struct warp *w);
/* A warp that goes round in a loop which changes nothing: an address that it reads there. */
bool warp_explain_loop(const struct warp *w, u64 *address, struct err *err);
/* Every path that can run goes round in a loop that looks at mbarriers, and at nothing that threads
 * outside the cluster may write: if its cluster's other warps change nothing, it never ends. */
bool warp_waits_for_cluster(const struct warp *w);
/* Lanes exit: barriers wait for them no longer. */
/* The lanes of the current path end here. */
void warp_exit_path(struct warp *w);
void warp_leaves_barriers(struct warp *w, u32 lanes);

/* Lanes of a mask whose guard lets them execute. */
static inline u32 path_guarded(const struct warp *w, const struct op *op, u32 mask)
{
    if (op->guard == REF_NONE)
        return mask;
    u32 p = *(const u32 *)ref_get(w, op->guard);
    return mask & (op->guard_negated ? ~p : p);
}

/* A row of a frame's header: see FRAME_HEADER_BYTES. */
static inline u32 *frame_header(struct warp *w, u32 frame, u32 row)
{
    return (u32 *)(void *)(w->registers + frame + row * 4 * LANES);
}

#endif
