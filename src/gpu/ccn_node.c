/* What an L1 has to do with the CCN: which misses it offers, and what others see of it. */
#include "gpu/ccn.h"

static u64 instructions(const struct sm *sm)
{
    const struct ccn *c = sm->ccn->ccn;
    return c->config->ccn.throttle.scope == THROTTLE_CHIP ? c->instructions_before
                                                          : sm->counts.thread_instructions;
}

/* Loads from global memory that took an MSHR; L1 sends no others here. */
enum ccn_path ccn_path(struct sm *sm, const struct request *r)
{
    struct ccn_node *n = sm->ccn;
    struct ccn *c = n->ccn;
    u32 mode = c->config->ccn.mode;
    if (r->flags & (REQUEST_LOCAL | REQUEST_TEXTURE) || mode == CCN_TRACKER)
        return CCN_PATH_BELOW;
    if (mode == CCN_IDEAL) {
        bool found = (sharers_of(&c->sharers, r->line) & n->group) != 0;
        c->blocked |= (u64)!found << sm->index;
        return found ? CCN_PATH_FOUND : CCN_PATH_NOBODY;
    }
    n->asked_after = instructions(sm);
    if (n->throttle.config->enabled && !throttle_allows(&n->throttle, n->asked_after))
        return CCN_PATH_THROTTLED;
    return port_can_push(&n->buffer) ? CCN_PATH_RING : CCN_PATH_DEFLECTED;
}

bool ccn_path_may_change(const struct sm *sm)
{
    const struct ccn_node *n = sm->ccn;
    return n->throttle.config->enabled && n->asked_after != instructions(sm);
}

void ccn_count(struct sm *sm, enum ccn_path path)
{
    struct ccn_counts *c = &sm->ccn->counts;
    c->eligible += path != CCN_PATH_BELOW;
    if (LIKELY(path == CCN_PATH_RING)) {
        c->injected++;
        return;
    }
    c->ineligible += path == CCN_PATH_BELOW;
    c->deflected += path == CCN_PATH_DEFLECTED;
    c->throttled += path == CCN_PATH_THROTTLED;
    c->unshared += path == CCN_PATH_NOBODY;
    c->injected += path == CCN_PATH_FOUND;
    sm->ccn->ccn->blocked &= ~((u64)1 << sm->index);
}

void ccn_ask(struct sm *sm, handle_t h, enum ccn_path path, cycle_t now)
{
    struct ccn_node *n = sm->ccn;
    sm_request(sm, h)->ticket = n->throttle.epoch; /* nobody else needs it */
    u32 cycles = n->ccn->config->ccn.ideal_cycles;
    if (path == CCN_PATH_RING)
        port_push(&n->buffer, h);
    else if (cycles)
        sm_receive_at(sm, h, now + cycles);
    else
        l1_found(sm, h, now);
}

void ccn_resolved(struct sm *sm, const struct request *r, bool hit, cycle_t now)
{
    struct ccn_node *n = sm->ccn;
    if (hit) {
        n->counts.remote_hits++;
        n->counts.reuse_cycles += now - r->issued;
    } else {
        n->counts.returned++;
        n->counts.overhead_cycles += now - r->issued;
    }
    if (n->throttle.config->enabled)
        throttle_resolved(&n->throttle, instructions(sm), (u32)r->ticket, hit);
}

static void note(struct sm *sm, u64 line, bool came)
{
    struct ccn_node *n = sm->ccn;
    if (line == NO_LINE)
        return;
    n->changes[n->change_count++] = (struct l1_change){line, sm->now, came};
    engine_wake(sm->engine, n->ccn->unit);
}

static __attribute__((noinline)) void note_change(struct sm *sm, u32 set, u32 way, u64 line)
{
    u64 *shown = &sm->ccn->shown[(size_t)set * sm->l1.cache.tags.ways + way], before = *shown;
    if (before == line)
        return;
    *shown = line;
    note(sm, before, false);
    note(sm, line, true);
}

void ccn_show(struct sm *sm, u32 set, u32 way, u64 line)
{
    struct ccn_node *n = sm->ccn;
    struct ccn *c = n->ccn;
    if (n->changes) {
        note_change(sm, set, way, line);
        return;
    }
    c->held &= ~((u64)1 << sm->index);
    u32 sign = line == NO_LINE ? 0 : ccn_sign(line);
    n->signs[(size_t)set * c->sign_stride + ccn_sign_at(way)] = (u16)sign;
    if (sign && chains_first(&c->asked, ccn_chain(sign)))
        ccn_came(c, sm->index, line, sm->now);
}

static bool way_is_shown(const struct sm *sm, u32 set, u32 way)
{
    const struct tags *t = &sm->l1.cache.tags;
    const struct ccn_node *n = sm->ccn;
    u64 line = tags_line(t, set, way)->state == LINE_VALID ? tags_address(t, set, way) : NO_LINE;
    if (n->changes)
        return n->shown[(size_t)set * t->ways + way] == line;
    return n->signs[(size_t)set * n->ccn->sign_stride + ccn_sign_at(way)] ==
           (line == NO_LINE ? 0 : ccn_sign(line));
}

bool ccn_shadows_agree(const struct ccn *c)
{
    const struct tags *t = &c->sms[0].l1.cache.tags; /* all are alike */
    for (u32 i = 0; i < c->count; i++) {
        for (u32 k = 0; k < t->sets * t->ways; k++) {
            if (!way_is_shown(&c->sms[i], k / t->ways, k % t->ways))
                return false;
        }
    }
    return true;
}
