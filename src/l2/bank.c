#include "l2/bank_internal.h"

#include "base/map.h"

/* ---- requests ------------------------------------------------------------------------- */

static void keep_port(struct bank *b, cycle_t now, u32 cycles)
{
    b->port_free = now + cycles;
    BANK_TELL(b, kept_port, now, cycles);
    b->counts.busy_port_cycles += cycles;
}

static u32 port_cycles(const struct bank *b, u32 bytes)
{
    return (bytes + b->config->port_bytes - 1) / b->config->port_bytes;
}

handle_t bank_new_request(struct bank *b, u64 line, u32 sectors, enum request_kind kind)
{
    handle_t h = pool_alloc(b->requests);
    u8 here = UNLIKELY(b->remote) ? b->remote->socket : 0;
    *bank_request(b, h) = (struct request){.line = line,
                                           .sectors = sectors,
                                           .kind = (u8)kind,
                                           .socket = here,
                                           .home = here,
                                           .application = application_of(line),
                                           .issued_fs = b->engine->now_fs};
    return h;
}

/* ---- the tags ------------------------------------------------------------------------- */

void bank_write_back(struct bank *b, u32 set, u32 way)
{
    const struct tags *t = &b->cache.tags;
    struct line *l = tags_line(t, set, way);
    handle_t h = bank_new_request(b, tags_address(t, set, way), l->dirty, REQUEST_WRITEBACK);
    l->dirty = 0;
    b->counts.writebacks++;
    BANK_TELL(b, sent, bank_request(b, h), l->slot);
    BANK_TELL(b, written_back, ((struct cache_place){set, way}), bank_request(b, h));
    port_push(bank_below(b, l->slot), h);
}

/* A line more is dirty: where its set has more than its share of them, the oldest goes to DRAM and
 * stays, clean. With no room on the way there it stays dirty. */
static void clean_oldest(struct bank *b, u32 set, u32 newest, const struct request *r)
{
    struct tags *t = &b->cache.tags;
    const struct line *lines = tags_line(t, set, 0);
    u64 dirty = 0;
    for (u32 way = 0; way < t->usable; way++)
        dirty |= (u64)(lines[way].dirty && lines[way].state == LINE_VALID) << way;
    if ((u32)__builtin_popcountll(dirty) <= b->config->dirty_ways || !port_has_room(b->miss, 1))
        return;
    dirty &= ~((u64)1 << newest);
    bank_write_back(b, set, t->replacement.ops->victim(&t->replacement, set, dirty, r));
    b->counts.cleaned++;
}

static void dirty(struct bank *b, struct cache_place p, const struct request *r)
{
    struct line *l = cache_line(&b->cache, p);
    bool was_clean = !l->dirty;
    l->dirty = (u8)(l->dirty | r->sectors);
    l->valid = (u8)(l->valid | r->sectors);
    BANK_TELL(b, written, p, r);
    if (UNLIKELY(b->config->dirty_ways < b->cache.tags.ways) && was_clean)
        clean_oldest(b, p.set, p.way, r);
}

/* A dirty victim goes to DRAM: the miss that takes its way has made sure that there is room. */
static void evicted(struct cache *c, u32 set, u32 way)
{
    struct bank *b = c->owner;
    b->counts.evictions++;
    if (tags_line(&c->tags, set, way)->dirty)
        bank_write_back(b, set, way);
}

/* As in the L1: a sector that is on its way is no miss. */
static void count_missed(struct bank *b, const struct request *r, u32 sectors)
{
    if (r->kind == REQUEST_LOAD)
        b->counts.load_sectors_missed += (u32)__builtin_popcount(sectors);
}

static void count_access(struct bank *b, const struct request *r, bool hit)
{
    struct bank_counts *c = &b->counts;
    u32 sectors = (u32)__builtin_popcount(r->sectors);
    c->accesses++;
    BANK_TELL(b, accessed, r, hit);
    switch ((enum request_kind)r->kind) {
    case REQUEST_STORE:
        c->stores++;
        c->store_sectors += sectors;
        return;
    case REQUEST_ATOMIC:
        c->atomics++;
        *(r->flags & REQUEST_NO_DATA ? &c->reduction_sectors : &c->atomic_sectors) += sectors;
        return;
    case REQUEST_WRITEBACK:
        c->writebacks_in++;
        return;
    case REQUEST_UPDATE:
        c->updates++;
        return;
    case REQUEST_FETCH:
        c->fetches++;
        break;
    case REQUEST_LOAD:
        c->loads++;
        c->load_sectors += sectors;
        break;
    }
    c->load_hits += hit;
    c->load_misses += !hit;
}

static u32 atomic_cycles(const struct l2_config *c, const struct request *r)
{
    u32 sectors = (u32)__builtin_popcount(r->sectors), lanes = r->meet > 1 ? r->meet - 1u : 0;
    return c->atomic_cycles + (u32)(c->atomic_sector_cycles * (sectors - 1)) +
           (u32)(c->atomic_lane_cycles * lanes);
}

u32 bank_port_need(const struct bank *b, const struct request *r)
{
    if (r->kind == REQUEST_ATOMIC)
        return atomic_cycles(b->config, r);
    u32 need = port_cycles(b, request_data_bytes(r));
    if (r->kind == REQUEST_STORE && !(r->flags & REQUEST_WHOLE)) {
        u32 sectors = (u32)__builtin_popcount(r->sectors);
        need = (u32)max_u64(need, (u64)(b->config->partial_sector_cycles * sectors));
    }
    return need;
}

/* An attachment answers the request, at a later time. */
static bool is_answered_later(struct bank *b, handle_t h, struct cache_place p, cycle_t now)
{
    for (struct bank_attachment *a = b->on.takes_answer; UNLIKELY(a != NULL);
         a = a->next.takes_answer) {
        if (a->hooks->takes_answer(b, a, h, p, now))
            return true;
    }
    return false;
}

static bool has_room_for(const struct bank *b, u32 answers)
{
    for (struct bank_attachment *a = b->on.is_full; UNLIKELY(a != NULL); a = a->next.is_full) {
        if (a->hooks->is_full(b, a, answers))
            return false;
    }
    return true;
}

u8 bank_hit_stall(const struct bank *b, bool copy, const struct request *r, cycle_t now)
{
    if (bank_port_is_kept(b, copy, now))
        return STALL_PORT;
    if (!request_is_victim(r) && !port_can_push(b->out))
        return STALL_NETWORK;
    return has_room_for(b, 1) ? STALL_NONE : STALL_NETWORK;
}

void bank_count_hit(struct bank *b, struct request *r)
{
    count_access(b, r, true);
    b->counts.hits++;
    r->flags |= REQUEST_L2_HIT;
}

/* The line is there; a store or victim that has just brought it in has not hit it. */
static void use_line(struct bank *b, struct cache_place p, struct request *r)
{
    if (r->flags & REQUEST_L2_NEW) {
        count_access(b, r, false);
        b->counts.store_allocations++;
        return;
    }
    bank_count_hit(b, r);
    if (LIKELY(!b->config->silent_writebacks) || !request_is_victim(r))
        cache_touch(&b->cache, p, r);
}

static u8 serve_hit(struct bank *b, handle_t h, struct cache_place p, cycle_t now)
{
    struct request *r = bank_request(b, h);
    u8 stall = bank_hit_stall(b, false, r, now);
    if (stall != STALL_NONE)
        return stall;
    keep_port(b, now, bank_port_need(b, r));
    use_line(b, p, r);
    if (request_writes(r))
        dirty(b, p, r);
    else
        BANK_TELL(b, read, p, r);
    if (!is_answered_later(b, h, p, now))
        bank_answer(b, h);
    else if (r->kind == REQUEST_LOAD)
        b->counts.load_sectors_across += (u32)__builtin_popcount(r->sectors);
    return STALL_NONE;
}

/* No way of the set can be taken now, and it does not wait for one. */
static u8 serve_unplaced_store(struct bank *b, handle_t h)
{
    u8 stall = bank_write_around(b, h);
    if (stall != STALL_NONE)
        return stall;
    count_access(b, bank_request(b, h), false);
    b->counts.unplaced_stores++;
    bank_answer(b, h);
    return STALL_NONE;
}

/* A store of whole sectors needs nothing from DRAM. */
static u8 serve_whole_store(struct bank *b, handle_t h, struct cache_place p, cycle_t now)
{
    const struct request *r = bank_request(b, h);
    if (now < b->port_free)
        return STALL_PORT;
    if (p.way == NO_WAY) {
        BANK_TELL(b, needs_way, p.set);
        p.way = cache_victim(&b->cache, p.set, 0, r);
        if (p.way == NO_WAY)
            return b->config->full_set == FULL_SET_BYPASS ? serve_unplaced_store(b, h)
                                                          : STALL_CACHE;
        if (!bank_can_give_up(b, p.set, p.way))
            return STALL_DRAM;
        if (!request_is_victim(r) && !port_can_push(b->out))
            return STALL_NETWORK;
        cache_take(&b->cache, p.set, p.way, r, LINE_VALID);
        cache_line(&b->cache, p)->slot = r->home;
        bank_request(b, h)->flags |= REQUEST_L2_NEW;
    }
    return serve_hit(b, h, p, now);
}

static void ask_below(struct bank *b, const struct request *r, u32 sectors)
{
    handle_t h = bank_new_request(b, r->line, sectors, REQUEST_LOAD);
    BANK_TELL(b, sent, bank_request(b, h), r->home);
    port_push(bank_below(b, r->home), h);
}

/* ---- the sharing tracker ---------------------------------------------------------------- */

/* A message has its turn like any access, and needs neither tags nor port. */
static u8 serve_update(struct bank *b, handle_t h)
{
    const struct request *r = bank_request(b, h);
    if (b->tracker)
        sharers_set(&b->tracker->sharers, r->line, r->agent, r->flags & REQUEST_CAME);
    count_access(b, r, true);
    b->counts.hits++;
    pool_free(b->requests, h);
    return STALL_NONE;
}

static void ask_sharer(struct bank *b, u64 line, u32 sectors, cycle_t now)
{
    b->counts.redirected++;
    timed_push(&b->tracker->coming, bank_new_request(b, line, sectors, REQUEST_LOAD),
               now + b->tracker->cycles);
}

void bank_track_sharers(struct bank *b, struct arena *arena, u32 lines, u32 cycles)
{
    b->tracker = tracker_create(arena, lines, b->config->mshrs, cycles);
}

/* ---- misses ------------------------------------------------------------------------------- */

static u8 serve_merge(struct bank *b, handle_t h, const struct mshr_entry *e)
{
    const struct request *r = bank_request(b, h);
    if (e->count >= b->config->merge_limit || (UNLIKELY(e->no_fill) && request_writes(r)))
        return STALL_MSHR; /* a line that is not kept cannot be written: not before it has come */
    if (r->sectors & ~e->asked && !port_has_room(bank_below(b, r->home), 1))
        return STALL_DRAM;
    count_access(b, r, false);
    b->counts.merges++;
    count_missed(b, r, r->sectors & ~e->asked);
    u32 to_ask = cache_merge(&b->cache, h);
    if (to_ask)
        ask_below(b, r, to_ask);
    return STALL_NONE;
}

/* All ways that it may take are on their way. */
static enum cache_answer plan_without_way(struct bank *b, struct cache_place p,
                                          const struct request *r, struct cache_miss *m)
{
    bool may = b->config->full_set == FULL_SET_BYPASS && r->kind != REQUEST_ATOMIC;
    return may ? cache_plan(&b->cache, p, r, false, 0, m) : CACHE_NO_WAY;
}

/* Is there room for a miss and the line that has to leave for it? `asks`: requests it sends down.
 */
static bool has_room_below(const struct bank *b, const struct request *r,
                           const struct cache_miss *m, u32 asks)
{
    struct port *to = bank_below(b, r->home), *away = to;
    if (m->dirty_victim)
        away = bank_below(b, tags_line(&b->cache.tags, m->place.set, m->place.way)->slot);
    if (away != to)
        return port_has_room(to, asks) && port_has_room(away, 1);
    return port_has_room(to, asks + m->dirty_victim);
}

static u8 may_miss(const struct bank *b, const struct request *r, u32 set)
{
    for (const struct bank_attachment *a = b->on.may_miss; UNLIKELY(a != NULL);
         a = a->next.may_miss) {
        u8 stall = a->hooks->may_miss(b, a, r, set);
        if (stall != STALL_NONE)
            return stall;
    }
    return STALL_NONE;
}

static u8 serve_miss(struct bank *b, handle_t h, struct cache_place p, cycle_t now)
{
    const struct request *r = bank_request(b, h);
    bool copied = tracker_has(b->tracker, r);
    struct cache_miss m;
    BANK_TELL(b, needs_way, p.set);
    u8 stall = may_miss(b, r, p.set);
    if (stall != STALL_NONE)
        return stall;
    enum cache_answer can = cache_plan(&b->cache, p, r, true, 0, &m);
    bool unplaced = can == CACHE_NO_WAY;
    if (UNLIKELY(unplaced)) {
        if (r->kind == REQUEST_STORE && b->config->full_set == FULL_SET_BYPASS)
            return serve_unplaced_store(b, h);
        can = plan_without_way(b, p, r, &m);
    }
    if (can != CACHE_CAN)
        return can == CACHE_NO_WAY ? STALL_CACHE : STALL_MSHR;
    if (!has_room_below(b, r, &m, copied ? 0 : 1))
        return STALL_DRAM;
    count_access(b, r, false);
    b->counts.misses++;
    b->counts.sector_misses += m.is_there;
    count_missed(b, r, r->sectors & ~cache_valid(&b->cache, p));
    u32 to_ask = cache_start(&b->cache, &m, h);
    if (UNLIKELY(unplaced)) {
        mshr_find(&b->cache.mshr, r->line)->no_fill = true;
        b->counts.unplaced_misses++;
    } else {
        cache_line(&b->cache, m.place)->slot = r->home;
    }
    BANK_TELL(b, missed, r);
    if (m.dirty_victim && b->config->gated)
        keep_port(b, now, port_cycles(b, b->cache.line_bytes)); /* there it is read out, see fill */
    if (UNLIKELY(copied))
        ask_sharer(b, r->line, to_ask, now);
    else
        ask_below(b, r, to_ask);
    return STALL_NONE;
}

/* A store that covers all it would fetch: its sectors, or the line where there are none. Or any,
 * where a line knows which bytes are its own: those that no store brings are taken to be asked for
 * never. */
static bool needs_no_fetch(const struct bank *b, const struct request *r)
{
    if (r->kind != REQUEST_STORE)
        return false;
    if (b->config->write_miss == WRITE_MISS_KEEP)
        return true;
    return r->flags & REQUEST_WHOLE && b->config->write_miss == WRITE_MISS_FETCH_PARTIAL &&
           (b->config->sectored || r->sectors == b->cache.all_sectors);
}

u8 bank_serve(struct bank *b, handle_t h, cycle_t now)
{
    const struct request *r = bank_request(b, h);
    if (b->config->gated) {
        if (!port_has_room(b->miss, 1))
            return STALL_DRAM;
        if (!port_can_push(b->out))
            return STALL_NETWORK;
        if (now < b->port_free)
            return STALL_PORT;
    }
    if (UNLIKELY(r->kind == REQUEST_UPDATE))
        return serve_update(b, h);
    struct cache_place p = bank_find(b, r->line);
    for (struct bank_attachment *a = b->on.serve; UNLIKELY(a != NULL); a = a->next.serve) {
        u8 stall = a->hooks->serve(b, a, h, p, now);
        if (stall != SERVE_ON)
            return stall;
    }
    if (cache_holds(&b->cache, p, r))
        return serve_hit(b, h, p, now);
    const struct mshr_entry *e = mshr_find(&b->cache.mshr, r->line);
    if (e)
        return serve_merge(b, h, e);
    if (request_is_victim(r) || needs_no_fetch(b, r))
        return serve_whole_store(b, h, p, now);
    return serve_miss(b, h, p, now);
}

/* ---- fills ---------------------------------------------------------------------------- */

static void keep_fill_port(struct bank *b, cycle_t now, u32 cycles)
{
    if (b->config->gated)
        b->fill_free = now + cycles;
    else
        keep_port(b, now, cycles);
}

/* Room for every request that may wait for a line. */
static bool can_fill(const struct bank *b)
{
    return has_room_for(b, b->config->merge_limit + 1);
}

/* Where the line goes. NO_WAY: nowhere, also if it was there when a blind load asked for it. */
static struct cache_place fill_place(const struct bank *b, u64 line)
{
    struct cache_place p = bank_find(b, line);
    if (UNLIKELY(b->bypass) && p.way != NO_WAY) {
        const struct mshr_entry *e = mshr_find(&b->cache.mshr, line);
        p.way = e && e->no_fill ? NO_WAY : p.way;
    }
    return p;
}

static void fill(struct bank *b, cycle_t now)
{
    bool from_sharer = tracker_next(b->tracker) <= now;
    struct port *answer = UNLIKELY(b->remote) ? bank_remote_answer(b) : b->answer;
    if ((!port_ready(answer) && !from_sharer) || now < bank_fill_free(b) || !can_fill(b))
        return;
    handle_t h = from_sharer ? timed_pop(&b->tracker->coming) : port_pop(answer);
    struct request *f = bank_request(b, h);
    struct cache_place p = fill_place(b, f->line);
    if (LIKELY(p.way != NO_WAY))
        keep_fill_port(b, now, port_cycles(b, request_data_bytes(f)));
    handle_t first = cache_fill(&b->cache, p, f->line, f->sectors), waiting = HANDLE_NONE, next;
    handle_t *end = &waiting;
    BANK_TELL(b, filled, p, f, first);
    for (handle_t w = first; w; w = next) {
        struct request *r = bank_request(b, w);
        next = r->next;
        r->next = HANDLE_NONE;
        r->at_dram_fs = f->issued_fs;
        r->left_dram_fs = b->engine->now_fs;
        if (!from_sharer)
            BANK_TELL(b, came, h, w);
        if (request_writes(r))
            dirty(b, p, r);
        if (is_answered_later(b, w, p, now))
            continue;
        *end = w;
        end = &r->next;
    }
    cache_filled(&b->cache, p, f->line);
    b->counts.fills += p.way != NO_WAY;
    b->looked = 1; /* what waits may hit now */
    bank_queue_ready(b, waiting);
    pool_free(b->requests, h);
}

/* ---- the queues in front ---------------------------------------------------------------- */

static bool joins(struct bank *b, handle_t h, cycle_t now)
{
    for (struct bank_attachment *a = b->on.joins; UNLIKELY(a != NULL); a = a->next.joins) {
        if (a->hooks->joins(b, a, h, now))
            return true;
    }
    return false;
}

/* What came out of the pipe before this cycle, when nothing else was to be done (next_work). */
static void take_late(struct bank *b, cycle_t now)
{
    for (cycle_t due; (due = timed_next(&b->pipe)) < now && !ring_is_full(&b->access);) {
        ring_push(&b->access, timed_pop(&b->pipe));
        occupancy_set(&b->counts.occupancy, due, ring_count(&b->access));
    }
}

static void take(struct bank *b, cycle_t now)
{
    while (!ring_is_full(&b->access) && timed_next(&b->pipe) <= now)
        ring_push(&b->access, timed_pop(&b->pipe));
    if (port_ready(b->in) && !ring_is_full(&b->access)) {
        handle_t h = port_pop(b->in);
        struct request *r = bank_request(b, h);
        r->at_l2_fs = b->engine->now_fs;
        BANK_TELL(b, arrived, r);
        if (!joins(b, h, now))
            timed_push(&b->pipe, h, now + b->pipe_latency);
    }
    occupancy_set(&b->counts.occupancy, now, ring_count(&b->access));
}

static cycle_t next_work(const struct bank *b, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    bool room = !ring_is_full(&b->access);
    if (port_ready(b->in) && room)
        return now + 1;
    if (ring_is_empty(&b->access) && timed_next(&b->pipe) != CYCLE_NEVER)
        next = timed_next(&b->pipe) + 1; /* it is served in the cycle after it came */
    else if (room)
        next = timed_next(&b->pipe);
    if (port_ready(b->answer) && can_fill(b))
        next = min_u64(next, bank_fill_free(b));
    for (struct bank_attachment *a = b->on.next; UNLIKELY(a != NULL); a = a->next.next)
        next = min_u64(next, a->hooks->next(b, a, now));
    if (UNLIKELY(b->tracker) && tracker_next(b->tracker) != CYCLE_NEVER)
        next = min_u64(next, max_u64(tracker_next(b->tracker), bank_fill_free(b)));
    if (b->ready_first &&
        (request_is_victim(bank_request(b, b->ready_first)) || port_can_push(b->out)))
        return now + 1;
    if (!ring_is_empty(&b->access)) {
        if (b->stall == STALL_PORT)
            next = min_u64(next, bank_port_next(b, now));
        else if (b->stall == STALL_NONE)
            return now + 1;
        else if (b->config->hit_under_miss)
            next = min_u64(next, bank_behind_next(b, now));
    }
    return max_u64(next, now + 1);
}

void bank_settle(struct bank *b, cycle_t now)
{
    if (ring_is_empty(&b->access))
        take_late(b, now);
    if (b->stall != STALL_NONE)
        b->counts.stall[b->stall] += now - b->stall_since;
    b->stall_since = now;
    BANK_TELL(b, settle, now);
    occupancy_close(&b->counts.occupancy, now);
}

static const struct cache_events events = {.evicted = evicted};

static bool may_serve(struct bank *b, cycle_t now)
{
    bool may = true;
    for (struct bank_attachment *a = b->on.may_serve; UNLIKELY(a != NULL); a = a->next.may_serve)
        may = a->hooks->may_serve(b, a, now) && may;
    return may;
}

static void serve_head(struct bank *b, bool serves, cycle_t now)
{
    if (ring_is_empty(&b->access))
        return;
    b->stall = serves ? bank_serve(b, ring_peek(&b->access, 0), now) : STALL_CACHE;
    b->stall_since = now;
    if (b->stall == STALL_NONE) {
        ring_pop(&b->access);
        b->looked = 1;
        engine_progress(b->engine);
    } else if (serves && b->config->hit_under_miss) {
        bank_serve_behind(b, now);
    }
}

static cycle_t bank_tick(void *self, cycle_t now)
{
    struct bank *b = self;
    if (ring_is_empty(&b->access))
        take_late(b, now);
    if (b->stall != STALL_NONE)
        b->counts.stall[b->stall] += now - b->stall_since;
    b->stall = STALL_NONE;
    BANK_TELL(b, begin, now);
    fill(b, now);
    bank_respond(b);
    bool serves = may_serve(b, now);
    if (UNLIKELY(b->on.serve_turn != NULL))
        BANK_TELL(b, serve_turn, serves, now);
    else
        serve_head(b, serves, now);
    take(b, now);
    return next_work(b, now);
}

static void bank_explain(void *self, struct waits *waits)
{
    const struct bank *b = self;
    if (b->stall != STALL_NONE)
        waits_add(waits, UNIT_NONE, "the head of its access queue waits: %s",
                  bank_stall_names[b->stall]);
    BANK_TELL(b, explain, waits);
    if (b->cache.mshr.in_use)
        waits_add(waits, b->miss->consumer, "%u lines to come from DRAM", b->cache.mshr.in_use);
}

void bank_attach(struct bank *b, struct bank_attachment *a, const struct bank_hooks *hooks)
{
    *a = (struct bank_attachment){.hooks = hooks};
#define X(event)                                                                                   \
    if (hooks->event) {                                                                            \
        struct bank_attachment **end = &b->on.event;                                               \
        while (*end)                                                                               \
            end = &(*end)->next.event;                                                             \
        *end = a;                                                                                  \
    }
    BANK_EVENTS(X)
#undef X
}

void bank_init(struct bank *b, const struct bank_parts *parts)
{
    const struct l2_config *c = parts->config;
    struct sim *sim = parts->site->sim;
    *b = (struct bank){.config = c,
                       .engine = &sim->engine,
                       .requests = pool_part(parts->requests, &sim->arena),
                       .index = parts->index,
                       .pipe_latency = parts->pipe_latency,
                       .map = parts->map,
                       .in = parts->in,
                       .miss = parts->miss,
                       .answer = parts->answer,
                       .out = parts->out,
                       .looked = 1,
                       .stall = STALL_NONE,
                       .stall_behind = STALL_NONE};
    timed_init(&b->pipe, &sim->arena, parts->pipe_latency + 2);
    ring_init(&b->access, &sim->arena, c->access_entries);
    struct cache_shape shape = l2_bank_shape(c, parts->banks, parts->line_bytes);
    cache_init(&b->cache, &sim->arena, &shape, parts->requests, parts->replacement,
               hash_u64(sim->seed + parts->index));
    b->cache.tags.replacement.banks = parts->banks;
    b->cache.events = &events;
    b->cache.owner = b;
    occupancy_init(&b->counts.occupancy, c->access_entries);
    if (c->coalesce.agents)
        bank_coalesce(b, &sim->arena);
    b->unit = engine_add_unit(&sim->engine, parts->domain,
                              site_name(parts->site, parts->name, parts->index), bank_tick, b);
    engine_explain_with(&sim->engine, b->unit, bank_explain);
}
