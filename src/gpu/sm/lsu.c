#include "gpu/sm/lsu.h"

#include <assert.h>

u32 lsu_most_requests(const struct lsu_config *c)
{
    return c->buffer_entries * (c->buffer_unit == LSU_INSTRUCTIONS ? MOST_PIECES : 1);
}

void lsu_init(struct lsu *l, struct arena *arena, const struct lsu_parts *parts)
{
    const struct lsu_config *c = parts->config;
    l->at = *parts;
    ring_init(&l->buffer, arena, lsu_most_requests(c));
    l->counts_instructions = c->buffer_unit == LSU_INSTRUCTIONS;
    ring_init(&l->requests_left, arena, l->counts_instructions ? c->buffer_entries : 1);
    l->pending = ARENA_ARRAY(arena, struct pending, c->pending_instructions);
    l->pending_room = c->pending_instructions;
    l->pieces = ARENA_ARRAY(arena, struct piece, MOST_PIECES);
    l->stall = L1_STALL_NONE;
    l->l1_taken = CYCLE_NEVER;
}

cycle_t lsu_access_shared(struct lsu *l, u32 passes, cycle_t now)
{
    u32 parts = l->at.shared_parts;
    u64 start = max_u64(l->shared_free, now * parts);
    l->shared_free = start + passes;
    return (start + passes - 1) / parts;
}

/* ---- instructions that wait --------------------------------------------------------------- */

static u32 pending_new(struct lsu *l, const struct lsu_access *a)
{
    u32 entry = l->pending_free;
    assert(entry < l->pending_room);
    struct pending *p = &l->pending[entry];
    l->pending_free = entry + 1 + p->next_free;
    l->pending_count++;
    *p = (struct pending){.instruction = a->instruction,
                          .left = a->pieces,
                          .warp = (u16)a->slot,
                          .is_async = a->instruction->kind == WINST_ASYNC_COPY,
                          .group = a->group,
                          .extra = a->extra,
                          .ready = a->ready,
                          .first = CYCLE_NEVER};
    return entry;
}

void lsu_answered(struct lsu *l, u32 entry, cycle_t ready, cycle_t now)
{
    struct pending *p = &l->pending[entry];
    p->ready = max_u64(p->ready, ready);
    if (p->first == CYCLE_NEVER)
        p->first = now;
    assert(p->left);
    if (--p->left)
        return;
    if (p->extra) { /* passes that come to a sub-core one after the other */
        cycle_t *free = &l->return_free[p->warp % l->at.schedulers];
        p->ready = *free = max_u64(p->ready, *free) + p->extra;
    }
    struct pending done = *p;
    p->next_free = l->pending_free - entry - 1;
    l->pending_free = entry;
    l->pending_count--;
    l->at.client->done(l->at.sm, &done, now);
}

/* ---- splitting up ------------------------------------------------------------------------- */

static handle_t make_request(struct lsu *l, const struct piece *p, cycle_t now)
{
    handle_t h = pool_alloc(l->at.requests);
    struct request *r = pool_get(l->at.requests, h);
    *r = l->model;
    r->ticket = ticket_write(l->ticket);
    l->ticket.passes = 0; /* it is the first request that waits for the banks */
    r->line += p->line;   /* in its application's address space */
    r->sectors = p->sectors;
    r->meet = p->meet;
    r->issued = now;
    if (r->kind == REQUEST_STORE && p->bytes >= request_data_bytes(r))
        r->flags |= REQUEST_WHOLE;
    if (UNLIKELY(l->regions))
        l->at.client->mark(l->at.sm, l->regions, r, p->line, now);
    return h;
}

/* As many requests as there is room for go into the buffer. */
static void feed(struct lsu *l, cycle_t now)
{
    while (l->piece_next < l->piece_count && !ring_is_full(&l->buffer))
        ring_push(&l->buffer, make_request(l, &l->pieces[l->piece_next++], now));
}

void lsu_take(struct lsu *l, const struct lsu_access *a, cycle_t now)
{
    l->piece_count = a->pieces;
    l->piece_next = 0;
    l->regions = a->regions;
    l->ticket = (struct sm_ticket){.entry = a->is_answered ? pending_new(l, a) : NO_ENTRY,
                                   .warp = (u16)a->slot,
                                   .client = a->client,
                                   .passes = a->passes};
    if (a->client != CLIENT_L1D)
        return;
    if (UNLIKELY(l->counts_instructions))
        ring_push(&l->requests_left, a->pieces);
    feed(l, now);
}

/* ---- each cycle --------------------------------------------------------------------------- */

/* One piece goes to a read-only cache. */
static void read_only_cycle(struct lsu *l, cycle_t now)
{
    u32 entry = l->ticket.entry;
    handle_t h = make_request(l, &l->pieces[l->piece_next], now);
    cycle_t ready = 0;
    enum ro_cache_answer answer =
        l->at.client->read_only(l->at.sm, l->ticket.client, h, &ready, now);
    if (answer != RO_CACHE_MISS)
        pool_free(l->at.requests, h);
    if (answer == RO_CACHE_BLOCKED)
        return;
    l->piece_next++;
    if (answer == RO_CACHE_HIT)
        lsu_answered(l, entry, ready, now);
}

/* A request of the oldest instruction has left the buffer; the last one makes room. */
static void count_left(struct lsu *l)
{
    u32 *left = &l->requests_left.slots[l->requests_left.head & l->requests_left.mask];
    if (--*left == 0)
        ring_pop(&l->requests_left);
}

void lsu_settle(struct lsu *l, cycle_t now)
{
    if (l->stall == L1_STALL_NONE || now <= l->stall_since)
        return;
    l->at.l1->counts.stall[l->stall] += now - l->stall_since;
    l->stall_since = now;
}

void lsu_cycle(struct lsu *l, cycle_t now)
{
    lsu_settle(l, now);
    l->stall_since = now;
    if (UNLIKELY(l->at.l1->stores.count))
        l1_drain(l->at.l1, now);
    u32 accesses = l->at.accesses_per_cycle - (l->l1_taken == now);
    if (LIKELY(accesses)) /* else a head that waited still does */
        l->stall = L1_STALL_NONE;
    for (u32 n = 0; n < accesses && !ring_is_empty(&l->buffer); n++) {
        handle_t head = ring_peek(&l->buffer, 0);
        u32 passes = ticket_read(pool_get(l->at.requests, head)).passes;
        if (passes && l->data_free > now)
            break;
        l->stall = l1_access(l->at.l1, head, now);
        if (l->stall != L1_STALL_NONE)
            break;
        if (passes)
            l->data_free = now + passes;
        ring_pop(&l->buffer);
        if (UNLIKELY(l->counts_instructions))
            count_left(l);
    }
    if (l->piece_next >= l->piece_count)
        return;
    if (l->ticket.client == CLIENT_L1D)
        feed(l, now);
    else
        read_only_cycle(l, now);
}
