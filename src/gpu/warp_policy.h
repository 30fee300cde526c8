/*
 * Which of the warps that could issue does, and which may use the L1.
 *
 * One instance per SM. The SM asks pick() with the warps of one scheduler that
 * are ready and whose unit has room; it tells what happens to warps. A policy
 * may keep warps from issuing (may_issue) and their misses from taking lines
 * (may_fill). It sees the SM only through this header.
 */
#ifndef GPU_WARP_POLICY_H
#define GPU_WARP_POLICY_H

#include "base/arena.h"
#include "base/types.h"

#define MOST_SM_WARPS 64

struct warp_policy_ops;

/* What a policy may look at; the SM keeps it up to date. A bit or an entry per slot. */
struct warp_view {
    u64 age[MOST_SM_WARPS]; /* in order of launch: smaller is older */
    u64 live;               /* launched and not ended */
    u64 waiting;            /* at a barrier or a fence */
    u64 scheduler[4];       /* the slots of each scheduler */
    u32 schedulers;
};

struct warp_policy {
    const struct warp_policy_ops *ops;
    const struct warp_view *view;
    void *state;
    u64 may_issue, may_fill; /* all ones unless the policy says otherwise */
};

struct warp_policy_ops {
    const char *name;   /* as written in a chip file */
    const char *source; /* where the mechanism was published */
    void (*init)(struct warp_policy *p, struct arena *arena);
    /* candidates: never empty, all of one scheduler. The answer issues now. */
    u32 (*pick)(struct warp_policy *p, u32 scheduler, u64 candidates);
    /* Optional: slots that were launched, ended, or began or ceased to wait. */
    void (*changed)(struct warp_policy *p);
};

/* The oldest of some warps. */
static inline u32 warp_oldest(const struct warp_view *v, u64 candidates)
{
    u32 best = (u32)__builtin_ctzll(candidates);
    for (u64 left = candidates & (candidates - 1); left; left &= left - 1) {
        u32 slot = (u32)__builtin_ctzll(left);
        if (v->age[slot] < v->age[best])
            best = slot;
    }
    return best;
}

#endif
