/*
 * A fence waits for the warp's stores. With sm.fence_cycles it takes as long as on an H200
 * (silicon/probes/micro/fence.c): one of the block waits for nothing; any other has its time from
 * when the stores are done on, and empties L1. Warp-group products of its warp count as loads, and
 * must have ended: where consumers release a stage to other blocks, a step of
 * examples/hopper_gemm.cu takes the time of its products and of its fences one after the other on
 * an H200 (hopper-gemm.csv: 1,880 cycles more for each of 4 more steps, with 516 cycles of products
 * and two releases).
 *
 * Where software keeps caches coherent (sm.l1.flush_at_fence, several sockets) a fence beyond its
 * block is promoted to the whole machine (hpc-cores-and-numa-gpu spec 2.7, 2.9). The warp's stores
 * reach L2 first; where L2 keeps lines of other sockets that of its socket is flushed then, once
 * for all who wait; and L1 is emptied, whatever L2 keeps.
 */
#include "gpu/sm/sm.h"
#include "l2/line_versions.h"
#include "memsys/coherence.h"

void fence_begin(struct sm *sm, u32 slot)
{
    sm->issue.fenced |= (u64)1 << slot;
    sm->wide_fences |= (u64)1 << slot;
    policy_changed(sm);
    if (!sm->warps[slot].stores_left)
        fence_stored(sm, slot);
}

static void take_time(struct sm *sm, u32 slot, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    w->not_before = max_u64(w->rare->fence_from, now + 1) + sm->config->sm.fence_cycles;
    cache_flush(&sm->l1.cache);
}

void fence_begin_timed(struct sm *sm, u32 slot, const struct instruction *i, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    if (!i->bytes || (i->bytes == FENCE_OF_CLUSTER && w->block->grid->cluster_blocks < 2))
        return;
    w->async_wait = FENCE_STORES;
    w->rare->fence_from = max_u64(now + 1, sm->groups[slot].last) +
                          (w->has_loaded ? sm->config->sm.fence_load_cycles : 0);
    w->has_loaded = false;
    if (UNLIKELY(sm->coherence))
        fence_begin(sm, slot);
    else if (!w->stores_left)
        take_time(sm, slot, now);
    else
        sm->issue.fenced |= (u64)1 << slot, policy_changed(sm);
}

static u32 who(const struct sm *sm, u32 slot)
{
    return sm->number * MOST_SM_WARPS + slot;
}

static void go_on(struct sm *sm, u32 slot)
{
    if (sm->config->sm.l1.flush_at_fence || sm->config->sm.fence_cycles)
        l1_empty(&sm->l1);
    sm->wide_fences &= ~((u64)1 << slot);
    if (UNLIKELY(sm->versions))
        versions_fence_ends(sm->versions, who(sm, slot), sm->now);
    warp_unfence(sm, slot);
}

void fence_stored(struct sm *sm, u32 slot)
{
    if (LIKELY(!(sm->wide_fences >> slot & 1))) {
        warp_unfence(sm, slot);
        if (sm->config->sm.fence_cycles) {
            take_time(sm, slot, sm->now);
            warp_check(sm, slot, sm->now);
        }
        return;
    }
    if (sm->flush_waits >> slot & 1)
        return;
    if (UNLIKELY(sm->versions))
        versions_fence_begins(sm->versions, who(sm, slot));
    if (!sm->coherence || sm->coherence->is_free) {
        go_on(sm, slot);
        return;
    }
    sm->flush_waits |= (u64)1 << slot;
    sm->flush_numbers[slot] = coherence_ask(sm->coherence, sm->agent.socket);
    coherence_wake(sm->coherence, sm->agent.socket, sm->unit);
}

void fence_poll(struct sm *sm)
{
    EACH_SLOT(slot, sm->flush_waits)
    {
        if (!coherence_is_done(sm->coherence, sm->agent.socket, sm->flush_numbers[slot]))
            continue;
        sm->flush_waits &= ~((u64)1 << slot);
        go_on(sm, (u32)slot);
        warp_check(sm, (u32)slot, sm->now);
    }
    if (sm->flush_waits)
        coherence_wake(sm->coherence, sm->agent.socket, sm->unit);
}
