/*
 * Hits under misses: while the head of a bank's access queue waits for an MSHR, for a way or for
 * room on the way to DRAM, the first request behind it that hits is served, one a cycle. It never
 * goes ahead of a request to its own line.
 *
 * What has been looked at is no hit before a fill comes or the head leaves, so a bank that waits
 * looks at each request once.
 */
#include "l2/bank_internal.h"

/* A head that waits for the data port or the network keeps hits from these, too. */
static bool may_pass(const struct bank *b)
{
    return b->stall == STALL_MSHR || b->stall == STALL_CACHE || b->stall == STALL_DRAM;
}

static bool hits(const struct bank *b, const struct request *r)
{
    bool is_elsewhere =
        UNLIKELY(b->remote) && r->kind == REQUEST_ATOMIC && r->home != b->remote->socket;
    struct cache_place p = bank_find(b, r->line);
    return r->kind != REQUEST_UPDATE && !is_elsewhere && cache_holds(&b->cache, p, r) &&
           !bank_is_blind(b, p, r);
}

static bool has_earlier(const struct bank *b, u32 at, u64 line)
{
    for (u32 i = 0; i < at; i++) {
        if (bank_request(b, ring_peek(&b->access, i))->line == line)
            return true;
    }
    return false;
}

bool bank_serve_behind(struct bank *b, cycle_t now)
{
    b->stall_behind = STALL_NONE;
    if (!may_pass(b))
        return false;
    for (u32 at = b->looked; at < ring_count(&b->access); at++) {
        handle_t h = ring_peek(&b->access, at);
        const struct request *r = bank_request(b, h);
        b->looked = at;
        if (!hits(b, r) || has_earlier(b, at, r->line))
            continue;
        b->stall_behind = bank_serve(b, h, now);
        if (b->stall_behind != STALL_NONE)
            return false;
        ring_remove(&b->access, at);
        b->counts.passing_hits++;
        engine_progress(b->engine);
        return true;
    }
    b->looked = ring_count(&b->access);
    return false;
}

cycle_t bank_behind_next(const struct bank *b, cycle_t now)
{
    if (!may_pass(b) || b->looked >= ring_count(&b->access))
        return CYCLE_NEVER;
    if (b->stall_behind == STALL_PORT)
        return bank_port_next(b, now);
    return b->stall_behind == STALL_NONE ? now + 1 : CYCLE_NEVER;
}
