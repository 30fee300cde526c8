/* Instruction fetch: one warp a cycle gets the next instructions into its buffer. */
#include "gpu/sm/sm.h"

/* The address of code that instruction `ahead` after the next one would have. */
static u64 code_address(const struct sm *sm, const struct sm_warp *w)
{
    u64 number = w->next->pc / INSTRUCTION_BYTES + w->buffered;
    return number * sm->config->sm.fetch.instruction_bytes + application_base(w->application);
}

bool fetch_has_room(const struct sm *sm, const struct sm_warp *w)
{
    const struct fetch_config *c = &sm->config->sm.fetch;
    return !w->coming && w->buffered + c->width <= c->buffer_entries;
}

/* What came is decoded: the buffer has it. */
void fetch_arrived(struct sm *sm, u32 slot, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    if (!w->coming || w->coming_at > now)
        return;
    w->buffered = (u8)(w->buffered + w->coming);
    w->coming = 0;
    if (w->next && fetch_has_room(sm, w))
        sm->wants_fetch |= (u64)1 << slot;
}

/* Lines have come for warps whose fetch missed. */
void fetch_filled(struct sm *sm, u64 slots)
{
    sm->fetch_missed &= ~slots;
}

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
    struct ro_cache *s = &sm->instruction;
    handle_t h = pool_alloc(sm->requests);
    *sm_request(sm, h) = line_of(sm, slot, line, now);
    sm->fetch_missed |= (u64)1 << slot; /* an ideal memory may answer before this returns */
    if (ro_cache_access(sm, s, h, now) != RO_CACHE_MISS) {
        sm->fetch_missed &= ~((u64)1 << slot); /* no MSHR: it tries again */
        pool_free(sm->requests, h);
    }
}

static void fetch_one(struct sm *sm, u32 slot, cycle_t now)
{
    const struct fetch_config *c = &sm->config->sm.fetch;
    struct sm_warp *w = &sm->warps[slot];
    u64 address = code_address(sm, w), size = sm->instruction.config->line_bytes;
    u64 line = address & ~(size - 1);
    cycle_t ready = now;
    if (c->l0_bytes)
        ready = l0_icache_fetch(sm, line, now);
    else if (!ro_cache_holds(&sm->instruction, line))
        ready = CYCLE_NEVER;
    if (ready == CYCLE_NEVER) {
        ask_for_line(sm, slot, line, now);
        return;
    }
    sm->instruction.counts.accesses++;
    sm->instruction.counts.hits++;
    if (UNLIKELY(line != sm->instruction.last) && sm->instruction.config->prefetch_on) {
        struct request here = line_of(sm, slot, line, now);
        sm->instruction.last = line;
        l0_icache_go_on(sm, &here, now);
    }
    u64 to_end = (line + size - address) / c->instruction_bytes;
    w->coming = (u8)min_u64(c->width, to_end ? to_end : 1);
    w->coming_at = ready + c->cycles;
    sm->wants_fetch &= ~((u64)1 << slot);
    sm_wake_at(sm, slot, w->coming_at);
}

void sm_fetch(struct sm *sm, cycle_t now)
{
    for (u32 n = 0; n < sm->config->sm.fetch.per_cycle; n++) {
        u64 mask = sm->wants_fetch & ~sm->fetch_missed;
        if (!mask)
            return;
        u64 after = sm->fetch_last < 63 ? mask & ~(u64)0 << (sm->fetch_last + 1) : 0;
        u32 slot = (u32)__builtin_ctzll(after ? after : mask);
        sm->fetch_last = slot;
        fetch_one(sm, slot, now);
    }
}
