/*
 * A mesh as networks: its builder sees a network in one direction (net/network.h) for each
 * kind of message, and they all share the routers.
 *
 * A view has inputs and outputs like any network, and knows at which node each of them is; a node
 * may have any number of them. Requests and replies differ where the routing says so (xy_yx).
 * Packets wait without limit where they leave (unless mesh_config.sink_packets says otherwise), so
 * that no kind of message can block another.
 */
#ifndef NET_MESH_MESH_NETWORK_H
#define NET_MESH_MESH_NETWORK_H

#include "net/mesh/mesh.h"
#include "net/mesh/latency_breakdown.h"
#include "mem/application.h"
#include "net/network.h"
#include "net/mesh/noc.h"

struct mesh_network;

/* What a view carries: of agents to banks and back, of banks to memory controllers and back. What
 * comes in by an input of the last two leaves by the output of the same number. */
enum mesh_messages { MESH_REQUESTS, MESH_REPLIES, MESH_MISSES, MESH_ANSWERS };

struct mesh_view {
    struct mesh_network *network;
    enum mesh_messages messages;
    u32 first_sink;
    u32 input_count, output_count;
    const u16 *input_nodes, *output_nodes;
    struct network_counts counts;
    struct output_counts *output_counts;
    struct mesh_view *next;
};

struct mesh_source {
    struct port *port;
    struct mesh_view *view;
    u32 input;
    struct mesh_source *next; /* of the same node, in a circle */
};

/* Where packets leave for one port. */
struct mesh_sink {
    struct port *port;
    struct mesh_view *view;
    struct mesh_list waiting;
    u16 node;
};

/* Packets of one flit between nodes, requested from outside the mesh (mesh_post) by power agents
 * and their central node. A packet posted at one instant enters later, and the sender learns of
 * arrivals at its node later. These packets do not count as progress: a hang is still reported. */
struct mesh_mail {
    unit_id unit; /* that posts */
    u32 *slots;   /* from << 16 | to: not in the mesh yet */
    u32 room, posted;
    u64 posted_fs;
    u32 came, came_before; /* the latter: before came_fs */
    u64 came_fs;
};

struct mesh_network {
    unit_id unit;
    unit_id alarm; /* of a policy that decides from time to time */
    const struct mesh_config *config;
    struct sim *sim;
    struct pool *requests;
    struct mesh mesh;
    struct mesh_view *views;
    struct mesh_source **sources; /* by node: whose turn it is */
    struct bitset rung;           /* nodes that something was pushed for since they were empty */
    struct mesh_sink *sinks;
    u32 sink_count, sink_room;
    struct bitset full; /* sinks with packets that wait */
    struct noc_agent *agents;
    u32 agent_count;
    u32 inside, most_requests;     /* packets; how many may be there before requests wait */
    u8 type_of[MOST_APPLICATIONS]; /* of its agents, as its requests have shown */
    struct journey *journeys;      /* by request */
    struct latency_breakdown splits[NOC_TYPES];
    struct noc noc; /* its policy; without one packets are served by age */
    bool is_managed;
    struct mesh_mail *mail; /* NULL: no mail is posted */
    stat_node node;
};

struct mesh_network_parts {
    const struct build_site *site;
    domain_id domain;
    const struct mesh_config *config;
    struct pool *requests;
    u32 packets; /* that can be inside at once */
    u32 outputs; /* of all views */
    struct noc_agent *agents;
    u32 agent_count, most_requests;
};

void mesh_network_init(struct mesh_network *n, const struct mesh_network_parts *parts);
/* It has a policy; false: not as configured. */
bool mesh_network_manage(struct mesh_network *n, struct policy_choice choice, struct err *err);
void mesh_network_add_statistics(struct mesh_network *n, struct stats *s);
/* Nodes of inputs and outputs are borrowed; statistics go to a node `name`. */
struct network mesh_network_view(struct mesh_network *n, const struct build_site *site,
                                 const char *name, enum mesh_messages messages, u32 inputs,
                                 const u16 *input_nodes, u32 outputs, const u16 *output_nodes);
/* A line came to its bank, and a request there that has waited for it goes on (l2/bank.h). */
void mesh_network_line_came(void *self, handle_t line, handle_t request);
void mesh_network_settle(struct mesh_network *n, cycle_t now);

/* The unit posts packets: at most so many that have not come to their nodes. */
void mesh_network_let_post(struct mesh_network *n, unit_id unit, u32 most);
void mesh_post(struct mesh_network *n, u32 from, u32 to);
/* How many have come since the last call. */
u32 mesh_take_mail(struct mesh_network *n);

#endif
