/* An SM as its fetch sees it: lines of code from the L0 I-cache, the I-cache, or memory. */
#include "gpu/sm/sm.h"

static struct request line_of(const struct sm *sm, u32 slot, u64 line, cycle_t now)
{
    return (struct request){
        .line = line,
        .sectors = (1u << (sm->instruction.config->line_bytes / SECTOR_BYTES)) - 1,
        .agent = sm->agent.number,
        .reply_to = sm->agent.node,
        .kind = REQUEST_FETCH,
        .application = sm->warps[slot].application,
        .ticket = ticket_write((struct sm_ticket){.warp = (u16)slot, .client = CLIENT_INSTRUCTION}),
        .issued = now};
}

static void ask_for_line(struct sm *sm, u32 slot, u64 line, cycle_t now)
{
    handle_t h = pool_alloc(sm->requests);
    *sm_request(sm, h) = line_of(sm, slot, line, now);
    if (ro_cache_access(&sm->instruction, h, now) == RO_CACHE_MISS)
        return;
    warp_fetch_filled(&sm->fetch, (u64)1 << slot); /* no MSHR: it tries again */
    pool_free(sm->requests, h);
}

static cycle_t code_line(void *self, u32 slot, u64 line, cycle_t now)
{
    struct sm *sm = self;
    struct ro_cache *s = &sm->instruction;
    cycle_t ready = now;
    if (sm->config->sm.fetch.l0_bytes)
        ready = l0_icache_fetch(&sm->l0_icache, line, now);
    else if (!ro_cache_holds(s, line))
        ready = CYCLE_NEVER;
    if (ready == CYCLE_NEVER) {
        ask_for_line(sm, slot, line, now);
        return ready;
    }
    s->counts.accesses++;
    s->counts.hits++;
    if (UNLIKELY(line != s->last) && s->config->prefetch_on) {
        struct request here = line_of(sm, slot, line, now);
        s->last = line;
        l0_icache_go_on(&sm->l0_icache, &here, now);
    }
    return ready;
}

static void arrives(void *self, u32 slot, cycle_t at)
{
    sm_wake_at(self, slot, at);
}

void icache_client_init(struct sm *sm, struct arena *arena)
{
    static const struct warp_fetch_client_ops ops = {code_line, arrives};
    warp_fetch_init(&sm->fetch, arena,
                    &(struct warp_fetch_parts){.config = &sm->config->sm.fetch,
                                               .slots = sm->config->sm.warps,
                                               .line_bytes = sm->config->sm.instruction.line_bytes,
                                               .client = &ops,
                                               .sm = sm});
}
