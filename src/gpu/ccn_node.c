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
    if (!throttle_allows(&n->throttle, instructions(sm)))
        return CCN_PATH_THROTTLED;
    return port_can_push(&n->buffer) ? CCN_PATH_RING : CCN_PATH_DEFLECTED;
}

void ccn_count(struct sm *sm, enum ccn_path path)
{
    struct ccn_counts *c = &sm->ccn->counts;
    c->eligible += path != CCN_PATH_BELOW;
    c->ineligible += path == CCN_PATH_BELOW;
    c->deflected += path == CCN_PATH_DEFLECTED;
    c->throttled += path == CCN_PATH_THROTTLED;
    c->unshared += path == CCN_PATH_NOBODY;
    c->injected += ccn_path_is_elsewhere(path);
    sm->ccn->ccn->blocked &= ~((u64)1 << sm->index);
}

void ccn_ask(struct sm *sm, handle_t h, enum ccn_path path, cycle_t now)
{
    struct ccn_node *n = sm->ccn;
    u32 cycles = n->ccn->config->ccn.ideal_cycles;
    sm_request(sm, h)->ticket = (u32)n->throttle.epoch; /* nobody else needs it */
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
    throttle_resolved(&n->throttle, instructions(sm), r->ticket, hit);
    if (hit) {
        n->counts.remote_hits++;
        n->counts.reuse_cycles += now - r->issued;
    } else {
        n->counts.returned++;
        n->counts.overhead_cycles += now - r->issued;
    }
}

static void note(struct sm *sm, u64 line, bool came)
{
    struct ccn_node *n = sm->ccn;
    if (line == NO_LINE)
        return;
    n->changes[n->change_count++] = (struct l1_change){line, sm->now, came};
    engine_wake(sm->engine, n->ccn->unit);
}

/* One line more or less of this sign. Where they were too many to be counted the count stays:
 * lookups are made in vain then. */
static void count_shown(struct ccn *c, u64 sign, int more)
{
    u8 *count = &c->shown[ccn_shown_at(sign)];
    if (LIKELY(*count != CCN_MANY))
        *count = (u8)(*count + more);
}

static void set_sign(struct ccn *c, u32 set, u32 node, u32 way, u64 sign)
{
    u64 *word = c->signs + ccn_signs_of(c, set) + node + (size_t)(way / 4) * c->sign_stride;
    u32 shift = way % 4 * 16;
    u64 before = *word >> shift & UINT16_MAX;
    if (before)
        count_shown(c, before, -1);
    if (sign)
        count_shown(c, sign, 1);
    *word ^= (before ^ sign) << shift;
}

void ccn_show(struct sm *sm, u32 set, u32 way, u64 line)
{
    struct ccn_node *n = sm->ccn;
    u64 *shown = &n->shadow[(size_t)set * sm->l1.tags.ways + way], before = *shown;
    if (before == line)
        return;
    *shown = line;
    if (n->changes) {
        note(sm, before, false);
        note(sm, line, true);
    } else {
        u64 sign = line == NO_LINE ? 0 : ccn_sign(line);
        set_sign(n->ccn, set, sm->index, way, sign);
        if (sign && n->ccn->asked[ccn_asked_at(sign)])
            ccn_came(n->ccn, sm->index, sign, sm->now);
    }
}

static bool shadow_agrees(const struct sm *sm)
{
    const struct tags *t = &sm->l1.tags;
    for (u32 set = 0; set < t->sets; set++) {
        for (u32 way = 0; way < t->ways; way++) {
            u64 line =
                tags_line(t, set, way)->state == LINE_VALID ? tags_address(t, set, way) : NO_LINE;
            if (sm->ccn->shadow[(size_t)set * t->ways + way] != line)
                return false;
        }
    }
    return true;
}

bool ccn_shadows_agree(const struct ccn *c)
{
    for (u32 i = 0; i < c->count; i++) {
        if (!shadow_agrees(&c->sms[i]))
            return false;
    }
    return true;
}
