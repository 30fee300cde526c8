/*
 * A fence where caches hold lines of other sockets: it is promoted to the whole machine
 * (hpc-cores-and-numa-gpu spec 2.7, 2.9). The warp's stores reach L2 first, then its socket's L2 is
 * flushed, once for all who wait, and L1 is emptied.
 */
#include "gpu/sm.h"
#include "memsys/coherence.h"

void fence_begin(struct sm *sm, u32 slot)
{
    sm->fenced |= (u64)1 << slot;
    policy_changed(sm);
    if (!sm->warps[slot].stores_left)
        fence_stored(sm, slot);
}

static void go_on(struct sm *sm, u32 slot)
{
    cache_flush(&sm->l1.cache);
    lsu_unfence(sm, slot);
}

void fence_stored(struct sm *sm, u32 slot)
{
    if (LIKELY(!sm->coherence)) {
        lsu_unfence(sm, slot);
        return;
    }
    if (sm->flush_waits >> slot & 1)
        return;
    if (sm->coherence->is_free) {
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
