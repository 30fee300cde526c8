/*
 * What issue does in every cycle (gpu/sm/issue.h), compiled together with its client: `client` is a
 * constant, so its functions are called directly. Through pointers, matmul and vecadd of size tiny
 * on volta80 took 2.8 and 1.7 % more host instructions.
 */
#ifndef GPU_SM_ISSUE_CYCLE_H
#define GPU_SM_ISSUE_CYCLE_H

#include "gpu/sm/issue.h"

static inline bool issue_unit_accepts(const struct issue_unit *x,
                                      const struct issue_client_ops *client, enum pipe pipe,
                                      u32 scheduler, cycle_t now)
{
    if (pipe == PIPE_FREE)
        return true;
    if (pipe >= PIPE_GLOBAL)
        return client->memory_accepts(x->at.sm, pipe, now);
    return units_accept(x->at.units, pipe, scheduler, now) &&
           (LIKELY(!x->at.units->collects) || units_collect(x->at.units, scheduler, now));
}

/* Warps of a scheduler whose next instruction finds its unit free; each wants one pipe. */
static inline u64 issue_unit_accepted(const struct issue_unit *x,
                                      const struct issue_client_ops *client, u32 scheduler,
                                      u64 ready, cycle_t now)
{
    u64 mask = 0;
    for (u64 left = ready; left; left &= left - 1) {
        u8 pipe = x->pipe[__builtin_ctzll(left)];
        if (issue_unit_accepts(x, client, (enum pipe)pipe, scheduler, now))
            mask |= x->wants[pipe];
        left &= ~x->wants[pipe] | (left & -left); /* others that want it have their answer */
    }
    return ready & mask;
}

/* False: an instruction has failed; the cycle is not charged. */
static inline bool issue_unit_cycle(struct issue_unit *x, const struct issue_client_ops *client,
                                    cycle_t now)
{
    struct warp_policy *policy = x->at.policy;
    u32 schedulers = x->at.schedulers, width = x->at.width, interval = x->at.interval;
    enum slot_class class[MOST_SCHEDULERS], core = SLOT_COUNT;
    u32 s = x->first;
    for (u32 k = 0; k < schedulers; k++, s = s + 1 < schedulers ? s + 1 : 0) {
        u64 own = x->at.view->scheduler[s];
        bool issued = false;
        for (u32 n = UNLIKELY(x->from[s] > now) ? width : 0; n < width; n++) {
            u64 ready = issue_unit_ready(x) & own;
            if (!ready)
                break;
            ready = issue_unit_allowed(x, ready);
            u64 candidates = issue_unit_accepted(x, client, s, ready, now);
            if (!candidates)
                break;
            issued = true;
            /* units that schedulers share: who had them comes last next time */
            x->first = s + 1 < schedulers ? s + 1 : 0;
            u32 slot = policy->ops->pick(policy, s, candidates);
            if (UNLIKELY(x->is_watched) && n == 0)
                client->watch(x->at.sm, s, ready, candidates, 1);
            if (!client->issue(x->at.sm, slot, s, now))
                return false;
            if (UNLIKELY(interval > 1))
                x->from[s] = now + interval;
        }
        if (issued) {
            class[s] = core = SLOT_ISSUED;
            continue;
        }
        class[s] = issue_unit_classify(x, own);
        if (UNLIKELY(x->is_watched) && class[s] == SLOT_STRUCT_MEM)
            issue_unit_refused(x, s, 1);
    }
    if (core != SLOT_ISSUED)
        core = issue_unit_classify(x, ~(u64)0);
    for (u32 k = 0; k < schedulers; k++)
        x->at.scheduler_slots[class[k]]++;
    x->at.core_slots[core]++;
    x->charged_to = now + 1;
    return true;
}

/* The next cycle, if a warp can issue in it; else the first in which the turn of a scheduler with
 * ready warps comes. *ready: some warp whose turn it is finds no room in the LSU. */
static inline cycle_t issue_unit_next(const struct issue_unit *x,
                                      const struct issue_client_ops *client, cycle_t now,
                                      bool *ready)
{
    cycle_t next = CYCLE_NEVER;
    u64 can = issue_unit_allowed(x, issue_unit_ready(x));
    if (UNLIKELY(x->at.interval > 1))
        can = issue_unit_in_turn(x, can, now, &next);
    *ready = can;
    if (can & ~issue_unit_for_memory(x))
        return now + 1;
    for (u32 pipe = PIPE_GLOBAL; can && pipe <= PIPE_READ_ONLY; pipe++) {
        if (can & x->wants[pipe] && client->memory_accepts(x->at.sm, (enum pipe)pipe, now + 1))
            return now + 1;
    }
    return next;
}

#endif
