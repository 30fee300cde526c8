#include "l2/bank_internal.h"

#include "base/map.h"

/* ---- requests ------------------------------------------------------------------------- */

static void keep_port(struct bank *b, cycle_t now, u32 cycles)
{
    b->port_free = now + cycles;
    if (UNLIKELY(b->halves))
        half_port_keep(&b->halves->own, now, cycles);
    b->counts.busy_port_cycles += cycles;
}

static u32 port_cycles(const struct bank *b, u32 bytes)
{
    return (bytes + b->config->port_bytes - 1) / b->config->port_bytes;
}

handle_t bank_new_request(struct bank *b, u64 line, u32 sectors, enum request_kind kind)
{
    handle_t h = pool_alloc(b->requests);
    u8 here = UNLIKELY(b->side) ? b->side->socket : 0;
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
    if (UNLIKELY(b->side))
        bank_remote_leaves(b, bank_request(b, h), l->slot);
    if (UNLIKELY(b->versions))
        bank_version_leaves(b, (struct cache_place){set, way}, bank_request(b, h));
    port_push(bank_below(b, l->slot), h);
    l->dirty = 0;
    b->counts.writebacks++;
    if (UNLIKELY(b->ways))
        bank_note_dirty(b, set);
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
    if (UNLIKELY(b->versions))
        bank_version_of_write(b, p, r);
    if (UNLIKELY(b->ways))
        bank_note_dirty(b, p.set);
    if (UNLIKELY(b->config->dirty_ways < b->cache.tags.ways) && was_clean)
        clean_oldest(b, p.set, p.way, r);
}

static bool writes(const struct request *r)
{
    return r->kind == REQUEST_STORE || r->kind == REQUEST_WRITEBACK || r->kind == REQUEST_ATOMIC;
}

/* A dirty victim goes to DRAM: whoever takes its way has made sure that there is room. */
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
    if (UNLIKELY(b->ways))
        bank_observe(b, r, hit);
    if (UNLIKELY(b->side))
        bank_remote_count(b, r, hit);
    if (UNLIKELY(b->by_application)) {
        b->by_application[r->application].l2_accesses++;
        b->by_application[r->application].l2_hits += hit;
    }
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

static u32 port_need(const struct bank *b, const struct request *r)
{
    return r->kind == REQUEST_ATOMIC ? atomic_cycles(b->config, r)
                                     : port_cycles(b, request_data_bytes(r));
}

/* See l2/far_l2.h; a read from the other half brings as much along as a miss does. */
static bool is_from_across(struct bank *b, struct cache_place p, const struct request *r)
{
    u32 brought = writes(r) ? r->sectors : cache_fill_sectors(&b->cache, r->sectors, 0);
    return bank_update_copy(b, p.set, r, brought & cache_valid(&b->cache, p));
}

static void answer_across(struct bank *b, cycle_t now)
{
    while (timed_next(&b->halves->coming) <= now && port_can_push(b->out))
        bank_answer(b, timed_pop(&b->halves->coming));
}

static u8 hit_stall(const struct bank *b, bool copy, const struct request *r, cycle_t now)
{
    if (bank_port_is_kept(b, copy, now))
        return STALL_PORT;
    if (!request_is_victim(r) && !port_can_push(b->out))
        return STALL_NETWORK;
    return UNLIKELY(b->halves) && far_l2_is_full(b->halves) ? STALL_NETWORK : STALL_NONE;
}

static void count_hit(struct bank *b, struct request *r)
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
    count_hit(b, r);
    if (LIKELY(!b->config->silent_writebacks) || !request_is_victim(r))
        cache_touch(&b->cache, p, r);
}

static u8 serve_hit(struct bank *b, handle_t h, struct cache_place p, cycle_t now)
{
    struct request *r = bank_request(b, h);
    u8 stall = hit_stall(b, false, r, now);
    if (stall != STALL_NONE)
        return stall;
    keep_port(b, now, port_need(b, r));
    use_line(b, p, r);
    if (writes(r))
        dirty(b, p, r);
    else if (UNLIKELY(b->versions))
        bank_version_of_read(b, p, r);
    if (UNLIKELY(b->halves) && is_from_across(b, p, r)) {
        if (r->kind == REQUEST_LOAD)
            b->counts.load_sectors_across += (u32)__builtin_popcount(r->sectors);
        timed_push(&b->halves->coming, h, now + b->halves->cycles);
    } else {
        bank_answer(b, h);
    }
    return STALL_NONE;
}

/* The SM's half has it: this one is not asked, and the copy comes through its own bank's port. */
static u8 serve_copy(struct bank *b, handle_t h, u32 set, u32 way, cycle_t now)
{
    struct request *r = bank_request(b, h);
    u8 stall = hit_stall(b, true, r, now);
    if (stall != STALL_NONE)
        return stall;
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L2))
        bank_found(b, r);
    half_port_keep(&b->halves->copies, now, port_need(b, r));
    b->counts.busy_port_cycles += port_need(b, r);
    count_hit(b, r);
    tags_hit(&b->halves->other->cache.tags, set, way, r);
    bank_answer(b, h);
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
        if (UNLIKELY(b->ways))
            bank_empty_set(b, p.set);
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
    if (UNLIKELY(b->side))
        bank_remote_leaves(b, bank_request(b, h), r->home);
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
    if (e->count >= b->config->merge_limit || (UNLIKELY(e->no_fill) && writes(r)))
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

static u8 serve_miss(struct bank *b, handle_t h, struct cache_place p, cycle_t now)
{
    const struct request *r = bank_request(b, h);
    bool copied = tracker_has(b->tracker, r);
    struct cache_miss m;
    if (UNLIKELY(b->ways))
        bank_empty_set(b, p.set);
    u8 stall = UNLIKELY(b->side) ? bank_remote_may_miss(b, r, p.set) : STALL_NONE;
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
    if (UNLIKELY(b->side) ? !bank_remote_has_room(b, r, &m)
                          : !port_has_room(b->miss, (copied ? 0u : 1u) + m.dirty_victim))
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
    if (UNLIKELY(b->side))
        bank_remote_started(b, r);
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

/* The line is not there nor will it be, or does not serve a blind load; else the request is one
 * like any other. */
static bool is_bypass(struct bank *b, handle_t h, struct cache_place p, const struct mshr_entry **e)
{
    struct request *r = bank_request(b, h);
    bool not_served = p.way == NO_WAY || bank_is_blind(b, p, r);
    *e = not_served ? mshr_find(&b->cache.mshr, r->line) : NULL;
    if (not_served && (!*e || (*e)->no_fill))
        return true;
    bank_found(b, r);
    return false;
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
    u32 copy = UNLIKELY(b->halves) ? bank_copy_for(b, p.set, r) : NO_WAY;
    if (UNLIKELY(copy != NO_WAY))
        return serve_copy(b, h, p.set, copy, now);
    const struct mshr_entry *e = NULL;
    if (UNLIKELY(b->side) && r->kind == REQUEST_ATOMIC && r->home != b->side->socket)
        return bank_pass_atomic(b, h, p);
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L2) && is_bypass(b, h, p, &e))
        return bank_serve_bypass(b, h, p, e);
    if (cache_holds(&b->cache, p, r))
        return serve_hit(b, h, p, now);
    e = mshr_find(&b->cache.mshr, r->line);
    if (e)
        return serve_merge(b, h, e);
    if (request_is_victim(r) || needs_no_fetch(b, r))
        return serve_whole_store(b, h, p, now);
    return serve_miss(b, h, p, now);
}

/* ---- fills ---------------------------------------------------------------------------- */

/* When a fill finds its port free. It shares that of reads (Dublish 2018, 3.4.2); the gated bank is
 * the reference simulator's, in which only hits and dirty victims keep the data port. */
static cycle_t fill_free(const struct bank *b)
{
    return b->config->gated ? b->fill_free : b->port_free;
}

static void keep_fill_port(struct bank *b, cycle_t now, u32 cycles)
{
    if (b->config->gated)
        b->fill_free = now + cycles;
    else
        keep_port(b, now, cycles);
}

/* Whoever waits for a line, should they all be in the other half. */
static bool can_go_across(const struct bank *b)
{
    return LIKELY(!b->halves) ||
           far_l2_room(b->halves) >= min_u64(b->config->merge_limit + 1, FAR_L2_ENTRIES);
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
    struct port *answer = UNLIKELY(b->side) ? bank_remote_answer(b) : b->answer;
    if ((!port_ready(answer) && !from_sharer) || now < fill_free(b) || !can_go_across(b))
        return;
    handle_t h = from_sharer ? timed_pop(&b->tracker->coming) : port_pop(answer);
    struct request *f = bank_request(b, h);
    struct cache_place p = fill_place(b, f->line);
    if (UNLIKELY(p.way == NO_WAY))
        bank_count_bypass_fill(b, f);
    else
        keep_fill_port(b, now, port_cycles(b, request_data_bytes(f)));
    handle_t first = cache_fill(&b->cache, p, f->line, f->sectors), waiting = HANDLE_NONE, next;
    handle_t *end = &waiting;
    if (UNLIKELY(b->versions))
        bank_version_of_fill(b, p, f, first);
    for (handle_t w = first; w; w = next) {
        struct request *r = bank_request(b, w);
        next = r->next;
        r->next = HANDLE_NONE;
        r->at_dram_fs = f->issued_fs;
        r->left_dram_fs = b->engine->now_fs;
        if (UNLIKELY(b->watch.came) && !from_sharer)
            b->watch.came(b->watch.context, h, w);
        if (writes(r))
            dirty(b, p, r);
        if (UNLIKELY(b->halves) && is_from_across(b, p, r)) {
            timed_push(&b->halves->coming, w, now + b->halves->cycles);
            continue;
        }
        *end = w;
        end = &r->next;
    }
    cache_filled(&b->cache, p, f->line);
    if (UNLIKELY(b->side))
        bank_remote_filled(b, f);
    b->counts.fills += p.way != NO_WAY;
    b->looked = 1; /* what waits may hit now */
    bank_queue_ready(b, waiting);
    pool_free(b->requests, h);
}

/* ---- the queues in front ---------------------------------------------------------------- */

static void take(struct bank *b, cycle_t now)
{
    while (!ring_is_full(&b->access) && timed_next(&b->pipe) <= now)
        ring_push(&b->access, timed_pop(&b->pipe));
    if (port_ready(b->in) && !ring_is_full(&b->access)) {
        handle_t h = port_pop(b->in);
        struct request *r = bank_request(b, h);
        r->at_l2_fs = b->engine->now_fs;
        enum llc_pass pass = UNLIKELY(b->ways) ? bank_sends_around(b, r) : LLC_TAKES;
        if (UNLIKELY(pass != LLC_TAKES))
            r->flags |=
                pass == LLC_IS_BLIND ? REQUEST_BYPASS_L2 | REQUEST_BLIND : REQUEST_BYPASS_L2;
        bool joins = b->coalescer && !(r->flags & REQUEST_BYPASS_L2);
        if (!joins || !coalescer_join(b->coalescer, h, now))
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
    if (room)
        next = timed_next(&b->pipe);
    if ((port_ready(b->answer) && can_go_across(b)) ||
        (UNLIKELY(b->side) && port_ready(b->side->answer)))
        next = min_u64(next, fill_free(b));
    if (UNLIKELY(b->side))
        next = min_u64(next, bank_remote_next(b, now));
    if (UNLIKELY(b->halves) && port_can_push(b->out))
        next = min_u64(next, timed_next(&b->halves->coming));
    if (UNLIKELY(b->ways))
        next = min_u64(next, bank_ways_next(b, now));
    if (UNLIKELY(b->tracker) && tracker_next(b->tracker) != CYCLE_NEVER)
        next = min_u64(next, max_u64(tracker_next(b->tracker), fill_free(b)));
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

void bank_count_lines(struct bank *b)
{
    const struct tags *t = &b->cache.tags;
    for (u32 i = 0; i < MOST_APPLICATIONS; i++)
        b->by_application[i].l2_lines = 0;
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) {
        if (t->lines[i].state == LINE_VALID)
            b->by_application[application_of(t->addresses[i])].l2_lines++;
    }
}

void bank_settle(struct bank *b, cycle_t now)
{
    if (b->stall != STALL_NONE)
        b->counts.stall[b->stall] += now - b->stall_since;
    b->stall_since = now;
    if (b->ways)
        bank_settle_ways(b, now);
    occupancy_close(&b->counts.occupancy, now);
}

static const struct cache_events events = {.evicted = evicted};

static cycle_t bank_tick(void *self, cycle_t now)
{
    struct bank *b = self;
    if (b->stall != STALL_NONE)
        b->counts.stall[b->stall] += now - b->stall_since;
    b->stall = STALL_NONE;
    if (UNLIKELY(b->halves))
        answer_across(b, now);
    fill(b, now);
    bank_respond(b);
    bool serves = LIKELY(!b->ways) || !bank_keep_to_plan(b, now);
    if (UNLIKELY(b->side)) {
        bank_remote_serve(b, serves, now);
        bank_remote_take(b, now);
    } else if (!ring_is_empty(&b->access)) {
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
    take(b, now);
    return next_work(b, now);
}

static void bank_explain(void *self, struct waits *waits)
{
    const struct bank *b = self;
    if (b->stall != STALL_NONE)
        waits_add(waits, UNIT_NONE, "the head of its access queue waits: %s",
                  bank_stall_names[b->stall]);
    if (b->side && b->side->remote_misses)
        waits_add(waits, UNIT_NONE, "%u lines to come from other sockets", b->side->remote_misses);
    if (b->cache.mshr.in_use)
        waits_add(waits, b->miss->consumer, "%u lines to come from DRAM", b->cache.mshr.in_use);
}

void bank_init(struct bank *b, const struct build_site *site, domain_id domain, const char *name,
               const struct l2_config *c, u32 index, u32 banks, u32 line_bytes, u32 pipe_latency,
               const struct address_map *map, struct policy_choice replacement,
               struct pool *requests, struct port *in, struct port *miss, struct port *answer,
               struct port *out)
{
    struct sim *sim = site->sim;
    *b = (struct bank){.config = c,
                       .engine = &sim->engine,
                       .requests = pool_part(requests, &site->sim->arena),
                       .index = index,
                       .pipe_latency = pipe_latency,
                       .map = map,
                       .in = in,
                       .miss = miss,
                       .answer = answer,
                       .out = out,
                       .looked = 1,
                       .stall = STALL_NONE,
                       .stall_behind = STALL_NONE};
    timed_init(&b->pipe, &sim->arena, pipe_latency + 2);
    ring_init(&b->access, &sim->arena, c->access_entries);
    struct cache_shape shape = l2_bank_shape(c, banks, line_bytes);
    cache_init(&b->cache, &sim->arena, &shape, requests, replacement, hash_u64(sim->seed + index));
    b->cache.tags.replacement.banks = banks;
    b->cache.events = &events;
    b->cache.owner = b;
    occupancy_init(&b->counts.occupancy, c->access_entries);
    if (c->coalesce.agents)
        b->coalescer = coalescer_create(&sim->arena, &c->coalesce, b->requests);
    b->unit = engine_add_unit(&sim->engine, domain, site_name(site, name, index), bank_tick, b);
    engine_explain_with(&sim->engine, b->unit, bank_explain);
}
