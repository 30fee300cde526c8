/*
 * A network in one direction: requests from its inputs to its outputs.
 *
 * What it carries are handles of struct request: request.to names the output, the size in bytes
 * follows from its kind. Its builder attaches ports to it and never learns which network it is: a
 * crossbar, or a line of fixed latency. Ports hold packets back on both sides.
 */
#ifndef NET_NETWORK_H
#define NET_NETWORK_H

#include "base/pool.h"
#include "config/param.h"
#include "sim/port.h"
#include "sim/site.h"

/* What every network counts, of itself and of each output. */
struct network_counts {
    u64 entered, packets, flits, bytes;
    u64 busy_cycles;
    u64 wait_output_cycles, wait_port_cycles;
    u64 latency_cycles;
    u64 outputs, span_cycles;
};

struct output_counts {
    u64 packets, flits, busy_cycles;
};

extern const struct stat_def network_stats[], network_output_stats[];

struct network_ops {
    const char *name;
    void (*source)(void *self, u32 input, u32 source, struct port *port);
    void (*output)(void *self, u32 output, struct port *port);
};

struct network {
    const struct network_ops *ops;
    void *self;
    unit_id unit;
    const struct network_counts *counts;
};

/* Where a network is and what it joins, whichever it is; its statistics go to a node `name`. */
struct network_parts {
    const struct build_site *site;
    domain_id domain;
    const char *name; /* of its unit; borrowed */
    struct pool *requests;
    u32 inputs, sources_per_input, outputs;
};

/* A port that `producer` pushes into, the source-th of an input. */
static inline void network_attach_source(struct network *n, u32 input, u32 source,
                                         struct port *port, unit_id producer)
{
    n->ops->source(n->self, input, source, port);
    port_connect(port, producer, n->unit);
}

/* A port that `consumer` pops from. */
static inline void network_attach_output(struct network *n, u32 output, struct port *port,
                                         unit_id consumer)
{
    n->ops->output(n->self, output, port);
    port_connect(port, n->unit, consumer);
}

#endif
