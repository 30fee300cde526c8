/* The ring: see ccn.h. */
#include "ccn/ccn.h"

#include <assert.h>
#include <string.h>

/* ---- requests ------------------------------------------------------------------------------ */

/* What the heads of the request queues want in one cycle; sets of nodes. Others go on. */
struct wishes {
    u64 below; /* nobody had it: into the own miss queue, where there is room */
    u64 stay;  /* ... where there is none */
    u64 hits;  /* the line is here */
};

/* The shadow tags of a node are a copy of its L1's, which nobody changes before this unit has had
 * its tick: so the L1 is asked. */
static bool shadow_holds(const struct ccn *c, u32 node, u64 line)
{
    const struct l1_peer *p = &c->nodes[node].peer;
    return p->ops->holds(p->l1, line);
}

static void take_port(const struct ccn *c, u32 node, cycle_t now)
{
    const struct l1_peer *p = &c->nodes[node].peer;
    p->ops->take_port(p->l1, now);
}

/* These wait for their L1's miss queue from now on, or still. */
static void note_waits(struct ccn *c, u64 waits, cycle_t now)
{
    for (u64 left = waits & ~c->waits_below; left;)
        c->waits_below_since[ring_take(&left)] = now;
    for (u64 left = c->waits_below & ~waits; left;) {
        u32 node = ring_take(&left);
        c->nodes[node].counts.wait_below_cycles += now - c->waits_below_since[node];
    }
    c->waits_below = waits;
}

/* A request stops at home, and where its line's sign is or comes to be on its way. A hit that
 * cannot be answered is looked up again: the line may be gone by then (spec section 5 item 22). */
static struct wishes look_at_heads(struct ccn *c, u64 heads, cycle_t now)
{
    struct wishes w = {.hits = c->held};
    const struct ring_channel *r = &c->requests;
    u64 back = c->waits_below;
    for (u64 left = heads & ~(back | c->held); left;) {
        u32 node = ring_take(&left);
        u64 bit = (u64)1 << node;
        struct ring_entry *e = ring_channel_head(r, node);
        if (e->home == node) {
            back |= bit & ~r->fresh;
        } else if (e->stops & bit) {
            if (shadow_holds(c, node, e->key))
                w.hits |= bit;
            if (!c->config->shadow_tags)
                take_port(c, node, now); /* in the tags that the L1 itself uses */
            else if (!(w.hits & bit))
                e->stops &= ~bit;
        }
    }
    for (u64 left = back; left;) {
        u32 node = ring_take(&left);
        w.below |= (u64)(port_room(c->nodes[node].peer.below) > 0) << node;
    }
    w.stay = back & ~w.below;
    if (UNLIKELY(w.stay != c->waits_below))
        note_waits(c, w.stay, now);
    return w;
}

/* ---- counting lookups ---------------------------------------------------------------------- */

/* Most lookups find nothing and are not made: a request has been looked up where it has been, and
 * one that came back has been at all other nodes. */

/* A request has left so many nodes after its own: the first of them has one more than the node
 * before it, the first after them one less. */
static void add_probes(const struct ccn *c, u64 *steps, u32 home, u32 count)
{
    u32 first = home + 1, end = first + count;
    steps[first < c->count ? first : first - c->count]++;
    if (end >= c->count) { /* over the end: the rest begins at node 0 */
        end -= c->count;
        steps[0] += first < c->count;
    }
    steps[end]--;
}

/* Those on their way have hopped, too: so often. */
static u64 count_under_way(const struct ccn *c, u64 *steps)
{
    const struct ring_channel *r = &c->requests;
    u64 sum = 0;
    for (u64 left = r->occupied; left;) {
        u32 node = ring_take(&left);
        for (u32 i = 0; i < ring_channel_count(r, node); i++) {
            u32 hops = ring_channel_hops(r, node, i);
            sum += hops;
            if (hops)
                add_probes(c, steps, ring_channel_entry(r, node, i)->home, hops - 1);
        }
    }
    return sum;
}

/* The cycles before this one in which requests only hopped. */
static inline void catch_up(struct ccn *c, cycle_t now)
{
    if (now <= c->done_to)
        return;
    if (c->requests.prompt && c->requests.occupied)
        ring_channel_turn(&c->requests, (u32)(now - c->done_to));
    c->done_to = now;
}

void ccn_settle(struct ccn *c, cycle_t now)
{
    u64 steps[RING_MOST_NODES + 1], probes = 0;
    if (c->config->mode != CCN_RING)
        return;
    catch_up(c, now);
    u64 waits = c->waits_below;
    note_waits(c, 0, now);
    note_waits(c, waits, now);
    memcpy(steps, c->probe_steps, sizeof steps);
    c->counts.request_hops =
        c->answered_hops + c->counts.returned * c->count + count_under_way(c, steps);
    for (u32 i = 0; i < c->count; i++) {
        struct ccn_node *n = &c->nodes[i];
        u64 own = n->counts.returned;
        probes += steps[i];
        n->counts.failed_hops = own * c->count;
        n->counts.probes = probes + c->counts.returned - own;
        n->counts.lookups = n->counts.probes + tally_of(&c->lookups_again, i);
        n->counts.wait_response_cycles = tally_of(&c->waits_for_response, i);
    }
}

void ccn_came(struct ccn *c, u32 node, u64 line, cycle_t now)
{
    struct ring_channel *r = &c->requests;
    catch_up(c, now + 1);
    u32 chain = ccn_chain(ccn_sign(line));
    for (u32 m = chains_first(&c->asked, chain); m; m = chains_next(&c->asked, m)) {
        if (r->pool[m - 1].key == line)
            ring_channel_add_stop(r, m - 1, node);
    }
    if (r->prompt)
        engine_wake_at(c->engine, c->unit, ring_channel_next_due(r, now + 1));
}

/* The head of a node's queue leaves the request ring. */
static const struct ring_entry *take_request(struct ccn *c, u32 node)
{
    const struct ring_entry *e = ring_channel_pop(&c->requests, node);
    chains_remove(&c->asked, ccn_chain(ccn_sign(e->key)), ring_channel_number(&c->requests, e));
    return e;
}

/* ---- responses ----------------------------------------------------------------------------- */

static void deliver(struct ccn *c, u32 node, cycle_t now)
{
    u32 hops = ring_channel_hops(&c->responses, node, 0) + 1;
    const struct ring_entry *e = ring_channel_depart(&c->responses, node, now);
    const struct l1_peer *home = &c->nodes[e->home].peer;
    struct ccn_counts *counts = &c->nodes[e->home].counts;
    cycle_t there = now + c->config->link_cycles + c->busy_cycles - 1;
    counts->hops += hops;
    c->counts.response_hops++;
    c->counts.delivered++;
    counts->response_cycles += there - e->key;
    home->ops->deliver(home->l1, e->value, there);
}

/* The line is read and its request becomes a response. */
static void answer(struct ccn *c, u32 node, cycle_t now)
{
    u32 hops = ring_channel_hops(&c->requests, node, 0);
    const struct ring_entry *e = take_request(c, node);
    const struct l1_peer *owner = &c->nodes[node].peer;
    c->nodes[node].counts.answers++;
    take_port(c, node, now);
    if (c->config->owner_lru)
        owner->ops->touch(owner->l1, e->key, c->nodes[e->home].peer.agent);
    add_probes(c, c->probe_steps, e->home, hops);
    c->answered_hops += hops;
    struct ring_origin o = {.stops = c->nodes[e->home].before, /* from there it goes home */
                            .at = now + 1,
                            .home = e->home,
                            .hops = hops};
    struct ring_entry *response = ring_channel_push(&c->responses, node, o);
    response->value = e->value;
    response->key = now;
}

/* Moves the response ring and gives the hits that have room; returns those. A hit goes before
 * what passes, so nothing passes into its node. It needs a place that was free before: were it
 * to take that of a head which leaves, a busy ring would be full at every node and turn only
 * in cycles in which all links are idle. (Random loads from 128 KiB by 16 warps per SM, the
 * worst case found: 20 % faster than without a ring, and 40 % slower that way.) */
static u64 move_responses(struct ccn *c, u64 hits, cycle_t now)
{
    struct ring_channel *r = &c->responses;
    u64 ready = ring_channel_ready(r, now);
    assert(now <= c->responses_next);
    u64 home = ring_channel_due(r, ready);
    u64 given = hits & ~r->full, moves = ring_channel_moves(r, ready, home, 0, given);
    for (u64 left = moves & home; left;)
        deliver(c, ring_take(&left), now);
    u64 pass = moves & ~home;
    c->counts.response_hops += (u32)__builtin_popcountll(pass);
    ring_channel_advance(r, pass, now);
    for (u64 left = given; left;)
        answer(c, ring_take(&left), now);
    tally_add(&c->waits_for_response, hits & ~given);
    engine_progress(c->engine);
    c->responses_next = ring_channel_next(r, now + 1);
    return given;
}

/* ---- one cycle ----------------------------------------------------------------------------- */

static void send_below(struct ccn *c, u32 node, cycle_t now)
{
    const struct ring_entry *e = take_request(c, node);
    struct ccn_node *n = &c->nodes[node];
    c->counts.returned++;
    ccn_resolved(n, ccn_request(c, e->value), false, now);
    n->peer.ops->give_back(n->peer.l1, e->value, now);
}

/* Eight signs, for one comparison of the host. */
typedef u16 eight_signs __attribute__((vector_size(16), may_alias));

/* The bits that are in any of four lanes. */
static inline u64 any_lane(u64 lanes)
{
    lanes |= lanes >> 32;
    return (lanes | lanes >> 16) & 0xffff;
}

/* Nodes with this sign in a set. A lane has a bit for each of up to 16 pairs of nodes; one that is
 * the same is -1. */
static inline u64 nodes_with(const u16 *signs, u32 pairs, u32 words, u32 sign)
{
    eight_signs wanted = (eight_signs){0} + (u16)sign;
    u64 nodes = 0;
    for (u32 done = 0; done < pairs; done += 16) {
        const eight_signs *first = (const eight_signs *)signs + (size_t)done * words;
        u32 count = pairs - done < 16 ? pairs - done : 16;
        eight_signs found = {0};
        for (const eight_signs *eight = first + (size_t)count * words; eight > first;) {
            eight_signs same = (eight_signs)(*--eight == wanted);
            for (u32 i = 1; i < words; i++)
                same |= (eight_signs)(*--eight == wanted);
            found = found + found - same;
        }
        u64 halves[2];
        memcpy(halves, &found, sizeof halves);
        nodes |= (any_lane(halves[0]) | any_lane(halves[1]) << pairs) << done;
    }
    return nodes;
}

/* Nodes whose shadow tags may hold the line. The set is the same in every L1, since all are
 * alike. */
static u64 may_hold(const struct ccn *c, u64 line, u32 sign)
{
    const struct l1_peer *any = &c->nodes[0].peer;
    const u16 *signs = c->signs + (size_t)any->ops->set_of(any->l1, line) * c->sign_stride;
    return LIKELY(c->sign_words == 1) ? nodes_with(signs, c->sign_pairs, 1, sign)
                                      : nodes_with(signs, c->sign_pairs, c->sign_words, sign);
}

static inline u64 stops_of(const struct ccn *c, u64 line, u32 sign)
{
    if (UNLIKELY(!c->config->shadow_tags))
        return c->requests.all;
    return may_hold(c, line, sign);
}

/* What comes over the link goes first; and one place stays free, so that the ring can
 * always turn. */
static void inject(struct ccn *c, u64 received, cycle_t now)
{
    struct ring_channel *r = &c->requests;
    for (u64 left = c->offered & ~received & ~r->nearly; left;) {
        u32 node = ring_take(&left);
        struct ccn_node *n = &c->nodes[node];
        struct port *p = &n->buffer;
        u64 bit = (u64)1 << node;
        if (!port_ready(p))
            continue;
        handle_t h = port_pop(p);
        const struct request *request = ccn_request(c, h);
        u64 line = request->line;
        u32 sign = ccn_sign(line);
        if (!port_count(p))
            c->offered &= ~bit;
        c->counts.injected++;
        n->counts.buffer_cycles += now - request->issued;
        struct ring_origin o = {
            .stops = stops_of(c, line, sign) | bit, .at = now + 1, .home = node};
        struct ring_entry *e = ring_channel_push(r, node, o);
        e->value = h;
        e->key = line;
        chains_add(&c->asked, ccn_chain(sign), ring_channel_number(r, e));
    }
}

/* Returns the nodes that something came to. */
static u64 move_requests(struct ccn *c, u64 ready, struct wishes w, u64 given, cycle_t now)
{
    struct ring_channel *r = &c->requests;
    u64 go = ready & ~(w.below | w.stay | w.hits);
    u64 moves = ring_channel_moves(r, go, 0, w.below | given, 0);
    /* what stays where it is will be looked up again, and is one probe all the same */
    tally_add(&c->lookups_again, ((go & ~moves) | (w.hits & ~given)) & ~r->fresh);
    for (u64 left = w.below; left;)
        send_below(c, ring_take(&left), now);
    engine_progress(c->engine);
    return ring_channel_advance(r, moves, now);
}

cycle_t ccn_tick(void *self, cycle_t now)
{
    struct ccn *c = self;
    struct ring_channel *r = &c->requests;
    struct wishes w = {0};
    u64 given = 0, received = 0;
    catch_up(c, now);
    c->done_to = now + 1;
    u64 ready = ring_channel_ready(r, now), heads = ring_channel_may_stop(r, ready);
    if (heads)
        w = look_at_heads(c, heads, now);
    if (w.hits || now >= c->responses_next)
        given = move_responses(c, w.hits, now);
    c->held = c->config->shadow_tags ? w.hits & ~given : 0;
    if (ready)
        received = move_requests(c, ready, w, given, now);
    if (c->offered)
        inject(c, received, now);
    if (c->offered)
        return now + 1;
    return min_u64(r->prompt ? ring_channel_next_due(r, now + 1) : ring_channel_next(r, now + 1),
                   c->responses_next);
}
