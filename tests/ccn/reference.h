/*
 * The ring between L1 caches once more, written to be read: what every queue does in
 * one cycle, node by node, from the bandwidth-and-ccn spec S15. The product
 * (ccn/ccn.c) must agree with it in every cycle and every count.
 *
 *   buffer     CB: misses of the core that wait for the ring
 *   requests   ReqQ: its head is looked up, and goes on from k to k + 1
 *   responses  RespQ: lines on their way home, from k to k - 1 (or k + 1)
 *
 * All decisions of a cycle are taken on the queues as the cycle before left them. An entry that
 * hops is in the next queue from then on and can be seen there when its hop is over.
 */
#ifndef TESTS_CCN_REFERENCE_H
#define TESTS_CCN_REFERENCE_H

#include "testing.h"

#include "ccn/ccn.h"

#define MOST_NODES RING_MOST_NODES
#define MOST_ENTRIES 16u
#define MOST_HANDLES 2048u

struct ref_entry {
    u64 line;
    handle_t h;
    u32 home, hops;
    cycle_t issued; /* the miss */
    cycle_t seen;   /* from this cycle on */
    cycle_t hit;    /* a response: its lookup */
};

struct ref_queue {
    struct ref_entry entries[MOST_ENTRIES];
    u32 count;
};

/* Of one core: is asking the others worth it? */
struct ref_throttle {
    u64 epoch;
    u64 total, hits; /* requests of this epoch's sample that are over */
    bool decided, on;
};

/* What the ring does to an L1 in one cycle. */
struct l1_events {
    bool port_taken;
    u64 touched; /* a line; 0: none */
    u32 touched_by;
    handle_t came; /* the line of this request is there in that cycle: */
    cycle_t came_at;
    handle_t given_back;
};

struct ring_events {
    struct l1_events of[MOST_NODES];
};

/* What it sees of the L1s, as the cycle before left them. */
struct ref_view {
    bool (*holds)(void *context, u32 node, u64 line);
    bool (*has_room_below)(void *context, u32 node);
    u64 (*instructions)(void *context, u32 node); /* that the node's throttler counts */
    void *context;
};

struct reference {
    const struct ccn_config *config;
    u32 nodes, busy; /* cycles that a line keeps a link */
    struct ref_view view;
    struct ref_queue buffer[MOST_NODES], requests[MOST_NODES], responses[MOST_NODES];
    bool left_buffer[MOST_NODES];   /* in this cycle */
    cycle_t link_free[MOST_NODES];  /* of the response link that leaves a node */
    u64 asked_in[MOST_HANDLES + 1]; /* epoch, by request */
    struct ref_throttle throttles[MOST_NODES];
    struct ccn_counts counts[MOST_NODES];
    struct ring_counts ring;
};

static inline struct ref_entry ref_pop(struct ref_queue *q)
{
    struct ref_entry head = q->entries[0];
    for (u32 i = 1; i < q->count; i++)
        q->entries[i - 1] = q->entries[i];
    q->count--;
    return head;
}

static inline void ref_push(struct ref_queue *q, struct ref_entry e)
{
    assert_true(q->count < MOST_ENTRIES);
    q->entries[q->count++] = e;
}

static inline u32 ref_next(const struct reference *r, u32 node, bool backwards)
{
    return (node + (backwards ? r->nodes - 1 : 1)) % r->nodes;
}

/* ---- the throttler -------------------------------------------------------------------------- */

/* In which part of its epoch the core is: true in the sample. A new epoch starts with nothing. */
static inline bool ref_samples(struct reference *r, u32 node)
{
    const struct throttle_config *c = &r->config->throttle;
    u64 instructions = r->view.instructions(r->view.context, node);
    u64 epoch = instructions / c->period_instructions;
    if (epoch != r->throttles[node].epoch)
        r->throttles[node] = (struct ref_throttle){.epoch = epoch};
    return instructions % c->period_instructions < c->sample_instructions;
}

static inline bool ref_may_ask(struct reference *r, u32 node)
{
    struct ref_throttle *t = &r->throttles[node];
    if (!r->config->throttle.enabled || ref_samples(r, node))
        return true;
    if (!t->decided) {
        t->on = t->total == 0 ||
                (double)t->hits >= r->config->throttle.least_hit_rate * (double)t->total;
        t->decided = true;
        *(t->on ? &r->counts[node].epochs_on : &r->counts[node].epochs_off) += 1;
    }
    return t->on;
}

static inline void ref_resolved(struct reference *r, u32 node, handle_t h, bool hit)
{
    struct ref_throttle *t = &r->throttles[node];
    if (r->config->throttle.enabled && ref_samples(r, node) && r->asked_in[h] == t->epoch) {
        t->total++;
        t->hits += hit;
    }
}

/* ---- the L1's side -------------------------------------------------------------------------- */

/* Room that was made in this cycle can be used in the next. */
static inline enum ccn_path ref_path(struct reference *r, u32 node, bool eligible)
{
    if (!eligible)
        return CCN_PATH_BELOW;
    if (!ref_may_ask(r, node))
        return CCN_PATH_THROTTLED;
    bool full = r->buffer[node].count + r->left_buffer[node] >= r->config->buffer_entries;
    return full ? CCN_PATH_DEFLECTED : CCN_PATH_RING;
}

static inline void ref_count(struct reference *r, u32 node, enum ccn_path path)
{
    struct ccn_counts *c = &r->counts[node];
    *(path == CCN_PATH_BELOW ? &c->ineligible : &c->eligible) += 1;
    if (path == CCN_PATH_RING)
        c->injected++;
    if (path == CCN_PATH_DEFLECTED)
        c->deflected++;
    if (path == CCN_PATH_THROTTLED)
        c->throttled++;
}

static inline void ref_ask(struct reference *r, u32 node, handle_t h, u64 line, cycle_t now)
{
    r->asked_in[h] = r->throttles[node].epoch;
    ref_push(
        &r->buffer[node],
        (struct ref_entry){.line = line, .h = h, .home = node, .issued = now, .seen = now + 1});
}

static inline void ref_found(struct reference *r, u32 node, handle_t h, cycle_t issued, cycle_t now)
{
    r->counts[node].remote_hits++;
    r->counts[node].reuse_cycles += now - issued;
    ref_resolved(r, node, h, true);
}

/* ---- one cycle ------------------------------------------------------------------------------ */

enum ref_wish { WISH_NONE, WISH_GO, WISH_BELOW, WISH_WAIT, WISH_ANSWER };

/* What the head of a request queue wants. */
static inline enum ref_wish ref_look(struct reference *r, u32 node, cycle_t now,
                                     struct ring_events *out)
{
    const struct ref_entry *e = &r->requests[node].entries[0];
    if (!r->requests[node].count || e->seen > now)
        return WISH_NONE;
    if (e->home == node) {
        if (e->hops == 0)
            return WISH_GO; /* no lookup at home */
        if (r->view.has_room_below(r->view.context, node))
            return WISH_BELOW;
        r->counts[node].wait_below_cycles++;
        return WISH_WAIT;
    }
    r->counts[node].lookups++;
    if (!r->config->shadow_tags)
        out->of[node].port_taken = true;
    return r->view.holds(r->view.context, node, e->line) ? WISH_ANSWER : WISH_GO;
}

/* A full queue whose head leaves takes another: of those that would go, the most that can. `past`
 * need no place; nodes in `taken` take in something else. */
static inline void ref_settle(const struct reference *r, const struct ref_queue *queues,
                              u32 entries, bool backwards, bool *go, const bool *past,
                              const bool *taken)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (u32 k = 0; k < r->nodes; k++) {
            u32 n = ref_next(r, k, backwards);
            bool room = queues[n].count < entries || go[n];
            if (go[k] && !past[k] && (taken[n] || !room)) {
                go[k] = false;
                changed = true;
            }
        }
    }
}

/* The heads of these queues hop. */
static inline void ref_hop(const struct reference *r, struct ref_queue *queues, bool backwards,
                           const bool *go, cycle_t seen)
{
    struct ref_entry moved[MOST_NODES];
    for (u32 k = 0; k < r->nodes; k++) {
        if (go[k])
            moved[k] = ref_pop(&queues[k]);
    }
    for (u32 k = 0; k < r->nodes; k++) {
        if (!go[k])
            continue;
        moved[k].seen = seen;
        moved[k].hops++;
        ref_push(&queues[ref_next(r, k, backwards)], moved[k]);
    }
}

/* The next node is this response's home: it goes there, past the queue. */
static inline void ref_deliver(struct reference *r, u32 node, cycle_t now, struct ring_events *out)
{
    struct ref_entry e = ref_pop(&r->responses[node]);
    cycle_t there = now + r->config->link_cycles + r->busy - 1;
    out->of[e.home].came = e.h;
    out->of[e.home].came_at = there;
    r->counts[e.home].hops += e.hops + 1;
    r->counts[e.home].response_cycles += there - e.hit;
    r->ring.delivered++;
}

static inline void ref_answer(struct reference *r, u32 node, cycle_t now, struct ring_events *out)
{
    struct ref_entry e = ref_pop(&r->requests[node]);
    r->counts[node].answers++;
    r->counts[node].probes++;
    out->of[node].port_taken = true;
    if (r->config->owner_lru) {
        out->of[node].touched = e.line;
        out->of[node].touched_by = e.home;
    }
    e.hit = now;
    e.seen = now + 1;
    ref_push(&r->responses[node], e);
}

static inline void ref_give_back(struct reference *r, u32 node, cycle_t now,
                                 struct ring_events *out)
{
    struct ref_entry e = ref_pop(&r->requests[node]);
    out->of[node].given_back = e.h;
    r->counts[node].returned++;
    r->counts[node].overhead_cycles += now - e.issued;
    r->counts[node].failed_hops += e.hops;
    r->ring.returned++;
    ref_resolved(r, node, e.h, false);
}

/* A new response goes before one that passes, and needs a place that was free before. */
static inline void ref_move_responses(struct reference *r, const enum ref_wish *wish, bool *given,
                                      cycle_t now, struct ring_events *out)
{
    const struct ccn_config *c = r->config;
    bool backwards = c->response_direction == CCN_OPPOSITE, go[MOST_NODES], home[MOST_NODES];
    for (u32 k = 0; k < r->nodes; k++) {
        const struct ref_queue *q = &r->responses[k];
        go[k] = q->count && q->entries[0].seen <= now && r->link_free[k] <= now;
        home[k] = go[k] && q->entries[0].home == ref_next(r, k, backwards);
        given[k] = wish[k] == WISH_ANSWER && q->count < c->response_entries;
        if (wish[k] == WISH_ANSWER && !given[k])
            r->counts[k].wait_response_cycles++;
    }
    ref_settle(r, r->responses, c->response_entries, backwards, go, home, given);
    for (u32 k = 0; k < r->nodes; k++) {
        if (!go[k])
            continue;
        r->ring.response_hops++;
        r->link_free[k] = now + r->busy;
        if (home[k])
            ref_deliver(r, k, now, out);
        go[k] = !home[k];
    }
    ref_hop(r, r->responses, backwards, go,
            now + c->link_cycles + (c->cut_through ? 0 : r->busy - 1));
    for (u32 k = 0; k < r->nodes; k++) {
        if (given[k])
            ref_answer(r, k, now, out);
    }
}

/* After the responses. go: those that hopped. */
static inline void ref_move_requests(struct reference *r, const enum ref_wish *wish, bool *go,
                                     cycle_t now, struct ring_events *out)
{
    bool none[MOST_NODES] = {0};
    for (u32 k = 0; k < r->nodes; k++) {
        go[k] = wish[k] == WISH_GO;
        if (wish[k] == WISH_BELOW)
            ref_give_back(r, k, now, out);
    }
    /* these, and those that were answered, have made room */
    ref_settle(r, r->requests, r->config->request_entries, false, go, none, none);
    for (u32 k = 0; k < r->nodes; k++) {
        r->ring.request_hops += go[k];
        r->counts[k].probes += go[k] && r->requests[k].entries[0].home != k;
    }
    ref_hop(r, r->requests, false, go, now + r->config->link_cycles);
}

/* What comes over the link goes first, and one place stays free. */
static inline void ref_inject(struct reference *r, const bool *hopped, cycle_t now)
{
    for (u32 k = 0; k < r->nodes; k++) {
        struct ref_queue *b = &r->buffer[k], *q = &r->requests[k];
        bool received = hopped[ref_next(r, k, true)];
        r->left_buffer[k] = b->count && b->entries[0].seen <= now && !received &&
                            q->count + 2 <= r->config->request_entries;
        if (!r->left_buffer[k])
            continue;
        struct ref_entry e = ref_pop(b);
        r->ring.injected++;
        r->counts[k].buffer_cycles += now - e.issued;
        e.seen = now + 1;
        ref_push(q, e);
    }
}

static inline void ref_cycle(struct reference *r, cycle_t now, struct ring_events *out)
{
    enum ref_wish wish[MOST_NODES];
    bool given[MOST_NODES], hopped[MOST_NODES];
    for (u32 k = 0; k < r->nodes; k++)
        wish[k] = ref_look(r, k, now, out);
    ref_move_responses(r, wish, given, now, out);
    ref_move_requests(r, wish, hopped, now, out);
    ref_inject(r, hopped, now);
}

#endif
