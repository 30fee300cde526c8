/*
 * Memory instructions of an SM: what they touch, which caches they use, what is counted of them;
 * and what happens in the SM when the LSU or L1 has an answer.
 */
#include "gpu/sm/sm.h"

#include <assert.h>

/* ---- answers ------------------------------------------------------------------------------ */

u32 async_under_way(const struct sm_warp *w)
{
    u32 left = 0;
    for (u32 g = 0; g < ASYNC_GROUPS; g++) {
        u32 back = (w->async_group - g) % ASYNC_GROUPS; /* 0: not committed yet */
        left += back > w->async_wait || w->async_wait == 0 ? w->rare->async_left[g] : 0;
    }
    return left;
}

void warp_unfence(struct sm *sm, u32 slot)
{
    sm->issue.fenced &= ~((u64)1 << slot);
    policy_changed(sm);
}

void warp_copied(struct sm *sm, u32 slot, u32 group)
{
    struct sm_warp *w = &sm->warps[slot];
    w->rare->async_left[group]--;
    if (sm->issue.fenced >> slot & 1 && w->async_wait != FENCE_STORES && !async_under_way(w))
        warp_unfence(sm, slot);
}

void warp_stored(struct sm *sm, u32 slot)
{
    struct sm_warp *w = &sm->warps[slot];
    assert(w->stores_left);
    if (--w->stores_left)
        return;
    if (sm->issue.fenced >> slot & 1 && w->async_wait == FENCE_STORES)
        fence_stored(sm, slot);
    warp_drained(sm, slot);
}

static void done(void *self, const struct pending *p, cycle_t now)
{
    struct sm *sm = self;
    struct sm_warp *w = &sm->warps[p->warp];
    if (now > p->first) {
        sm->counts.load_gap_cycles += now - p->first;
        sm->counts.gap_loads++;
    }
    scoreboard_set(&sm->scoreboard, p->warp, p->instruction, p->ready, true);
    w->loads_left--;
    if (p->is_async)
        warp_copied(sm, p->warp, p->group);
    if (w->ended)
        warp_drained(sm, p->warp);
    else
        warp_check(sm, p->warp, now);
}

/* Which region a request is of, and what follows from that. */
static void mark_region(void *self, const struct kernel_regions *k, struct request *r, u64 address,
                        cycle_t now)
{
    struct sm *sm = self;
    u32 region = region_of(k, address);
    r->region = (u16)(k->first_row + region);
    struct region_counts *c = sm_region(sm, r->region, now);
    c->loads += r->kind == REQUEST_LOAD;
    c->stores += r->kind == REQUEST_STORE;
    c->atomics += r->kind == REQUEST_ATOMIC;
    if (r->kind != REQUEST_ATOMIC) /* those need their line in L2 */
        r->flags = (u16)(r->flags | region_flags(k, region, now));
}

static enum ro_cache_answer read_only(void *self, u8 client, handle_t h, cycle_t *ready,
                                      cycle_t now)
{
    struct sm *sm = self;
    struct ro_cache *s = client == CLIENT_CONSTANT ? &sm->constant : &sm->texture;
    sm_request(sm, h)->sectors = (1u << (s->config->line_bytes / SECTOR_BYTES)) - 1;
    *ready = now + s->config->hit_cycles;
    return ro_cache_access(s, h, now);
}

void memory_access_init(struct sm *sm, struct arena *arena)
{
    static const struct lsu_client_ops ops = {done, mark_region, read_only};
    const struct sm_config *c = &sm->config->sm;
    lsu_init(&sm->lsu, arena,
             &(struct lsu_parts){.config = &c->lsu,
                                 .shared_parts = c->lanes / 32,
                                 .schedulers = c->schedulers,
                                 .accesses_per_cycle = c->l1.accesses_per_cycle,
                                 .l1 = &sm->l1,
                                 .requests = sm->requests,
                                 .client = &ops,
                                 .sm = sm});
}

/* ---- issue -------------------------------------------------------------------------------- */

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

/* The pieces go to the LSU; the warp knows what it waits for. */
static void hand_over(struct sm *sm, const struct lsu_access *a, cycle_t now)
{
    struct sm_warp *w = &sm->warps[a->slot];
    if (a->is_answered) {
        w->loads_left++;
        if (a->instruction->kind == WINST_ASYNC_COPY)
            w->rare->async_left[w->async_group]++;
        scoreboard_pend(&sm->scoreboard, a->slot, a->instruction);
    } else if (sm->lsu.model.kind == REQUEST_STORE || sm->lsu.model.flags & REQUEST_NO_DATA) {
        w->stores_left += a->pieces;
    }
    lsu_take(&sm->lsu, a, now);
}

static cycle_t access_shared(struct sm *sm, const struct winst *x, cycle_t now)
{
    const struct shared_config *c = &sm->config->sm.shared;
    u32 passes = shared_passes(x, x->in_shared, c->banks, c->joins_lanes);
    bool is_atomic = x->instruction->kind == WINST_ATOMIC;
    bool swaps = is_atomic && (x->instruction->cost == SHARED_ATOMIC_SWAP ||
                               x->instruction->cost == SHARED_ATOMIC_TRY);
    passes *= swaps ? c->swap_passes : 1;
    sm->counts.shared_accesses++;
    sm->counts.shared_passes += passes;
    u32 more = (c->conflict_cycles - 1) * (passes - 1);
    more += is_atomic ? c->atomic_cycles : 0;
    more += swaps ? c->swap_cycles : 0;
    more += is_atomic && x->instruction->cost == SHARED_ATOMIC_TRY ? c->try_cycles : 0;
    if (UNLIKELY(x->in_cluster))
        more += sm->config->sm.remote_cycles;
    return lsu_access_shared(&sm->lsu, passes, now) + c->cycles + more;
}

/* Constants come a word at a time, one for each different address; 16 bytes keep them busy for two
 * and come one later: the cycle of the last. Of parameters there is one for all lanes, which most
 * instructions have as an operand.
 */
static cycle_t read_words(struct sm *sm, const struct winst *x, u32 lanes, const struct ro_cache *s,
                          cycle_t now)
{
    u32 each = s->config->word_cycles;
    if (!each || x->instruction->space != SPACE_CONST)
        return now;
    u32 places = different_addresses(x, lanes), wide = x->instruction->bytes > 8;
    u32 apart = (u32)max_u64(each, s->config->word_latency);
    return lsu_read_words(&sm->lsu, (places << wide) * each, (places - 1 + wide) * apart, now);
}

/* Lines of a read-only cache: a broadcast from one that is there is the common case. */
static void access_read_only(struct sm *sm, u32 slot, const struct winst *x, u32 lanes,
                             struct ro_cache *s, cycle_t now)
{
    struct lsu *l = &sm->lsu;
    u32 count = coalesce(x, lanes, s->config->line_bytes, l->pieces);
    if (s->at.client == CLIENT_CONSTANT)
        sm->counts.constant_accesses++;
    else
        sm->counts.texture_accesses++;
    cycle_t last = read_words(sm, x, lanes, s, now);
    u64 base = application_base(sm->warps[slot].application);
    if (count == 1 && ro_cache_holds(s, base + l->pieces[0].line)) {
        s->counts.accesses++;
        s->counts.hits++;
        scoreboard_set(&sm->scoreboard, slot, x->instruction, last + s->config->hit_cycles, true);
        return;
    }
    l->model = model_of(sm, slot, x->instruction, REQUEST_LOAD, 0);
    hand_over(sm,
              &(struct lsu_access){.instruction = x->instruction,
                                   .slot = slot,
                                   .pieces = count,
                                   .client = s->at.client,
                                   .group = (u8)sm->warps[slot].async_group,
                                   .is_answered = true,
                                   .ready = max_u64(now + 1, last + s->config->hit_cycles)},
              now);
}

static void count_instruction(struct sm *sm, const struct instruction *i)
{
    sm->counts.loads += i->kind == WINST_LOAD || i->kind == WINST_TEXTURE;
    sm->counts.stores += i->kind == WINST_STORE;
    sm->counts.atomics += i->kind == WINST_ATOMIC;
}

static void count_requests(struct sm *sm, u32 slot, const struct winst *x, u32 count)
{
    struct sm_warp *w = &sm->warps[slot];
    sm->counts.requests += count;
    if (UNLIKELY(sm->uses) && x->in_global)
        uses_accessed(sm, w->block, x, count);
    if (x->instruction->kind == WINST_LOAD && x->in_global) {
        w->has_loaded = true;
        sm->counts.load_requests++;
        sm->counts.load_lines += count;
    }
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
    if (!c->sm.l1.banks)
        return 0;
    /* local memory: each lane has a bank of its own */
    u32 passes =
        x->in_global ? shared_passes(x, x->in_global, c->sm.l1.banks, c->sm.shared.joins_lanes) : 1;
    passes *= x->instruction->kind == WINST_STORE ? c->sm.l1.store_passes : 1;
    return passes < UINT8_MAX ? passes : UINT8_MAX;
}

/* Global and local memory. */
static void access_l1(struct sm *sm, u32 slot, const struct winst *x, u32 count, cycle_t ready,
                      cycle_t now)
{
    struct lsu *l = &sm->lsu;
    const struct instruction *i = x->instruction;
    const struct sm_warp *w = &sm->warps[slot];
    count_requests(sm, slot, x, count);
    u32 passes = count_passes(sm, x, count);
    l->model = model_of(sm, slot, i, request_kind_of(i), request_flags_of(sm, slot, x));
    bool waits = i->dst_count || i->kind == WINST_ASYNC_COPY;
    hand_over(sm,
              &(struct lsu_access){
                  .instruction = i,
                  .regions = UNLIKELY(sm->region_rows) ? regions_of(w, i, l->model.flags) : NULL,
                  .slot = slot,
                  .pieces = count,
                  .client = CLIENT_L1D,
                  .group = (u8)w->async_group,
                  .passes = (u8)passes,
                  .is_answered = waits && l->model.kind != REQUEST_STORE,
                  .extra = (u16)(passes > 1 ? (passes - 1) * sm->config->sm.l1.conflict_cycles : 0),
                  .ready = ready},
              now);
}

void memory_issue(struct sm *sm, u32 slot, const struct winst *x, cycle_t now)
{
    const struct instruction *i = x->instruction;
    struct piece *pieces = sm->lsu.pieces;
    cycle_t ready = now + 1;
    count_instruction(sm, i);
    if (x->in_shared)
        ready = access_shared(sm, x, now);
    bool texture = i->kind == WINST_TEXTURE && !sm->config->sm.texture_in_l1;
    if (x->in_const || (texture && x->in_global)) {
        access_read_only(sm, slot, x, texture ? x->in_global : x->in_const,
                         texture ? &sm->texture : &sm->constant, now);
        return;
    }
    u32 count = x->in_global ? coalesce(x, x->in_global, sm->config->line_bytes, pieces) : 0;
    if (x->in_local)
        count = coalesce_local(sm, slot, x, pieces, count);
    if (count)
        access_l1(sm, slot, x, count, ready, now);
    else
        scoreboard_set(&sm->scoreboard, slot, i, ready, true);
}
