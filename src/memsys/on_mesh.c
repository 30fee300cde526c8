#include "memsys/on_mesh.h"

#include "memsys/memory_system.h"

#include <assert.h>

static struct port *make_ports(struct memory_system *m, const char *name, u32 capacity)
{
    struct sim *sim = m->site.sim;
    struct port *ports = ARENA_ARRAY(&sim->arena, struct port, m->bank_count);
    for (u32 i = 0; i < m->bank_count; i++)
        port_init(&ports[i], &sim->engine, site_name(&m->site, name, i), capacity);
    return ports;
}

static void find_nodes(struct on_mesh *o, struct memory_system *m,
                       const struct memory_client *clients, u32 count)
{
    struct arena *a = &m->site.sim->arena;
    const struct placement *p = &o->placement;
    u32 seen[AGENT_KINDS] = {0};
    o->agent_nodes = ARENA_ARRAY(a, u16, count);
    o->bank_nodes = p->nodes[PLACED_BANK];
    o->memory_nodes = ARENA_ARRAY(a, u16, m->bank_count);
    o->agents = ARENA_ARRAY(a, struct noc_agent, count);
    for (u32 i = 0; i < count; i++) {
        u32 kind = clients[i].agent.kind, index = seen[kind]++;
        o->agent_nodes[i] = p->nodes[kind == AGENT_CPU ? PLACED_CPU : PLACED_SM][index];
        o->agents[i] = (struct noc_agent){.type = kind == AGENT_CPU ? NOC_CPU : NOC_GPU,
                                          .node = o->agent_nodes[i],
                                          .instructions = clients[i].retired};
    }
    /* controllers share the channels out evenly, neighbours together */
    u32 channels_each = m->channel_count / p->count[PLACED_MEMORY];
    for (u32 i = 0; i < m->bank_count; i++) {
        u32 channel = i / m->config.l2->banks_per_channel;
        o->memory_nodes[i] = p->nodes[PLACED_MEMORY][channel / channels_each];
    }
}

void on_mesh_init(struct on_mesh *o, struct memory_system *m, const struct memory_client *clients,
                  u32 count)
{
    const struct network_config *c = m->config.network;
    const struct build_site *site = &m->site;
    static const u32 any[PLACED_KINDS] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    struct err err = ERR_INIT;
    bool is_there = placement_read(&o->placement, &site->sim->arena, c->placement, c->mesh.width,
                                   c->mesh.height, any, (struct src_pos){0}, &err);
    assert(is_there && "checked with the configuration");
    (void)is_there;
    find_nodes(o, m, clients, count);
    u32 outputs = 3 * m->bank_count + count, nodes = c->mesh.width * c->mesh.height;
    mesh_network_init(&o->network,
                      &(struct mesh_network_parts){.site = site,
                                                   .domain = m->cache_domain,
                                                   .config = &c->mesh,
                                                   .requests = m->requests,
                                                   .packets = m->requests->capacity +
                                                              2 * noc_most_packets(nodes, count),
                                                   .outputs = outputs,
                                                   .agents = o->agents,
                                                   .agent_count = count,
                                                   .most_requests = MESH_MOST_REQUESTS});
    m->request = mesh_network_view(&o->network, site, "request_network", MESH_REQUESTS, count,
                                   o->agent_nodes, m->bank_count, o->bank_nodes);
    m->reply = mesh_network_view(&o->network, site, "reply_network", MESH_REPLIES, m->bank_count,
                                 o->bank_nodes, count, o->agent_nodes);
    o->miss = mesh_network_view(&o->network, site, "miss_network", MESH_MISSES, m->bank_count,
                                o->bank_nodes, m->bank_count, o->memory_nodes);
    o->answer = mesh_network_view(&o->network, site, "answer_network", MESH_ANSWERS, m->bank_count,
                                  o->memory_nodes, m->bank_count, o->bank_nodes);
    o->channel_in = make_ports(m, "dram.in", c->output_entries);
    o->channel_out = make_ports(m, "dram.out", m->config.l2->return_entries);
}

void on_mesh_connect(struct on_mesh *o, struct memory_system *m, u32 bank, unit_id channel)
{
    unit_id unit = m->banks[bank].unit;
    bank_watch_lines(&m->banks[bank], &m->site.sim->arena, mesh_network_line_came, &o->network);
    network_attach_source(&o->miss, bank, 0, &m->bank_miss[bank], unit);
    network_attach_output(&o->miss, bank, &o->channel_in[bank], channel);
    network_attach_source(&o->answer, bank, 0, &o->channel_out[bank], channel);
    network_attach_output(&o->answer, bank, &m->bank_answer[bank], unit);
}
