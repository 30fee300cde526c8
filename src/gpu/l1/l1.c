/*
 * The L1 data cache: in order, one request after the other; a request that
 * cannot proceed stops all behind it, hits included (bandwidth-and-ccn spec 1.3).
 */
#include "base/map.h"
#include "ccn/ccn.h"
#include "gpu/l1/l1_internal.h"
#include "mem/page_placement.h"
#include "l2/way_partition.h"
#include "l2/line_versions.h"

#include <assert.h>

static struct sm *owner_of(const struct cache *c)
{
    return c->owner;
}

/* A kernel's first block comes to this SM: the L1 may start empty, and has what shared
 * memory leaves of the memory they share. */
void l1_prepare(struct sm *sm, const struct grid_source *grid)
{
    const struct sm_config *c = &sm->config->sm;
    struct cache *l1 = &sm->l1.cache;
    if (c->l1.flush_at_kernel_end)
        cache_flush(l1);
    if (!c->l1.unified_bytes || sm->used || l1->mshr.in_use)
        return; /* not while somebody uses it */
    u32 way_bytes = l1->tags.sets * sm->config->line_bytes;
    assert(way_bytes);
    u32 shared = shared_carved(c, grid);
    u32 left = c->l1.unified_bytes > shared ? c->l1.unified_bytes - shared : 0;
    cache_use_ways(l1, left / way_bytes);
}

void l1_empty(struct sm *sm)
{
    cache_flush(&sm->l1.cache);
    mshr_age(&sm->l1.cache.mshr);
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
    const struct tags *t = &sm->l1.cache.tags;
    const struct line *old = tags_line(t, set, way);
    const struct sm_warp *w = &sm->warps[old->slot];
    bool is_there = sm->view.live >> old->slot & 1 && w->identity == old->owner;
    struct warp_access a = {.line = tags_address(t, set, way),
                            .slot = is_there ? old->slot : NO_SLOT,
                            .set = set,
                            .way = way};
    sm->policy.ops->evicted(&sm->policy, &a);
    policy_told(sm);
}

/* No way could be given up, but only because the policy keeps them: the miss need not wait, it goes
 * past the cache. */
static bool is_bypass(struct sm *sm, u32 set, const struct request *r)
{
    return UNLIKELY(sm->policy.ops->protects) && cache_victim(&sm->l1.cache, set, 0, r) != NO_WAY;
}

/* ---- lookups -------------------------------------------------------------------------------- */

/* The warp, for the checker. */
static u32 reader(const struct sm *sm, const struct request *r)
{
    struct sm_ticket t = ticket_read(r);
    return t.client == CLIENT_CONTEXT ? NO_VERSION_WARP : sm->number * MOST_SM_WARPS + t.warp;
}

void l1_send(struct sm *sm, handle_t h, cycle_t now)
{
    struct request *r = sm_request(sm, h);
    if (UNLIKELY(sm->versions) && (r->kind == REQUEST_STORE || r->kind == REQUEST_ATOMIC))
        r->version = reader(sm, r); /* who writes, until it takes place */
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
    l1_send(sm, fetch_of(sm, r, sectors, now), now);
}

/* Is the line in a region that a kernel keeps out of L2? */
static bool bypasses_l2(const struct sm *sm, u64 line)
{
    u8 application = application_of(line);
    for (u32 i = 0; i < REGION_KERNELS; i++) {
        const struct kernel_regions *k = &sm->region_kernels[i];
        if (!k->is_used || k->application != application || sm->now <= k->decided_at)
            continue;
        u32 region = region_of(k, line - application_base(application));
        if (region != REGION_OUTSIDE && region_flags(k, region, sm->now) & REQUEST_BYPASS_L2)
            return true;
    }
    return false;
}

/* A dirty line goes below. */
static void write_back(struct sm *sm, u32 set, u32 way)
{
    const struct tags *t = &sm->l1.cache.tags;
    u64 line = tags_address(t, set, way);
    handle_t h = pool_alloc(sm->requests);
    *sm_request(sm, h) = (struct request){.line = line,
                                          .sectors = tags_line(t, set, way)->dirty,
                                          .agent = sm->agent.number,
                                          .kind = REQUEST_WRITEBACK,
                                          .application = application_of(line),
                                          .issued = sm->now};
    if (UNLIKELY(sm->region_kernels) && bypasses_l2(sm, line))
        sm_request(sm, h)->flags |= REQUEST_BYPASS_L2;
    sm->l1.counts.writebacks++;
    l1_send(sm, h, sm->now);
}

/* Whoever takes the way has made sure that a dirty line finds room. */
static void evicted(struct cache *c, u32 set, u32 way)
{
    struct sm *sm = owner_of(c);
    sm->l1.counts.evictions++;
    if (UNLIKELY(sm->policy.ops->evicted))
        tell_evicted(sm, set, way);
    if (tags_line(&c->tags, set, way)->dirty)
        write_back(sm, set, way);
}

/* The line has its way: whose it is. */
static void placed(struct sm *sm, struct cache_place p, const struct request *r)
{
    struct line *line = cache_line(&sm->l1.cache, p);
    u16 warp = ticket_read(r).warp;
    line->owner = sm->warps[warp].identity;
    line->slot = (u8)warp;
    if (UNLIKELY(sm->policy.ops->placed))
        tell(sm, sm->policy.ops->placed, r, p.set, p.way, false, false);
}

void l1_make_room(struct sm *sm, struct cache_place p, const struct request *r,
                  enum line_state state)
{
    cache_take(&sm->l1.cache, p.set, p.way, r, state);
    placed(sm, p, r);
}

/* As GPUs count them: a sector that is on its way is no miss (docs/internals/fidelity.md). */
static void count_sectors(struct sm *sm, const struct request *r, u32 missed)
{
    if (r->flags & REQUEST_LOCAL || ticket_read(r).entry == NO_ENTRY)
        return;
    sm->l1.counts.load_sectors += (u32)__builtin_popcount(r->sectors);
    sm->l1.counts.load_sectors_missed += (u32)__builtin_popcount(missed);
}

/* Whoever asked and is no instruction that waits. */
static void answer_other(struct sm *sm, struct sm_ticket t)
{
    if (UNLIKELY(t.client == CLIENT_CONTEXT))
        context_answered(sm, t.warp);
}

void l1_store_done(struct sm *sm, const struct request *r)
{
    struct sm_ticket t = ticket_read(r);
    if (LIKELY(t.client == CLIENT_L1D))
        lsu_store_done(sm, t.warp);
    else
        answer_other(sm, t);
}

static u8 hit(struct sm *sm, handle_t h, struct cache_place p, cycle_t now)
{
    struct l1_counts *c = &sm->l1.counts;
    const struct request *r = sm_request(sm, h);
    struct sm_ticket t = ticket_read(r);
    bool own = cache_line(&sm->l1.cache, p)->owner == sm->warps[t.warp].identity;
    c->loads++;
    c->hits++;
    if (UNLIKELY(sm->versions))
        versions_check(sm->versions, r->line, *cache_version(&sm->l1.cache, p), reader(sm, r), now);
    count_l1_hit(sm, r, now);
    count_sectors(sm, r, 0);
    c->intra_warp_hits += own;
    c->inter_warp_hits += !own;
    if (LIKELY(!(r->flags & REQUEST_NO_FILL)) || sm->config->sm.l1.bypass_hits_touch)
        cache_touch(&sm->l1.cache, p, r);
    if (UNLIKELY(sm->policy.ops->hit))
        tell(sm, sm->policy.ops->hit, r, p.set, p.way, own, false);
    if (t.entry != NO_ENTRY)
        lsu_answered(sm, t.entry, now + sm->config->sm.l1.hit_cycles, now);
    else
        answer_other(sm, t);
    pool_free(sm->requests, h);
    return L1_STALL_NONE;
}

/* A load that may keep its line joins one that may not: the line is kept if there is room
 * (Poise spec 2 item 5) and if all of it is on its way. */
static void merge_fill(struct sm *sm, struct mshr_entry *e, const struct request *r, u32 set)
{
    if (!e->no_fill || r->flags & REQUEST_NO_FILL || !sm->config->sm.l1.merge_keeps)
        return;
    if (sm->config->sm.l1.bypass_bytes == L1_BYPASS_COALESCED && !sm->config->sm.l1.sectored &&
        e->missing != sm->l1.cache.all_sectors)
        return;
    if (sm->config->sm.l1.allocate == L1_ALLOCATE_ON_FILL) {
        e->no_fill = false;
        return;
    }
    struct cache_place p = {set, cache_victim(&sm->l1.cache, set, l1_kept(sm, set), r)};
    if (p.way == NO_WAY || cache_line(&sm->l1.cache, p)->dirty)
        return;
    e->no_fill = false;
    l1_make_room(sm, p, r, LINE_RESERVED);
}

static u8 merge(struct sm *sm, handle_t h, struct mshr_entry *e, u32 set, cycle_t now)
{
    struct request *r = sm_request(sm, h);
    if (e->count >= sm->config->sm.l1.merge_limit)
        return L1_STALL_MSHR;
    if (r->sectors & ~e->asked && !sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L1)) {
        count_bypass(sm, r, &sm->l1.bypass.merges, now);
    } else {
        sm->l1.counts.loads++;
        sm->l1.counts.merges++;
        count_sectors(sm, r, r->sectors & ~e->asked);
    }
    r->issued = now;
    if (UNLIKELY(sm->policy.ops->missed))
        tell(sm, sm->policy.ops->missed, r, set, NO_WAY, false, true);
    merge_fill(sm, e, r, set);
    u32 to_ask = cache_merge(&sm->l1.cache, h);
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

/* p: has the line without all of the sectors, or no way. */
static void begin_miss(struct sm *sm, struct request *r, struct cache_place p, cycle_t now)
{
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L1)) {
        count_bypass(sm, r, &sm->l1.bypass.loads, now);
    } else {
        sm->l1.counts.loads++;
        sm->l1.counts.misses++;
        sm->l1.counts.sector_misses += p.way != NO_WAY;
        count_sectors(sm, r, r->sectors & ~cache_valid(&sm->l1.cache, p));
    }
    r->issued = now;
    if (UNLIKELY(sm->policy.ops->missed))
        tell(sm, sm->policy.ops->missed, r, p.set, NO_WAY, false, false);
    if (UNLIKELY(sm->reuse_log) && !(r->flags & REQUEST_LOCAL))
        note_miss(sm, r->line);
}

static u8 miss(struct sm *sm, handle_t h, struct cache_place p, cycle_t now)
{
    const struct l1_config *c = &sm->config->sm.l1;
    struct cache *l1 = &sm->l1.cache;
    struct request *r = sm_request(sm, h);
    bool keeps = !(r->flags & REQUEST_NO_FILL);
    bool reserves = keeps && c->allocate == L1_ALLOCATE_ON_MISS;
    struct cache_miss m;
    enum cache_answer can = cache_plan(l1, p, r, reserves, reserves ? l1_kept(sm, p.set) : 0, &m);
    if (can == CACHE_NO_WAY) {
        if (!is_bypass(sm, p.set, r))
            return L1_STALL_CACHE;
        keeps = false;
        can = cache_plan(l1, p, r, false, 0, &m);
    }
    if (can == CACHE_NO_MSHR)
        return L1_STALL_MSHR;
    enum ccn_path path = sm->ccn ? ccn_path(sm->ccn, r) : CCN_PATH_BELOW;
    u32 need = 1u + m.dirty_victim - ccn_path_is_elsewhere(path);
    if (!sm_can_send(sm, &sm->miss, need))
        return L1_STALL_L2;
    begin_miss(sm, r, p, now);
    m.sectors = keeps ? 0 : l1_bypass_sectors(sm, r->sectors);
    u32 to_ask = cache_start(l1, &m, h);
    if (m.reserves)
        placed(sm, m.place, r);
    mshr_find(&l1->mshr, r->line)->no_fill = !keeps;
    if (UNLIKELY(sm->ccn))
        ccn_count(sm->ccn, path);
    if (ccn_path_is_elsewhere(path))
        ccn_ask(sm->ccn, fetch_of(sm, r, to_ask, now), path, now);
    else
        ask(sm, r, to_ask, now);
    return L1_STALL_NONE;
}

/* A miss that takes neither a line nor an MSHR: the request itself goes, so a second one of the
 * line goes too. */
static u8 miss_bypass(struct sm *sm, handle_t h, struct cache_place p, cycle_t now)
{
    struct request *r = sm_request(sm, h);
    if (!sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    begin_miss(sm, r, p, now);
    u32 part = l1_bypass_sectors(sm, r->sectors);
    r->sectors = part ? part : cache_fill_sectors(&sm->l1.cache, r->sectors, 0);
    if (UNLIKELY(sm->ccn))
        ccn_count(sm->ccn, CCN_PATH_BELOW);
    r->flags |= REQUEST_NO_L1; /* its answer finds the instruction */
    l1_send(sm, h, now);
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
    l1_send(sm, h, now);
    return L1_STALL_NONE;
}

/* The line of a store that missed comes in, with the sectors that were written, and is the first to
 * go again; not if a dirty victim would have to leave first. */
static void place_store(struct sm *sm, const struct request *r, u32 set)
{
    struct cache *l1 = &sm->l1.cache;
    struct cache_place p = {set, cache_victim(l1, set, l1_kept(sm, set), r)};
    if (p.way == NO_WAY || cache_line(l1, p)->dirty)
        return;
    if (sm->config->sm.l1.write_hit == L1_WRITE_UPDATE) {
        cache_take_next(l1, p.set, p.way, r);
        placed(sm, p, r);
    } else {
        l1_make_room(sm, p, r, LINE_VALID);
    }
    cache_line(l1, p)->valid = (u8)r->sectors;
}

/* A store that goes below; what it does to a line that is there. */
static u8 store(struct sm *sm, handle_t h, struct cache_place p, cycle_t now)
{
    const struct l1_config *c = &sm->config->sm.l1;
    struct request *r = sm_request(sm, h);
    struct line *line = cache_line(&sm->l1.cache, p);
    bool is_there = line && line->state == LINE_VALID;
    if (is_there && (r->flags & REQUEST_LOCAL ? c->local_write_back
                                              : UNLIKELY(c->write_hit == L1_WRITE_BACK))) {
        sm->l1.counts.store_hits++;
        count_l1_hit(sm, r, now);
        return l1_keep_store(sm, h, p);
    }
    if (UNLIKELY(c->write_hit == L1_WRITE_BACK)) {
        u8 stall = L1_STALL_NONE;
        if (l1_can_keep_new(sm, r, &p, &stall))
            return l1_keep_store(sm, h, p);
        if (stall != L1_STALL_NONE)
            return stall;
    }
    if (!sm_can_send(sm, &sm->miss, 1))
        return L1_STALL_L2;
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L1) && !is_there) {
        count_bypass(sm, r, &sm->l1.bypass.stores, now);
    } else {
        sm->l1.counts.stores++;
        sm->l1.counts.store_hits += is_there;
    }
    if (is_there)
        count_l1_hit(sm, r, now);
    if (UNLIKELY(sm->versions) && line)
        cache_version_raise(&sm->l1.cache, p, sm->versions->written);
    if (is_there && c->write_hit == L1_WRITE_EVICT && !line->dirty)
        cache_invalidate(&sm->l1.cache, p.set, p.way);
    if (c->write_miss == L1_WRITE_ALLOCATE && r->flags & REQUEST_WHOLE &&
        !(r->flags & REQUEST_NO_FILL)) {
        if (!line)
            place_store(sm, r, p.set);
        else if (is_there)
            line->valid = (u8)(line->valid | r->sectors);
    }
    l1_send(sm, h, now);
    return L1_STALL_NONE;
}

u8 l1_access(struct sm *sm, handle_t h, cycle_t now)
{
    struct cache *l1 = &sm->l1.cache;
    struct request *r = sm_request(sm, h);
    if (UNLIKELY(sm->split)) /* before it is sent: its way depends on it */
        r->home = homes_expect(sm, r->line);
    struct cache_place p = cache_find(l1, r->line, r->line);
    if (r->kind == REQUEST_STORE)
        return store(sm, h, p, now);
    if (r->kind == REQUEST_ATOMIC) {
        const struct line *line = cache_line(l1, p);
        bool leaves = line && line->dirty && sm->config->sm.l1.write_hit == L1_WRITE_BACK;
        if (!sm_can_send(sm, &sm->miss, 1u + leaves))
            return L1_STALL_L2;
        if (line && line->state == LINE_VALID && (!line->dirty || leaves)) {
            if (UNLIKELY(leaves))
                write_back(sm, p.set, p.way);
            cache_invalidate(l1, p.set, p.way);
        }
        return bypass(sm, h, now);
    }
    if (r->flags & REQUEST_NO_L1)
        return bypass(sm, h, now);
    if (cache_holds(l1, p, r))
        return hit(sm, h, p, now);
    struct mshr_entry *e = mshr_find(&l1->mshr, r->line);
    if (UNLIKELY(e && e->is_old))
        return miss_bypass(sm, h, p, now);
    if (e)
        return merge(sm, h, e, p.set, now);
    bool past = r->flags & REQUEST_NO_FILL && !sm->config->sm.l1.bypass_takes_mshr;
    return UNLIKELY(past) ? miss_bypass(sm, h, p, now) : miss(sm, h, p, now);
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

/* Where the line goes: the way that was reserved for it, or one taken now; no way: it is not
 * kept. */
static struct cache_place fill_place(struct sm *sm, const struct request *f, bool no_fill)
{
    struct cache *l1 = &sm->l1.cache;
    struct cache_place p = cache_find(l1, f->line, f->line);
    if (p.way != NO_WAY || no_fill)
        return p;
    p.way = cache_victim(l1, p.set, l1_kept(sm, p.set), f);
    if (p.way == NO_WAY)
        return p;
    if (cache_line(l1, p)->dirty && !sm_can_send(sm, &sm->miss, 1)) {
        p.way = NO_WAY; /* a dirty victim could not leave: the new line is used and not kept */
        return p;
    }
    l1_make_room(sm, p, f, LINE_RESERVED);
    return p;
}

static void fill(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *f = sm_request(sm, h);
    struct cache *l1 = &sm->l1.cache;
    const struct mshr_entry *e = mshr_find(&l1->mshr, f->line);
    assert(e);
    bool is_old = e->is_old;
    struct cache_place p = fill_place(sm, f, e->no_fill);
    handle_t next, w = cache_fill(l1, p, f->line, f->sectors);
    cache_filled(l1, p, f->line);
    sm->l1.counts.fills += p.way != NO_WAY;
    if (UNLIKELY(sm->versions) && p.way != NO_WAY)
        cache_version_raise(l1, p, f->version);
    if (UNLIKELY(is_old) && p.way != NO_WAY && !mshr_find(&l1->mshr, f->line))
        cache_invalidate(l1, p.set, p.way);
    for (; w; w = next) {
        const struct request *r = sm_request(sm, w);
        next = r->next;
        if (UNLIKELY(sm->versions))
            versions_check(sm->versions, r->line, f->version, reader(sm, r), r->issued);
        cycle_t ready = max_u64(now + 1, r->issued + sm->config->sm.l1.hit_cycles);
        struct sm_ticket t = ticket_read(r);
        if (t.entry != NO_ENTRY)
            lsu_answered(sm, t.entry, ready, now);
        else
            answer_other(sm, t);
        pool_free(sm->requests, w);
    }
    count_latency(sm, f, now);
    pool_free(sm->requests, h);
}

void l1_reply(struct sm *sm, handle_t h, cycle_t now)
{
    const struct request *r = sm_request(sm, h);
    sm->l1.counts.acknowledged++;
    if (UNLIKELY(r->region)) {
        struct region_counts *c = sm_region(sm, r->region, now);
        c->l2_answers++;
        c->bypass_l2 += (r->flags & REQUEST_BYPASS_L2) != 0;
        c->l2_hits += (r->flags & (REQUEST_L2_HIT | REQUEST_L2_NEW)) == REQUEST_L2_HIT;
    }
    bool is_store =
        r->kind == REQUEST_STORE || (r->kind == REQUEST_ATOMIC && r->flags & REQUEST_NO_DATA);
    if (is_store) {
        l1_store_done(sm, r);
    } else if (r->kind == REQUEST_ATOMIC || r->flags & REQUEST_NO_L1) {
        count_latency(sm, r, now);
        if (UNLIKELY(sm->versions) && r->kind == REQUEST_LOAD)
            versions_check(sm->versions, r->line, r->version, reader(sm, r), r->issued);
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
    ccn_resolved(sm->ccn, sm_request(sm, h), true, now);
    fill(sm, h, now);
}

void l1_not_found(struct sm *sm, handle_t h, cycle_t now)
{
    l1_send(sm, h, now);
}

/* ---- building ---------------------------------------------------------------------------------
 */

static u64 divided_ways(const struct cache *c, u32 set, const struct request *access)
{
    const struct sm *sm = owner_of(c);
    (void)set;
    return split_ways(sm->split, access->home != sm->agent.socket);
}

void l1_divide(struct sm *sm, const struct way_partition *split)
{
    sm->split = split;
    sm->l1.cache.ways_for = divided_ways;
}

/* What other SMs can see of a way: the line that is there and valid, or none. */
static void shows(struct cache *c, u32 set, u32 way, u64 line)
{
    struct sm *sm = owner_of(c);
    ccn_show(sm->ccn, set, way, line, sm->now);
}

void l1_init(struct sm *sm, struct arena *arena, struct policy_choice replacement)
{
    static const struct cache_events alone = {.evicted = evicted};
    static const struct cache_events among_others = {.evicted = evicted, .shows = shows};
    const struct l1_config *c = &sm->config->sm.l1;
    struct cache_shape shape = {.size_bytes = c->size_bytes,
                                .ways = c->ways,
                                .line_bytes = sm->config->line_bytes,
                                .index = (enum set_index)c->set_index,
                                .mshrs = c->mshrs,
                                .merge_limit = c->merge_limit,
                                .fill_bytes = c->sectored ? SECTOR_BYTES : 0};
    cache_init(&sm->l1.cache, arena, &shape, sm->requests, replacement,
               hash_u64(sm->sim->seed + sm->index));
    sm->l1.cache.owner = sm;
    sm->l1.cache.events = sm->config->ccn.mode == CCN_NONE ? &alone : &among_others;
}
