/* Builds the CCN, whatever its mode; what is ticked beside the ring, and what is said of it. */
#include "ccn/ccn.h"

/* Instructions of the whole chip, as they were two cycles ago: so that an SM that sleeps can
 * be told before it matters. */
static cycle_t count_instructions(void *self, cycle_t now)
{
    struct ccn *c = self;
    const struct throttle_config *t = &c->config->throttle;
    u64 sum = 0;
    for (u32 i = 0; i < c->count; i++)
        sum += *c->nodes[i].peer.instructions;
    u64 before = c->instructions, period = t->period_instructions, sample = t->sample_instructions;
    bool changes =
        before / period != sum / period || (before % period < sample) != (sum % period < sample);
    for (u32 i = 0; changes && i < c->count; i++)
        engine_wake(c->engine, c->nodes[i].peer.unit);
    c->instructions_before = before;
    c->instructions = sum;
    return now + 1;
}

static void ccn_explain(void *self, struct waits *waits)
{
    const struct ccn *c = self;
    for (u32 i = 0; i < c->count; i++) {
        u32 requests = ring_channel_count(&c->requests, i);
        u32 responses = ring_channel_count(&c->responses, i);
        if (requests || responses || port_count(&c->nodes[i].buffer))
            waits_add(waits, c->nodes[i].peer.unit,
                      "node %u: %u requests and %u responses in its queues, %u in its buffer", i,
                      requests, responses, port_count(&c->nodes[i].buffer));
    }
}

static void init_node(struct ccn *c, struct sim *sim, u32 i)
{
    const struct ccn_config *config = c->config;
    struct ccn_node *n = &c->nodes[i];
    u32 lines = c->shape.lines;
    u32 cluster = config->cluster_sms ? config->cluster_sms : c->count;
    n->ccn = c;
    n->index = i;
    if (config->mode == CCN_RING) {
        n->signs =
            c->signs + (size_t)(i % c->sign_pairs) * c->sign_words * 8 + i / c->sign_pairs * 4;
        port_init(&n->buffer, &sim->engine, arena_printf(&sim->arena, "sm%u.ccn_buffer", i),
                  config->buffer_entries);
    } else {
        /* as many as can be waiting: all lines flushed, all MSHRs filled in between */
        n->changes = ARENA_ARRAY(&sim->arena, struct l1_change, 2 * lines + 4 * c->shape.mshrs);
        n->shown = ARENA_ARRAY(&sim->arena, u64, lines);
        for (u32 k = 0; k < lines; k++)
            n->shown[k] = NO_LINE;
    }
    for (u32 k = 0; k < c->count; k++)
        n->group |= (u64)(k != i && k / cluster == i / cluster) << k;
    n->throttle = (struct throttle){.config = &config->throttle,
                                    .epochs_on = &n->counts.epochs_on,
                                    .epochs_off = &n->counts.epochs_off};
}

static void init_channels(struct ccn *c, struct sim *sim)
{
    const struct ccn_config *n = c->config;
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
    chains_init(&c->asked, &sim->arena, CCN_CHAINS, c->count * n->request_entries);
    ring_channel_init(&c->responses, &sim->arena, responses);
    c->responses_next = CYCLE_NEVER;
    for (u32 k = 0; k < c->count; k++)
        c->nodes[c->responses.to[k]].before = (u64)1 << k;
}

void ccn_init(struct ccn *c, struct sim *sim, domain_id domain, const struct ccn_config *n,
              struct ccn_shape shape, struct pool *requests)
{
    *c =
        (struct ccn){.config = n,
                     .shape = shape,
                     .engine = &sim->engine,
                     .pool = requests,
                     .count = shape.nodes,
                     .busy_cycles = (shape.line_bytes + n->response_bytes - 1) / n->response_bytes};
    u32 ways = shape.ways, lines = shape.lines;
    c->sign_words = (ways + 3) / 4;
    c->sign_pairs = (c->count + 1) / 2;
    c->sign_stride = c->sign_pairs * c->sign_words * 8;
    c->signs = arena_alloc_aligned(&sim->arena, lines / ways * c->sign_stride * sizeof(u16), 64);
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

struct ccn_node *ccn_attach(struct ccn *c, u32 node, struct l1_peer peer)
{
    struct ccn_node *n = &c->nodes[node];
    n->peer = peer;
    if (c->config->mode == CCN_RING) {
        port_connect(&n->buffer, peer.unit, c->unit);
        n->buffer.bell = &c->offered;
        n->buffer.bell_bit = (u64)1 << node;
    }
    return n;
}

void ccn_finish(struct ccn *c, struct sim *sim, domain_id domain)
{
    if (c->config->mode == CCN_IDEAL) {
        sharers_init(&c->sharers, &sim->arena, c->count * c->shape.lines);
        c->unit = engine_add_unit(&sim->engine, domain, "ccn copies", ccn_copies_tick, c);
    }
}
