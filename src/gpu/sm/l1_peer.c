/* An L1 among others: what it asks of the network between them, and what the network may ask of
 * it. */
#include "ccn/ccn.h"
#include "ccn/l1_peer.h"
#include "gpu/sm/sm.h"

static const struct sm *sm_of(const void *l1)
{
    return l1;
}

static u32 set_of(const void *l1, u64 line)
{
    return tags_set(&sm_of(l1)->l1.cache.tags, line);
}

static bool holds(const void *l1, u64 line)
{
    const struct cache *c = &sm_of(l1)->l1.cache;
    const struct line *there = cache_line(c, cache_find(c, line, line));
    return there && there->state == LINE_VALID;
}

static void take_port(void *l1, cycle_t now)
{
    struct sm *sm = l1;
    sm->lsu.l1_taken = now;
}

static void touch(void *l1, u64 line, u32 agent)
{
    struct sm *sm = l1;
    struct request from = {.line = line, .agent = (u16)agent};
    cache_touch(&sm->l1.cache, cache_find(&sm->l1.cache, line, line), &from);
}

static void deliver(void *l1, handle_t h, cycle_t at)
{
    struct sm *sm = l1;
    if (at > sm->now)
        sm_receive_at(sm, h, at);
    else
        l1_found_elsewhere(sm, h, at);
}

static void give_back(void *l1, handle_t h, cycle_t now)
{
    struct sm *sm = l1;
    l1_send(&sm->l1, h, now);
}

static void tell_below(void *l1, u64 line, bool came, cycle_t now)
{
    struct sm *sm = l1;
    handle_t h = pool_alloc(sm->requests);
    *sm_request(sm, h) = (struct request){.line = line,
                                          .agent = sm->agent.number,
                                          .kind = REQUEST_UPDATE,
                                          .flags = came ? REQUEST_CAME : 0,
                                          .issued = now};
    sm_send(sm, h, &sm->miss, now);
}

/* ---- what the L1 asks ---- */

static u8 path_of(struct l1 *l, struct l1_attachment *a, const struct request *r)
{
    (void)a;
    const struct sm *sm = l->sm;
    enum ccn_path path = ccn_path(sm->ccn, r);
    return (u8)(path | (ccn_path_is_elsewhere(path) ? L1_ELSEWHERE : 0));
}

static void started(struct l1 *l, struct l1_attachment *a, u8 path)
{
    (void)a;
    const struct sm *sm = l->sm;
    ccn_count(sm->ccn, (enum ccn_path)(path & ~L1_ELSEWHERE));
}

static void ask(struct l1 *l, struct l1_attachment *a, handle_t h, u8 path, cycle_t now)
{
    (void)a;
    const struct sm *sm = l->sm;
    ccn_ask(sm->ccn, h, (enum ccn_path)(path & ~L1_ELSEWHERE), now);
}

static void shows(struct l1 *l, struct l1_attachment *a, u32 set, u32 way, u64 line)
{
    (void)a;
    const struct sm *sm = l->sm;
    ccn_show(sm->ccn, set, way, line, sm->now);
}

void l1_attach_peers(struct sm *sm)
{
    static const struct l1_hooks hooks = {
        .path = path_of, .started = started, .ask = ask, .shows = shows};
    l1_attach(&sm->l1, ARENA_NEW(&sm->sim->arena, struct l1_attachment), &hooks);
}

void l1_found_elsewhere(struct sm *sm, handle_t h, cycle_t now)
{
    ccn_resolved(sm->ccn, sm_request(sm, h), true, now);
    l1_fill(&sm->l1, h, now);
}

struct l1_peer l1_peer_of(struct sm *sm)
{
    static const struct l1_peer_ops ops = {.set_of = set_of,
                                           .holds = holds,
                                           .take_port = take_port,
                                           .touch = touch,
                                           .deliver = deliver,
                                           .give_back = give_back,
                                           .tell_below = tell_below};
    return (struct l1_peer){.ops = &ops,
                            .l1 = sm,
                            .unit = sm->unit,
                            .agent = sm->agent.number,
                            .below = &sm->miss,
                            .instructions = &sm->counts.thread_instructions};
}
