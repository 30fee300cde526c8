#include "gpu/l1/l1_internal.h"
#include "l2/way_partition.h"

#include <assert.h>

/* ---- what leaves ------------------------------------------------------------------------ */

void l1_send(struct l1 *l, handle_t h, cycle_t now)
{
    struct request *r = l1_request(l, h);
    L1_TELL(l, sent, r);
    l->counts.sent += r->kind != REQUEST_WRITEBACK;
    l->client->send(l->sm, h, now);
}

static handle_t fetch_of(struct l1 *l, const struct request *r, u32 sectors, cycle_t now)
{
    handle_t h = pool_alloc(l->requests);
    struct request *f = l1_request(l, h);
    *f = *r;
    f->sectors = sectors;
    f->issued = now;
    return h;
}

static void ask(struct l1 *l, const struct request *r, u32 sectors, cycle_t now)
{
    l1_send(l, fetch_of(l, r, sectors, now), now);
}

/* A dirty line goes below. */
static void write_back(struct l1 *l, u32 set, u32 way)
{
    const struct tags *t = &l->cache.tags;
    u64 line = tags_address(t, set, way);
    handle_t h = pool_alloc(l->requests);
    *l1_request(l, h) = (struct request){.line = line,
                                         .sectors = tags_line(t, set, way)->dirty,
                                         .agent = l->agent.number,
                                         .kind = REQUEST_WRITEBACK,
                                         .application = application_of(line),
                                         .issued = *l->now};
    l->counts.writebacks++;
    l1_send(l, h, *l->now);
}

/* The miss or store that takes the way has made sure that a dirty line finds room. */
static void evicted(struct cache *c, u32 set, u32 way)
{
    struct l1 *l = c->owner;
    l->counts.evictions++;
    L1_TELL(l, evicted, set, way);
    if (tags_line(&c->tags, set, way)->dirty)
        write_back(l, set, way);
}

static void shows(struct cache *c, u32 set, u32 way, u64 line)
{
    struct l1 *l = c->owner;
    L1_TELL(l, shows, set, way, line);
}

void l1_placed(struct l1 *l, struct cache_place p, const struct request *r)
{
    struct line *line = cache_line(&l->cache, p);
    u16 warp = ticket_read(r).warp;
    line->owner = l->identity[warp];
    line->slot = (u8)warp;
    L1_TELL(l, placed, p, r);
}

void l1_make_room(struct l1 *l, struct cache_place p, const struct request *r,
                  enum line_state state)
{
    cache_take(&l->cache, p.set, p.way, r, state);
    l1_placed(l, p, r);
}

/* ---- lookups ---------------------------------------------------------------------------- */

/* As GPUs count them: a sector that is on its way is no miss (docs/internals/fidelity.md). */
static void count_sectors(struct l1 *l, const struct request *r, u32 missed)
{
    if (r->flags & REQUEST_LOCAL || ticket_read(r).entry == NO_ENTRY)
        return;
    l->counts.load_sectors += (u32)__builtin_popcount(r->sectors);
    l->counts.load_sectors_missed += (u32)__builtin_popcount(missed);
}

static u8 hit(struct l1 *l, handle_t h, struct cache_place p, cycle_t now)
{
    struct l1_counts *c = &l->counts;
    const struct request *r = l1_request(l, h);
    bool own = cache_line(&l->cache, p)->owner == l->identity[ticket_read(r).warp];
    c->loads++;
    c->hits++;
    l1_found(l, p, r, now);
    count_sectors(l, r, 0);
    c->intra_warp_hits += own;
    c->inter_warp_hits += !own;
    if (LIKELY(!(r->flags & REQUEST_NO_FILL)) || l->config->bypass_hits_touch)
        cache_touch(&l->cache, p, r);
    L1_TELL(l, hit, p, r, own);
    l->client->loaded(l->sm, r, now + l->config->hit_cycles, now);
    pool_free(l->requests, h);
    return L1_STALL_NONE;
}

/* A load that may keep its line joins one that may not: the line is kept if there is room
 * (Poise spec 2 item 5) and if all of it is on its way. */
static void merge_fill(struct l1 *l, struct mshr_entry *e, const struct request *r, u32 set)
{
    const struct l1_config *c = l->config;
    if (!e->no_fill || r->flags & REQUEST_NO_FILL || !c->merge_keeps)
        return;
    if (c->bypass_bytes == L1_BYPASS_COALESCED && !c->sectored &&
        e->missing != l->cache.all_sectors)
        return;
    if (c->allocate == L1_ALLOCATE_ON_FILL) {
        e->no_fill = false;
        return;
    }
    struct cache_place p = {set, cache_victim(&l->cache, set, l1_kept(l, set), r)};
    if (p.way == NO_WAY || cache_line(&l->cache, p)->dirty)
        return;
    e->no_fill = false;
    l1_make_room(l, p, r, LINE_RESERVED);
}

static u8 merge(struct l1 *l, handle_t h, struct mshr_entry *e, u32 set, cycle_t now)
{
    struct request *r = l1_request(l, h);
    if (e->count >= l->config->merge_limit)
        return L1_STALL_MSHR;
    if (r->sectors & ~e->asked && !l1_can_send(l, 1))
        return L1_STALL_L2;
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L1)) {
        l1_count_bypass(l, r, &l->bypass.merges, now);
    } else {
        l->counts.loads++;
        l->counts.merges++;
        count_sectors(l, r, r->sectors & ~e->asked);
    }
    r->issued = now;
    L1_TELL(l, missed, r, set, true);
    merge_fill(l, e, r, set);
    u32 to_ask = cache_merge(&l->cache, h);
    if (to_ask)
        ask(l, r, to_ask, now);
    return L1_STALL_NONE;
}

/* p: has the line without all of the sectors, or no way. */
static void begin_miss(struct l1 *l, struct request *r, struct cache_place p, cycle_t now)
{
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L1)) {
        l1_count_bypass(l, r, &l->bypass.loads, now);
    } else {
        l->counts.loads++;
        l->counts.misses++;
        l->counts.sector_misses += p.way != NO_WAY;
        count_sectors(l, r, r->sectors & ~cache_valid(&l->cache, p));
    }
    r->issued = now;
    L1_TELL(l, missed, r, p.set, false);
}

/* No way could be given up, but only because an attachment keeps them: the miss need not wait, it
 * bypasses the cache. */
static bool is_bypass(struct l1 *l, u32 set, const struct request *r)
{
    return UNLIKELY(l->on.kept) && cache_victim(&l->cache, set, 0, r) != NO_WAY;
}

static u8 path_of(struct l1 *l, const struct request *r)
{
    struct l1_attachment *a = l->on.path;
    return UNLIKELY(a != NULL) ? a->hooks->path(l, a, r) : 0;
}

static u8 miss(struct l1 *l, handle_t h, struct cache_place p, cycle_t now)
{
    struct request *r = l1_request(l, h);
    bool keeps = !(r->flags & REQUEST_NO_FILL);
    bool reserves = keeps && l->config->allocate == L1_ALLOCATE_ON_MISS;
    struct cache_miss m;
    enum cache_answer can =
        cache_plan(&l->cache, p, r, reserves, reserves ? l1_kept(l, p.set) : 0, &m);
    if (can == CACHE_NO_WAY) {
        if (!is_bypass(l, p.set, r))
            return L1_STALL_CACHE;
        keeps = false;
        can = cache_plan(&l->cache, p, r, false, 0, &m);
    }
    if (can == CACHE_NO_MSHR)
        return L1_STALL_MSHR;
    u8 path = path_of(l, r);
    bool elsewhere = path & L1_ELSEWHERE;
    if (!l1_can_send(l, 1u - elsewhere + m.dirty_victim))
        return L1_STALL_L2;
    begin_miss(l, r, p, now);
    m.sectors = keeps ? 0 : l1_bypass_sectors(l, r->sectors);
    u32 to_ask = cache_start(&l->cache, &m, h);
    if (m.reserves)
        l1_placed(l, m.place, r);
    mshr_find(&l->cache.mshr, r->line)->no_fill = !keeps;
    L1_TELL(l, started, path);
    if (UNLIKELY(elsewhere))
        L1_TELL(l, ask, fetch_of(l, r, to_ask, now), path, now);
    else
        ask(l, r, to_ask, now);
    return L1_STALL_NONE;
}

/* A miss that takes neither a line nor an MSHR: the request itself goes, so a second one of the
 * line goes too. */
static u8 miss_bypass(struct l1 *l, handle_t h, struct cache_place p, cycle_t now)
{
    struct request *r = l1_request(l, h);
    if (!l1_can_send(l, 1))
        return L1_STALL_L2;
    begin_miss(l, r, p, now);
    u32 part = l1_bypass_sectors(l, r->sectors);
    r->sectors = part ? part : cache_fill_sectors(&l->cache, r->sectors, 0);
    L1_TELL(l, started, 0);
    r->flags |= REQUEST_NO_L1; /* its answer finds the instruction */
    l1_send(l, h, now);
    return L1_STALL_NONE;
}

/* Around the cache: the request itself goes, and its answer finds the instruction. */
static u8 bypass(struct l1 *l, handle_t h, cycle_t now)
{
    if (!l1_can_send(l, 1))
        return L1_STALL_L2;
    const struct request *r = l1_request(l, h);
    l->counts.bypasses++;
    l->counts.atomics += r->kind == REQUEST_ATOMIC;
    if (r->kind == REQUEST_LOAD)
        count_sectors(l, r, r->sectors);
    l1_send(l, h, now);
    return L1_STALL_NONE;
}

/* It takes place in L2, and what this cache has of the line is old. */
static u8 atomic(struct l1 *l, handle_t h, struct cache_place p, cycle_t now)
{
    const struct line *line = cache_line(&l->cache, p);
    bool leaves = line && line->dirty && l->config->write_hit == L1_WRITE_BACK;
    if (!l1_can_send(l, 1u + leaves))
        return L1_STALL_L2;
    if (line && line->state == LINE_VALID && (!line->dirty || leaves)) {
        if (UNLIKELY(leaves))
            write_back(l, p.set, p.way);
        cache_invalidate(&l->cache, p.set, p.way);
    }
    return bypass(l, h, now);
}

u8 l1_access(struct l1 *l, handle_t h, cycle_t now)
{
    struct request *r = l1_request(l, h);
    L1_TELL(l, arrives, r);
    struct cache_place p = cache_find(&l->cache, r->line, r->line);
    if (r->kind == REQUEST_STORE)
        return l1_store(l, h, p, now);
    bool hits =
        r->kind == REQUEST_LOAD && !(r->flags & REQUEST_NO_L1) && cache_holds(&l->cache, p, r);
    if (LIKELY(hits))
        return hit(l, h, p, now);
    if (UNLIKELY(l->stores.count) && l1_store_waits(l, r->line))
        return L1_STALL_L2; /* what goes below comes behind the stores of its line */
    if (r->kind == REQUEST_ATOMIC)
        return atomic(l, h, p, now);
    if (r->flags & REQUEST_NO_L1)
        return bypass(l, h, now);
    struct mshr_entry *e = mshr_find(&l->cache.mshr, r->line);
    if (UNLIKELY(e && e->is_old))
        return miss_bypass(l, h, p, now);
    if (e)
        return merge(l, h, e, p.set, now);
    bool around = r->flags & REQUEST_NO_FILL && !l->config->bypass_takes_mshr;
    return UNLIKELY(around) ? miss_bypass(l, h, p, now) : miss(l, h, p, now);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void count_latency(struct l1 *l, const struct request *r, cycle_t now)
{
    struct l1_counts *c = &l->counts;
    u64 dram = r->at_dram_fs ? r->left_dram_fs - r->at_dram_fs : 0;
    c->answered++;
    c->latency_cycles += now - r->issued;
    if (!r->at_l2_fs)
        return; /* an ideal memory */
    c->request_fs += r->at_l2_fs - r->issued_fs;
    c->dram_fs += dram;
    c->l2_fs += r->left_l2_fs - r->at_l2_fs - dram;
    c->reply_fs += l->engine->now_fs - r->left_l2_fs;
    if (r->flags & REQUEST_L2_HIT) {
        c->l2_hits++;
        c->l2_hit_latency_cycles += now - r->issued;
    }
}

/* Where the line goes: the way that was reserved for it, or one taken now; no way: it is not
 * kept. */
static struct cache_place fill_place(struct l1 *l, const struct request *f, bool no_fill)
{
    struct cache_place p = cache_find(&l->cache, f->line, f->line);
    if (p.way != NO_WAY || no_fill)
        return p;
    p.way = cache_victim(&l->cache, p.set, l1_kept(l, p.set), f);
    if (p.way == NO_WAY)
        return p;
    if (cache_line(&l->cache, p)->dirty && !l1_can_send(l, 1)) {
        p.way = NO_WAY; /* a dirty victim could not leave: the new line is used and not kept */
        return p;
    }
    l1_make_room(l, p, f, LINE_RESERVED);
    return p;
}

void l1_fill(struct l1 *l, handle_t h, cycle_t now)
{
    const struct request *f = l1_request(l, h);
    const struct mshr_entry *e = mshr_find(&l->cache.mshr, f->line);
    assert(e);
    bool is_old = e->is_old;
    struct cache_place p = fill_place(l, f, e->no_fill);
    handle_t next, w = cache_fill(&l->cache, p, f->line, f->sectors);
    cache_filled(&l->cache, p, f->line);
    l->counts.fills += p.way != NO_WAY;
    L1_TELL(l, filled, p, f, w, now);
    if (UNLIKELY(is_old) && p.way != NO_WAY && !mshr_find(&l->cache.mshr, f->line))
        cache_invalidate(&l->cache, p.set, p.way);
    for (; w; w = next) {
        const struct request *r = l1_request(l, w);
        next = r->next;
        l->client->loaded(l->sm, r, max_u64(now + 1, r->issued + l->config->hit_cycles), now);
        pool_free(l->requests, w);
    }
    count_latency(l, f, now);
    pool_free(l->requests, h);
}

void l1_reply(struct l1 *l, handle_t h, cycle_t now)
{
    const struct request *r = l1_request(l, h);
    l->counts.acknowledged++;
    L1_TELL(l, replied, r, now);
    bool is_store =
        r->kind == REQUEST_STORE || (r->kind == REQUEST_ATOMIC && r->flags & REQUEST_NO_DATA);
    if (is_store) {
        l->client->stored(l->sm, r);
    } else if (r->kind == REQUEST_ATOMIC || r->flags & REQUEST_NO_L1) {
        count_latency(l, r, now);
        l->client->loaded(l->sm, r, now + 1, now);
    } else {
        l1_fill(l, h, now);
        return;
    }
    pool_free(l->requests, h);
}

/* ---- size and building ------------------------------------------------------------------ */

void l1_resize(struct l1 *l, u32 bytes)
{
    u32 way_bytes = l->cache.tags.sets * l->cache.line_bytes;
    assert(way_bytes);
    cache_use_ways(&l->cache, bytes / way_bytes);
}

void l1_empty(struct l1 *l)
{
    cache_flush(&l->cache);
    mshr_age(&l->cache.mshr);
}

static u64 divided_ways(const struct cache *c, u32 set, const struct request *access)
{
    const struct l1 *l = c->owner;
    (void)set;
    return split_ways(l->split, access->home != l->agent.socket);
}

void l1_divide(struct l1 *l, const struct way_partition *split)
{
    l->split = split;
    l->cache.ways_for = divided_ways;
}

void l1_attach(struct l1 *l, struct l1_attachment *a, const struct l1_hooks *hooks)
{
    static const struct cache_events among_others = {.evicted = evicted, .shows = shows};
    a->hooks = hooks;
#define X(event)                                                                                   \
    if (hooks->event) {                                                                            \
        struct l1_attachment **last = &l->on.event;                                                \
        while (*last)                                                                              \
            last = &(*last)->next.event;                                                           \
        *last = a;                                                                                 \
        a->next.event = NULL;                                                                      \
    }
    L1_EVENTS(X)
#undef X
    if (hooks->shows)
        l->cache.events = &among_others;
}

void l1_init(struct l1 *l, struct arena *arena, const struct l1_parts *parts)
{
    static const struct cache_events alone = {.evicted = evicted};
    const struct l1_config *c = parts->config;
    struct cache_shape shape = {.size_bytes = c->size_bytes,
                                .ways = c->ways,
                                .line_bytes = parts->line_bytes,
                                .index = (enum set_index)c->set_index,
                                .mshrs = c->mshrs,
                                .merge_limit = c->merge_limit,
                                .fill_bytes = c->sectored ? SECTOR_BYTES : 0};
    *l = (struct l1){.config = c,
                     .requests = parts->requests,
                     .client = parts->client,
                     .sm = parts->sm,
                     .engine = parts->engine,
                     .now = parts->now,
                     .agent = parts->agent};
    l->stores.next = CYCLE_NEVER;
    cache_init(&l->cache, arena, &shape, parts->requests, parts->replacement, parts->seed);
    l->cache.owner = l;
    l->cache.events = &alone;
}
