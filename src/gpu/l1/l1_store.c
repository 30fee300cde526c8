/* Stores: through to L2, or kept in the line until it leaves. */
#include "gpu/l1/l1_internal.h"

#include <string.h>

/* The store is in its line, and nowhere else until that leaves. */
static u8 keep(struct l1 *l, handle_t h, struct cache_place p)
{
    const struct request *r = l1_request(l, h);
    struct line *line = cache_line(&l->cache, p);
    line->dirty = (u8)(line->dirty | r->sectors);
    line->valid = (u8)(line->valid | r->sectors);
    cache_touch(&l->cache, p, r);
    l->counts.stores++;
    l->client->stored(l->sm, r);
    pool_free(l->requests, h);
    return L1_STALL_NONE;
}

/* Where L1 writes back, a store of whole sectors takes a line, for which a dirty one may leave.
 * False: it goes below, or *stall says what it waits for. */
static bool can_keep_new(struct l1 *l, const struct request *r, struct cache_place *p, u8 *stall)
{
    const struct l1_config *c = l->config;
    if (p->way != NO_WAY || c->write_miss != L1_WRITE_ALLOCATE || !(r->flags & REQUEST_WHOLE) ||
        r->flags & (REQUEST_NO_FILL | REQUEST_NO_L1 | REQUEST_LOCAL))
        return false;
    u32 way = cache_victim(&l->cache, p->set, l1_kept(l, p->set), r);
    if (way == NO_WAY)
        return false;
    if (tags_line(&l->cache.tags, p->set, way)->dirty && !l1_can_send(l, 1)) {
        *stall = L1_STALL_L2;
        return false;
    }
    p->way = way;
    l1_make_room(l, *p, r, LINE_VALID);
    return true;
}

/* The line of a store that missed comes in, with the sectors that were written, and is the first to
 * go again; not if a dirty victim would have to leave first. */
static void place(struct l1 *l, const struct request *r, u32 set)
{
    struct cache_place p = {set, cache_victim(&l->cache, set, l1_kept(l, set), r)};
    if (p.way == NO_WAY || cache_line(&l->cache, p)->dirty)
        return;
    if (l->config->write_hit == L1_WRITE_UPDATE) {
        cache_take_next(&l->cache, p.set, p.way, r);
        l1_placed(l, p, r);
    } else {
        l1_make_room(l, p, r, LINE_VALID);
    }
    cache_line(&l->cache, p)->valid = (u8)r->sectors;
}

static bool keeps_hit(const struct l1_config *c, const struct request *r)
{
    return r->flags & REQUEST_LOCAL ? c->local_write_back : UNLIKELY(c->write_hit == L1_WRITE_BACK);
}

/* What a store that goes below does to the line that is there or on its way. */
static void write_line(struct l1 *l, const struct request *r, struct cache_place p)
{
    const struct l1_config *c = l->config;
    struct line *line = cache_line(&l->cache, p);
    bool is_there = line && line->state == LINE_VALID;
    if (line)
        L1_TELL(l, written, p);
    if (is_there && c->write_hit == L1_WRITE_EVICT && !line->dirty)
        cache_invalidate(&l->cache, p.set, p.way);
    if (c->write_miss != L1_WRITE_ALLOCATE || !(r->flags & REQUEST_WHOLE) ||
        r->flags & REQUEST_NO_FILL)
        return;
    if (!line)
        place(l, r, p.set);
    else if (is_there)
        line->valid = (u8)(line->valid | r->sectors);
}

/* ---- stores that wait to go below --------------------------------------------------------- */

static struct request *waiting_store(const struct l1 *l, u64 line)
{
    for (u32 i = 0; i < l->stores.count; i++) {
        struct request *r = l1_request(l, l->stores.lines[i]);
        if (r->line == line)
            return r;
    }
    return NULL;
}

bool l1_store_waits(const struct l1 *l, u64 line)
{
    return waiting_store(l, line) != NULL;
}

/* The store is in another's request, which goes below for both. */
static u8 join(struct l1 *l, handle_t h, struct request *w)
{
    const struct request *r = l1_request(l, h);
    bool is_whole = r->flags & REQUEST_WHOLE
                        ? w->flags & REQUEST_WHOLE || !(w->sectors & ~r->sectors)
                        : w->flags & REQUEST_WHOLE && !(r->sectors & ~w->sectors);
    w->flags = (u16)(is_whole ? w->flags | REQUEST_WHOLE : w->flags & ~REQUEST_WHOLE);
    w->sectors |= r->sectors;
    l->counts.stores_joined++;
    l->client->stored(l->sm, r);
    pool_free(l->requests, h);
    return L1_STALL_NONE;
}

void l1_drain(struct l1 *l, cycle_t now)
{
    struct l1_stores *s = &l->stores;
    if (!s->count || now < s->free)
        return;
    s->next = CYCLE_NEVER;
    if (!l1_can_send(l, 1))
        return;
    const struct request *r = l1_request(l, s->lines[0]);
    s->free = now + (u32)__builtin_popcount(r->sectors) + !(r->flags & REQUEST_WHOLE);
    l1_send(l, s->lines[0], now);
    memmove(s->lines, s->lines + 1, --s->count * sizeof s->lines[0]);
    if (s->count)
        s->next = s->free;
}

/* ------------------------------------------------------------------------------------------- */

u8 l1_store(struct l1 *l, handle_t h, struct cache_place p, cycle_t now)
{
    const struct l1_config *c = l->config;
    const struct request *r = l1_request(l, h);
    const struct line *line = cache_line(&l->cache, p);
    bool is_there = line && line->state == LINE_VALID;
    if (is_there && keeps_hit(c, r)) {
        l->counts.store_hits++;
        l1_found(l, p, r, now);
        return keep(l, h, p);
    }
    if (UNLIKELY(c->write_hit == L1_WRITE_BACK)) {
        u8 stall = L1_STALL_NONE;
        if (can_keep_new(l, r, &p, &stall))
            return keep(l, h, p);
        if (stall != L1_STALL_NONE)
            return stall;
    }
    struct request *w = c->store_entries ? waiting_store(l, r->line) : NULL;
    bool has_room = c->store_entries ? w || l->stores.count < c->store_entries : l1_can_send(l, 1);
    if (!has_room)
        return L1_STALL_L2;
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L1) && !is_there) {
        l1_count_bypass(l, r, &l->bypass.stores, now);
    } else {
        l->counts.stores++;
        l->counts.store_hits += is_there;
    }
    if (is_there)
        l1_found(l, p, r, now);
    write_line(l, r, p);
    if (w)
        return join(l, h, w);
    if (!c->store_entries) {
        l1_send(l, h, now);
        return L1_STALL_NONE;
    }
    l->stores.lines[l->stores.count++] = h;
    l->stores.next = min_u64(l->stores.next, max_u64(l->stores.free, now + 1));
    return L1_STALL_NONE;
}
