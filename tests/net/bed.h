/*
 * A network, a crossbar unless the setup says otherwise, between producers and consumers of
 * requests.
 *
 * What a producer sends is a function of its number and the packet's; when
 * either side pauses is a function of its own cycle: so a run depends on nothing
 * but the bed's description.
 */
#ifndef NET_BED_H
#define NET_BED_H

#include "base/rng.h"
#include "mem/request.h"
#include "net/crossbar.h"
#include "net/fixed.h"
#include "net/link.h"
#include "net/mesh/mesh_network.h"

#define BED_POOL 65536
#define BED_MOST_LOG 65536

struct bed;
struct bed_producer;

/* Fills in where a producer's n-th packet goes and what it is. */
typedef void bed_packet(const struct bed_producer *p, u32 n, struct request *r);

struct bed_setup {
    struct crossbar_config config;
    struct fixed_config fixed; /* cycles other than 0: instead of the crossbar */
    struct link_config
        link; /* lanes other than 0: the same; an output is a socket and one of two classes */
    struct mesh_config mesh; /* width other than 0: the same; input i is at node i, output o at
                                the last node but o */
    u32 messages;            /* enum mesh_messages, of a mesh */
    u32 inputs, sources, outputs;
    u32 source_room, output_room; /* of ports; 0: 4 */
    u32 packets;                  /* per source; UINT32_MAX: without end */
    u32 silent;                   /* bit per input: its sources send nothing */
    bed_packet *packet;
    u32 percent_sent, percent_taken;      /* of cycles; 0: 100 */
    cycle_t taken_from;                   /* consumers take nothing before */
    u64 source_hz, network_hz, output_hz; /* 0: 1 GHz */
    cycle_t limit, watchdog;
    u64 seed;
    bool no_skip, reversed; /* reversed: clocks and units are added in the opposite order */
};

struct bed_producer {
    struct bed *bed;
    u32 input, source, sent;
    struct port *port;
};

struct bed_consumer {
    struct bed *bed;
    u32 output;
    struct port *port;
};

struct bed_arrival {
    cycle_t cycle; /* of the consumer, when it took the packet */
    u32 output, input, source, number;
};

struct bed {
    struct bed_setup setup;
    struct sim sim;
    struct pool pool;
    struct crossbar x;
    struct fixed_network fixed;
    struct link link;
    struct mesh_network mesh;
    u16 input_nodes[64], output_nodes[64];
    struct noc_agent agents[64];
    struct network net;
    struct bed_producer *producers;
    struct bed_consumer *consumers;
    unit_id *producer_units, *consumer_units;
    struct port *source_ports, *output_ports;
    struct bed_arrival *log;
    u32 arrived;
};

/* A line of 128 bytes that comes back: 136 bytes with its header. */
static inline void bed_make_reply(struct request *r)
{
    r->kind = REQUEST_LOAD;
    r->flags = REQUEST_REPLY;
}

static inline bool bed_goes_on(const struct bed *b, u32 percent, u64 who, cycle_t now)
{
    return percent == 0 || rng_at(b->setup.seed ^ who << 40, now) % 100 < percent;
}

static inline cycle_t bed_produce(void *self, cycle_t now)
{
    struct bed_producer *p = self;
    struct bed *b = p->bed;
    u32 me = p->input * b->setup.sources + p->source;
    if (b->setup.silent >> p->input & 1)
        return CYCLE_NEVER;
    if (p->sent < b->setup.packets && port_can_push(p->port) &&
        bed_goes_on(b, b->setup.percent_sent, me + 1, now)) {
        handle_t h = pool_alloc(&b->pool);
        struct request *r = pool_get(&b->pool, h);
        *r = (struct request){.sectors = 0xf,
                              .agent = (u16)p->input,
                              .source_port = (u8)p->source,
                              .ticket = p->sent};
        b->setup.packet(p, p->sent, r);
        port_push(p->port, h);
        p->sent++;
    }
    return p->sent < b->setup.packets ? now + 1 : CYCLE_NEVER;
}

static inline void bed_note(struct bed *b, u32 output, const struct request *r, cycle_t now)
{
    u64 all = (u64)b->setup.packets * b->setup.inputs * b->setup.sources;
    if (b->arrived < BED_MOST_LOG)
        b->log[b->arrived] =
            (struct bed_arrival){now, output, r->agent, r->source_port, (u32)r->ticket};
    if (++b->arrived == all)
        engine_stop(&b->sim.engine);
}

static inline cycle_t bed_consume(void *self, cycle_t now)
{
    struct bed_consumer *c = self;
    struct bed *b = c->bed;
    if (port_ready(c->port) > 0 && now >= b->setup.taken_from &&
        bed_goes_on(b, b->setup.percent_taken, 1000 + c->output, now)) {
        handle_t h = port_pop(c->port);
        bed_note(b, c->output, pool_get(&b->pool, h), now);
        pool_free(&b->pool, h);
    }
    return port_count(c->port) > 0 ? now + 1 : CYCLE_NEVER;
}

static inline void bed_add_producers(struct bed *b, domain_id domain)
{
    u32 count = b->setup.inputs * b->setup.sources;
    for (u32 i = 0; i < count; i++) {
        u32 k = b->setup.reversed ? count - 1 - i : i;
        struct bed_producer *p = &b->producers[k];
        *p = (struct bed_producer){b, k / b->setup.sources, k % b->setup.sources, 0,
                                   &b->source_ports[k]};
        b->producer_units[k] = engine_add_unit(&b->sim.engine, domain, "producer", bed_produce, p);
    }
}

static inline void bed_add_consumers(struct bed *b, domain_id domain)
{
    for (u32 i = 0; i < b->setup.outputs; i++) {
        u32 k = b->setup.reversed ? b->setup.outputs - 1 - i : i;
        b->consumers[k] = (struct bed_consumer){b, k, &b->output_ports[k]};
        b->consumer_units[k] =
            engine_add_unit(&b->sim.engine, domain, "consumer", bed_consume, &b->consumers[k]);
    }
}

static inline u32 bed_destination(void *context, const struct request *r)
{
    (void)context;
    return r->to / 2;
}

static inline struct port *bed_arrives(void *context, u32 socket, struct request *r)
{
    (void)context;
    assert_int_equal(socket, r->to / 2);
    return NULL;
}

static inline void bed_add_network(struct bed *b, domain_id domain)
{
    struct build_site site = site_of(&b->sim);
    struct network_parts parts = {.site = &site,
                                  .domain = domain,
                                  .name = "net",
                                  .requests = &b->pool,
                                  .inputs = b->setup.inputs,
                                  .sources_per_input = b->setup.sources,
                                  .outputs = b->setup.outputs};
    if (b->setup.link.lanes) {
        static const struct link_route route = {NULL, bed_destination, bed_arrives};
        parts.sources_per_input = 2;
        parts.outputs = 2 * b->setup.inputs;
        link_init(&b->link, &parts, &b->setup.link, &route);
        b->net = link_network(&b->link);
        return;
    }
    if (b->setup.mesh.width) {
        u32 nodes = b->setup.mesh.width * b->setup.mesh.height;
        for (u32 i = 0; i < 64; i++) {
            b->input_nodes[i] = (u16)(i % nodes);
            b->output_nodes[i] = (u16)(nodes - 1 - i % nodes);
            b->agents[i].type = i % 2 ? NOC_GPU : NOC_CPU;
        }
        mesh_network_init(&b->mesh, &(struct mesh_network_parts){.site = &site,
                                                                 .domain = domain,
                                                                 .config = &b->setup.mesh,
                                                                 .requests = &b->pool,
                                                                 .packets = 4096,
                                                                 .outputs = b->setup.outputs,
                                                                 .agents = b->agents,
                                                                 .agent_count = 64,
                                                                 .most_requests = 4000});
        b->net =
            mesh_network_view(&b->mesh, &site, "net", (enum mesh_messages)b->setup.messages,
                              b->setup.inputs, b->input_nodes, b->setup.outputs, b->output_nodes);
        return;
    }
    if (b->setup.fixed.cycles) {
        fixed_init(&b->fixed, &parts, &b->setup.fixed);
        b->net = fixed_network(&b->fixed);
        return;
    }
    crossbar_init(&b->x, &parts, &b->setup.config);
    b->net = crossbar_network(&b->x);
}

static inline void bed_add_ports(struct bed *b)
{
    u32 source_room = b->setup.source_room ? b->setup.source_room : 4;
    u32 output_room = b->setup.output_room ? b->setup.output_room : 4;
    for (u32 k = 0; k < b->setup.inputs * b->setup.sources; k++) {
        port_init(&b->source_ports[k], &b->sim.engine, "source", source_room);
        network_attach_source(&b->net, k / b->setup.sources, k % b->setup.sources,
                              &b->source_ports[k], b->producer_units[k]);
    }
    for (u32 k = 0; k < b->setup.outputs; k++) {
        port_init(&b->output_ports[k], &b->sim.engine, arena_printf(&b->sim.arena, "sink%u", k),
                  output_room);
        network_attach_output(&b->net, k, &b->output_ports[k], b->consumer_units[k]);
    }
}

static inline struct bed *bed_create(const struct bed_setup *setup)
{
    struct bed *b = calloc(1, sizeof *b);
    struct arena *arena = &b->sim.arena;
    b->setup = *setup;
    u32 sources = setup->inputs * setup->sources;
    engine_init(&b->sim.engine, arena,
                &(struct engine_options){.no_skip = setup->no_skip,
                                         .max_cycles = setup->limit,
                                         .watchdog_cycles = setup->watchdog});
    stats_init(&b->sim.stats, arena);
    pool_init(&b->pool, arena, BED_POOL, sizeof(struct request));
    b->producers = ARENA_ARRAY(arena, struct bed_producer, sources);
    b->consumers = ARENA_ARRAY(arena, struct bed_consumer, setup->outputs);
    b->producer_units = ARENA_ARRAY(arena, unit_id, sources);
    b->consumer_units = ARENA_ARRAY(arena, unit_id, setup->outputs);
    b->source_ports = ARENA_ARRAY(arena, struct port, sources);
    b->output_ports = ARENA_ARRAY(arena, struct port, setup->outputs);
    b->log = ARENA_ARRAY(arena, struct bed_arrival, BED_MOST_LOG);
    u64 ghz = 1000000000;
    struct engine *e = &b->sim.engine;
    const u64 hz[] = {setup->source_hz, setup->network_hz, setup->output_hz};
    static void (*const add[])(struct bed *, domain_id) = {bed_add_producers, bed_add_network,
                                                           bed_add_consumers};
    for (u32 i = 0; i < ARRAY_LEN(add); i++) {
        u32 k = setup->reversed ? (u32)ARRAY_LEN(add) - 1 - i : i;
        add[k](b, engine_add_domain(e, "clock", hz[k] ? hz[k] : ghz));
    }
    bed_add_ports(b);
    engine_start(e);
    return b;
}

static inline void bed_destroy(struct bed *b)
{
    arena_fini(&b->sim.arena);
    free(b);
}

#endif
