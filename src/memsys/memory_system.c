#include "memsys/memory_system.h"

#include "dram/scheduler.h"
#include "memsys/coherence.h"
#include "memsys/partition.h"

#define CONTEXT_ADDRESS ((u64)1 << 56) /* above all that programs have */

static u32 scaled(u64 cycles, u64 from_hz, u64 to_hz)
{
    return (u32)min_u64((cycles * to_hz + from_hz / 2) / from_hz, UINT32_MAX);
}

/* Cycles of the agents' clock in the cache's. */
static u32 cache_cycles(const struct memory_config *c, u32 cycles)
{
    return scaled(cycles, c->core_hz, c->l2->clock_hz);
}

u64 memory_most_requests(const struct memory_config *c, const struct dram_timing *dram)
{
    u64 channels = dram->config.channels, banks = channels * c->l2->banks_per_channel;
    u64 in_bank =
        bank_most_requests(c->l2, cache_cycles(c, c->l2->pipe_cycles)) + c->network->output_entries;
    if (c->network->kind == NETWORK_FIXED)
        in_bank += 2 * (u64)c->network->fixed.entries;
    u64 in_mesh = c->network->kind == NETWORK_MESH ? 2 * MESH_MOST_REQUESTS : 0;
    u64 in_channel = (u64)dram_pipe_clocks(dram, c->core_hz) + c->dram->queue_entries +
                     c->dram->return_entries + 256u;
    return in_mesh + banks * (in_bank + POOL_PART_ROOM) + channels * (in_channel + POOL_PART_ROOM);
}

void memory_system_init(struct memory_system *m, const struct build_site *site,
                        const struct memory_config *c, struct pool *requests)
{
    struct sim *sim = site->sim;
    *m = (struct memory_system){.site = *site, .config = *c, .requests = requests};
    dram_resolve(c->dram, &m->dram);
    m->channel_count = m->dram.config.channels;
    m->bank_count = m->channel_count * c->l2->banks_per_channel;
    m->map = (struct address_map){.channels = m->channel_count,
                                  .banks_per_channel = c->l2->banks_per_channel,
                                  .interleave_bytes = c->l2->interleave_bytes,
                                  .hashed = c->l2->hashed_channels,
                                  .page_bytes = c->l2->page_bytes};
    if (c->l2->bank_order == BANK_BY_DRAM) {
        struct dram_layout layout = dram_layout(&m->dram, c->l2->interleave_bytes);
        m->map.bank_low_bits = layout.low_bank_bits;
        m->map.bank_skip_bits = layout.column_bits;
    }
    m->cache_domain =
        engine_add_domain(&sim->engine, site_name_of(site, c->cache_name), c->l2->clock_hz);
    m->dram_domain =
        engine_add_domain(&sim->engine, site_name_of(site, "dram"), m->dram.config.clock_hz);
}

/* ---- building ------------------------------------------------------------------------------ */

static struct port *make_ports(struct memory_system *m, const char *name, u32 capacity)
{
    struct sim *sim = m->site.sim;
    struct port *ports = ARENA_ARRAY(&sim->arena, struct port, m->bank_count);
    for (u32 i = 0; i < m->bank_count; i++)
        port_init(&ports[i], &sim->engine,
                  arena_printf(&sim->arena, "%s.%s", site_name(&m->site, "l2.bank", i), name),
                  capacity);
    return ports;
}

static void make_networks(struct memory_system *m, const struct memory_client *clients, u32 agents)
{
    const struct network_config *c = m->config.network;
    u32 from = agents + m->link.nodes, banks = m->bank_count + m->link.nodes;
    const struct network_parts request = {.site = &m->site,
                                          .domain = m->cache_domain,
                                          .name = "request_network",
                                          .requests = m->requests,
                                          .inputs = from,
                                          .sources_per_input = MEMORY_CLIENT_PORTS,
                                          /* other sockets, or what they ask of the banks */
                                          .outputs = m->side.coherence ? 2 * m->bank_count : banks};
    const struct network_parts reply = {.site = &m->site,
                                        .domain = m->cache_domain,
                                        .name = "reply_network",
                                        .requests = m->requests,
                                        .inputs = banks,
                                        .sources_per_input = 1,
                                        .outputs = from};
    if (c->kind == NETWORK_MESH) {
        m->mesh = ARENA_NEW(&m->site.sim->arena, struct on_mesh);
        on_mesh_init(m->mesh, m, clients, agents);
        return;
    }
    if (c->kind == NETWORK_FIXED) {
        fixed_init(&m->request_part.fixed, &request, &c->fixed);
        fixed_init(&m->reply_part.fixed, &reply, &c->fixed);
        m->request = fixed_network(&m->request_part.fixed);
        m->reply = fixed_network(&m->reply_part.fixed);
        return;
    }
    crossbar_init(&m->request_part.crossbar, &request, &c->request);
    crossbar_init(&m->reply_part.crossbar, &reply, &c->reply);
    m->request = crossbar_network(&m->request_part.crossbar);
    m->reply = crossbar_network(&m->reply_part.crossbar);
}

/* Within an instant the two networks share nothing, nor do banks, unless they are a pair in the two
 * halves, nor channels. Warp policies may look at channels. */
enum { STAGE_NETWORKS = 1, STAGE_BANKS, STAGE_CHANNELS = 1 };

static void share_out(struct memory_system *m)
{
    struct engine *e = &m->site.sim->engine;
    u32 together = m->config.l2->far_cycles ? 2 : 1;
    engine_tick_apart(e, m->dram_domain);
    if (!m->mesh) {
        engine_set_shard(e, m->request.unit, STAGE_NETWORKS, 0);
        engine_set_shard(e, m->reply.unit, STAGE_NETWORKS, 1);
    }
    for (u32 i = 0; i < m->bank_count; i++)
        engine_set_shard(e, m->banks[i].unit, STAGE_BANKS, i / together);
    for (u32 i = 0; i < m->channel_count; i++)
        engine_set_shard(e, m->channels[i].unit, STAGE_CHANNELS, i);
}

/* ---- other sockets ------------------------------------------------------------------------- */

static struct port *make_link_ports(struct memory_system *m, const char *name, u32 capacity)
{
    struct sim *sim = m->site.sim;
    struct port *ports = ARENA_ARRAY(&sim->arena, struct port, m->link.nodes);
    for (u32 i = 0; i < m->link.nodes; i++)
        port_init(&ports[i], &sim->engine,
                  arena_printf(&sim->arena, "%s.%s", site_name(&m->site, "link", i), name),
                  capacity);
    return ports;
}

void memory_system_join(struct memory_system *m, struct home *home, u32 nodes)
{
    u32 room = m->config.network->output_entries;
    m->home = home;
    m->link.nodes = nodes;
    m->link.request_out = make_link_ports(m, "request_out", room);
    m->link.reply_out = make_link_ports(m, "reply_out", room);
    m->link.request_in = make_link_ports(m, "request_in", LINK_PORT_ENTRIES);
    m->link.reply_in = make_link_ports(m, "reply_in", LINK_PORT_ENTRIES);
    if (home->ops->chunk_bytes) {
        m->map.sockets = home->sockets;
        m->map.socket_bytes = home->ops->chunk_bytes(home);
    }
}

/* A line on its way has room when it comes: of each MSHR's line each sector may be asked for by
 * itself. */
static u32 most_remote(const struct memory_config *c)
{
    return c->l2->mshrs * (c->line_bytes / SECTOR_BYTES);
}

void memory_system_keep_remote(struct memory_system *m, const struct memory_side *side)
{
    m->side = *side;
    m->link.miss_out = make_ports(m, "remote_miss", m->config.l2->miss_entries);
    m->link.miss_in = make_ports(m, "remote_return", most_remote(&m->config));
    m->link.bank_in = make_ports(m, "remote_in", m->config.network->output_entries);
}

static void keep_remote(struct memory_system *m, struct bank *b)
{
    struct partition *p = m->side.partition;
    network_attach_output(&m->request, m->bank_count + b->index, &m->link.bank_in[b->index],
                          b->unit);
    const struct bank_remote_parts parts = {.socket = (u8)m->site.socket,
                                            .in = &m->link.bank_in[b->index],
                                            .miss = &m->link.miss_out[b->index],
                                            .answer = &m->link.miss_in[b->index],
                                            .split = p ? &p->l2 : m->side.fixed,
                                            .orders = m->side.coherence->orders};
    bank_keep_remote(b, &m->site.sim->arena, &parts);
}

void memory_system_attach_link(struct memory_system *m, unit_id link)
{
    for (u32 i = 0; m->side.coherence && i < m->bank_count; i++) {
        port_connect(&m->link.miss_out[i], m->banks[i].unit, link);
        port_connect(&m->link.miss_in[i], link, m->banks[i].unit);
    }
    for (u32 i = 0; i < m->link.nodes; i++) {
        if (!m->side.coherence)
            network_attach_output(&m->request, m->bank_count + i, &m->link.request_out[i], link);
        network_attach_output(&m->reply, m->agents + i, &m->link.reply_out[i], link);
        network_attach_source(&m->request, m->agents + i, 0, &m->link.request_in[i], link);
        network_attach_source(&m->reply, m->bank_count + i, 0, &m->link.reply_in[i], link);
    }
}

static void make_bank(struct memory_system *m, u32 i, const struct memory_policies *p)
{
    const struct memory_config *c = &m->config;
    struct bank *b = &m->banks[i];
    const struct bank_parts parts = {
        .site = &m->site,
        .domain = m->cache_domain,
        .name = arena_printf(&m->site.sim->arena, "%s.bank", c->cache_name),
        .config = c->l2,
        .index = i,
        .banks = m->bank_count,
        .line_bytes = c->line_bytes,
        .pipe_latency = cache_cycles(c, c->l2->pipe_cycles),
        .map = &m->map,
        .replacement = p->cache,
        .requests = m->requests,
        .in = &m->bank_in[i],
        .miss = &m->bank_miss[i],
        .answer = &m->bank_answer[i],
        .out = &m->bank_out[i]};
    bank_init(b, &parts);
    if (m->side.coherence)
        keep_remote(m, b);
    if (m->versions)
        bank_check(b, &m->site.sim->arena, m->versions);
    if (c->l2->far_cycles && i & 1)
        bank_pair(b - 1, b, &m->site.sim->arena, cache_cycles(c, c->l2->far_cycles));
    network_attach_output(&m->request, i, &m->bank_in[i], b->unit);
    network_attach_source(&m->reply, i, 0, &m->bank_out[i], b->unit);
}

static void make_channel(struct memory_system *m, u32 i, const struct memory_policies *p)
{
    u32 banks = m->config.l2->banks_per_channel, first = i * banks;
    struct dram_channel *channel = &m->channels[i];
    struct port *in = m->mesh ? m->mesh->channel_in : m->bank_miss;
    struct port *out = m->mesh ? m->mesh->channel_out : m->bank_answer;
    dram_channel_init(channel, &(struct dram_channel_parts){
                                   .site = &m->site,
                                   .domain = m->dram_domain,
                                   .timing = &m->dram,
                                   .index = i,
                                   .pipe_clocks = dram_pipe_clocks(&m->dram, m->config.core_hz),
                                   .map = &m->map,
                                   .requests = m->requests,
                                   .in = &in[first],
                                   .out = &out[first],
                                   .port_count = banks,
                                   .scheduler = p->dram});
    for (u32 k = first; m->mesh && k < first + banks; k++)
        on_mesh_connect(m->mesh, m, k, channel->unit);
    for (u32 k = first; !m->mesh && k < first + banks; k++) {
        port_connect(&m->bank_miss[k], m->banks[k].unit, channel->unit);
        port_connect(&m->bank_answer[k], channel->unit, m->banks[k].unit);
    }
}

/* What the driver left in L2, at addresses that no program has; dirty lines evenly among others.
 * More than L2 holds is not there. */
static void place_context(struct memory_system *m)
{
    const struct l2_config *c = m->config.l2;
    u64 line = m->config.line_bytes, count = min_u64(c->context_bytes, c->size_bytes) / line;
    u64 dirty = min_u64(c->context_dirty_bytes / line, count);
    for (u64 i = 0; i < count; i++) {
        u64 at = CONTEXT_ADDRESS + i * line;
        bank_place_context(&m->banks[address_place(&m->map, at).bank], at,
                           (i + 1) * dirty / count != i * dirty / count);
    }
}

static void build(struct memory_system *m, const struct memory_client *clients, u32 count,
                  const struct memory_policies *p)
{
    const struct memory_config *c = &m->config;
    struct arena *a = &m->site.sim->arena;
    m->bank_in = make_ports(m, "in", c->network->output_entries);
    m->bank_out = make_ports(m, "response", c->l2->response_entries);
    m->bank_miss = make_ports(m, "miss", c->l2->miss_entries);
    m->bank_answer = make_ports(m, "return", c->l2->return_entries);
    m->banks = ARENA_ARRAY(a, struct bank, m->bank_count);
    m->channels = ARENA_ARRAY(a, struct dram_channel, m->channel_count);
    m->agents = count;
    m->cores = ARENA_ARRAY(a, struct llc_agent, count);
    make_networks(m, clients, count);
    for (u32 i = 0; i < count; i++) {
        const struct memory_client *client = &clients[i];
        m->cores[i] = (struct llc_agent){client->agent.kind, client->clock_hz, client->retired};
        for (u32 k = 0; k < MEMORY_CLIENT_PORTS; k++) {
            if (client->out[k])
                network_attach_source(&m->request, i, k, client->out[k], client->unit);
        }
        network_attach_output(&m->reply, client->agent.node, client->in, client->unit);
    }
    for (u32 i = 0; i < m->bank_count; i++)
        make_bank(m, i, p);
    for (u32 i = 0; i < m->channel_count; i++)
        make_channel(m, i, p);
    share_out(m);
    place_context(m);
}

void memory_system_connect(struct memory_system *m, const struct memory_client *clients, u32 count,
                           domain_id agents_domain, const struct memory_policies *p)
{
    if (m->config.ideal->model == MEMORY_REAL)
        build(m, clients, count, p);
    else if (m->config.ideal->model == MEMORY_INFINITE)
        ideal_init(&m->ideal, &(struct ideal_parts){.site = &m->site,
                                                    .domain = agents_domain,
                                                    .config = &m->config,
                                                    .banks = m->bank_count,
                                                    .map = &m->map,
                                                    .requests = m->requests,
                                                    .clients = clients,
                                                    .client_count = count,
                                                    .replacement = p->cache});
}

void memory_system_track_sharers(struct memory_system *m, u32 lines, u32 cycles)
{
    for (u32 i = 0; m->banks && i < m->bank_count; i++)
        bank_track_sharers(&m->banks[i], &m->site.sim->arena, lines,
                           cache_cycles(&m->config, cycles));
}

bool memory_system_divide(struct memory_system *m, struct policy_choice llc, struct err *err)
{
    if (!m->banks || !llc.ops || !((const struct llc_policy_ops *)llc.ops)->decide)
        return true;
    m->llc = ARENA_NEW(&m->site.sim->arena, struct llc);
    for (u32 i = 0; i < m->bank_count; i++) /* what divides the cache watches all banks */
        engine_set_shard(&m->site.sim->engine, m->banks[i].unit, 0, 0);
    const struct llc_parts parts = {.banks = m->banks,
                                    .bank_count = m->bank_count,
                                    .bytes = m->config.l2->size_bytes,
                                    .clock_hz = m->config.l2->clock_hz,
                                    .agents = m->cores,
                                    .agent_count = m->agents};
    return llc_init(m->llc, &m->site, m->cache_domain, &parts, llc, err);
}

bool memory_system_manage_mesh(struct memory_system *m, struct policy_choice noc, struct err *err)
{
    return !m->mesh || !noc.ops || mesh_network_manage(&m->mesh->network, noc, err);
}

void memory_system_let_bypass(struct memory_system *m)
{
    bool done = m->banks && m->banks[0].bypass;
    for (u32 i = 0; m->banks && !done && i < m->bank_count; i++)
        bank_let_bypass(&m->banks[i], &m->site.sim->arena);
}

/* ---- statistics ---------------------------------------------------------------------------- */

void memory_system_add_statistics(struct memory_system *m)
{
    struct stats *s = &m->site.sim->stats;
    for (u32 i = 0; m->banks && i < m->bank_count; i++) {
        stat_node bank =
            stats_add(s, m->site.node, m->config.cache_name, i, bank_stats, &m->banks[i].counts);
        const struct replacement *r = &m->banks[i].cache.tags.replacement;
        policy_add_statistics((const struct policy_ops *)r->ops, r->state, s, bank, "replacement");
        if (m->banks[i].ways)
            stats_add(s, bank, "ways", STAT_NO_INDEX, bank_ways_stats, &m->banks[i].ways->counts);
        if (m->banks[i].coalescer)
            stats_add(s, bank, "coalescer", STAT_NO_INDEX, coalescer_stats,
                      coalescer_counts(m->banks[i].coalescer));
        if (m->banks[i].bypass)
            stats_add(s, bank, "bypass", STAT_NO_INDEX, bank_bypass_stats, m->banks[i].bypass);
        if (m->banks[i].remote)
            stats_add(s, bank, "remote", STAT_NO_INDEX, bank_remote_stats,
                      &m->banks[i].remote->counts);
    }
    if (m->llc)
        llc_add_statistics(m->llc, s, m->site.node);
    if (m->mesh)
        mesh_network_add_statistics(&m->mesh->network, s);
    for (u32 i = 0; m->channels && i < m->channel_count; i++) {
        const struct dram_queue *q = &m->channels[i].queue;
        stat_node channel =
            stats_add(s, m->site.node, "dram", i, dram_stats, &m->channels[i].counts);
        policy_add_statistics((const struct policy_ops *)q->scheduler, q->scheduler_state, s,
                              channel, "scheduler");
    }
}

void memory_system_settle(struct memory_system *m)
{
    cycle_t now = engine_cycle(&m->site.sim->engine, m->cache_domain);
    for (u32 i = 0; m->banks && i < m->bank_count; i++)
        bank_settle(&m->banks[i], now);
    if (m->mesh)
        mesh_network_settle(&m->mesh->network, now);
    for (u32 i = 0; m->channels && i < m->channel_count; i++)
        dram_channel_finish(&m->channels[i]);
}

double memory_off_seconds(const struct memory_config *c, u32 banks, u64 gated_way_cycles)
{
    return (double)gated_way_cycles / ((double)banks * c->l2->ways * (double)c->l2->clock_hz);
}

void memory_system_totals(const struct memory_system *m, struct memory_totals *t)
{
    *t = (struct memory_totals){.l2_accesses = m->banks ? 0 : m->ideal.accesses};
    u64 off = 0, probes = 0;
    for (u32 i = 0; m->banks && i < m->bank_count; i++) {
        const struct bank *b = &m->banks[i];
        const struct bank_bypass *past = b->bypass;
        t->l2_accesses += b->counts.accesses;
        t->bypassed_bytes += past ? past->bytes : 0;
        probes +=
            past ? past->loads + past->merges + past->stores + past->writebacks + past->found : 0;
        off += b->ways ? b->ways->counts.gated_way_cycles : 0;
    }
    t->probes = probes;
    t->l2_off_seconds = memory_off_seconds(&m->config, m->bank_count, off);
    for (u32 i = 0; m->channels && i < m->channel_count; i++) {
        const struct dram_counts *c = &m->channels[i].counts;
        t->dram_read_bytes += c->bytes_read;
        t->dram_written_bytes += c->bytes_written;
        t->dram_bus_bytes += c->bus_bytes;
        t->dram_activates += c->activates;
        t->dram_refreshes += c->refreshes;
    }
    if (!m->banks)
        return;
    t->request_flits = m->request.counts->flits;
    t->request_bytes = m->request.counts->bytes;
    t->reply_flits = m->reply.counts->flits;
    t->reply_bytes = m->reply.counts->bytes;
}

void memory_system_empty(struct memory_system *m)
{
    for (u32 i = 0; m->banks && i < m->bank_count; i++)
        bank_empty(&m->banks[i]);
}

static void place_lines(struct memory_system *m, u64 to, u64 bytes,
                        void (*place)(struct bank *b, u64 line))
{
    u64 line = m->config.line_bytes, end = to + bytes;
    for (u64 at = to & ~(line - 1); m->banks && at < end; at += line)
        place(&m->banks[address_place(&m->map, at).bank], at);
}

void memory_system_copied(struct memory_system *m, u64 to, u64 bytes)
{
    if (m->config.l2->keeps_copies)
        place_lines(m, to, bytes, bank_place_copied);
}

void memory_system_loaded(struct memory_system *m, u64 at, u64 bytes)
{
    if (m->config.l2->keeps_code)
        place_lines(m, at, bytes, bank_place_code);
}
