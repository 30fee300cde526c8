#include "gpu/sm/sm.h"

void sm_called(void *context, const void *block, enum cluster_event event, cycle_t now)
{
    struct sm *sm = context;
    struct cluster_calls *c = &sm->calls;
    cycle_t at = now + sm->config->sm.cluster_cycles;
    for (u32 i = 0; i < c->count; i++) {
        if (c->calls[i].block == block && c->calls[i].event == event &&
            (c->calls[i].at == at || c->count == MOST_CALLS))
            return; /* who is called for one looks for all */
    }
    if (c->count == MOST_CALLS) /* of other blocks: the last slot is told early */
        c->count--;
    c->calls[c->count++] = (struct cluster_call){.block = block, .at = at, .event = event};
    c->next = min_u64(c->next, at);
    sm->uses_rare = true;
    engine_wake_at(sm->engine, sm->unit, at);
}

struct sm_block *sm_block_of(struct sm *sm, const void *stream)
{
    for (u32 i = 0; i < sm->config->sm.blocks; i++) {
        struct sm_block *b = &sm->blocks[i];
        if (b->stream == stream && b->warps & sm->used)
            return b;
    }
    return NULL;
}

void calls_take(struct sm *sm, cycle_t now)
{
    struct cluster_calls *c = &sm->calls;
    u32 left = 0;
    c->next = CYCLE_NEVER;
    for (u32 i = 0; i < c->count; i++) {
        const struct cluster_call call = c->calls[i];
        if (call.at > now) {
            c->calls[left++] = call;
            c->next = min_u64(c->next, call.at);
            continue;
        }
        struct sm_block *b = sm_block_of(sm, call.block);
        if (b && call.event == CLUSTER_OPENED)
            sm_wake_block(sm, b, now);
        else if (b)
            sm_begin_phase(sm, b, call.event == CLUSTER_COPIED, now);
    }
    c->count = left;
}
