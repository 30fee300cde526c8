#include "cpu/shared_icache.h"

#include "cpu/core.h"

/* clang-format off */
const struct stat_def icache_stats[] = {
    S_COUNT(icache_counts, requests, "requests", "line requests from cores"),
    S_COUNT(icache_counts, answers, "lines", "lines delivered to cores"),
    S_LEVEL(icache_counts, most_waiting, "requests", "most requests outstanding at once"),
    S_COUNT(icache_counts, contention_cycles, "cycles", "total cycles requests waited for a bus, there and back"),
    S_MEAN(icache_counts, contention, contention_cycles, answers, "cycles", "mean cycles a request waited for a bus"),
    S_LAW(answered, "answers <= requests", "every answer belongs to a request"),
    S_LAW(looked_up, "l1i.accesses <= requests", "every lookup belongs to a request"),
    S_END,
};
/* clang-format on */

#define REPLY_ENTRIES 2u /* lines before the data bus: it is never idle for want of one */

u64 shared_icache_most_requests(const struct core_config *c)
{
    return caches_most_requests(c) + (u64)c->count * c->fetch.line_buffers;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static u32 bus_of(const struct shared_icache *g, u64 line)
{
    return (u32)(line / g->caches.line_bytes % g->buses);
}

enum access_answer icache_ask(struct icache_client *k, struct caches *of, u64 address, u32 buffer,
                              cycle_t now)
{
    struct shared_icache *g = k->group;
    u64 line = caches_line(of, address);
    u32 bus = bus_of(g, line);
    struct port *out = &k->out[g->ports == 1 ? 0 : bus];
    if (!port_can_push(out))
        return ACCESS_BLOCKED;
    handle_t h = pool_alloc(g->requests);
    struct request *r = pool_get(g->requests, h);
    *r = (struct request){.line = line,
                          .sectors = g->caches.l1i.cache.all_sectors,
                          .kind = REQUEST_FETCH,
                          .to = (u16)bus,
                          .application = of->application,
                          .pc = (u32)address,
                          .ticket = (u64)k->number * g->config->fetch.line_buffers + buffer,
                          .issued = now};
    port_push(out, h);
    g->counts.requests++;
    g->counts.most_waiting =
        max_u64(g->counts.most_waiting, g->counts.requests - g->counts.answers);
    of->l1i.counts.accesses++;
    of->l1i.counts.merges++; /* until its answer says otherwise */
    return ACCESS_MISS;
}

/* ---- the cache ------------------------------------------------------------------------------- */

static struct line_trip *trip_of(struct shared_icache *g, const struct request *r)
{
    u32 buffers = g->config->fetch.line_buffers;
    return &g->clients[r->ticket / buffers].trips[r->ticket % buffers];
}

/* The line of a request is there; it can leave at `due`. */
static void answer(struct shared_icache *g, handle_t h, enum memory_level level, cycle_t due)
{
    struct request *r = pool_get(g->requests, h);
    u32 number = (u32)(r->ticket / g->config->fetch.line_buffers), bus = bus_of(g, r->line);
    struct line_trip *t = trip_of(g, r);
    t->ready = due;
    t->level = (u8)level;
    r->flags |= REQUEST_REPLY;
    r->to = (u16)(g->ports == 1 ? number : number * g->ports + bus);
    timed_push(&g->found[bus], h, due - 1); /* the bus takes it in the cycle after */
}

static void line_came(void *group, enum wait_kind kind, u32 what, enum memory_level level,
                      cycle_t now)
{
    struct shared_icache *g = group;
    (void)kind;
    answer(g, g->waiting[what], level, now + 1);
    g->waiting[what] = HANDLE_NONE;
}

/* One line of a bank. Lines that wait for the bus hold others back, so that cores take turns. */
static void look_up(struct shared_icache *g, u32 bus, cycle_t now)
{
    struct port *in = &g->lookups[bus];
    if (g->is_blocked || timed_count(&g->found[bus]) >= REPLY_ENTRIES || !port_ready(in))
        return;
    handle_t h = port_peek(in, 0);
    struct request *r = pool_get(g->requests, h);
    const struct cache_access a = {
        .address = r->line, .pc = r->pc, .kind = WAIT_FETCH, .what = (u32)r->ticket};
    g->caches.application = r->application;
    u64 merges = g->caches.l1i.counts.merges;
    enum access_answer found = caches_access(&g->caches, &a, now);
    g->is_blocked = found == ACCESS_BLOCKED;
    if (g->is_blocked)
        return;
    port_pop(in);
    struct line_trip *t = trip_of(g, r);
    *t = (struct line_trip){.asked = r->issued,
                            .looked_up = now,
                            .is_shared = true,
                            .is_merged = g->caches.l1i.counts.merges != merges};
    if (found == ACCESS_HIT)
        answer(g, h, LEVEL_L1, now + g->caches.l1i.config->hit_cycles);
    else
        g->waiting[r->ticket] = h;
}

static cycle_t send(struct shared_icache *g, u32 bus, cycle_t now)
{
    struct timed_queue *q = &g->found[bus];
    while (timed_next(q) <= now && port_can_push(&g->replies[bus]))
        port_push(&g->replies[bus], timed_pop(q));
    return timed_next(q) <= now ? CYCLE_NEVER : timed_next(q); /* woken when there is room */
}

static cycle_t icache_tick(void *self, cycle_t now)
{
    struct shared_icache *g = self;
    bool came;
    cycle_t next = caches_tick(&g->caches, now, &came);
    g->is_blocked &= !came;
    for (u32 b = 0; b < g->buses; b++) {
        look_up(g, b, now);
        next = min_u64(next, send(g, b, now));
        if (port_ready(&g->lookups[b]) && !g->is_blocked)
            next = min_u64(next, now + 1);
    }
    return min_u64(next, caches_next(&g->caches, now));
}

/* ---- lines that come ------------------------------------------------------------------------- */

static void take_line(struct icache_client *k, struct core *c, handle_t h, cycle_t now)
{
    struct shared_icache *g = k->group;
    const struct request *r = pool_get(g->requests, h);
    u32 buffer = (u32)(r->ticket % g->config->fetch.line_buffers);
    const struct line_trip *t = &k->trips[buffer];
    struct private_counts *n = &c->caches.l1i.counts;
    u32 back = sharing_line_cycles(&g->config->sharing, g->caches.line_bytes);
    g->counts.answers++;
    g->counts.contention_cycles +=
        line_trip_contention(t, now, g->config->sharing.bus_cycles + back);
    n->merges -= !t->is_merged;
    n->hits += t->level == LEVEL_L1;
    n->misses += t->level != LEVEL_L1 && !t->is_merged;
    fetch_line_came(&c->fetch, buffer, now);
    pool_free(g->requests, h);
}

bool icache_client_tick(struct icache_client *k, struct core *c, cycle_t now)
{
    for (u32 i = 0; i < k->group->ports; i++) {
        while (port_ready(&k->in[i]))
            take_line(k, c, port_pop(&k->in[i]), now);
    }
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Address and control have wires beside those of the data, so a request takes one cycle and a line
 * as many as it has pieces. */
static u32 flit_bytes(const struct sharing_config *s, u32 line_bytes)
{
    u32 pieces = sharing_line_cycles(s, line_bytes);
    return s->bus_bytes + (PACKET_HEADER_BYTES + pieces - 1) / pieces;
}

static void init_clients(struct shared_icache *g, struct sim *sim, const char *name,
                         const struct shared_icache_parts *p)
{
    struct arena *a = &sim->arena;
    struct network request = crossbar_network(&g->request), data = crossbar_network(&g->data);
    g->clients = ARENA_ARRAY(a, struct icache_client, g->cores);
    for (u32 i = 0; i < g->cores; i++) {
        struct icache_client *k = &g->clients[i];
        *k = (struct icache_client){.group = g, .number = i};
        k->trips = ARENA_ARRAY(a, struct line_trip, g->config->fetch.line_buffers);
        k->out = ARENA_ARRAY(a, struct port, g->ports);
        k->in = ARENA_ARRAY(a, struct port, g->ports);
        for (u32 b = 0; b < g->ports; b++) {
            u32 at = i * g->ports + b;
            port_init(&k->out[b], &sim->engine, arena_printf(a, "%s.ask%u", name, at), 2);
            port_init(&k->in[b], &sim->engine, arena_printf(a, "%s.line%u", name, at),
                      g->config->fetch.line_buffers + 2);
            network_attach_source(&request, at, 0, &k->out[b], p->units[i]);
            network_attach_output(&data, at, &k->in[b], p->units[i]);
        }
    }
}

static void init_banks(struct shared_icache *g, struct sim *sim, const char *name)
{
    struct arena *a = &sim->arena;
    struct network request = crossbar_network(&g->request), data = crossbar_network(&g->data);
    u32 lines = g->cores * g->config->fetch.line_buffers;
    g->lookups = ARENA_ARRAY(a, struct port, g->buses);
    g->replies = ARENA_ARRAY(a, struct port, g->buses);
    g->found = ARENA_ARRAY(a, struct timed_queue, g->buses);
    g->waiting = ARENA_ARRAY(a, handle_t, lines);
    for (u32 b = 0; b < g->buses; b++) {
        timed_init(&g->found[b], a, lines + 1);
        port_init(&g->lookups[b], &sim->engine, arena_printf(a, "%s.lookup%u", name, b),
                  g->config->sharing.bus_cycles + 2);
        port_init(&g->replies[b], &sim->engine, arena_printf(a, "%s.reply%u", name, b), 2);
        network_attach_output(&request, b, &g->lookups[b], g->unit);
        network_attach_source(&data, b, 0, &g->replies[b], g->unit);
    }
}

static void init_networks(struct shared_icache *g, const struct build_site *site, domain_id domain)
{
    const struct sharing_config *s = &g->config->sharing;
    u32 line = g->caches.line_bytes, ends = g->cores * g->ports;
    g->request_config = (struct crossbar_config){.flit_bytes = flit_bytes(s, line),
                                                 .input_buffer_flits = 1,
                                                 .hop_cycles = s->bus_cycles - 2,
                                                 .lookahead = 1,
                                                 .speedup = 1};
    g->data_config = g->request_config;
    g->data_config.input_buffer_flits = sharing_line_cycles(s, line);
    g->data_config.hop_cycles = 0;
    struct network_parts parts = {.site = site,
                                  .domain = domain,
                                  .name = "request_bus",
                                  .requests = g->requests,
                                  .inputs = ends,
                                  .sources_per_input = 1,
                                  .outputs = g->buses};
    crossbar_init(&g->request, &parts, &g->request_config);
    parts.name = "data_bus";
    parts.inputs = g->buses;
    parts.outputs = ends;
    crossbar_init(&g->data, &parts, &g->data_config);
}

static void init_cache(struct shared_icache *g, const struct build_site *site,
                       const struct shared_icache_parts *p)
{
    const struct caches_parts caches = {.config = p->config,
                                        .index = p->index,
                                        .agent = p->agent,
                                        .memory = p->memory,
                                        .policies = p->policies};
    caches_init(&g->caches, site, &caches);
    caches_count_compulsory(&g->caches, &site->sim->arena);
    g->caches.core = g;
    g->caches.arrived = line_came;
}

void shared_icache_init(struct shared_icache *g, const struct build_site *site,
                        const struct shared_icache_parts *p)
{
    struct sim *sim = site->sim;
    const char *name = site_name(site, "icache", p->number);
    struct build_site own = *site;
    const struct sharing_config *s = &p->config->sharing;
    *g = (struct shared_icache){.config = p->config,
                                .engine = &sim->engine,
                                .requests = p->memory->requests,
                                .cores = p->cores,
                                .buses = s->buses,
                                .ports = s->network == ICACHE_CROSSBAR ? 1 : s->buses};
    own.prefix = arena_printf(&sim->arena, "%s.", name);
    g->node = own.node =
        stats_add(&sim->stats, site->node, "icache", p->number, icache_stats, &g->counts);
    init_cache(g, &own, p);
    g->unit = engine_add_unit(&sim->engine, p->domain, name, icache_tick, g);
    g->caches.unit = g->unit;
    init_networks(g, &own, p->domain);
    init_clients(g, sim, name, p);
    init_banks(g, sim, name);
}
