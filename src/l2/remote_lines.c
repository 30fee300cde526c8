/*
 * A bank that keeps lines of other sockets' memory for the agents of its own socket (GPU side): its
 * misses to them go over the links, and software keeps it coherent by flushing it
 * (hpc-cores-and-numa-gpu spec 2.9).
 *
 * A flush serves nothing while lines on their way come in, then writes back one dirty line a cycle
 * and forgets the rest at once.
 */
#include "l2/bank_internal.h"

/* clang-format off */
const struct stat_def bank_remote_stats[] = {
    S_COUNT(bank_remote_counts, accesses, "requests", "requests of this socket for lines of other sockets, atomics excluded"),
    S_COUNT(bank_remote_counts, hits, "requests", "requests for lines of other sockets that hit in the L2"),
    S_RATIO(bank_remote_counts, hit_rate, hits, accesses, "hits per access to lines of other sockets"),
    S_COUNT(bank_remote_counts, atomics, "requests", "atomics passed on to the socket that owns their line"),
    S_COUNT(bank_remote_counts, fills, "lines", "lines filled from other sockets"),
    S_COUNT(bank_remote_counts, writebacks, "lines", "dirty lines sent to other sockets"),
    S_COUNT(bank_remote_counts, flushes, "times", "flushes of remote lines"),
    S_COUNT(bank_remote_counts, flushed_lines, "lines", "dirty lines written back by flushes"),
    S_COUNT(bank_remote_counts, dropped_lines, "lines", "clean lines dropped by flushes"),
    S_COUNT(bank_remote_counts, flush_cycles, "cycles", "cycles in which the bank served nothing because of a flush"),
    S_END,
};
/* clang-format on */

static u64 ways_for(const struct cache *c, u32 set, const struct request *access)
{
    const struct bank *b = c->owner;
    (void)set;
    return split_ways(b->remote->split, access->home != b->remote->socket);
}

/* ---- flushes --------------------------------------------------------------------------------- */

static bool has_order(const struct bank *b)
{
    const struct bank_remote *s = b->remote;
    return flush_number(&s->orders[s->socket], b->engine->now_fs) != s->flushed;
}

/* Lines of a set that a flush is for go; false: a dirty one has taken this cycle, or waits. */
static bool flush_set(struct bank *b, u32 set, bool remote_only)
{
    struct bank_remote *s = b->remote;
    for (u32 way = 0; way < b->cache.tags.ways; way++) {
        const struct line *l = tags_line(&b->cache.tags, set, way);
        if (l->state != LINE_VALID || (remote_only && l->slot == s->socket))
            continue;
        if (!l->dirty) {
            cache_invalidate(&b->cache, set, way);
            s->counts.dropped_lines++;
            continue;
        }
        if (bank_can_give_up(b, set, way)) {
            bank_write_back(b, set, way);
            cache_invalidate(&b->cache, set, way);
            s->counts.flushed_lines++;
        }
        return false;
    }
    return true;
}

static bool flush(struct bank *b)
{
    struct bank_remote *s = b->remote;
    const struct flush_order *o = &s->orders[s->socket];
    if (!has_order(b))
        return false;
    if (!s->flushes) {
        s->flushes = true;
        s->set = 0;
        s->counts.flushes++;
    }
    s->counts.flush_cycles++;
    if (s->remote_misses)
        return true;
    while (s->set < b->cache.tags.sets && flush_set(b, s->set, o->remote_only))
        s->set++;
    if (s->set < b->cache.tags.sets)
        return true;
    s->flushes = false;
    s->flushed = flush_number(o, b->engine->now_fs);
    s->flushed_fs = b->engine->now_fs;
    engine_wake(b->engine, o->giver);
    return true;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void take(struct bank *b, cycle_t now)
{
    struct bank_remote *s = b->remote;
    while (!ring_is_full(&s->access) && timed_next(&s->pipe) <= now)
        ring_push(&s->access, timed_pop(&s->pipe));
    if (port_ready(s->in) && !ring_is_full(&s->access)) {
        handle_t h = port_pop(s->in);
        bank_request(b, h)->at_l2_fs = b->engine->now_fs;
        timed_push(&s->pipe, h, now + b->pipe_latency);
    }
}

static bool serve_head(struct bank *b, struct ring *queue, u8 *stall, cycle_t now)
{
    if (ring_is_empty(queue))
        return false;
    *stall = bank_serve(b, ring_peek(queue, 0), now);
    if (*stall != STALL_NONE)
        return false;
    ring_pop(queue);
    b->looked = 1;
    engine_progress(b->engine);
    return true;
}

/* Own agents and other sockets take turns; while it is flushed own agents wait. */
static void serve_turn(struct bank *b, struct bank_attachment *a, bool serves, cycle_t now)
{
    struct bank_remote *s = ATTACHED(a, struct bank_remote);
    bool is_flushed = flush(b);
    bool own_first = s->served_remote, own = serves && !is_flushed;
    s->stall = STALL_NONE;
    b->stall_since = now;
    if (!own && !ring_is_empty(&b->access))
        b->stall = STALL_CACHE;
    if (own && own_first && serve_head(b, &b->access, &b->stall, now))
        s->served_remote = false;
    else if (serve_head(b, &s->access, &s->stall, now))
        s->served_remote = true;
    else if (own && !own_first && serve_head(b, &b->access, &b->stall, now))
        s->served_remote = false;
    else if (own && b->config->hit_under_miss && bank_serve_behind(b, now))
        s->served_remote = false;
    take(b, now);
}

static cycle_t next_work(const struct bank *b, const struct bank_attachment *a, cycle_t now)
{
    (void)a;
    const struct bank_remote *s = b->remote;
    bool room = !ring_is_full(&s->access);
    cycle_t next = room ? timed_next(&s->pipe) : CYCLE_NEVER;
    if (port_ready(s->answer))
        next = min_u64(next, bank_fill_free(b));
    bool was_flushed = s->flushed_fs == b->engine->now_fs; /* own agents waited for it */
    if (has_order(b) || (port_ready(s->in) && room) || (was_flushed && !ring_is_empty(&b->access)))
        return now + 1;
    if (!ring_is_empty(&s->access) && s->stall == STALL_NONE)
        return now + 1;
    if (!ring_is_empty(&s->access) && s->stall == STALL_PORT)
        next = min_u64(next, b->port_free);
    return next;
}

/* ---- misses and answers ---------------------------------------------------------------------- */

#define KEPT_MSHRS 4u /* one in so many is for lines of this socket's memory */

/* The miss of a line of another socket leaves MSHRs and a way of the set to others. */
static u8 may_miss(const struct bank *b, const struct bank_attachment *a, const struct request *r,
                   u32 set)
{
    (void)a;
    const struct bank_remote *s = b->remote;
    const struct line *lines = tags_line(&b->cache.tags, set, 0);
    u32 coming = 0;
    if (r->home == s->socket)
        return STALL_NONE;
    if (s->remote_misses >= b->config->mshrs - b->config->mshrs / KEPT_MSHRS)
        return STALL_MSHR;
    for (u32 way = 0; way < b->cache.tags.ways; way++)
        coming += lines[way].state == LINE_RESERVED && lines[way].slot != s->socket;
    return coming + 1 < b->cache.tags.ways ? STALL_NONE : STALL_CACHE;
}

static void missed(struct bank *b, struct bank_attachment *a, const struct request *r)
{
    (void)a;
    b->remote->remote_misses += r->home != b->remote->socket;
}

static void filled(struct bank *b, struct bank_attachment *a, struct cache_place p,
                   struct request *fill, handle_t waiting)
{
    (void)p, (void)waiting;
    struct bank_remote *s = ATTACHED(a, struct bank_remote);
    s->was_remote = fill->home != s->socket;
    s->counts.fills += s->was_remote;
    if (s->was_remote && !mshr_find(&b->cache.mshr, fill->line))
        s->remote_misses--;
}

static void sent(struct bank *b, struct bank_attachment *a, struct request *r, u8 home)
{
    (void)b;
    struct bank_remote *s = ATTACHED(a, struct bank_remote);
    r->socket = s->socket;
    r->home = home;
    if (home == s->socket || !request_is_victim(r))
        return;
    flush_left(&s->orders[s->socket]);
    s->counts.writebacks++;
}

/* A dirty line of this socket's memory has come from another, and is taken in. */
static void answered(struct bank *b, struct bank_attachment *a, handle_t h)
{
    struct bank_remote *s = ATTACHED(a, struct bank_remote);
    const struct request *r = bank_request(b, h);
    if (!request_is_victim(r) || r->socket == s->socket)
        return; /* an answer, or a victim of one of its own L1s */
    struct flush_order *o = &s->orders[r->socket];
    if (!flush_arrived(o, b->engine->now_fs))
        engine_wake(b->engine, o->giver);
}

/* An atomic takes place where its line is; this cache has it no more. */
static u8 serve_atomic(struct bank *b, struct bank_attachment *a, handle_t h, struct cache_place p,
                       cycle_t now)
{
    (void)now;
    struct bank_remote *s = ATTACHED(a, struct bank_remote);
    const struct request *r = bank_request(b, h);
    if (LIKELY(r->kind != REQUEST_ATOMIC) || r->home == s->socket)
        return SERVE_ON;
    struct line *l = cache_line(&b->cache, p);
    if (l && l->state != LINE_VALID)
        return STALL_MSHR;
    if (!port_has_room(s->miss, 1u + (l && l->dirty)))
        return STALL_DRAM;
    if (l && l->dirty)
        bank_write_back(b, p.set, p.way);
    if (l)
        cache_invalidate(&b->cache, p.set, p.way);
    s->counts.atomics++;
    port_push(s->miss, h);
    return STALL_NONE;
}

static void accessed(struct bank *b, struct bank_attachment *a, const struct request *r, bool hit)
{
    (void)b;
    struct bank_remote *s = ATTACHED(a, struct bank_remote);
    s->counts.accesses += r->home != s->socket;
    s->counts.hits += r->home != s->socket && hit;
}

static void explain(const struct bank *b, const struct bank_attachment *a, struct waits *waits)
{
    (void)a;
    if (b->remote->remote_misses)
        waits_add(waits, UNIT_NONE, "%u lines to come from other sockets",
                  b->remote->remote_misses);
}

struct port *bank_remote_answer(const struct bank *b)
{
    const struct bank_remote *s = b->remote;
    bool remote = port_ready(s->answer) && (!port_ready(b->answer) || !s->was_remote);
    return remote ? s->answer : b->answer;
}

void bank_keep_remote(struct bank *b, struct arena *arena, const struct bank_remote_parts *parts)
{
    static const struct bank_hooks hooks = {.serve_turn = serve_turn,
                                            .next = next_work,
                                            .serve = serve_atomic,
                                            .accessed = accessed,
                                            .may_miss = may_miss,
                                            .missed = missed,
                                            .sent = sent,
                                            .filled = filled,
                                            .answered = answered,
                                            .explain = explain};
    struct bank_remote *s = b->remote = ARENA_NEW(arena, struct bank_remote);
    *s = (struct bank_remote){.socket = parts->socket,
                              .split = parts->split,
                              .in = parts->in,
                              .miss = parts->miss,
                              .answer = parts->answer,
                              .orders = parts->orders,
                              .stall = STALL_NONE};
    timed_init(&s->pipe, arena, b->pipe_latency + 2);
    ring_init(&s->access, arena, b->config->access_entries);
    if (s->split)
        b->cache.ways_for = ways_for;
    bank_attach(b, &s->attached, &hooks);
}
