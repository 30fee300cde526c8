/*
 * The load and store unit.
 *
 * A memory instruction is split into requests, one per line. They go into a
 * buffer (the "memory pipeline width" of Dublish 2018, table 3.3) and from its
 * head into L1, in order; an instruction with more requests than there is room
 * for holds the LSU until the last is in. (With sm.lsu.buffer_unit=instructions
 * the buffer has room for so many instructions, whatever their requests.)
 * Shared memory is busy for as many cycles as there are bank conflicts; so are L1's data banks if
 * it has any: an instruction's first request waits for them, its others follow.
 */
#include "gpu/sm/sm.h"

#include <assert.h>

u32 lsu_most_requests(const struct lsu_config *c)
{
    return c->buffer_entries * (c->buffer_unit == LSU_INSTRUCTIONS ? MOST_PIECES : 1);
}

void lsu_init(struct lsu *l, struct arena *arena, const struct lsu_config *c)
{
    ring_init(&l->buffer, arena, lsu_most_requests(c));
    l->counts_instructions = c->buffer_unit == LSU_INSTRUCTIONS;
    ring_init(&l->requests_left, arena, l->counts_instructions ? c->buffer_entries : 1);
    l->pending = ARENA_ARRAY(arena, struct pending, c->pending_instructions);
    l->pending_room = c->pending_instructions;
    l->pieces = ARENA_ARRAY(arena, struct piece, MOST_PIECES);
    l->stall = L1_STALL_NONE;
    l->l1_taken = CYCLE_NEVER;
}

bool lsu_accepts(const struct sm *sm, enum pipe pipe, cycle_t now)
{
    const struct lsu *l = &sm->lsu;
    if (l->piece_next < l->piece_count || l->pending_free == l->pending_room ||
        l->shared_free >= (now + 1) * shared_parts(&sm->config->sm))
        return false;
    if (pipe != PIPE_GLOBAL)
        return true;
    if (UNLIKELY(transfers_full(&sm->transfers)))
        return false;
    return !ring_is_full(UNLIKELY(l->counts_instructions) ? &l->requests_left : &l->buffer);
}

/* ---- instructions that wait --------------------------------------------------------------- */

static u32 pending_new(struct sm *sm, u32 slot, const struct winst *x, u32 requests, cycle_t ready)
{
    struct lsu *l = &sm->lsu;
    struct sm_warp *w = &sm->warps[slot];
    u32 ticket = l->pending_free;
    assert(ticket < l->pending_room);
    struct pending *p = &l->pending[ticket];
    l->pending_free = ticket + 1 + p->next_free;
    l->pending_count++;
    *p = (struct pending){.instruction = x->instruction,
                          .left = requests,
                          .warp = (u16)slot,
                          .is_async = x->instruction->kind == WINST_ASYNC_COPY,
                          .group = (u8)w->async_group,
                          .ready = ready,
                          .first = CYCLE_NEVER};
    w->loads_left++;
    if (p->is_async)
        w->async_left[w->async_group]++;
    scoreboard_pend(&sm->scoreboard, slot, x->instruction);
    return ticket;
}

u32 async_under_way(const struct sm_warp *w)
{
    u32 left = 0;
    for (u32 g = 0; g < ASYNC_GROUPS; g++) {
        u32 back = (w->async_group - g) % ASYNC_GROUPS; /* 0: not committed yet */
        left += back > w->async_wait || w->async_wait == 0 ? w->async_left[g] : 0;
    }
    return left;
}

void lsu_unfence(struct sm *sm, u32 slot)
{
    sm->fenced &= ~((u64)1 << slot);
    policy_changed(sm);
}

static void pending_done(struct sm *sm, u32 ticket, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    struct pending *p = &l->pending[ticket];
    struct sm_warp *w = &sm->warps[p->warp];
    u32 slot = p->warp;
    scoreboard_set(&sm->scoreboard, slot, p->instruction, p->ready, true);
    w->loads_left--;
    if (p->is_async) {
        w->async_left[p->group]--;
        if (sm->fenced >> slot & 1 && w->async_wait != FENCE_STORES && !async_under_way(w))
            lsu_unfence(sm, slot);
    }
    p->next_free = l->pending_free - ticket - 1;
    l->pending_free = ticket;
    l->pending_count--;
    if (w->ended)
        warp_drained(sm, slot);
    else
        warp_check(sm, slot, now);
}

void lsu_answered(struct sm *sm, u32 ticket, cycle_t ready, cycle_t now)
{
    struct pending *p = &sm->lsu.pending[ticket];
    p->ready = max_u64(p->ready, ready);
    if (p->first == CYCLE_NEVER)
        p->first = now;
    assert(p->left);
    if (--p->left)
        return;
    if (p->extra) { /* passes that come to a sub-core one after the other */
        cycle_t *free = &sm->lsu.return_free[p->warp % sm->config->sm.schedulers];
        p->ready = *free = max_u64(p->ready, *free) + p->extra;
    }
    if (now > p->first) {
        sm->counts.load_gap_cycles += now - p->first;
        sm->counts.gap_loads++;
    }
    pending_done(sm, ticket, now);
}

void lsu_store_done(struct sm *sm, u32 slot)
{
    struct sm_warp *w = &sm->warps[slot];
    assert(w->stores_left);
    if (--w->stores_left)
        return;
    if (sm->fenced >> slot & 1 && w->async_wait == FENCE_STORES)
        fence_stored(sm, slot);
    warp_drained(sm, slot);
}

/* ---- splitting up --------------------------------------------------------------------------- */

static u8 request_kind_of(const struct instruction *i)
{
    return i->kind == WINST_STORE    ? REQUEST_STORE
           : i->kind == WINST_ATOMIC ? REQUEST_ATOMIC
                                     : REQUEST_LOAD;
}

static u16 request_flags_of(struct sm *sm, u32 slot, const struct winst *x)
{
    const struct instruction *i = x->instruction;
    u16 flags = 0;
    bool around = i->cache_operator == CACHE_GLOBAL || i->cache_operator == CACHE_VOLATILE ||
                  i->kind == WINST_ASYNC_COPY || !sm->config->sm.l1.enabled;
    if (around && !x->in_local)
        flags |= REQUEST_NO_L1;
    if (x->in_local && !x->in_global)
        flags |= REQUEST_LOCAL;
    const struct warp_policy *p = &sm->policy;
    if (!(p->may_fill >> slot & 1) ||
        (UNLIKELY(p->ops->keeps) && !p->ops->keeps(&sm->policy, slot, i->pc)))
        flags |= REQUEST_NO_FILL;
    if (i->kind == WINST_ATOMIC && !i->dst_count)
        flags |= REQUEST_NO_DATA;
    if (i->kind == WINST_TEXTURE)
        flags |= REQUEST_TEXTURE;
    return flags;
}

/* What the requests of an instruction have in common. */
static struct request model_of(const struct sm *sm, u32 slot, const struct instruction *i, u8 kind,
                               u16 flags)
{
    u8 application = sm->warps[slot].application;
    return (struct request){.line = application_base(application),
                            .application = application,
                            .agent = sm->agent.number,
                            .reply_to = sm->agent.node,
                            .kind = kind,
                            .flags = flags,
                            .pc = (u32)i->pc};
}

/* Which region it is of, and what follows from that. */
static void mark_region(struct sm *sm, struct request *r, u64 address, cycle_t now)
{
    const struct kernel_regions *k = sm->lsu.regions;
    u32 region = region_of(k, address);
    r->region = (u16)(k->first_row + region);
    struct region_counts *c = sm_region(sm, r->region, now);
    c->loads += r->kind == REQUEST_LOAD;
    c->stores += r->kind == REQUEST_STORE;
    c->atomics += r->kind == REQUEST_ATOMIC;
    if (r->kind != REQUEST_ATOMIC) /* those need their line in L2 */
        r->flags = (u16)(r->flags | region_flags(k, region, now));
}

static handle_t make_request(struct sm *sm, const struct piece *p, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    handle_t h = pool_alloc(sm->requests);
    struct request *r = sm_request(sm, h);
    *r = l->model;
    r->ticket = ticket_write(l->ticket);
    l->ticket.passes = 0; /* it is the first request that waits for the banks */
    r->line += p->line;   /* in its application's address space */
    r->sectors = p->sectors;
    r->meet = p->meet;
    r->issued = now;
    if (r->kind == REQUEST_STORE && p->bytes >= request_data_bytes(r))
        r->flags |= REQUEST_WHOLE;
    if (r->kind == REQUEST_STORE || (r->kind == REQUEST_ATOMIC && r->flags & REQUEST_NO_DATA))
        sm->warps[l->ticket.warp].stores_left++;
    if (UNLIKELY(l->regions))
        mark_region(sm, r, p->line, now);
    return h;
}

/* As many requests as there is room for go into the buffer. */
static void feed(struct sm *sm, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    if (l->ticket.client != CLIENT_L1D)
        return;
    while (l->piece_next < l->piece_count && !ring_is_full(&l->buffer))
        ring_push(&l->buffer, make_request(sm, &l->pieces[l->piece_next++], now));
}

static cycle_t access_shared(struct sm *sm, const struct winst *x, cycle_t now)
{
    const struct shared_config *c = &sm->config->sm.shared;
    u32 passes = shared_passes(x, x->in_shared, c->banks, c->joins_lanes);
    sm->counts.shared_accesses++;
    sm->counts.shared_passes += passes;
    u32 parts = shared_parts(&sm->config->sm);
    u64 start = max_u64(sm->lsu.shared_free, now * parts);
    sm->lsu.shared_free = start + passes;
    u32 more = (c->conflict_cycles - 1) * (passes - 1);
    if (x->instruction->kind == WINST_ATOMIC)
        more += c->atomic_cycles;
    if (UNLIKELY(x->in_cluster))
        more += sm->config->sm.remote_cycles;
    return (start + passes - 1) / parts + c->cycles + more;
}

/* Lines of a read-only caches: a broadcast from one that is there is the common case. */
static void issue_ro_cache(struct sm *sm, u32 slot, const struct winst *x, u32 lanes,
                           struct ro_cache *s, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    struct sm_warp *w = &sm->warps[slot];
    u32 count = coalesce(x, lanes, s->config->line_bytes, l->pieces);
    if (s->client == CLIENT_CONSTANT)
        sm->counts.constant_accesses++;
    else
        sm->counts.texture_accesses++;
    u64 base = application_base(w->application);
    if (count == 1 && ro_cache_holds(s, base + l->pieces[0].line)) {
        s->counts.accesses++;
        s->counts.hits++;
        scoreboard_set(&sm->scoreboard, slot, x->instruction, now + s->config->hit_cycles, true);
        return;
    }
    l->piece_count = count;
    l->piece_next = 0;
    l->model = model_of(sm, slot, x->instruction, REQUEST_LOAD, 0);
    l->regions = NULL;
    l->ticket = (struct sm_ticket){
        .entry = pending_new(sm, slot, x, count, now + 1), .warp = (u16)slot, .client = s->client};
}

static void count_instruction(struct sm *sm, const struct instruction *i)
{
    sm->counts.loads += i->kind == WINST_LOAD || i->kind == WINST_TEXTURE;
    sm->counts.stores += i->kind == WINST_STORE;
    sm->counts.atomics += i->kind == WINST_ATOMIC;
}

/* Whose regions its requests are in; local memory and prefetches, for which nobody waits, count
 * nowhere. */
static const struct kernel_regions *regions_of(const struct sm_warp *w, const struct instruction *i,
                                               u32 flags)
{
    return flags & REQUEST_LOCAL || i->kind == WINST_PREFETCH ? NULL : w->block->regions;
}

/* Passes through L1's data banks, and lanes that meet at a word of each line. */
static u32 count_passes(struct sm *sm, const struct winst *x, u32 count)
{
    const struct gpu_config *c = sm->config;
    struct piece *pieces = sm->lsu.pieces;
    bool meets = x->instruction->kind == WINST_ATOMIC && c->l2.atomic_lane_cycles > 0;
    for (u32 k = 0; meets && k < count; k++)
        pieces[k].meet = (u8)lanes_at_a_word(x, x->in_global, pieces[k].line, c->line_bytes);
    return c->sm.l1.banks && x->in_global
               ? shared_passes(x, x->in_global, c->sm.l1.banks, c->sm.shared.joins_lanes)
               : 0;
}

void lsu_issue(struct sm *sm, u32 slot, const struct winst *x, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    const struct instruction *i = x->instruction;
    struct sm_warp *w = &sm->warps[slot];
    cycle_t ready = now + 1;
    count_instruction(sm, i);
    if (x->in_shared)
        ready = access_shared(sm, x, now);
    bool texture = i->kind == WINST_TEXTURE && !sm->config->sm.texture_in_l1;
    if (x->in_const || (texture && x->in_global)) {
        issue_ro_cache(sm, slot, x, texture ? x->in_global : x->in_const,
                       texture ? &sm->texture : &sm->constant, now);
        return;
    }
    u32 count = x->in_global ? coalesce(x, x->in_global, sm->config->line_bytes, l->pieces) : 0;
    if (x->in_local)
        count = coalesce_local(sm, slot, x, l->pieces, count);
    bool waits = i->dst_count || i->kind == WINST_ASYNC_COPY;
    if (!count) {
        scoreboard_set(&sm->scoreboard, slot, i, ready, true);
        return;
    }
    sm->counts.requests += count;
    if (UNLIKELY(sm->uses) && x->in_global)
        uses_accessed(sm, w->block, x, count);
    if (i->kind == WINST_LOAD && x->in_global) {
        w->has_loaded = true;
        sm->counts.load_requests++;
        sm->counts.load_lines += count;
    }
    l->piece_count = count;
    l->piece_next = 0;
    u32 passes = count_passes(sm, x, count);
    l->model = model_of(sm, slot, i, request_kind_of(i), request_flags_of(sm, slot, x));
    l->regions = UNLIKELY(sm->region_rows) ? regions_of(w, i, l->model.flags) : NULL;
    bool answered = waits && l->model.kind != REQUEST_STORE;
    l->ticket =
        (struct sm_ticket){.entry = answered ? pending_new(sm, slot, x, count, ready) : NO_ENTRY,
                           .warp = (u16)slot,
                           .client = CLIENT_L1D,
                           .passes = (u8)passes};
    if (answered && passes > 1)
        l->pending[l->ticket.entry].extra = (u16)((passes - 1) * sm->config->sm.l1.conflict_cycles);
    if (UNLIKELY(l->counts_instructions))
        ring_push(&l->requests_left, count);
    feed(sm, now);
}

/* ---- each cycle -------------------------------------------------------------------------------
 */

static void ro_cache_cycle(struct sm *sm, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    struct ro_cache *s = l->ticket.client == CLIENT_CONSTANT ? &sm->constant : &sm->texture;
    handle_t h = make_request(sm, &l->pieces[l->piece_next], now);
    sm_request(sm, h)->sectors = (1u << (s->config->line_bytes / SECTOR_BYTES)) - 1;
    enum ro_cache_answer answer = ro_cache_access(sm, s, h, now);
    u32 entry = l->ticket.entry;
    if (answer != RO_CACHE_MISS)
        pool_free(sm->requests, h);
    if (answer == RO_CACHE_BLOCKED)
        return;
    l->piece_next++;
    if (answer == RO_CACHE_HIT)
        lsu_answered(sm, entry, now + s->config->hit_cycles, now);
}

/* A request of the oldest instruction has left the buffer; the last one makes room. */
static void count_left(struct lsu *l)
{
    u32 *left = &l->requests_left.slots[l->requests_left.head & l->requests_left.mask];
    if (--*left == 0)
        ring_pop(&l->requests_left);
}

void lsu_cycle(struct sm *sm, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    if (l->stall != L1_STALL_NONE)
        sm->l1.counts.stall[l->stall] += now - l->stall_since;
    l->stall_since = now;
    u32 accesses = sm->config->sm.l1.accesses_per_cycle - (sm->lsu.l1_taken == now);
    if (LIKELY(accesses)) /* else a head that waited still does */
        l->stall = L1_STALL_NONE;
    for (u32 n = 0; n < accesses && !ring_is_empty(&l->buffer); n++) {
        handle_t head = ring_peek(&l->buffer, 0);
        u32 passes = ticket_read(sm_request(sm, head)).passes;
        if (passes && l->data_free > now)
            break;
        l->stall = l1_access(&sm->l1, head, now);
        if (l->stall != L1_STALL_NONE)
            break;
        if (passes)
            l->data_free = now + passes;
        ring_pop(&l->buffer);
        if (UNLIKELY(l->counts_instructions))
            count_left(l);
    }
    if (l->piece_next < l->piece_count) {
        if (l->ticket.client == CLIENT_L1D)
            feed(sm, now);
        else
            ro_cache_cycle(sm, now);
    }
}
