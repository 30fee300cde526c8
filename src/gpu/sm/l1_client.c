/*
 * An SM as its L1 sees it, and what of the SM is attached to the L1: its warp policy, regions that
 * are counted or kept out, versions of lines, and ways of its own for lines of other sockets.
 */
#include "base/map.h"
#include "gpu/sm/sm.h"
#include "l2/line_versions.h"

/* ---- the SM as a client ----------------------------------------------------------------- */

static bool can_send(void *self, u32 requests)
{
    struct sm *sm = self;
    return sm_can_send(sm, &sm->miss, requests);
}

static void send(void *self, handle_t h, cycle_t now)
{
    struct sm *sm = self;
    sm_send(sm, h, &sm->miss, now);
}

static void loaded(void *self, const struct request *r, cycle_t ready, cycle_t now)
{
    struct sm *sm = self;
    struct sm_ticket t = ticket_read(r);
    if (LIKELY(t.entry != NO_ENTRY))
        lsu_answered(&sm->lsu, t.entry, ready, now);
    else if (UNLIKELY(t.client == CLIENT_CONTEXT))
        context_answered(sm, t.warp);
}

static void stored(void *self, const struct request *r)
{
    struct sm *sm = self;
    struct sm_ticket t = ticket_read(r);
    if (LIKELY(t.client == CLIENT_L1D))
        warp_stored(sm, t.warp);
    else if (UNLIKELY(t.client == CLIENT_CONTEXT))
        context_answered(sm, t.warp);
}

void l1_client_init(struct sm *sm, struct arena *arena, struct policy_choice replacement)
{
    static const struct l1_client_ops ops = {can_send, send, loaded, stored};
    l1_init(&sm->l1, arena,
            &(struct l1_parts){.config = &sm->config->sm.l1,
                               .line_bytes = sm->config->line_bytes,
                               .requests = sm->requests,
                               .client = &ops,
                               .sm = sm,
                               .engine = sm->engine,
                               .now = &sm->now,
                               .agent = sm->agent,
                               .replacement = replacement,
                               .seed = hash_u64(sm->sim->seed + sm->index)});
}

static struct l1_attachment *new_attachment(struct sm *sm)
{
    return ARENA_NEW(&sm->sim->arena, struct l1_attachment);
}

/* ---- the warp policy -------------------------------------------------------------------- */

typedef void policy_hook(struct warp_policy *p, const struct warp_access *a);

static void tell(struct l1 *l, policy_hook *hook, const struct request *r, struct cache_place p,
                 bool own, bool merged)
{
    struct sm *sm = l->sm;
    struct sm_ticket t = ticket_read(r);
    if (t.entry == NO_ENTRY)
        return; /* a prefetch: no instruction waits for it */
    struct warp_access a = {.line = r->line,
                            .pc = sm->lsu.pending[t.entry].instruction->pc,
                            .slot = t.warp,
                            .set = p.set,
                            .way = p.way,
                            .own = own,
                            .merged = merged};
    hook(&sm->policy, &a);
    issue_unit_policy_changed(&sm->issue);
}

static void policy_hit(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                       const struct request *r, bool own)
{
    (void)a;
    tell(l, ((struct sm *)l->sm)->policy.ops->hit, r, p, own, false);
}

static void policy_missed(struct l1 *l, struct l1_attachment *a, const struct request *r, u32 set,
                          bool merged)
{
    (void)a;
    struct cache_place p = {set, NO_WAY};
    tell(l, ((struct sm *)l->sm)->policy.ops->missed, r, p, false, merged);
}

static void policy_placed(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                          const struct request *r)
{
    (void)a;
    tell(l, ((struct sm *)l->sm)->policy.ops->placed, r, p, false, false);
}

static void policy_evicted(struct l1 *l, struct l1_attachment *a, u32 set, u32 way)
{
    (void)a;
    struct sm *sm = l->sm;
    const struct line *old = tags_line(&l->cache.tags, set, way);
    bool is_there = sm->view.live >> old->slot & 1 && l->identity[old->slot] == old->owner;
    struct warp_access access = {.line = tags_address(&l->cache.tags, set, way),
                                 .slot = is_there ? old->slot : NO_SLOT,
                                 .set = set,
                                 .way = way};
    sm->policy.ops->evicted(&sm->policy, &access);
    issue_unit_policy_changed(&sm->issue);
}

static u64 policy_keeps(struct l1 *l, struct l1_attachment *a, u32 set)
{
    (void)a;
    struct sm *sm = l->sm;
    return sm->policy.ops->protects(&sm->policy, set);
}

void l1_attach_policy(struct sm *sm)
{
    const struct warp_policy_ops *ops = sm->policy.ops;
    struct l1_hooks *hooks = ARENA_NEW(&sm->sim->arena, struct l1_hooks);
    *hooks = (struct l1_hooks){.hit = ops->hit ? policy_hit : NULL,
                               .missed = ops->missed ? policy_missed : NULL,
                               .placed = ops->placed ? policy_placed : NULL,
                               .evicted = ops->evicted ? policy_evicted : NULL,
                               .kept = ops->protects ? policy_keeps : NULL};
    l1_attach(&sm->l1, new_attachment(sm), hooks);
}

/* ---- regions ---------------------------------------------------------------------------- */

static void region_found(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                         const struct request *r, cycle_t now)
{
    (void)a, (void)p;
    if (r->region)
        sm_region(l->sm, r->region, now)->l1_hits++;
}

static void region_bypassed(struct l1 *l, struct l1_attachment *a, const struct request *r,
                            cycle_t now)
{
    (void)a;
    sm_region(l->sm, r->region, now)->bypass_l1++;
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

static void region_sent(struct l1 *l, struct l1_attachment *a, struct request *r)
{
    (void)a;
    if (r->kind == REQUEST_WRITEBACK && bypasses_l2(l->sm, r->line))
        r->flags |= REQUEST_BYPASS_L2;
}

static void region_replied(struct l1 *l, struct l1_attachment *a, const struct request *r,
                           cycle_t now)
{
    (void)a;
    if (!r->region)
        return;
    struct region_counts *c = sm_region(l->sm, r->region, now);
    c->l2_answers++;
    c->bypass_l2 += (r->flags & REQUEST_BYPASS_L2) != 0;
    c->l2_hits += (r->flags & (REQUEST_L2_HIT | REQUEST_L2_NEW)) == REQUEST_L2_HIT;
}

void l1_attach_regions(struct sm *sm)
{
    static const struct l1_hooks hooks = {.found = region_found,
                                          .bypassed = region_bypassed,
                                          .sent = region_sent,
                                          .replied = region_replied};
    l1_attach(&sm->l1, new_attachment(sm), &hooks);
}

/* ---- versions --------------------------------------------------------------------------- */

/* The warp, for the checker. */
static u32 warp_of(const struct sm *sm, const struct request *r)
{
    struct sm_ticket t = ticket_read(r);
    return t.client == CLIENT_CONTEXT ? NO_VERSION_WARP : sm->number * MOST_SM_WARPS + t.warp;
}

static void version_found(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                          const struct request *r, cycle_t now)
{
    (void)a;
    const struct sm *sm = l->sm;
    if (r->kind == REQUEST_LOAD)
        versions_check(sm->versions, r->line, *cache_version(&l->cache, p), warp_of(sm, r), now);
}

static void version_sent(struct l1 *l, struct l1_attachment *a, struct request *r)
{
    (void)a;
    if (r->kind == REQUEST_STORE || r->kind == REQUEST_ATOMIC)
        r->version = warp_of(l->sm, r); /* of the writer, until the write takes place */
}

static void version_written(struct l1 *l, struct l1_attachment *a, struct cache_place p)
{
    (void)a;
    const struct sm *sm = l->sm;
    cache_version_raise(&l->cache, p, sm->versions->written);
}

static void version_filled(struct l1 *l, struct l1_attachment *a, struct cache_place p,
                           const struct request *fill, handle_t waiting, cycle_t now)
{
    (void)a, (void)now;
    const struct sm *sm = l->sm;
    if (p.way != NO_WAY)
        cache_version_raise(&l->cache, p, fill->version);
    for (handle_t h = waiting; h; h = l1_request(l, h)->next) {
        const struct request *r = l1_request(l, h);
        versions_check(sm->versions, r->line, fill->version, warp_of(sm, r), r->issued);
    }
}

static void version_replied(struct l1 *l, struct l1_attachment *a, const struct request *r,
                            cycle_t now)
{
    (void)a, (void)now;
    const struct sm *sm = l->sm;
    if (r->kind == REQUEST_LOAD && r->flags & REQUEST_NO_L1)
        versions_check(sm->versions, r->line, r->version, warp_of(sm, r), r->issued);
}

void l1_attach_versions(struct sm *sm)
{
    static const struct l1_hooks hooks = {.found = version_found,
                                          .sent = version_sent,
                                          .written = version_written,
                                          .filled = version_filled,
                                          .replied = version_replied};
    versions_keep(&sm->l1.cache, &sm->sim->arena);
    l1_attach(&sm->l1, new_attachment(sm), &hooks);
}

/* ---- several sockets -------------------------------------------------------------------- */

/* Before it is sent: its way depends on its home. */
static void expect_home(struct l1 *l, struct l1_attachment *a, struct request *r)
{
    (void)a;
    r->home = homes_expect(l->sm, r->line);
}

void l1_attach_sockets(struct sm *sm, const struct way_partition *split)
{
    static const struct l1_hooks hooks = {.arrives = expect_home};
    l1_attach(&sm->l1, new_attachment(sm), &hooks);
    l1_divide(&sm->l1, split);
}
