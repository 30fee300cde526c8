#include "gpu/sm/sm.h"

#include "base/map.h"
#include "ccn/ccn.h"
#include "mem/page_placement.h"

#include <assert.h>
#include <string.h>

/* ---- the way out ------------------------------------------------------------------------- */

bool sm_can_send(struct sm *sm, struct port *port, u32 requests)
{
    if (UNLIKELY(sm->held_count) && port == &sm->miss &&
        (sm->held_blocks || sm->held_count + sm->homeless_count + requests > sm->held_most))
        return false; /* it ticks when a page or room for a request has come */
    return sm->config->ideal.model == MEMORY_FIXED || port_has_room(port, requests);
}

static void context_reply(struct sm *sm, handle_t h, cycle_t now)
{
    if (sm->config->context.cacheable) {
        l1_reply(&sm->l1, h, now);
        return;
    }
    u32 slot = ticket_read(sm_request(sm, h)).warp;
    pool_free(sm->requests, h);
    context_answered(sm, slot);
}

static struct ro_cache *ro_cache_of(struct sm *sm, u8 client)
{
    return client == CLIENT_INSTRUCTION ? &sm->instruction
           : client == CLIENT_CONSTANT  ? &sm->constant
                                        : &sm->texture;
}

static void receive(struct sm *sm, handle_t h, cycle_t now)
{
    u8 client = ticket_read(sm_request(sm, h)).client;
    if (client == CLIENT_L1D)
        l1_reply(&sm->l1, h, now);
    else if (UNLIKELY(client == CLIENT_CONTEXT))
        context_reply(sm, h, now);
    else if (UNLIKELY(client == CLIENT_TRANSFER))
        transfer_answered(sm, h, now);
    else
        ro_cache_reply(ro_cache_of(sm, client), h, now);
}

/* With a fixed latency everything comes back after so many cycles, and nothing waits. */
static void delay(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *r = sm_request(sm, h);
    u32 cycles = sm->config->ideal.fixed_cycles;
    if (r->kind == REQUEST_WRITEBACK) {
        pool_free(sm->requests, h);
    } else if (cycles == 0) {
        receive(sm, h, now);
    } else {
        timed_push(&sm->delay, h, now + cycles);
        sm->uses_rare = true;
    }
}

void sm_send(struct sm *sm, handle_t h, struct port *port, cycle_t now)
{
    struct request *r = sm_request(sm, h);
    r->issued_fs = sm->engine->now_fs;
    if (sm->config->ideal.model == MEMORY_FIXED) {
        delay(sm, h, now);
        return;
    }
    if (UNLIKELY(sm->home)) {
        if (!homes_route(sm, h, r, now))
            return;
    } else {
        r->to = (u16)address_place(sm->map, r->line).bank;
    }
    port_push(port, h);
}

void sm_receive_at(struct sm *sm, handle_t h, cycle_t at)
{
    timed_push(&sm->delay, h, at);
    sm->uses_rare = true;
    engine_wake_at(sm->engine, sm->unit, at);
}

static void take_replies(struct sm *sm, cycle_t now)
{
    while (UNLIKELY(sm->uses_rare) && timed_next(&sm->delay) <= now) {
        handle_t h = timed_pop(&sm->delay);
        if (sm->ccn)
            l1_found_elsewhere(sm, h, now);
        else
            receive(sm, h, now);
    }
    if (LIKELY(!port_ready(&sm->reply)))
        return;
    u32 most =
        sm->config->ideal.model == MEMORY_REAL ? sm->config->sm.l1.fills_per_cycle : UINT32_MAX;
    for (u32 n = 0; n < most && port_ready(&sm->reply); n++)
        receive(sm, port_pop(&sm->reply), now);
}

/* ---- the wheel --------------------------------------------------------------------------- */

/* Looks at a warp again in that cycle, or before it: looking too early does no harm. */
void sm_wake_at(struct sm *sm, u32 slot, cycle_t at)
{
    if (at - sm->now >= WHEEL_CYCLES)
        at = sm->now + WHEEL_CYCLES - 1;
    u32 spoke = wheel_spoke(&sm->wheel, at);
    sm->due[spoke] |= (u64)1 << slot;
    wheel_use(&sm->wheel, spoke);
}

static void turn_wheel(struct sm *sm, cycle_t now)
{
    u32 spoke = wheel_spoke(&sm->wheel, now);
    u64 slots = sm->due[spoke] & sm->used;
    if (!sm->due[spoke])
        return;
    sm->due[spoke] = 0;
    wheel_clear(&sm->wheel, spoke);
    EACH_SLOT(slot, slots)
    {
        warp_fetch_arrived(&sm->fetch, (u32)slot, now);
        warp_check_again(sm, (u32)slot, now);
    }
}

/* ---- sleeping ---------------------------------------------------------------------------- */

void sm_settle(struct sm *sm, cycle_t now)
{
    issue_unit_settle(&sm->issue, now);
    lsu_settle(&sm->lsu, now);
    if (sm->policy.ops->settle)
        sm->policy.ops->settle(&sm->policy, now);
    struct sm_counts *c = &sm->counts;
    c->cycles = sm->issue.charged_to;
    c->scheduler_cycles = sm->issue.charged_to * sm->config->sm.schedulers;
    c->charged_cycles = 0;
    for (u32 i = 0; i < SLOT_COUNT; i++)
        c->charged_cycles += c->scheduler_slots[i];
}

/* Requests that wait for their time or their page, calls within a cluster, transfers, blocks that
 * are stopped: the SM has used some of it. */
static __attribute__((noinline)) cycle_t rare_next(const struct sm *sm)
{
    cycle_t next = timed_next(&sm->delay);
    next = min_u64(next, min_u64(sm->calls.next, sm->transfers.next));
    if (sm->held_count)
        next = min_u64(next, sm->held_next);
    if (context_is_busy(&sm->context))
        next = min_u64(next, sm->context.next);
    return next;
}

/* The next cycle in which something can happen without help from outside. */
static cycle_t next_work(const struct sm *sm, cycle_t now)
{
    const struct lsu *l = &sm->lsu;
    if (warp_fetch_is_busy(&sm->fetch) || port_ready(&sm->reply) || port_ready(&sm->launch))
        return now + 1;
    bool retries = l->l1_taken == now || (UNLIKELY(sm->ccn) && ccn_path_may_change(sm->ccn));
    if (lsu_is_busy(l, retries))
        return now + 1;
    bool ready;
    cycle_t next = sm_issue_next(sm, now, &ready);
    if (next == now + 1)
        return next;
    next = min_u64(next, wheel_next(&sm->wheel, now));
    next = min_u64(next, sm->l1.stores.next);
    cycle_t shared = lsu_shared_from(l);
    if (ready && shared > now)
        next = min_u64(next, shared);
    if (ready && l->words_free > now)
        next = min_u64(next, l->words_free);
    if (UNLIKELY(sm->uses_rare))
        next = min_u64(next, rare_next(sm));
    if (UNLIKELY(sm->uses))
        next = min_u64(next, sm->uses->next);
    if (sm->used)
        next = min_u64(next, sm->policy.alarm);
    return max_u64(next, now + 1);
}

static cycle_t finish_tick(struct sm *sm, cycle_t now)
{
    warp_fetch_cycle(&sm->fetch, now);
    cycle_t next = next_work(sm, now);
    if (next > now + 1)
        issue_unit_sleep(&sm->issue);
    /* An alarm or a poll that an SM slept for does not keep the machine going when its warps have
     * gone. */
    if (next == CYCLE_NEVER && (sm->policy.alarm != CYCLE_NEVER || UNLIKELY(sm->uses)))
        engine_cancel(sm->engine, sm->unit);
    return next;
}

static cycle_t sm_tick(void *self, cycle_t now)
{
    struct sm *sm = self;
    issue_unit_settle(&sm->issue, now);
    sm->now = now;
    if (UNLIKELY(now >= sm->policy.alarm))
        policy_ring(sm, now);
    if (UNLIKELY(sm->uses) && now >= sm->uses->next)
        uses_poll(sm, now);
    if (UNLIKELY(sm->uses_rare) && sm->held_count && (sm->held_blocks || sm->held_next <= now))
        homes_release(sm, now);
    take_replies(sm, now);
    if (UNLIKELY(sm->flush_waits))
        fence_poll(sm);
    if (UNLIKELY(port_ready(&sm->launch)))
        sm_take_blocks(sm, now);
    if (UNLIKELY(sm->uses_rare) && sm->calls.next <= now)
        calls_take(sm, now);
    if (UNLIKELY(sm->uses_rare) && sm->transfers.queued &&
        (sm->transfers.next <= now || sm->transfers.next == CYCLE_NEVER))
        transfers_cycle(sm, now);
    turn_wheel(sm, now);
    lsu_cycle(&sm->lsu, now);
    if (UNLIKELY(sm->uses_rare) && context_is_busy(&sm->context))
        context_cycle(sm, now);
    sm_issue(sm, now);
    return UNLIKELY(sm->put_off_count) ? now : finish_tick(sm, now);
}

/* What was put off has taken place. */
static cycle_t sm_end_tick(void *self, cycle_t now)
{
    struct sm *sm = self;
    for (u32 i = 0; i < sm->put_off_count; i++)
        warp_advance(sm, sm->put_off[i], now + 1);
    sm->put_off_count = 0;
    return finish_tick(sm, now);
}

/* Why a warp of a block waits for others, in its source's words if it has any. */
static struct err explain_warp(const struct sm_block *b, u32 warp)
{
    const struct grid_source *g = b->grid;
    struct err why = ERR_INIT;
    u64 address;
    if (!g->ops->explain || !g->ops->explain(b->stream, warp, &address, &why))
        err_at(&why, (struct src_pos){0}, "kernel %s, block %llu: waits at a barrier", g->name,
               (unsigned long long)b->id);
    return why;
}

/* Warps of a block that follow each other and wait at the same place are told in one line. */
static void explain_block(const struct sm *sm, const struct sm_block *b, struct waits *waits)
{
    u64 waiting = 0; /* by their index in the block */
    for (u64 left = (sm->issue.waits | sm->spins) & b->warps; left; left &= left - 1) {
        const struct sm_warp *w = &sm->warps[__builtin_ctzll(left)];
        waiting |= (u64)(w->block == b) << w->index;
    }
    while (waiting) {
        u32 first = (u32)__builtin_ctzll(waiting), last = first;
        struct err why = explain_warp(b, first);
        waiting &= waiting - 1;
        while (waiting & (u64)2 << last && explain_warp(b, last + 1).line == why.line)
            waiting &= ~((u64)1 << ++last);
        char text[1200];
        err_text(&why, text, sizeof text);
        if (last > first)
            waits_add(waits, UNIT_NONE, "warps %u to %u: %s", first, last, text);
        else
            waits_add(waits, UNIT_NONE, "warp %u: %s", first, text);
    }
}

static void sm_explain(void *self, struct waits *waits)
{
    static const char *const stalls[] = {"every way of its set is reserved", "the MSHRs are full",
                                         "the miss queue is full"};
    const struct sm *sm = self;
    if (!sm->view.live)
        return;
    waits_add(waits, UNIT_NONE, "%d warps live: %d wait at barriers, %d for memory, %d for stores",
              __builtin_popcountll(sm->view.live), __builtin_popcountll(sm->issue.waits),
              __builtin_popcountll(sm->issue.on_load), __builtin_popcountll(sm->issue.fenced));
    for (u32 i = 0; i < sm->config->sm.blocks; i++) {
        if (sm->blocks[i].left)
            explain_block(sm, &sm->blocks[i], waits);
    }
    u64 held = sm->view.live & ~sm->policy.may_issue & ~sm->issue.waits & ~sm->issue.fenced;
    if (held)
        waits_add(waits, UNIT_NONE, "%d warps are kept back by the warp policy %s",
                  __builtin_popcountll(held), sm->policy.ops->name);
    if (sm->lsu.stall != L1_STALL_NONE)
        waits_add(waits, sm->miss.consumer, "the head of the LSU waits: %s", stalls[sm->lsu.stall]);
    if (sm->held_count)
        waits_add(waits, UNIT_NONE, "%u requests wait for pages to come", sm->held_count);
    if (sm->l1.cache.mshr.in_use)
        waits_add(waits, sm->miss.consumer, "%u lines to come into L1", sm->l1.cache.mshr.in_use);
}

/* ---- building ---------------------------------------------------------------------------- */

/* Lines that one miss asks for besides its own. */
static u32 most_prefetched(const struct sm_config *c)
{
    return (u32)max_u64(c->instruction.prefetch_lines,
                        max_u64(c->constant.prefetch_lines, c->texture.prefetch_lines));
}

static void init_ports(struct sm *sm, const struct build_site *site)
{
    const struct gpu_config *c = sm->config;
    struct engine *e = sm->engine;
    struct arena *a = &sm->sim->arena;
    const char *name = site_name(site, "sm", sm->index);
    bool ideal = c->ideal.model == MEMORY_INFINITE;
    port_init(&sm->launch, e, arena_printf(a, "%s.launch", name), 2 * c->sm.blocks);
    port_init(&sm->done, e, arena_printf(a, "%s.done", name), 2 * c->sm.blocks);
    port_init(&sm->miss, e, arena_printf(a, "%s.miss", name), ideal ? 1024 : c->sm.l1.miss_entries);
    port_init(&sm->ro_cache_miss, e, arena_printf(a, "%s.ro_cache_miss", name),
              ideal ? 1024 : 4 + most_prefetched(&c->sm));
    port_init(&sm->reply, e, arena_printf(a, "%s.reply", name),
              ideal ? 4096 : c->network.output_entries);
}

/* Nothing holds back what needs no MSHR (stores, atomics, loads past L1) when memory is ideal:
 * as many can be under way as L1 takes while the first is. */
static u64 most_without_mshr(const struct gpu_config *c)
{
    const struct ideal_config *i = &c->ideal;
    u64 cycles = i->model == MEMORY_REAL    ? 0
                 : i->model == MEMORY_FIXED ? i->fixed_cycles
                                            : max_u64(i->hit_cycles, i->miss_cycles);
    return cycles * c->sm.l1.accesses_per_cycle;
}

static u64 most_of_ro_cache(const struct ro_cache_config *c)
{
    return (u64)c->mshrs * (c->merge_limit + 1);
}

u64 sm_most_requests(const struct gpu_config *c)
{
    const struct sm_config *s = &c->sm;
    u64 read_only = most_of_ro_cache(&s->instruction) + most_of_ro_cache(&s->constant) +
                    most_of_ro_cache(&s->texture);
    return (u64)lsu_most_requests(&s->lsu) + (u64)s->l1.mshrs * (s->l1.merge_limit + 1) +
           2 * s->l1.miss_entries + read_only + 64 + c->network.output_entries +
           s->lsu.pending_instructions + most_without_mshr(c) + POOL_PART_ROOM + 2 * CONTEXT_LINES +
           s->l1.store_entries + homes_most_held(c);
}

void sm_init(struct sm *sm, const struct sm_parts *p)
{
    const struct build_site *site = p->site;
    const struct gpu_config *c = p->config;
    struct sim *sim = site->sim;
    struct arena *arena = &sim->arena;
    u32 index = p->index;
    sm->config = c;
    sm->sim = sim;
    sm->engine = &sim->engine;
    sm->requests = pool_part(p->requests, arena);
    sm->number = site->socket * c->sm.count + index;
    sm->place = (struct sm_place){.sm = sm->number,
                                  .clock = &sm->now,
                                  .log = &sm->log,
                                  .call = sm_called,
                                  .call_context = sm};
    sm->calls.next = CYCLE_NEVER;
    transfers_init(&sm->transfers);
    sm->groups = ARENA_ARRAY(arena, struct group_mma, c->sm.warps);
    sm->map = p->map;
    sm->index = index;
    sm->agent = (struct agent){.kind = AGENT_SM,
                               .socket = (u8)site->socket,
                               .number = (u16)p->agent,
                               .index = (u16)index,
                               .node = (u16)p->agent};
    sm->slots = c->sm.warps == 64 ? ~(u64)0 : ((u64)1 << c->sm.warps) - 1;
    scoreboard_init(&sm->scoreboard, c->sm.warps);
    wheel_init(&sm->wheel, arena, WHEEL_CYCLES - 1);
    sm->due = ARENA_ARRAY(arena, u64, WHEEL_CYCLES);
    struct sm_warp_rare *rare = ARENA_ARRAY(arena, struct sm_warp_rare, c->sm.warps);
    for (u32 slot = 0; slot < c->sm.warps; slot++)
        sm->warps[slot].rare = &rare[slot];
    sm->blocks = ARENA_ARRAY(arena, struct sm_block, c->sm.blocks);
    sm->tracks = ARENA_ARRAY(arena, track_id, c->sm.blocks);
    sm->left = ARENA_ARRAY(arena, struct sm_block, sim->timeline ? c->sm.blocks : 0);
    for (u32 i = 0; sim->timeline && i < c->sm.blocks; i++)
        sm->tracks[i] = timeline_track(sim->timeline, site_name(site, "sm", index),
                                       arena_printf(arena, "block slot %u", i));
    sm->view = (struct warp_view){.schedulers = c->sm.schedulers,
                                  .sm = index,
                                  .sms = c->sm.count,
                                  .seed = sim->seed,
                                  .now = &sm->now};
    for (u32 slot = 0; slot < c->sm.warps; slot++)
        sm->view.scheduler[slot % c->sm.schedulers] |= (u64)1 << slot;
    units_init(&sm->units, arena, &c->sm);
    init_ports(sm, site);
    issue_client_init(sm);
    memory_access_init(sm, arena);
    icache_client_init(sm, arena);
    l1_client_init(sm, arena, p->l1_replacement);
    context_init(sm, arena);
    sm->view.l1_sets = sm->l1.cache.tags.sets;
    sm->view.l1_ways = sm->l1.cache.tags.ways;
    ro_cache_client_init(sm, arena, p->lru);
    u32 delayed = c->ideal.model == MEMORY_FIXED ? (u32)sm_most_requests(c) : c->sm.l1.mshrs;
    timed_init(&sm->delay, arena, delayed);
    sm->unit = engine_add_unit(sm->engine, p->domain, site_name(site, "sm", index), sm_tick, sm);
    engine_explain_with(sm->engine, sm->unit, sm_explain);
    engine_end_with(sm->engine, sm->unit, sm_end_tick);
    engine_fetch_ahead(sm->engine, sm->unit, SM_HOT_BYTES);
}
