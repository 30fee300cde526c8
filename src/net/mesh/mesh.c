#include "net/mesh/mesh_internal.h"

#include "config/config.h"

#include <assert.h>

static const char *const routings[] = {"xy", "xy_yx", "adaptive", "yx", NULL};
static const char *const arbitrations[] = {"turns", "oldest", NULL};

/* clang-format off */
const struct param mesh_params[] = {
    P_U32(mesh_config, width, 4, 1, MESH_MOST_SIDE, "routers", "routers in a row", "Lee 2013, table 11"),
    P_U32(mesh_config, height, 4, 1, MESH_MOST_SIDE, "routers", "routers in a column", "Lee 2013, table 11"),
    P_U32(mesh_config, vcs, 4, 1, MESH_MOST_VCS - 1, "channels", "virtual channels of a port; xy_yx and adaptive have one more, to escape", "Lee 2013, table 11"),
    P_U32(mesh_config, vc_flits, 5, 1, 64, "flits", "buffer of a virtual channel", "Lee 2013, table 11"),
    P_U32(mesh_config, flit_bytes, 16, 1, 1024, "bytes", "width of a link", "Lee 2013, table 11"),
    P_U32(mesh_config, hop_cycles, 5, 3, 5, "cycles", "stages of a head flit, from a router through its link. 5: route, VC, switch, crossbar, link; 4: the route is known in advance; 3: VC and switch are allocated together", "Lee 2013, 5.4; BookSim 2"),
    P_CHOICE(mesh_config, routing, MESH_XY, routings, "xy: along x, then y; yx: along y first; xy_yx: replies along y first; adaptive: by free room, with a way out along x, then y", "Lee 2013, table 11 and 5.6"),
    P_CHOICE(mesh_config, arbitration, MESH_OLDEST, arbitrations, "which packet wins a VC or the switch: in turn (iSLIP, one iteration), or the oldest", "Lee 2013, 5.3"),
    P_U32(mesh_config, sa_input_limit, 1, 0, 1, "flits", "flits per cycle through the switch from one input; 0: one to each output, as in MacSim, which also injects whole packets (injection_flits)", "assumed"),
    P_U32(mesh_config, injection_packets, 32, 0, 65536, "packets", "packets that a node's injection queue holds; 0: no limit", "MacSim"),
    P_U32(mesh_config, injection_flits, 1, 0, 64, "flits", "flits per cycle from a node into its router, packet after packet; 0: whole packets, as many as channels have room for", "assumed; 0: MacSim"),
    P_BOOL(mesh_config, whole_packets, false, "a packet enters its router only when one VC has room for the whole packet", "MacSim"),
    P_U32(mesh_config, escape_cycles, 0, 0, 1000000, "cycles", "wait of a head flit before it may take the escape VC; 0: 2000 with xy_yx, 16 with adaptive", "assumed"),
    P_U32(mesh_config, sink_packets, 0, 0, 65536, "packets", "packets that may wait for one port where they leave the mesh. When the limit is reached, heads stay in their routers, and messages of one kind can block those of another. 0: no limit", "assumed; MacSim"),
    P_END,
};

static const char *const type_names[] = {"cpu", "gpu", "special"};
static const char *const port_names[] = {"local", "east", "west", "north", "south"};

const struct stat_def mesh_stats[] = {
    S_COUNT(mesh_counts, cycles, "cycles", "cycles in which the mesh held packets"),
    S_COUNT(mesh_counts, escapes, "packets", "packets that took the escape channel"),
    S_END,
};

static const struct stat_def type_stats[] = {
    S_COUNT(mesh_type_counts, queued, "packets", "packets put into an injection queue"),
    S_COUNT(mesh_type_counts, packets, "packets", "packets delivered to their node"),
    S_COUNT(mesh_type_counts, flits, "flits", "flits of delivered packets"),
    S_COUNT(mesh_type_counts, hops, "links", "links crossed by delivered packets"),
    S_COUNT(mesh_type_counts, queue_cycles, "cycles", "total cycles of delivered packets in injection queues"),
    S_COUNT(mesh_type_counts, trip_cycles, "cycles", "total cycles of delivered packets from their queue to their node"),
    S_MEAN(mesh_type_counts, mean_queue, queue_cycles, packets, "cycles", "mean cycles of a packet in its injection queue"),
    S_MEAN(mesh_type_counts, mean_trip, trip_cycles, packets, "cycles", "mean cycles of a packet from its queue to its node"),
    S_MEAN(mesh_type_counts, mean_hops, hops, packets, "links", "mean links crossed by a packet"),
    S_LAW(conservation, "packets <= queued", "what comes out was put in"),
    S_END,
};

static const struct stat_def router_stats[] = {
    S_ARRAY(mesh_router_counts, flits, port_names, MESH_PORTS, "flits", "flits sent, by output port"),
    S_ARRAY(mesh_router_counts, held_cycles, type_names, NOC_TYPES, "flit cycles", "flits in the router's buffers times cycles, by type"),
    S_ARRAY(mesh_router_counts, queued_cycles, type_names, NOC_TYPES, "packet cycles", "packets in the router's injection queue times cycles, by type"),
    S_COUNT(mesh_router_counts, escapes, "packets", "packets that took the escape channel at this router"),
    S_END,
};
/* clang-format on */

bool mesh_check(const void *group, const struct config *config, struct err *err)
{
    const struct mesh_config *c = group;
    if (mesh_routing_escapes(c->routing) && c->vc_flits < 2)
        return err_at(err, config_pos(config, &c->vc_flits),
                      "vc_flits is %u with routing %s, expected at least 2", c->vc_flits,
                      routings[c->routing]);
    return true;
}

/* ---- packets ------------------------------------------------------------------------------- */

u32 mesh_packet_new(struct mesh *m)
{
    u32 p = m->free_packet;
    assert(p && "as many packets as can be under way");
    m->free_packet = m->packets[p].next;
    m->packets[p] = (struct mesh_packet){0};
    return p;
}

void mesh_packet_free(struct mesh *m, u32 packet)
{
    m->packets[packet].next = m->free_packet;
    m->free_packet = packet;
}

/* ---- what comes in this cycle -------------------------------------------------------------- */

/* The VC's front packet has its route, and asks for a VC from the next allocation on. */
static void route(struct mesh *m, u32 index, cycle_t now)
{
    struct mesh_vc *vc = &m->inputs[index];
    u32 node = vc->node, packet = m->queues[(index << m->queue_shift) + vc->first];
    struct mesh_router *r = &m->routers[node];
    const struct mesh_packet *p = &m->packets[packet];
    u64 bit = (u64)1 << vc->in;
    u32 type = p->what.type, out = m->config->routing == MESH_XY ? output_xy(m, node, p->to)
                                                                 : mesh_output_of(m, node, p);
    vc->packet = packet;
    vc->key = p->key;
    vc->left = p->what.flits;
    vc->since = (u32)now;
    vc->out = (u8)out;
    vc->type = type & 15u;
    vc->is_whole = 1;
    vc->state = VC_ASKING;
    r->is_type[type] |= bit;
    r->seen[type] = now + 1;
    ask_for_vc(r, out, bit);
    wake_router(m, node);
}

/* Has a flit, a VC ahead and a credit. */
static void want_switch(struct mesh *m, const struct mesh_vc *vc)
{
    ask_for_switch(&m->routers[vc->node], vc->out, (u64)1 << vc->in);
    wake_router(m, vc->node);
}

static void take_credits(struct mesh *m, struct mesh_slot *slot)
{
    for (u32 i = 0; i < slot->credit_count; i++) {
        u32 index = slot->credits[i], owner = m->owner[index];
        assert(m->credits[index] < m->config->vc_flits);
        if (m->credits[index]++ > 0 || owner == NO_VC)
            continue;
        const struct mesh_vc *vc = &m->inputs[owner];
        if (vc->flits > 0)
            want_switch(m, vc);
    }
    slot->credit_count = 0;
}

static void take_arrivals(struct mesh *m, struct mesh_slot *slot)
{
    for (u32 i = 0; i < slot->arrival_count; i++) {
        u32 index = slot->arrivals[i];
        struct mesh_vc *vc = &m->inputs[index];
        assert(vc->flits < m->config->vc_flits);
        if (vc->flits++ > 0)
            continue;
        if (vc->state == VC_IDLE) {
            vc->state = VC_ROUTING;
            m->routes[m->route_count++] = index;
        } else if (vc->state == VC_ACTIVE && (vc->out == MESH_LOCAL || m->credits[vc->ahead] > 0)) {
            want_switch(m, vc);
        }
    }
    slot->arrival_count = 0;
}

/* Packets that are first in their VC from this cycle on: they have come, or had others before them.
 */
static void route_all(struct mesh *m, cycle_t now)
{
    for (u32 i = 0; i < m->route_count; i++)
        route(m, m->routes[i], now);
    m->route_count = 0;
}

static void account(struct mesh *m, const struct mesh_slot *slot, cycle_t now)
{
    for (u32 i = 0; i < slot->ejected_count; i++) {
        const struct mesh_packet *p = &m->packets[slot->ejected[i]];
        struct mesh_type_counts *t = &m->counts.types[p->what.type];
        t->packets++;
        t->flits += p->what.flits;
        t->hops += p->what.hops;
        t->queue_cycles += p->entered - p->queued;
        t->trip_cycles += now - p->entered;
    }
    m->live -= slot->ejected_count;
}

void mesh_step(struct mesh *m, cycle_t now, const u32 **ejected, u32 *count)
{
    struct mesh_slot *slot = &m->slots[now & 3];
    m->counts.cycles++;
    take_credits(m, slot);
    take_arrivals(m, slot);
    for (u32 i = 0; i < m->later_count; i++)
        m->routes[m->route_count++] = m->later[i];
    m->later_count = 0;
    if (m->config->hop_cycles < 5)
        route_all(m, now);
    mesh_allocate(m, now);
    route_all(m, now);
    mesh_inject(m, now);
    account(m, slot, now);
    *ejected = slot->ejected; /* the next cycle's step is the first that writes there */
    *count = slot->ejected_count;
    slot->ejected_count = 0;
}

/* ---- sinks with a limit -------------------------------------------------------------------- */

void mesh_limit_sinks(struct mesh *m, struct arena *arena, u32 sinks, u32 packets)
{
    m->sinks = ARENA_ARRAY(arena, i32, sinks);
    for (u32 i = 0; i < sinks; i++)
        m->sinks[i] = (i32)packets;
}

void mesh_sink_freed(struct mesh *m, u32 node, u32 sink)
{
    struct mesh_router *r = &m->routers[node];
    if (!m->sinks)
        return;
    m->sinks[sink]++;
    if (!r->held_back)
        return;
    for (u64 bits = r->held_back; bits; bits &= bits - 1)
        input_of(m, node, (u32)__builtin_ctzll(bits))->state = VC_ASKING;
    r->wants_vc[MESH_LOCAL] |= r->held_back;
    r->vc_outs |= 1u << MESH_LOCAL;
    r->held_back = 0;
    wake_router(m, node);
}

/* ---- building ------------------------------------------------------------------------------ */

static void connect(struct mesh *m, u32 node)
{
    u32 width = m->config->width, height = m->config->height, x = node % width, y = node / width;
    const struct {
        bool is_there;
        u32 node, back;
    } ends[MESH_PORTS] = {
        [MESH_LOCAL] = {true, node, MESH_LOCAL},
        [MESH_EAST] = {x + 1 < width, node + 1, MESH_WEST},
        [MESH_WEST] = {x > 0, node - 1, MESH_EAST},
        [MESH_NORTH] = {y > 0, node - width, MESH_SOUTH},
        [MESH_SOUTH] = {y + 1 < height, node + width, MESH_NORTH},
    };
    for (u32 p = 0; p < MESH_PORTS; p++)
        m->ahead[port_index(node, p)] =
            ends[p].is_there ? vc_index(m, port_index(ends[p].node, ends[p].back), 0) : NO_VC;
    m->x[node] = (u8)x;
    m->y[node] = (u8)y;
}

#define BOTH_TYPES (1u << NOC_CPU | 1u << NOC_GPU)

void mesh_apply_plan(struct mesh *m, u32 node, const struct noc_plan *plan)
{
    struct mesh_router *r = &m->routers[node];
    u16 all = (u16)((1u << m->config->vcs) - 1);
    bool keeps_apart = !plan->where_both_pass || (r->passing & BOTH_TYPES) == BOTH_TYPES;
    for (u32 t = 0; t < NOC_TYPES; t++)
        r->vcs_of[t] = keeps_apart ? plan->vcs_of[t] & all : all;
    m->injectors[node].injection = plan->injection;
}

static void init_routers(struct mesh *m, struct arena *arena)
{
    m->plan = noc_plan_shared();
    for (u32 n = 0; n < m->nodes; n++) {
        connect(m, n);
        mesh_apply_plan(m, n, &m->plan);
        m->routers[n].free_vcs = ((u64)1 << (MESH_PORTS * m->vcs)) - 1;
    }
    u32 ports = m->nodes * MESH_PORTS, vcs = ports * m->vcs;
    m->inputs = ARENA_ARRAY(arena, struct mesh_vc, vcs);
    m->credits = ARENA_ARRAY(arena, u8, vcs);
    m->owner = ARENA_ARRAY(arena, u32, vcs);
    m->vc_grant = ARENA_ARRAY(arena, u8, vcs);
    m->vc_accept = ARENA_ARRAY(arena, u8, vcs);
    m->queue_shift = 1;
    while (1u << m->queue_shift < m->config->vc_flits)
        m->queue_shift++;
    m->queue_mask = (1u << m->queue_shift) - 1;
    m->queues = ARENA_ARRAY(arena, u32, (size_t)vcs * (m->queue_mask + 1));
    for (u32 i = 0; i < vcs; i++) {
        m->credits[i] = (u8)m->config->vc_flits;
        m->owner[i] = NO_VC;
        m->inputs[i].node = (u16)(i / (MESH_PORTS * m->vcs));
        m->inputs[i].in = (u8)(i % (MESH_PORTS * m->vcs));
    }
    for (u32 s = 0; s < 4; s++) {
        m->slots[s].arrivals = ARENA_ARRAY(arena, u32, ports + m->nodes * m->injection_flits);
        m->slots[s].credits = ARENA_ARRAY(arena, u32, ports);
        m->slots[s].ejected = ARENA_ARRAY(arena, u32, m->nodes);
    }
    m->routes = ARENA_ARRAY(arena, u32, vcs);
    m->later = ARENA_ARRAY(arena, u32, vcs);
}

void mesh_init(struct mesh *m, struct arena *arena, const struct mesh_config *c, u32 packets)
{
    static const u32 escape_after[] = {[MESH_XY_YX] = 2000, [MESH_ADAPTIVE] = 16, [MESH_YX] = 0};
    bool escapes = mesh_routing_escapes(c->routing);
    *m = (struct mesh){.config = c, .nodes = c->width * c->height, .vcs = c->vcs + escapes};
    m->escape_vc = escapes ? c->vcs : m->vcs;
    m->escape_after = c->escape_cycles ? c->escape_cycles : escape_after[c->routing];
    m->injection_flits = c->injection_flits ? c->injection_flits : m->vcs * c->vc_flits;
    m->port_vcs = ((u64)1 << m->vcs) - 1;
    for (u32 in = 0; in < MESH_PORTS * m->vcs; in++) {
        m->port_of[in] = (u8)(in / m->vcs);
        m->vc_of[in] = (u8)(in % m->vcs);
    }
    m->routers = ARENA_ARRAY(arena, struct mesh_router, m->nodes);
    m->injectors = ARENA_ARRAY(arena, struct mesh_injector, m->nodes);
    m->ahead = ARENA_ARRAY(arena, u32, m->nodes * MESH_PORTS);
    m->x = ARENA_ARRAY(arena, u8, m->nodes);
    m->y = ARENA_ARRAY(arena, u8, m->nodes);
    bitset_init(&m->active, arena, m->nodes);
    bitset_init(&m->injecting, arena, m->nodes);
    init_routers(m, arena);
    m->packet_room = packets;
    m->packets = ARENA_ARRAY(arena, struct mesh_packet, packets + 1);
    for (u32 p = packets; p > 0; p--)
        mesh_packet_free(m, p);
}

void mesh_settle(struct mesh *m, cycle_t now)
{
    for (u32 n = 0; n < m->nodes; n++) {
        struct mesh_router *r = &m->routers[n];
        for (u32 t = 0; t < NOC_TYPES; t++) {
            r->counts.held_cycles[t] = level_cycles(&r->held[t], now + 3);
            r->counts.queued_cycles[t] = level_cycles(&r->queued[t], now);
        }
    }
}

void mesh_add_statistics(struct mesh *m, struct stats *s, stat_node node)
{
    for (u32 t = 0; t < NOC_TYPES; t++)
        stats_add(s, node, type_names[t], STAT_NO_INDEX, type_stats, &m->counts.types[t]);
    for (u32 n = 0; n < m->nodes; n++)
        stats_add(s, node, "router", n, router_stats, &m->routers[n].counts);
}

bool mesh_is_consistent(const struct mesh *m)
{
    u32 vcs = m->nodes * MESH_PORTS * m->vcs;
    for (u32 i = 0; i < vcs; i++) {
        u32 held = m->credits[i] + m->inputs[i].flits;
        for (u32 s = 0; s < 4; s++) {
            for (u32 k = 0; k < m->slots[s].arrival_count; k++)
                held += m->slots[s].arrivals[k] == i;
            for (u32 k = 0; k < m->slots[s].credit_count; k++)
                held += m->slots[s].credits[k] == i;
        }
        if (held != m->config->vc_flits)
            return false;
    }
    return mesh_pools_are_bounded(m);
}
