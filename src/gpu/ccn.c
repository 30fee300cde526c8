/* The ring: see ccn.h. */
#include "gpu/ccn.h"

/* ---- requests ------------------------------------------------------------------------------ */

/* What the heads of the request queues want in one cycle; sets of nodes. */
struct wishes {
    u64 go;    /* on to the next node */
    u64 below; /* nobody had it: into the own miss queue, where there is room */
    u64 stay;  /* ... where there is none */
    u64 hits;  /* the line is here */
};

static const u64 four_ones = 0x0001000100010001;

/* What a request carries: its line's sign four times, and where the words of its set begin. The
 * set is the same in every L1, since all are alike. */
static struct ring_entry entry_of(const struct ccn *c, u32 node, handle_t h, cycle_t now)
{
    u64 line = sm_request(&c->sms[node], h)->line;
    return (struct ring_entry){.value = h,
                               .key = four_ones * ccn_sign(line),
                               .place = ccn_signs_of(c, tags_set(&c->sms[node].l1.tags, line)),
                               .home = (u8)node,
                               .at = now + 1};
}

static u64 line_of(const struct ccn *c, const struct ring_entry *e)
{
    return sm_request(&c->sms[e->home], e->value)->line;
}

static bool shadow_holds(const struct ccn *c, u32 node, const struct ring_entry *e)
{
    u32 ways = c->config->sm.l1.ways;
    u64 line = line_of(c, e);
    const u64 *set = c->nodes[node].shadow + (size_t)tags_set(&c->sms[node].l1.tags, line) * ways;
    for (u32 way = 0; way < ways; way++) {
        if (set[way] == line)
            return true;
    }
    return false;
}

/* Is one of the four signs of a word the request's? Only a part that is 0 lends. */
static bool has_sign(u64 word, u64 key)
{
    u64 x = word ^ key;
    return ((x - four_ones) & ~x & (four_ones << 15)) != 0;
}

/* A hit that cannot be answered is looked up again: the line may be gone by then (spec section 5
 * item 22). */
static bool further_ways(const struct ccn *c, u32 node, const struct ring_entry *e)
{
    const u64 *signs = c->signs + e->place + node;
    for (u32 i = 1; i < c->sign_words; i++) {
        if (has_sign(signs[(size_t)i * c->sign_stride], e->key))
            return shadow_holds(c, node, e);
    }
    return false;
}

/* The loop that a busy ring spends its time in: kept by itself for the sake of registers. */
static __attribute__((noinline)) struct wishes look_at_heads(struct ccn *c, u64 ready, cycle_t now)
{
    struct wishes w = {0};
    struct ccn_node *const nodes = c->nodes;
    const struct ring_channel *const r = &c->requests;
    const u8 fresh = (u8)-r->turns; /* hops of an entry that has made none */
    const u16 *const numbers = r->numbers;
    const struct ring_entry *const pool = r->pool;
    const u64 *const signs = c->signs;
    const u32 mask = r->mask;
    const bool simple = c->sign_words == 1 && c->config->ccn.shadow_tags;
    for (u64 left = ready; left;) {
        u32 node = ring_take(&left);
        const struct ring_queue *q = ring_channel_queue(r, node);
        const struct ring_entry *e = &pool[numbers[q->first + (q->head & mask)]];
        struct ccn_counts *counts = &nodes[node].counts;
        if (UNLIKELY(e->home == node)) {
            if (e->hops == fresh)
                continue;
            bool room = port_room(&c->sms[node].miss) > 0;
            *(room ? &w.below : &w.stay) |= (u64)1 << node;
            counts->wait_below_cycles += !room;
            continue;
        }
        counts->lookups++;
        counts->probes++;
        bool here = has_sign(signs[e->place + node], e->key) && shadow_holds(c, node, e);
        if (!simple) {
            here = here || further_ways(c, node, e);
            if (!c->config->ccn.shadow_tags)
                c->sms[node].l1.port_taken = now; /* in the tags that the L1 itself uses */
        }
        if (UNLIKELY(here))
            w.hits |= (u64)1 << node;
    }
    w.go = ready & ~(w.hits | w.below | w.stay);
    return w;
}

/* What stays where it is will be looked up again, and is one probe all the same. */
static void uncount_probes(struct ccn *c, u64 stay)
{
    while (stay) {
        u32 node = ring_take(&stay);
        c->nodes[node].counts.probes -= ring_channel_head(&c->requests, node)->home != node;
    }
}

/* ---- responses ----------------------------------------------------------------------------- */

/* Responses whose next node is their home. */
static u64 arriving(const struct ring_channel *r, u64 ready)
{
    u64 nodes = 0;
    for (u64 left = ready; left;) {
        u32 node = ring_take(&left);
        nodes |= (u64)(ring_channel_head(r, node)->home == r->to[node]) << node;
    }
    return nodes;
}

static void deliver(struct ccn *c, u32 node, cycle_t now)
{
    struct ring_entry e = ring_channel_depart(&c->responses, node, now);
    const struct ccn_config *config = &c->config->ccn;
    c->nodes[e.home].counts.hops += e.hops;
    c->counts.response_hops++;
    c->counts.delivered++;
    cycle_t there = now + config->link_cycles + c->busy_cycles - 1;
    c->nodes[e.home].counts.response_cycles += there - e.key;
    sm_receive_at(&c->sms[e.home], e.value, there);
}

/* The line is read and its request becomes a response. */
static void answer(struct ccn *c, u32 node, cycle_t now)
{
    struct ring_entry e = ring_channel_pop(&c->requests, node);
    struct sm *sm = &c->sms[node];
    c->nodes[node].counts.answers++;
    sm->l1.port_taken = now;
    if (c->config->ccn.owner_lru) {
        u64 line = line_of(c, &e);
        u32 set = tags_set(&sm->l1.tags, line);
        tags_hit(&sm->l1.tags, set, tags_find(&sm->l1.tags, set, line));
    }
    e.key = now; /* a response needs no key */
    e.at = now + 1;
    ring_channel_push(&c->responses, node, e);
}

/* Moves the response ring and gives the hits that have room; returns those. A hit goes before
 * what passes, so nothing passes into its node. It needs a place that was free before: were it
 * to take that of a head which leaves, a busy ring would be full at every node and turn only
 * in cycles in which all links are idle. (Random loads from 128 KiB by 16 warps per SM, the
 * worst case found: 20 % faster than without a ring, and 40 % slower that way.) */
static u64 move_responses(struct ccn *c, u64 hits, cycle_t now)
{
    struct ring_channel *r = &c->responses;
    if (now < c->responses_next && !hits)
        return 0;
    u64 ready = ring_channel_ready(r, now), home = arriving(r, ready);
    u64 given = hits & ~r->full, moves = ring_channel_moves(r, ready, home, 0, given);
    for (u64 left = moves & home; left;)
        deliver(c, ring_take(&left), now);
    u64 pass = moves & ~home;
    c->counts.response_hops += (u32)__builtin_popcountll(pass);
    ring_channel_advance(r, pass, now);
    for (u64 left = given; left;)
        answer(c, ring_take(&left), now);
    for (u64 left = hits & ~given; left;)
        c->nodes[ring_take(&left)].counts.wait_response_cycles++;
    c->responses_next = ring_channel_next(r, now + 1);
    return given;
}

/* ---- one cycle ----------------------------------------------------------------------------- */

static void send_below(struct ccn *c, u32 node, cycle_t now)
{
    struct ring_entry e = ring_channel_pop(&c->requests, node);
    c->nodes[node].counts.failed_hops += e.hops;
    c->counts.returned++;
    l1_not_found(&c->sms[node], e.value, now);
}

/* What comes over the link goes first; and one place stays free, so that the ring can
 * always turn. */
static void inject(struct ccn *c, u64 received, cycle_t now)
{
    struct ring_channel *r = &c->requests;
    for (u64 left = c->offered & ~received; left;) {
        u32 node = ring_take(&left);
        struct port *p = &c->nodes[node].buffer;
        if (ring_channel_count(r, node) + 2 <= r->entries && port_ready(p)) {
            handle_t h = port_pop(p);
            c->counts.injected++;
            c->nodes[node].counts.buffer_cycles += now - sm_request(&c->sms[node], h)->issued;
            ring_channel_push(r, node, entry_of(c, node, h, now));
        }
        if (!port_count(p))
            c->offered &= ~((u64)1 << node);
    }
}

static void move_requests(struct ccn *c, struct wishes w, u64 given, cycle_t now)
{
    struct ring_channel *r = &c->requests;
    u64 moves = ring_channel_moves(r, w.go, 0, w.below | given, 0);
    uncount_probes(c, (w.go & ~moves) | (w.hits & ~given));
    for (u64 left = w.below; left;)
        send_below(c, ring_take(&left), now);
    c->counts.request_hops += (u32)__builtin_popcountll(moves);
    ring_channel_advance(r, moves, now);
    if (c->offered)
        inject(c, ring_channel_receivers(r, moves), now);
}

/* Instructions of the whole chip, as they were two cycles ago: so that an SM that sleeps can
 * be told before it matters. */
static cycle_t count_instructions(void *self, cycle_t now)
{
    struct ccn *c = self;
    const struct throttle_config *t = &c->config->ccn.throttle;
    u64 sum = 0;
    for (u32 i = 0; i < c->count; i++)
        sum += c->sms[i].counts.thread_instructions;
    u64 before = c->instructions, period = t->period_instructions, sample = t->sample_instructions;
    bool changes =
        before / period != sum / period || (before % period < sample) != (sum % period < sample);
    for (u32 i = 0; changes && i < c->count; i++)
        engine_wake(c->engine, c->sms[i].unit);
    c->instructions_before = before;
    c->instructions = sum;
    return now + 1;
}

static cycle_t ccn_tick(void *self, cycle_t now)
{
    struct ccn *c = self;
    struct wishes w = look_at_heads(c, ring_channel_ready(&c->requests, now), now);
    u64 given = move_responses(c, w.hits, now);
    move_requests(c, w, given, now);
    if (c->requests.occupied | c->responses.occupied)
        engine_progress(c->engine);
    if (c->offered)
        return now + 1;
    return min_u64(ring_channel_next(&c->requests, now + 1), c->responses_next);
}

static void ccn_explain(void *self, struct waits *waits)
{
    const struct ccn *c = self;
    for (u32 i = 0; i < c->count; i++) {
        u32 requests = ring_channel_count(&c->requests, i);
        u32 responses = ring_channel_count(&c->responses, i);
        if (requests || responses || port_count(&c->nodes[i].buffer))
            waits_add(waits, c->sms[i].unit,
                      "node %u: %u requests and %u responses in its queues, %u in its buffer", i,
                      requests, responses, port_count(&c->nodes[i].buffer));
    }
}

/* ---- building ------------------------------------------------------------------------------ */

static void init_node(struct ccn *c, struct sim *sim, u32 i)
{
    const struct gpu_config *g = c->config;
    struct ccn_node *n = &c->nodes[i];
    u32 lines = g->sm.l1.size_bytes / g->line_bytes;
    u32 cluster = g->ccn.cluster_sms ? g->ccn.cluster_sms : c->count;
    n->ccn = c;
    n->shadow = ARENA_ARRAY(&sim->arena, u64, lines);
    for (u32 k = 0; k < lines; k++)
        n->shadow[k] = NO_LINE;
    if (g->ccn.mode == CCN_RING)
        port_init(&n->buffer, &sim->engine, arena_printf(&sim->arena, "sm%u.ccn_buffer", i),
                  g->ccn.buffer_entries);
    else /* as many as can be waiting: all lines flushed, all MSHRs filled in between */
        n->changes = ARENA_ARRAY(&sim->arena, struct l1_change, 2 * lines + 4 * g->sm.l1.mshrs);
    for (u32 k = 0; k < c->count; k++)
        n->group |= (u64)(k != i && k / cluster == i / cluster) << k;
    n->throttle = (struct throttle){.config = &g->ccn.throttle,
                                    .epochs_on = &n->counts.epochs_on,
                                    .epochs_off = &n->counts.epochs_off};
    c->sms[i].ccn = n;
}

static void init_channels(struct ccn *c, struct sim *sim)
{
    const struct ccn_config *n = &c->config->ccn;
    u32 hop = n->link_cycles + (n->cut_through ? 0 : c->busy_cycles - 1);
    struct ring_shape requests = {.nodes = c->count,
                                  .entries = n->request_entries,
                                  .hop_cycles = n->link_cycles,
                                  .busy_cycles = 1};
    struct ring_shape responses = {.nodes = c->count,
                                   .entries = n->response_entries,
                                   .backwards = n->response_direction == CCN_OPPOSITE,
                                   .hop_cycles = hop,
                                   .busy_cycles = c->busy_cycles};
    ring_channel_init(&c->requests, &sim->arena, requests);
    ring_channel_init(&c->responses, &sim->arena, responses);
    c->responses_next = CYCLE_NEVER;
}

void ccn_init(struct ccn *c, struct sim *sim, domain_id domain, const struct gpu_config *config,
              struct sm *sms)
{
    const struct ccn_config *n = &config->ccn;
    *c = (struct ccn){.config = config,
                      .engine = &sim->engine,
                      .sms = sms,
                      .count = config->sm.count,
                      .busy_cycles =
                          (config->line_bytes + n->response_bytes - 1) / n->response_bytes};
    u32 ways = config->sm.l1.ways, lines = config->sm.l1.size_bytes / config->line_bytes;
    c->sign_words = (ways + 3) / 4;
    c->sign_stride = lines / ways * c->count;
    c->signs = ARENA_ARRAY(&sim->arena, u64, (size_t)c->sign_stride * c->sign_words);
    c->nodes = ARENA_ARRAY(&sim->arena, struct ccn_node, c->count);
    for (u32 i = 0; i < c->count; i++)
        init_node(c, sim, i);
    if (n->throttle.enabled && n->throttle.scope == THROTTLE_CHIP) {
        unit_id watch = engine_add_unit(&sim->engine, domain, "ccn epochs", count_instructions, c);
        engine_set_background(&sim->engine, watch);
    }
    if (n->mode == CCN_RING) {
        init_channels(c, sim);
        c->unit = engine_add_unit(&sim->engine, domain, "ccn", ccn_tick, c);
        engine_explain_with(&sim->engine, c->unit, ccn_explain);
    } else if (n->mode == CCN_TRACKER) {
        c->unit = engine_add_unit(&sim->engine, domain, "ccn updates", ccn_updates_tick, c);
    }
}

void ccn_connect(struct ccn *c, struct sim *sim, domain_id domain)
{
    const struct gpu_config *g = c->config;
    if (g->ccn.mode == CCN_IDEAL) {
        sharers_init(&c->sharers, &sim->arena, c->count * (g->sm.l1.size_bytes / g->line_bytes));
        c->unit = engine_add_unit(&sim->engine, domain, "ccn copies", ccn_copies_tick, c);
    }
    for (u32 i = 0; g->ccn.mode == CCN_RING && i < c->count; i++) {
        struct port *p = &c->nodes[i].buffer;
        port_connect(p, c->sms[i].unit, c->unit);
        p->bell = &c->offered;
        p->bell_bit = (u64)1 << i;
    }
}
