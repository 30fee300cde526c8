#include "net/mesh/traffic.h"

#include "base/map.h"
#include "base/rng.h"

#define MOST_ANSWER_CYCLES 1024u

/* clang-format off */
const struct param traffic_params[] = {
    P_DOUBLE(traffic_config, load, 0.1, 0, 1, "flits", "flits that a node generates per cycle, on average", "assumed"),
    P_U32(traffic_config, short_flits, 1, 1, 64, "flits", "length of a short packet; with memory, of a request", "Lee 2013, table 11"),
    P_U32(traffic_config, long_flits, 5, 1, 64, "flits", "length of a long packet; with memory, of an answer", "Lee 2013, table 11"),
    P_U32(traffic_config, long_percent, 100, 0, 100, "%", "share of long packets", "assumed"),
    P_U32(traffic_config, hotspot_node, 5, 0, MESH_MOST_SIDE * MESH_MOST_SIDE - 1, "", "node that hot-spot sends more to", "BookSim 2 reference curves"),
    P_U32(traffic_config, hotspot_percent, 20, 0, 100, "%", "share of packets sent to the hot spot on purpose", "BookSim 2 reference curves"),
    P_U64(traffic_config, warmup_cycles, 10000, 0, 1000000000, "cycles", "time before packets are measured", "BookSim 2 reference curves"),
    P_U64(traffic_config, window_cycles, 60000, 1, 1000000000, "cycles", "time in which the measured packets are generated", "BookSim 2 reference curves"),
    P_U64(traffic_config, drain_cycles, 60000, 0, 1000000000, "cycles", "time after which a network that has not delivered them counts as saturated", "assumed"),
    P_STRING(traffic_config, placement, "CCCC/LLLL/..GG/GGGG", "where memory has its cores (C, G) and banks (L)", "Lee 2013, 5.6, without controllers"),
    P_DOUBLE(traffic_config, cpu_load, 0.02, 0, 1, "requests", "requests that a C generates per cycle while it may", "assumed"),
    P_DOUBLE(traffic_config, gpu_load, 0.1, 0, 1, "requests", "requests that a G generates per cycle while it may", "assumed"),
    P_U32(traffic_config, cpu_waits, 8, 1, 1024, "requests", "most outstanding requests of a C", "assumed"),
    P_U32(traffic_config, gpu_waits, 64, 1, 1024, "requests", "most outstanding requests of a G", "assumed"),
    P_U32(traffic_config, bank_cycles, 20, 1, MOST_ANSWER_CYCLES - 1, "cycles", "time from a request's arrival at a bank to its answer", "Lee 2013, table 10"),
    P_END,
};

static const struct stat_def traffic_stats[] = {
    S_COUNT(traffic_counts, made, "packets", "packets made"),
    S_COUNT(traffic_counts, followed, "packets", "packets made within the window"),
    S_COUNT(traffic_counts, came, "packets", "packets made within the window and delivered"),
    S_COUNT(traffic_counts, latency_cycles, "cycles", "total cycles of window packets from creation to the arrival of the last flit"),
    S_COUNT(traffic_counts, network_cycles, "cycles", "total cycles of window packets from leaving the queue to the arrival of the last flit"),
    S_COUNT(traffic_counts, routers, "routers", "total routers on the way of window packets"),
    S_COUNT(traffic_counts, flits_in_window, "flits", "flits delivered within the window"),
    S_LEVEL(traffic_counts, window_cycles, "cycles", "cycles of the window so far"),
    S_LEVEL(traffic_counts, nodes, "nodes", "nodes of the mesh"),
    S_LEVEL(traffic_counts, is_saturated, "", "saturation: 1 if packets of the window were not delivered before the limit"),
    S_MEAN(traffic_counts, latency, latency_cycles, came, "cycles", "mean latency of a packet, waiting in its queue included"),
    S_MEAN(traffic_counts, network_latency, network_cycles, came, "cycles", "mean latency of a packet, waiting in its queue excluded"),
    S_MEAN(traffic_counts, mean_routers, routers, came, "routers", "mean routers on the way of a packet"),
    S_FORMULA(accepted, "flits_in_window / (nodes * window_cycles)", "flits", "flits delivered per node and cycle of the window"),
    S_LAW(conservation, "came <= followed", "only packets that were made are delivered"),
    S_END,
};
/* clang-format on */

u32 traffic_zero_load_cycles(const struct mesh_config *c, u32 routers, u32 flits)
{
    return 2 + c->hop_cycles * routers + flits - 1;
}

/* ---- random numbers: a stream for each node ------------------------------------------------ */

static u64 draw(struct traffic_node *n)
{
    return hash_u64(n->random += 0x9e3779b97f4a7c15ull);
}

/* 0 to bound - 1. */
static u32 draw_below(struct traffic_node *n, u32 bound)
{
    return (u32)((draw(n) >> 32) * bound >> 32);
}

/* The first cycle from `from` on in which it makes a packet. A node that makes none is asked again
 * rarely. */
static cycle_t draw_next(struct traffic_node *n, cycle_t from)
{
    if (!n->threshold)
        return CYCLE_NEVER;
    while (draw(n) >= n->threshold)
        from++;
    return from;
}

/* ---- packets ------------------------------------------------------------------------------- */

static u32 destination(struct traffic *t, u32 node)
{
    struct traffic_node *n = &t->nodes[node];
    const struct mesh *m = &t->mesh;
    const struct traffic_config *c = t->config;
    switch (t->pattern) {
    case TRAFFIC_TRANSPOSE:
        return m->y[node] + m->config->width * m->x[node];
    case TRAFFIC_HOTSPOT:
        if (draw_below(n, 100) < c->hotspot_percent)
            return c->hotspot_node;
        break;
    case TRAFFIC_MEMORY:
        return t->placement.nodes[PLACED_BANK][draw_below(n, t->placement.count[PLACED_BANK])];
    default:
        break;
    }
    return draw_below(n, m->nodes);
}

static u32 length(struct traffic *t, struct traffic_node *n)
{
    const struct traffic_config *c = t->config;
    if (t->pattern == TRAFFIC_MEMORY || c->long_percent == 0)
        return c->short_flits;
    if (c->long_percent == 100)
        return c->long_flits;
    return draw_below(n, 100) < c->long_percent ? c->long_flits : c->short_flits;
}

static bool is_followed(const struct traffic *t, cycle_t made)
{
    return made >= t->config->warmup_cycles &&
           made < t->config->warmup_cycles + t->config->window_cycles;
}

static void make(struct traffic *t, u32 node, cycle_t now)
{
    struct traffic_node *n = &t->nodes[node];
    u32 packet = mesh_packet_new(&t->mesh);
    struct mesh_packet *p = mesh_packet_at(&t->mesh, packet);
    bool waits = t->pattern == TRAFFIC_MEMORY;
    cycle_t made = waits ? now : n->next;
    p->from = (u16)node;
    p->to = (u16)destination(t, node);
    p->what.flits = (u16)length(t, n);
    p->what.type = n->type;
    p->what.application = n->type;
    p->user = node;
    if (waits) {
        p->what.agent = (u16)n->agent;
        t->agents[n->agent].requests++;
        t->agents[n->agent].waiting++;
    }
    t->counts.made++;
    t->counts.followed += is_followed(t, made);
    mesh_queue(&t->mesh, packet, made);
    n->waits += waits;
    n->next = draw_next(n, made + 1);
}

/* A node's source queue is its next packet: those behind it need not exist yet, since what it makes
 * and when does not depend on the network. */
static void make_packets(struct traffic *t, cycle_t now)
{
    u32 nodes = t->mesh.nodes;
    if (now >= t->earliest) {
        t->earliest = CYCLE_NEVER;
        for (u32 k = 0; k < t->sender_count; k++) { /* without a branch, which nobody can guess */
            u32 i = t->senders[k];
            cycle_t next = t->nodes[i].next;
            u64 is_due = next <= now;
            t->due.words[i / 64] |= is_due << (i % 64);
            t->earliest = min_u64(t->earliest, next | -is_due);
        }
    }
    for (u32 i = bitset_next(&t->due, 0); i < nodes; i = bitset_next(&t->due, i + 1)) {
        struct traffic_node *n = &t->nodes[i];
        if (!mesh_queue_is_empty(&t->mesh, i) || n->waits == n->most_waits)
            continue;
        make(t, i, now);
        if (n->next > now) {
            bitset_remove(&t->due, i);
            t->earliest = min_u64(t->earliest, n->next);
        }
    }
}

/* ---- banks --------------------------------------------------------------------------------- */

static void work_on(struct traffic *t, u32 packet, cycle_t now)
{
    u32 *list = &t->answers[(now + t->config->bank_cycles) % MOST_ANSWER_CYCLES];
    t->mesh.packets[packet].next = *list;
    *list = packet;
    t->pending++;
}

static void answer(struct traffic *t, cycle_t now)
{
    u32 *list = &t->answers[now % MOST_ANSWER_CYCLES];
    while (*list) {
        u32 packet = *list;
        struct mesh_packet *p = mesh_packet_at(&t->mesh, packet);
        u16 bank = p->to;
        *list = p->next;
        p->to = p->from;
        p->from = bank;
        p->what.flits = (u16)t->config->long_flits;
        p->what.is_reply = 1;
        p->escapes = 0;
        t->pending--;
        mesh_queue(&t->mesh, packet, now);
    }
}

/* ---- what comes ---------------------------------------------------------------------------- */

static void follow(struct traffic *t, const struct mesh_packet *p, cycle_t now)
{
    t->counts.came++;
    t->counts.latency_cycles += now - p->queued;
    t->counts.network_cycles += now - p->entered;
    t->counts.routers += p->what.hops + 1u;
}

static void take(struct traffic *t, u32 packet, cycle_t now)
{
    const struct mesh_packet *p = mesh_packet_at(&t->mesh, packet);
    if (p->what.type == NOC_SPECIAL) {
        noc_take(&t->noc, packet, now);
        return;
    }
    if (is_followed(t, now))
        t->counts.flits_in_window += p->what.flits;
    if (t->pattern == TRAFFIC_MEMORY && !p->what.is_reply) {
        work_on(t, packet, now);
        return;
    }
    if (t->pattern == TRAFFIC_MEMORY) {
        t->nodes[p->user].waits--;
        t->nodes[p->user].answers++;
        t->agents[p->what.agent].waiting--;
    } else if (is_followed(t, p->queued)) {
        follow(t, p, now);
    }
    mesh_packet_free(&t->mesh, packet);
}

/* All packets of the window have been made and have come, or it is too late. */
static bool is_over(struct traffic *t, cycle_t now)
{
    cycle_t end = t->config->warmup_cycles + t->config->window_cycles;
    if (now < end)
        return false;
    if (t->pattern == TRAFFIC_MEMORY)
        return true;
    t->counts.is_saturated = now >= end + t->config->drain_cycles;
    if (t->counts.is_saturated)
        return true;
    if (t->counts.came < t->counts.followed)
        return false;
    for (u32 i = 0; i < t->mesh.nodes; i++) {
        if (t->nodes[i].next < end)
            return false;
    }
    return true;
}

static cycle_t traffic_tick(void *self, cycle_t now)
{
    struct traffic *t = self;
    const u32 *ejected;
    u32 count = 0;
    if (t->pending)
        answer(t, now);
    make_packets(t, now);
    noc_step(&t->noc, now);
    if (mesh_is_busy(&t->mesh)) {
        mesh_step(&t->mesh, now, &ejected, &count);
        for (u32 i = 0; i < count; i++)
            take(t, ejected[i], now);
    }
    if (count || !mesh_is_busy(&t->mesh))
        engine_progress(&t->sim->engine);
    if (is_over(t, now)) {
        t->is_done = true;
        engine_stop(&t->sim->engine);
    }
    cycle_t end = t->config->warmup_cycles + t->config->window_cycles;
    if (mesh_is_busy(&t->mesh) || t->pending)
        return now + 1;
    return now < end ? min_u64(min_u64(t->earliest, t->noc.decide_at), end) : now + 1;
}

static void traffic_explain(void *self, struct waits *waits)
{
    const struct traffic *t = self;
    struct text circle = {0};
    if (mesh_find_circle(&t->mesh, &circle))
        waits_add(waits, t->unit, "channels wait for each other: %s", circle.data);
    text_fini(&circle);
}

/* ---- building ------------------------------------------------------------------------------ */

static bool place(struct traffic *t, struct err *err)
{
    static const u32 any[PLACED_KINDS] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const struct mesh_config *c = t->mesh.config;
    struct src_pos at = {"traffic.placement", 0, 0};
    if (!placement_read(&t->placement, &t->sim->arena, t->config->placement, c->width, c->height,
                        any, at, err))
        return false;
    if (!t->placement.count[PLACED_BANK])
        return err_at(err, at, "placement has no L, expected a bank that answers");
    return true;
}

static u64 probability(double p)
{
    return p >= 1 ? UINT64_MAX : (u64)(p * 18446744073709551616.0);
}

static void add_cores(struct traffic *t, enum placed_part part, enum noc_type type, double load,
                      u32 most)
{
    for (u32 i = 0; i < t->placement.count[part]; i++) {
        u32 node = t->placement.nodes[part][i];
        struct traffic_node *n = &t->nodes[node];
        n->agent = t->agent_count++;
        t->agents[n->agent] = (struct noc_agent){.type = (u8)type,
                                                 .application = (u8)type,
                                                 .node = (u16)node,
                                                 .instructions = &n->answers};
        for (u32 b = 0; b < t->placement.count[PLACED_BANK]; b++) {
            mesh_add_way(&t->mesh, node, t->placement.nodes[PLACED_BANK][b], false, type);
            mesh_add_way(&t->mesh, t->placement.nodes[PLACED_BANK][b], node, true, type);
        }
        n->type = (u8)type;
        n->threshold = probability(load);
        n->most_waits = most;
    }
}

static void init_nodes(struct traffic *t)
{
    const struct traffic_config *c = t->config;
    struct rng seeds;
    double mean =
        (c->short_flits * (100.0 - c->long_percent) + c->long_flits * c->long_percent) / 100;
    rng_init(&seeds, t->sim->seed, "traffic");
    if (t->pattern == TRAFFIC_MEMORY) {
        add_cores(t, PLACED_CPU, NOC_CPU, c->cpu_load, c->cpu_waits);
        add_cores(t, PLACED_SM, NOC_GPU, c->gpu_load, c->gpu_waits);
    }
    for (u32 i = 0; i < t->mesh.nodes; i++) {
        struct traffic_node *n = &t->nodes[i];
        n->random = rng_u64(&seeds);
        if (t->pattern != TRAFFIC_MEMORY) {
            n->threshold = probability(c->load / mean);
            n->most_waits = UINT32_MAX;
        }
        n->next = draw_next(n, 0);
        if (n->threshold)
            t->senders[t->sender_count++] = (u16)i;
    }
}

bool traffic_init(struct traffic *t, const struct build_site *site, domain_id domain,
                  const struct mesh_config *mesh, const struct traffic_config *c, u32 pattern,
                  struct policy_choice noc, struct err *err)
{
    struct sim *sim = site->sim;
    struct arena *a = &sim->arena;
    *t = (struct traffic){.config = c, .sim = sim, .pattern = pattern};
    u32 nodes = mesh->width * mesh->height;
    u32 waits = c->cpu_waits > c->gpu_waits ? c->cpu_waits : c->gpu_waits;
    u32 in_routers = nodes * (MESH_PORTS * MESH_MOST_VCS * (mesh->vc_flits + 4) + 4);
    mesh_init(&t->mesh, a, mesh,
              in_routers + (pattern == TRAFFIC_MEMORY ? nodes * waits : 0) +
                  noc_most_packets(nodes, nodes));
    t->agents = ARENA_ARRAY(a, struct noc_agent, nodes);
    t->nodes = ARENA_ARRAY(a, struct traffic_node, nodes);
    t->senders = ARENA_ARRAY(a, u16, nodes);
    t->answers = ARENA_ARRAY(a, u32, MOST_ANSWER_CYCLES);
    bitset_init(&t->due, a, nodes);
    t->counts.nodes = nodes;
    t->counts.window_cycles = c->window_cycles;
    if (pattern == TRAFFIC_MEMORY && !place(t, err))
        return false;
    if (pattern == TRAFFIC_TRANSPOSE && mesh->width != mesh->height)
        return err_at(err, (struct src_pos){"network.mesh.width", 0, 0},
                      "transpose runs on a mesh of %u x %u, expected a square", mesh->width,
                      mesh->height);
    if (pattern == TRAFFIC_HOTSPOT && c->hotspot_node >= nodes)
        return err_at(err, (struct src_pos){"traffic.hotspot_node", 0, 0},
                      "hotspot_node is %u, expected one of the %u nodes", c->hotspot_node, nodes);
    init_nodes(t);
    if (!noc_init(&t->noc, sim, &t->mesh, noc, t->agents, t->agent_count, 2, err))
        return false;
    stats_add(&sim->stats, site->node, "traffic", STAT_NO_INDEX, traffic_stats, &t->counts);
    stat_node node =
        stats_add(&sim->stats, site->node, "mesh", STAT_NO_INDEX, mesh_stats, &t->mesh.counts);
    mesh_add_statistics(&t->mesh, &sim->stats, node);
    noc_add_statistics(&t->noc, &sim->stats, node);
    t->unit = engine_add_unit(&sim->engine, domain, site_name_of(site, "mesh"), traffic_tick, t);
    engine_explain_with(&sim->engine, t->unit, traffic_explain);
    return true;
}

void traffic_settle(struct traffic *t)
{
    mesh_settle(&t->mesh, engine_cycle(&t->sim->engine, t->sim->engine.units[t->unit]->domain));
}

double traffic_accepted(const struct traffic *t)
{
    return (double)t->counts.flits_in_window /
           ((double)t->counts.nodes * (double)t->counts.window_cycles);
}
