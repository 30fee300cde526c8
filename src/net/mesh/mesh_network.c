#include "net/mesh/mesh_network.h"

#include <assert.h>

#include "mem/request.h"

static const struct stat_def no_stats[] = {S_END};

/* A line that comes from a controller is one of the bank's requests, which say nothing of replies.
 */
static u32 packet_bytes(const struct mesh_view *v, const struct request *r)
{
    return v->messages == MESH_ANSWERS ? PACKET_HEADER_BYTES + request_data_bytes(r)
                                       : request_packet_bytes(r);
}

/* ---- packets leave ------------------------------------------------------------------------- */

static void push(struct mesh_network *n, struct mesh_sink *s, u32 packet, cycle_t now)
{
    const struct mesh_packet *p = mesh_packet_at(&n->mesh, packet);
    struct mesh_view *v = s->view;
    struct output_counts *out = &v->output_counts[(u32)(s - n->sinks) - v->first_sink];
    port_push(s->port, p->user);
    v->counts.packets++;
    v->counts.flits += p->what.flits;
    v->counts.busy_cycles += p->what.flits;
    v->counts.bytes += packet_bytes(v, pool_get(n->requests, p->user));
    v->counts.latency_cycles += now - p->queued;
    v->counts.span_cycles = now + 1;
    out->packets++;
    out->flits += p->what.flits;
    out->busy_cycles += p->what.flits;
    if (v->messages == MESH_REPLIES)
        journey_end(&n->journeys[p->user], n->sim->engine.now_fs, &n->splits[p->what.type]);
    n->inside--;
    mesh_sink_freed(&n->mesh, s->node, (u32)(s - n->sinks));
    mesh_packet_free(&n->mesh, packet);
}

static void deliver_waiting(struct mesh_network *n, cycle_t now)
{
    for (u32 i = bitset_next(&n->full, 0); i < n->sink_count; i = bitset_next(&n->full, i + 1)) {
        struct mesh_sink *s = &n->sinks[i];
        while (s->waiting.count && port_can_push(s->port)) {
            u32 packet = s->waiting.first;
            s->waiting.first = mesh_packet_at(&n->mesh, packet)->next;
            s->waiting.count--;
            push(n, s, packet, now);
        }
        if (!s->waiting.count)
            bitset_remove(&n->full, i);
    }
}

/* A packet came to its node. */
static void account(struct mesh_network *n, const struct mesh_packet *p, const struct mesh_view *v)
{
    struct noc_agent *agent = &n->agents[p->what.agent];
    struct journey *j = &n->journeys[p->user];
    bool is_back = p->what.is_reply;
    *(is_back ? &j->entered_back : &j->entered) = p->entered_fs;
    *(is_back ? &j->came_back : &j->came) = n->sim->engine.now_fs;
    if (v->messages == MESH_REPLIES)
        agent->waiting -= agent->waiting > 0;
}

/* ---- mail ---------------------------------------------------------------------------------- */

#define MAIL UINT32_MAX /* mesh_packet.user of a packet that was posted */

void mesh_network_let_post(struct mesh_network *n, unit_id unit, u32 most)
{
    n->mail = ARENA_NEW(&n->sim->arena, struct mesh_mail);
    *n->mail = (struct mesh_mail){.unit = unit,
                                  .slots = ARENA_ARRAY(&n->sim->arena, u32, most),
                                  .room = most,
                                  .came_fs = UINT64_MAX};
}

void mesh_post(struct mesh_network *n, u32 from, u32 to)
{
    struct mesh_mail *m = n->mail;
    assert(m->posted < m->room);
    m->slots[m->posted++] = from << 16 | to;
    m->posted_fs = n->sim->engine.now_fs;
    engine_wake(&n->sim->engine, n->unit);
}

static void send_mail(struct mesh_network *n, cycle_t now)
{
    struct mesh_mail *m = n->mail;
    if (!m->posted || m->posted_fs == n->sim->engine.now_fs)
        return;
    for (u32 i = 0; i < m->posted; i++) {
        u32 packet = mesh_packet_new(&n->mesh);
        struct mesh_packet *p = mesh_packet_at(&n->mesh, packet);
        p->from = (u16)(m->slots[i] >> 16);
        p->to = (u16)m->slots[i];
        p->user = MAIL;
        p->what = (struct noc_packet){.type = NOC_SPECIAL, .flits = 1};
        mesh_queue(&n->mesh, packet, now);
    }
    m->posted = 0;
}

static void mail_came(struct mesh_network *n, u32 packet)
{
    struct mesh_mail *m = n->mail;
    mesh_packet_free(&n->mesh, packet);
    if (m->came_fs != n->sim->engine.now_fs) {
        m->came_before = m->came;
        m->came_fs = n->sim->engine.now_fs;
    }
    m->came++;
    engine_wake(&n->sim->engine, m->unit);
}

u32 mesh_take_mail(struct mesh_network *n)
{
    struct mesh_mail *m = n->mail;
    u32 count = m->came_fs == n->sim->engine.now_fs ? m->came_before : m->came;
    m->came -= count;
    m->came_before = 0;
    return count;
}

static void come_out(struct mesh_network *n, u32 packet, cycle_t now)
{
    struct mesh_packet *p = mesh_packet_at(&n->mesh, packet);
    if (p->what.type == NOC_SPECIAL && p->user == MAIL) {
        mail_came(n, packet);
        return;
    }
    if (p->what.type == NOC_SPECIAL) {
        noc_take(&n->noc, packet, now);
        engine_wake(&n->sim->engine, n->alarm); /* it may be time to decide */
        return;
    }
    struct mesh_sink *s = &n->sinks[p->sink];
    account(n, p, s->view);
    if (!s->waiting.count && port_can_push(s->port)) {
        push(n, s, packet, now);
        return;
    }
    p->next = 0;
    if (s->waiting.count++)
        mesh_packet_at(&n->mesh, s->waiting.last)->next = packet;
    else
        s->waiting.first = packet;
    s->waiting.last = packet;
    bitset_add(&n->full, p->sink);
}

/* ---- packets come in ----------------------------------------------------------------------- */

/* A packet is of the type of the core that its request is for; what a bank asks for itself is of
 * the program's whose line it is. */
static u32 type_of(const struct mesh_network *n, const struct mesh_view *v, const struct request *r)
{
    return v->messages == MESH_REQUESTS || v->messages == MESH_REPLIES ? n->agents[r->agent].type
                                                                       : n->type_of[r->application];
}

static void note_request(struct mesh_network *n, const struct request *r)
{
    struct noc_agent *agent = &n->agents[r->agent];
    agent->application = r->application;
    agent->requests++;
    agent->waiting += r->kind != REQUEST_WRITEBACK && r->kind != REQUEST_UPDATE;
    n->type_of[r->application] = agent->type;
}

static void enter(struct mesh_network *n, struct mesh_source *s, u32 at, u32 node, cycle_t now)
{
    handle_t h = port_take(s->port, at);
    const struct request *r = pool_get(n->requests, h);
    struct mesh_view *v = s->view;
    u32 packet = mesh_packet_new(&n->mesh), type = type_of(n, v, r);
    struct mesh_packet *p = mesh_packet_at(&n->mesh, packet);
    bool is_memory = v->messages >= MESH_MISSES;
    p->user = h;
    p->sink = v->first_sink + (is_memory ? s->input : r->to);
    p->from = (u16)node;
    p->to = n->sinks[p->sink].node;
    p->what =
        (struct noc_packet){.type = (u8)type,
                            .application = r->application,
                            .is_reply = v->messages == MESH_REPLIES || v->messages == MESH_ANSWERS,
                            .came_from_memory = is_memory,
                            .agent = r->agent,
                            .flits = (u16)mesh_flits(n->config, packet_bytes(v, r))};
    if (v->messages == MESH_REQUESTS)
        note_request(n, r);
    if (v->messages == MESH_REPLIES)
        n->journeys[h].served = r->left_l2_fs;
    else if (v->messages == MESH_ANSWERS)
        n->journeys[h].served = r->left_dram_fs;
    else
        n->journeys[h] = (struct journey){.issued = r->issued_fs};
    v->counts.entered++;
    n->inside++;
    mesh_queue(&n->mesh, packet, now);
}

#define NONE UINT32_MAX

/* The packet of a port that goes next, by its place there: the one in front, if the node's queue
 * has room for it. Where the queue has lists of types, a port of a bank or a controller is looked
 * through for the first packet of each type, so that none waits behind one of the other type. A
 * core's has one type only. */
static u32 find_next(const struct mesh_network *n, const struct mesh_source *s, u32 node)
{
    u32 ready = port_ready(s->port), is_request = s->view->messages == MESH_REQUESTS;
    if (!ready || (is_request && n->inside >= n->most_requests))
        return NONE;
    const struct mesh *m = &n->mesh;
    bool room[NOC_TYPES] = {mesh_has_room(m, node, NOC_CPU), mesh_has_room(m, node, NOC_GPU)};
    if (!room[NOC_CPU] && !room[NOC_GPU])
        return NONE;
    u32 looked_at = !is_request && mesh_has_lists(m, node) ? ready : 1;
    for (u32 i = 0; i < looked_at; i++) {
        if (room[type_of(n, s->view, pool_get(n->requests, port_peek(s->port, i)))])
            return i;
    }
    return NONE;
}

/* One packet a cycle from each port, while the node's queue has room. Ports have turns: the one
 * behind whose packet went last is asked first, so that a port that is never empty does not take
 * every place that comes free. */
static bool take_from(struct mesh_network *n, u32 node, cycle_t now)
{
    u32 held = 0;
    struct mesh_source *first = n->sources[node], *s = first;
    do {
        u32 at = find_next(n, s, node);
        if (at != NONE) {
            enter(n, s, at, node, now);
            n->sources[node] = s->next;
        }
        held += port_count(s->port);
        s = s->next;
    } while (s != first);
    return held > 0;
}

static void take(struct mesh_network *n, cycle_t now)
{
    for (u32 i = bitset_next(&n->rung, 0); i < n->mesh.nodes; i = bitset_next(&n->rung, i + 1)) {
        if (!take_from(n, i, now))
            bitset_remove(&n->rung, i);
    }
}

static cycle_t mesh_network_tick(void *self, cycle_t now)
{
    struct mesh_network *n = self;
    const u32 *ejected;
    u32 count = 0;
    deliver_waiting(n, now);
    take(n, now);
    if (n->mail)
        send_mail(n, now);
    if (!mesh_is_busy(&n->mesh))
        return CYCLE_NEVER;
    n->mesh.now_fs = n->sim->engine.now_fs;
    mesh_step(&n->mesh, now, &ejected, &count);
    for (u32 i = 0; i < count; i++)
        come_out(n, ejected[i], now);
    return now + 1;
}

/* When a policy wants to decide. It keeps nothing going: a machine whose programs have ended stops,
 * whatever the policy has in mind. */
static cycle_t mesh_alarm_tick(void *self, cycle_t now)
{
    struct mesh_network *n = self;
    noc_step(&n->noc, now);
    if (mesh_is_busy(&n->mesh))
        engine_wake(&n->sim->engine, n->unit);
    return n->noc.decide_at;
}

static void mesh_network_explain(void *self, struct waits *waits)
{
    struct mesh_network *n = self;
    struct text circle = {0};
    if (mesh_find_circle(&n->mesh, &circle))
        waits_add(waits, n->unit, "channels wait for each other: %s", circle.data);
    text_fini(&circle);
    for (u32 i = 0; i < n->sink_count; i++) {
        const struct mesh_sink *s = &n->sinks[i];
        if (s->waiting.count)
            waits_add(waits, s->port->consumer,
                      "%u packets at node %u have no room in port %s (%u of %u)", s->waiting.count,
                      s->node, s->port->name, port_count(s->port), s->port->capacity);
    }
}

/* ---- building ------------------------------------------------------------------------------ */

/* Which routers packets of a view can pass: those between banks and controllers are of both types.
 */
static void add_ways(struct mesh_network *n, const struct mesh_view *v)
{
    bool is_reply = v->messages == MESH_REPLIES || v->messages == MESH_ANSWERS;
    for (u32 i = 0; i < v->input_count; i++) {
        for (u32 o = 0; o < v->output_count; o++) {
            u32 from = v->input_nodes[i], to = v->output_nodes[o];
            if (v->messages == MESH_REQUESTS || v->messages == MESH_REPLIES) {
                u32 agent = v->messages == MESH_REQUESTS ? i : o;
                mesh_add_way(&n->mesh, from, to, is_reply, n->agents[agent].type);
            } else if (i == o) {
                mesh_add_way(&n->mesh, from, to, is_reply, NOC_CPU);
                mesh_add_way(&n->mesh, from, to, is_reply, NOC_GPU);
            }
        }
    }
}

static void view_source(void *self, u32 input, u32 source, struct port *port)
{
    struct mesh_view *v = self;
    struct mesh_network *n = v->network;
    u32 node = v->input_nodes[input];
    struct mesh_source *s = ARENA_NEW(&n->sim->arena, struct mesh_source);
    struct mesh_source *first = n->sources[node], *last = first;
    (void)source;
    while (last && last->next != first)
        last = last->next;
    *s = (struct mesh_source){.port = port, .view = v, .input = input, .next = first ? first : s};
    *(last ? &last->next : &n->sources[node]) = s;
    port->bell = &n->rung.words[node / 64];
    port->bell_bit = (u64)1 << (node % 64);
}

static void view_output(void *self, u32 output, struct port *port)
{
    struct mesh_view *v = self;
    v->network->sinks[v->first_sink + output].port = port;
}

struct network mesh_network_view(struct mesh_network *n, const struct build_site *site,
                                 const char *name, enum mesh_messages messages, u32 inputs,
                                 const u16 *input_nodes, u32 outputs, const u16 *output_nodes)
{
    static const struct network_ops ops = {"mesh", view_source, view_output};
    struct sim *sim = n->sim;
    struct mesh_view *v = ARENA_NEW(&sim->arena, struct mesh_view);
    *v = (struct mesh_view){.network = n,
                            .messages = messages,
                            .first_sink = n->sink_count,
                            .input_count = inputs,
                            .output_count = outputs,
                            .input_nodes = input_nodes,
                            .output_nodes = output_nodes,
                            .counts.outputs = outputs};
    v->output_counts = ARENA_ARRAY(&sim->arena, struct output_counts, outputs);
    stat_node node =
        stats_add(&sim->stats, site->node, name, STAT_NO_INDEX, network_stats, &v->counts);
    for (u32 o = 0; o < outputs; o++) {
        n->sinks[n->sink_count++] = (struct mesh_sink){.view = v, .node = output_nodes[o]};
        stats_add(&sim->stats, node, "output", o, network_output_stats, &v->output_counts[o]);
    }
    add_ways(n, v);
    return (struct network){&ops, v, n->unit, &v->counts};
}

void mesh_network_init(struct mesh_network *n, const struct mesh_network_parts *p)
{
    const struct mesh_config *c = p->config;
    struct sim *sim = p->site->sim;
    struct arena *a = &sim->arena;
    *n = (struct mesh_network){.config = c,
                               .sim = sim,
                               .requests = p->requests,
                               .sink_room = p->outputs,
                               .agents = p->agents,
                               .agent_count = p->agent_count,
                               .most_requests = p->most_requests,
                               .noc.decide_at = CYCLE_NEVER};
    mesh_init(&n->mesh, a, c, p->packets);
    if (c->sink_packets)
        mesh_limit_sinks(&n->mesh, a, p->outputs, c->sink_packets);
    n->sources = ARENA_ARRAY(a, struct mesh_source *, n->mesh.nodes);
    n->sinks = ARENA_ARRAY(a, struct mesh_sink, p->outputs);
    n->journeys = ARENA_ARRAY(a, struct journey, p->requests->capacity + 1);
    bitset_init(&n->rung, a, n->mesh.nodes);
    bitset_init(&n->full, a, p->outputs);
    n->node =
        stats_add(&sim->stats, p->site->node, "mesh", STAT_NO_INDEX, mesh_stats, &n->mesh.counts);
    mesh_add_statistics(&n->mesh, &sim->stats, n->node);
    n->unit = engine_add_unit(&sim->engine, p->domain, site_name_of(p->site, "mesh"),
                              mesh_network_tick, n);
    engine_explain_with(&sim->engine, n->unit, mesh_network_explain);
}

bool mesh_network_manage(struct mesh_network *n, struct policy_choice choice, struct err *err)
{
    struct engine *e = &n->sim->engine;
    n->is_managed = true;
    if (!noc_init(&n->noc, n->sim, &n->mesh, choice, n->agents, n->agent_count,
                  n->sim->applications, err))
        return false;
    if (n->noc.decide_at == CYCLE_NEVER)
        return true;
    /* after the mesh, so that what it sends enters in the next cycle, slept or not */
    n->alarm = engine_add_unit(e, e->units[n->unit]->domain, "mesh.policy", mesh_alarm_tick, n);
    engine_set_background(e, n->alarm);
    return true;
}

void mesh_network_add_statistics(struct mesh_network *n, struct stats *s)
{
    static const char *const names[] = {"cpu", "gpu"};
    stat_node node = stats_add(s, n->node, "split", STAT_NO_INDEX, no_stats, NULL);
    for (u32 t = NOC_CPU; t <= NOC_GPU; t++)
        stats_add(s, node, names[t], STAT_NO_INDEX, latency_breakdown_stats, &n->splits[t]);
    if (n->is_managed)
        noc_add_statistics(&n->noc, s, n->node);
}

void mesh_network_settle(struct mesh_network *n, cycle_t now)
{
    mesh_settle(&n->mesh, now);
}

void mesh_network_line_came(void *self, handle_t line, handle_t request)
{
    struct mesh_network *n = self;
    journey_wait_for(&n->journeys[request], &n->journeys[line]);
}
