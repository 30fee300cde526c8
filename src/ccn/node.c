/* What an L1 has to do with the CCN: which misses it offers, and what others see of it. */
#include "ccn/ccn.h"

static u64 instructions(const struct ccn_node *n)
{
    const struct ccn *c = n->ccn;
    return c->config->throttle.scope == THROTTLE_CHIP ? c->instructions_before
                                                      : *n->peer.instructions;
}

/* Loads from global memory that took an MSHR; L1 sends no others here. */
enum ccn_path ccn_path(struct ccn_node *n, const struct request *r)
{
    struct ccn *c = n->ccn;
    u32 mode = c->config->mode;
    if (r->flags & (REQUEST_LOCAL | REQUEST_TEXTURE) || mode == CCN_TRACKER)
        return CCN_PATH_BELOW;
    if (mode == CCN_IDEAL) {
        bool found = (sharers_of(&c->sharers, r->line) & n->group) != 0;
        c->blocked |= (u64)!found << n->index;
        return found ? CCN_PATH_FOUND : CCN_PATH_NOBODY;
    }
    n->asked_after = instructions(n);
    if (n->throttle.config->enabled && !throttle_allows(&n->throttle, n->asked_after))
        return CCN_PATH_THROTTLED;
    return port_can_push(&n->buffer) ? CCN_PATH_RING : CCN_PATH_DEFLECTED;
}

bool ccn_path_may_change(const struct ccn_node *n)
{
    return n->throttle.config->enabled && n->asked_after != instructions(n);
}

void ccn_count(struct ccn_node *n, enum ccn_path path)
{
    struct ccn_counts *c = &n->counts;
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
    n->ccn->blocked &= ~((u64)1 << n->index);
}

void ccn_ask(struct ccn_node *n, handle_t h, enum ccn_path path, cycle_t now)
{
    struct request *r = pool_get(n->ccn->pool, h);
    r->ticket = n->throttle.epoch; /* nobody else needs it */
    if (path == CCN_PATH_RING)
        port_push(&n->buffer, h);
    else
        n->peer.ops->deliver(n->peer.l1, h, now + n->ccn->config->ideal_cycles);
}

void ccn_resolved(struct ccn_node *n, const struct request *r, bool hit, cycle_t now)
{
    if (hit) {
        n->counts.remote_hits++;
        n->counts.reuse_cycles += now - r->issued;
    } else {
        n->counts.returned++;
        n->counts.overhead_cycles += now - r->issued;
    }
    if (n->throttle.config->enabled)
        throttle_resolved(&n->throttle, instructions(n), (u32)r->ticket, hit);
}

static void note(struct ccn_node *n, u64 line, bool came, cycle_t now)
{
    if (line == NO_LINE)
        return;
    n->changes[n->change_count++] = (struct l1_change){line, now, came};
    engine_wake(n->ccn->engine, n->ccn->unit);
}

static __attribute__((noinline)) void note_change(struct ccn_node *n, u32 set, u32 way, u64 line,
                                                  cycle_t now)
{
    u64 *shown = &n->shown[(size_t)set * n->ccn->shape.ways + way], before = *shown;
    if (before == line)
        return;
    *shown = line;
    note(n, before, false, now);
    note(n, line, true, now);
}

void ccn_show(struct ccn_node *n, u32 set, u32 way, u64 line, cycle_t now)
{
    struct ccn *c = n->ccn;
    if (n->changes) {
        note_change(n, set, way, line, now);
        return;
    }
    c->held &= ~((u64)1 << n->index);
    u32 sign = line == NO_LINE ? 0 : ccn_sign(line);
    n->signs[(size_t)set * c->sign_stride + ccn_sign_at(way)] = (u16)sign;
    if (sign && chains_first(&c->asked, ccn_chain(sign)))
        ccn_came(c, n->index, line, now);
}

bool ccn_way_shows(const struct ccn_node *n, u32 set, u32 way, u64 line)
{
    const struct ccn *c = n->ccn;
    if (n->changes)
        return n->shown[(size_t)set * c->shape.ways + way] == line;
    return n->signs[(size_t)set * c->sign_stride + ccn_sign_at(way)] ==
           (line == NO_LINE ? 0 : ccn_sign(line));
}
