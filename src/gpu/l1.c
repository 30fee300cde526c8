/*
 * The L1 data cache: in order, one request after the other; a request that
 * cannot proceed stops all behind it, hits included (bandwidth-and-ccn spec 1.3).
 */
#include "gpu/ccn.h"

#include "base/map.h"

#include <assert.h>

void l1_init(struct sm *sm, struct arena *arena, const struct replacement_ops *replacement)
{
    const struct l1_config *c = &sm->config->sm.l1;
    u32 line = sm->config->line_bytes;
    tags_init(&sm->l1.tags, arena, c->size_bytes / (c->ways * line), c->ways, line,
              (enum set_index)c->set_index, replacement, hash_u64(sm->sim->seed + sm->index));
    mshr_init(&sm->l1.mshr, arena, sm->requests, c->mshrs, c->merge_limit);
    sm->l1.port_taken = CYCLE_NEVER;
}

/* What other SMs can see of a way: the line that is there and valid, or none. */
static void show(struct sm *sm, u32 set, u32 way, u64 line)
{
    if (UNLIKELY(sm->ccn))
        ccn_show(sm, set, way, line);
}

static void invalidate(struct sm *sm, u32 set, u32 way)
{
    tags_invalidate(&sm->l1.tags, set, way);
    show(sm, set, way, NO_LINE);
}

/* Lines that are there and clean go; those on their way or newer than below stay. */
static void flush(struct sm *sm)
{
    const struct tags *t = &sm->l1.tags;
    for (u32 set = 0; set < t->sets; set++) {
        for (u32 way = 0; way < t->ways; way++) {
            const struct line *line = tags_line(t, set, way);
            if (line->state == LINE_VALID && !line->dirty)
                invalidate(sm, set, way);
        }
    }
}

/* A kernel's first block comes to this SM: the L1 may start empty, and has what shared
 * memory leaves of the memory they share. */
void l1_prepare(struct sm *sm, const struct grid_source *grid)
{
    const struct sm_config *c = &sm->config->sm;
    struct tags *t = &sm->l1.tags;
    if (c->l1.flush_at_kernel_end)
        flush(sm);
    if (!c->l1.unified_bytes || sm->used || sm->l1.mshr.in_use)
        return; /* not while somebody uses it */
    u32 way_bytes = t->sets * sm->config->line_bytes;
    assert(way_bytes);
    u64 carve = c->shared.carve_bytes;
    u64 used = (u64)sm_blocks_that_fit(c, grid) *
               (grid->shared_bytes_per_block + c->shared.reserved_bytes);
    u32 shared = (u32)min_u64((used + carve - 1) / carve * carve, c->shared.bytes);
    u32 left = c->l1.unified_bytes > shared ? c->l1.unified_bytes - shared : 0;
    tags_use_ways(t, left / way_bytes);
    for (u32 set = 0; sm->ccn && set < t->sets; set++) {
        for (u32 way = t->usable; way < t->ways; way++)
            show(sm, set, way, NO_LINE);
    }
}

static u32 all_sectors(const struct sm *sm)
{
    return (1u << (sm->config->line_bytes / SECTOR_BYTES)) - 1;
}

/* ---- what the warp policy is told --------------------------------------------------------- */

typedef void policy_hook(struct warp_policy *p, const struct warp_access *a);

/* Only with a hook: nothing is worked out for a policy that does not listen. */
static void tell(struct sm *sm, policy_hook *hook, const struct request *r, u32 set, u32 way,
                 bool own, bool merged)
{
    struct sm_ticket t = ticket_read(r);
    if (t.entry == NO_ENTRY)
        return; /* a prefetch: no instruction waits for it */
    struct warp_access a = {.line = r->line,
                            .pc = sm->lsu.pending[t.entry].instruction->pc,
                            .slot = t.warp,
                            .set = set,
                            .way = way,
                            .own = own,
                            .merged = merged};
    hook(&sm->policy, &a);
    policy_told(sm);
}

static void tell_evicted(struct sm *sm, u32 set, u32 way)
{
    const struct line *old = tags_line(&sm->l1.tags, set, way);
    const struct sm_warp *w = &sm->warps[old->slot];
    bool is_there = sm->view.live >> old->slot & 1 && w->identity == old->owner;
    struct warp_access a = {.line = tags_address(&sm->l1.tags, set, way),
                            .slot = is_there ? old->slot : NO_SLOT,
                            .set = set,
                            .way = way};
    sm->policy.ops->evicted(&sm->policy, &a);
    policy_told(sm);
}

/* The way for a new line; NO_WAY: none can be given up. *past: only because the policy protects
 * them, so that the miss need not wait but goes past the cache. */
static u32 victim(struct sm *sm, u32 set, bool *past)
{
    struct tags *t = &sm->l1.tags;
    *past = false;
    if (LIKELY(!sm->policy.ops->protects))
        return tags_victim(t, set);
    u32 way = tags_victim_among(t, set, ~sm->policy.ops->protects(&sm->policy, set));
    if (way == NO_WAY)
        *past = tags_victim(t, set) != NO_WAY;
    return way;
}

/* ---- lookups -------------------------------------------------------------------------------- */

static void send(struct sm *sm, handle_t h, cycle_t now)
{
    sm->l1.counts.sent += sm_request(sm, h)->kind != REQUEST_WRITEBACK;
    sm_send(sm, h, &sm->miss, now);
}

static handle_t fetch_of(struct sm *sm, const struct request *r, u32 sectors, cycle_t now)
{
    handle_t h = pool_alloc(sm->requests);
    struct request *f = sm_request(sm, h);
    *f = *r;
    f->sectors = sectors;
    f->issued = now;
    return h;
}

static void ask(struct sm *sm, const struct request *r, u32 sectors, cycle_t now)
{
    send(sm, fetch_of(sm, r, sectors, now), now);
}

/* Gives the victim's way to a line; a dirty one (local memory) goes to L2. */
static void make_room(struct sm *sm, u32 set, u32 way, const struct request *r,
                      enum line_state state, cycle_t now)
{
    struct l1 *l1 = &sm->l1;
    const struct line *old = tags_line(&l1->tags, set, way);
    l1->counts.evictions += old->state == LINE_VALID;
    if (UNLIKELY(sm->policy.ops->evicted) && old->state == LINE_VALID)
        tell_evicted(sm, set, way);
    if (old->dirty) {
        handle_t h = pool_alloc(sm->requests);
        *sm_request(sm, h) = (struct request){.line = tags_address(&l1->tags, set, way),
                                              .sectors = old->dirty,
                                              .agent = sm->agent.number,
                                              .kind = REQUEST_WRITEBACK,
                                              .issued = now};
        l1->counts.writebacks++;
        send(sm, h, now);
    }
    tags_place(&l1->tags, set, way, r->line, state);
    show(sm, set, way, state == LINE_VALID ? r->line : NO_LINE);
    struct line *line = tags_line(&l1->tags, set, way);
    u16 warp = ticket_read(r).warp;
    line->owner = sm->warps[warp].identity;
    line->slot = (u8)warp;
    if (UNLIKELY(sm->policy.ops->placed))
        tell(sm, sm->policy.ops->placed, r, set, way, false, false);
}

/* As GPUs count them: a sector that is on its way is no miss (docs/fidelity.md). */
static void count_sectors(struct sm *sm, const struct request *r, u32 missed)
{
    if (r->flags & REQUEST_LOCAL || ticket_read(r).entry == NO_ENTRY)
        return;
    sm->l1.counts.load_sectors += (u32)__builtin_popcount(r->sectors);
    sm->l1.counts.load_sectors_missed += (u32)__builtin_popcount(missed);
}

static u8 hit(struct sm *sm, handle_t h, u32 set, u32 way, cycle_t now)
{
    struct l1_counts *c = &sm->l1.counts;
    const struct request *r = sm_request(sm, h);
    struct sm_ticket t = ticket_read(r);
    bool own = tags_line(&sm->l1.tags, set, way)->owner == sm->warps[t.warp].identity;
    c->loads++;
    c->hits++;
    count_sectors(sm, r, 0);
    c->intra_warp_hits += own;
    c->inter_warp_hits += !own;
    if (LIKELY(!(r->flags & REQUEST_NO_FILL)) || sm->config->sm.l1.bypass_hits_touch)
        tags_hit(&sm->l1.tags, set, way);
    if (UNLIKELY(sm->policy.ops->hit))
        tell(sm, sm->policy.ops->hit, r, set, way, own, false);
    if (t.entry != NO_ENTRY)
        lsu_answered(sm, t.entry, now + sm->config->sm.l1.hit_cycles, now);
    pool_free(sm->requests, h);
    return L1_STALL_NONE;
}

/* A load that may keep its line joins one that may not: the line is kept if there is room
 * (Poise spec 2 item 5). */
static void merge_fill(struct sm *sm, struct mshr_entry *e, const struct request *r, u32 set,
                       cycle_t now)
{
    if (!e->no_fill || r->flags & REQUEST_NO_FILL || !sm->config->sm.l1.merge_keeps)
        return;
    if (sm->config->sm.l1.allocate == L1_ALLOCATE_ON_FILL) {
        e->no_fill = false;
        return;
    }
    bool past;
    u32 way = victim(sm, set, &past);
    if (way == NO_WAY || tags_line(&sm->l1.tags, set, way)->dirty)
        return;
    e->no_fill = false;
    make_room(sm, set, way, r, LINE_RESERVED, now);
}

static u8 merge(struct sm *sm, handle_t h, struct mshr_entry *e, u32 set, cycle_t now)
{
    struct request *r = sm_request(sm, h);
    u32 to_ask;
    if (e->count >= sm->config->sm.l1.merge_limit)
        return L1_STALL_MSHR;
    if (r->sectors & ~e->asked && !sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    sm->l1.counts.loads++;
    sm->l1.counts.merges++;
    count_sectors(sm, r, r->sectors & ~e->asked);
    r->issued = now;
    if (UNLIKELY(sm->policy.ops->missed))
        tell(sm, sm->policy.ops->missed, r, set, NO_WAY, false, true);
    merge_fill(sm, e, r, set, now);
    mshr_add(&sm->l1.mshr, r->line, h, &to_ask);
    if (to_ask)
        ask(sm, r, to_ask, now);
    return L1_STALL_NONE;
}

static void note_miss(struct sm *sm, u64 line)
{
    struct reuse_log *log = sm->reuse_log;
    if (log->count == ARRAY_LEN(log->lines))
        return;
    log->lines[log->count++] = line;
    engine_wake(sm->engine, log->oracle);
}

/* way: has the line without all of the sectors, or NO_WAY. */
static void begin_miss(struct sm *sm, struct request *r, u32 set, u32 way, cycle_t now)
{
    const struct tags *t = &sm->l1.tags;
    bool there = way != NO_WAY;
    sm->l1.counts.loads++;
    sm->l1.counts.misses++;
    sm->l1.counts.sector_misses += there;
    count_sectors(sm, r, r->sectors & ~(there ? (u32)tags_line(t, set, way)->valid : 0));
    r->issued = now;
    if (UNLIKELY(sm->policy.ops->missed))
        tell(sm, sm->policy.ops->missed, r, set, NO_WAY, false, false);
    if (!sm->config->sm.l1.sectored)
        r->sectors = all_sectors(sm);
    if (UNLIKELY(sm->reuse_log) && !(r->flags & REQUEST_LOCAL))
        note_miss(sm, r->line);
}

static u8 miss(struct sm *sm, handle_t h, u32 set, u32 way, cycle_t now)
{
    const struct l1_config *c = &sm->config->sm.l1;
    struct request *r = sm_request(sm, h);
    bool there = way != NO_WAY, keeps = !(r->flags & REQUEST_NO_FILL);
    bool reserves = keeps && !there && c->allocate == L1_ALLOCATE_ON_MISS;
    u32 to_ask, need = 1;
    if (reserves) {
        bool past;
        way = victim(sm, set, &past);
        if (way == NO_WAY && !past)
            return L1_STALL_CACHE;
        reserves = keeps = !past;
        need += reserves && tags_line(&sm->l1.tags, set, way)->dirty != 0;
    }
    if (mshr_is_full(&sm->l1.mshr))
        return L1_STALL_MSHR;
    enum ccn_path path = sm->ccn ? ccn_path(sm, r) : CCN_PATH_BELOW;
    need -= ccn_path_is_elsewhere(path);
    if (!sm_can_send(sm, &sm->miss, need))
        return L1_STALL_L2;
    begin_miss(sm, r, set, there ? way : NO_WAY, now);
    if (reserves)
        make_room(sm, set, way, r, LINE_RESERVED, now);
    else if (there)
        tags_line(&sm->l1.tags, set, way)->state = LINE_RESERVED;
    mshr_add(&sm->l1.mshr, r->line, h, &to_ask);
    mshr_find(&sm->l1.mshr, r->line)->no_fill = !keeps;
    if (UNLIKELY(sm->ccn))
        ccn_count(sm, path);
    if (ccn_path_is_elsewhere(path))
        ccn_ask(sm, fetch_of(sm, r, to_ask, now), path, now);
    else
        ask(sm, r, to_ask, now);
    return L1_STALL_NONE;
}

/* A miss that takes neither a line nor an MSHR: the request itself goes, so a second one of the
 * line goes too. */
static u8 miss_past(struct sm *sm, handle_t h, u32 set, u32 way, cycle_t now)
{
    struct request *r = sm_request(sm, h);
    if (!sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    begin_miss(sm, r, set, way, now);
    if (UNLIKELY(sm->ccn))
        ccn_count(sm, CCN_PATH_BELOW);
    r->flags |= REQUEST_NO_L1; /* its answer finds the instruction */
    send(sm, h, now);
    return L1_STALL_NONE;
}

/* Past the cache: the request itself goes, and its answer finds the instruction. */
static u8 bypass(struct sm *sm, handle_t h, cycle_t now)
{
    if (!sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    const struct request *r = sm_request(sm, h);
    sm->l1.counts.bypasses++;
    sm->l1.counts.atomics += r->kind == REQUEST_ATOMIC;
    if (r->kind == REQUEST_LOAD)
        count_sectors(sm, r, r->sectors);
    send(sm, h, now);
    return L1_STALL_NONE;
}

/* The line of a store that missed comes in, with the sectors that were written; not if a dirty
 * victim would have to leave first. */
static void place_store(struct sm *sm, const struct request *r, u32 set, cycle_t now)
{
    bool past;
    u32 way = victim(sm, set, &past);
    if (way == NO_WAY || tags_line(&sm->l1.tags, set, way)->dirty)
        return;
    make_room(sm, set, way, r, LINE_VALID, now);
    tags_line(&sm->l1.tags, set, way)->valid = (u8)r->sectors;
}

static u8 store(struct sm *sm, handle_t h, u32 set, u32 way, cycle_t now)
{
    const struct l1_config *c = &sm->config->sm.l1;
    struct request *r = sm_request(sm, h);
    struct line *line = way == NO_WAY ? NULL : tags_line(&sm->l1.tags, set, way);
    bool is_there = line && line->state == LINE_VALID;
    if (is_there && r->flags & REQUEST_LOCAL && c->local_write_back) {
        line->dirty = (u8)(line->dirty | r->sectors);
        line->valid = (u8)(line->valid | r->sectors);
        tags_hit(&sm->l1.tags, set, way);
        sm->l1.counts.stores++;
        sm->l1.counts.store_hits++;
        lsu_store_done(sm, ticket_read(r).warp);
        pool_free(sm->requests, h);
        return L1_STALL_NONE;
    }
    if (!sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    sm->l1.counts.stores++;
    sm->l1.counts.store_hits += is_there;
    if (is_there && c->write_hit == L1_WRITE_EVICT && !line->dirty)
        invalidate(sm, set, way);
    if (c->write_miss == L1_WRITE_ALLOCATE && r->flags & REQUEST_WHOLE &&
        !(r->flags & REQUEST_NO_FILL)) {
        if (!line)
            place_store(sm, r, set, now);
        else if (is_there)
            line->valid = (u8)(line->valid | r->sectors);
    }
    send(sm, h, now);
    return L1_STALL_NONE;
}

u8 l1_access(struct sm *sm, handle_t h, cycle_t now)
{
    struct l1 *l1 = &sm->l1;
    const struct request *r = sm_request(sm, h);
    u32 set = tags_set(&l1->tags, r->line), way = tags_find(&l1->tags, set, r->line);
    struct line *line = way == NO_WAY ? NULL : tags_line(&l1->tags, set, way);
    if (r->kind == REQUEST_STORE)
        return store(sm, h, set, way, now);
    if (r->kind == REQUEST_ATOMIC) {
        if (!sm_can_send(sm, &sm->miss, 1))
            return L1_STALL_L2;
        if (line && line->state == LINE_VALID && !line->dirty)
            invalidate(sm, set, way);
        return bypass(sm, h, now);
    }
    if (r->flags & REQUEST_NO_L1)
        return bypass(sm, h, now);
    if (line && !(r->sectors & ~line->valid))
        return hit(sm, h, set, way, now);
    struct mshr_entry *e = mshr_find(&l1->mshr, r->line);
    if (e)
        return merge(sm, h, e, set, now);
    bool past = r->flags & REQUEST_NO_FILL && !sm->config->sm.l1.bypass_takes_mshr;
    return UNLIKELY(past) ? miss_past(sm, h, set, way, now) : miss(sm, h, set, way, now);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void count_latency(struct sm *sm, const struct request *r, cycle_t now)
{
    struct l1_counts *c = &sm->l1.counts;
    u64 dram = r->at_dram_fs ? r->left_dram_fs - r->at_dram_fs : 0;
    c->answered++;
    c->latency_cycles += now - r->issued;
    if (!r->at_l2_fs)
        return; /* an ideal memory */
    c->request_fs += r->at_l2_fs - r->issued_fs;
    c->dram_fs += dram;
    c->l2_fs += r->left_l2_fs - r->at_l2_fs - dram;
    c->reply_fs += sm->engine->now_fs - r->left_l2_fs;
    if (r->flags & REQUEST_L2_HIT) {
        c->l2_hits++;
        c->l2_hit_latency_cycles += now - r->issued;
    }
}

/* Where the line goes: the way that was reserved for it, or one taken now; NO_WAY: it is
 * not kept. */
static u32 fill_way(struct sm *sm, const struct request *f, bool no_fill, u32 set, cycle_t now)
{
    u32 way = tags_find(&sm->l1.tags, set, f->line);
    if (way != NO_WAY || no_fill)
        return way;
    bool past;
    way = victim(sm, set, &past);
    if (way == NO_WAY)
        return NO_WAY;
    if (tags_line(&sm->l1.tags, set, way)->dirty && !sm_can_send(sm, &sm->miss, 1))
        return NO_WAY; /* a dirty victim could not leave: the new line is used and not kept */
    make_room(sm, set, way, f, LINE_RESERVED, now);
    return way;
}

static void fill(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *f = sm_request(sm, h);
    struct l1 *l1 = &sm->l1;
    u32 set = tags_set(&l1->tags, f->line);
    const struct mshr_entry *e = mshr_find(&l1->mshr, f->line);
    assert(e);
    u32 way = fill_way(sm, f, e->no_fill, set, now);
    handle_t next, w = mshr_arrive(&l1->mshr, f->line, f->sectors);
    if (way != NO_WAY) {
        struct line *line = tags_line(&l1->tags, set, way);
        line->valid = (u8)(line->valid | f->sectors);
        line->state = mshr_find(&l1->mshr, f->line) ? LINE_RESERVED : LINE_VALID;
        if (line->state == LINE_VALID)
            show(sm, set, way, f->line);
        l1->counts.fills++;
    }
    for (; w; w = next) {
        const struct request *r = sm_request(sm, w);
        next = r->next;
        cycle_t ready = max_u64(now + 1, r->issued + sm->config->sm.l1.hit_cycles);
        u32 entry = ticket_read(r).entry;
        if (entry != NO_ENTRY)
            lsu_answered(sm, entry, ready, now);
        pool_free(sm->requests, w);
    }
    count_latency(sm, f, now);
    pool_free(sm->requests, h);
}

void l1_reply(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *r = sm_request(sm, h);
    sm->l1.counts.acknowledged++;
    bool is_store =
        r->kind == REQUEST_STORE || (r->kind == REQUEST_ATOMIC && r->flags & REQUEST_NO_DATA);
    if (is_store) {
        lsu_store_done(sm, ticket_read(r).warp);
    } else if (r->kind == REQUEST_ATOMIC || r->flags & REQUEST_NO_L1) {
        count_latency(sm, r, now);
        u32 entry = ticket_read(r).entry;
        if (entry != NO_ENTRY)
            lsu_answered(sm, entry, now + 1, now);
    } else {
        fill(sm, h, now);
        return;
    }
    pool_free(sm->requests, h);
}

void l1_found(struct sm *sm, handle_t h, cycle_t now)
{
    ccn_resolved(sm, sm_request(sm, h), true, now);
    fill(sm, h, now);
}

void l1_not_found(struct sm *sm, handle_t h, cycle_t now)
{
    ccn_resolved(sm, sm_request(sm, h), false, now);
    send(sm, h, now);
}
