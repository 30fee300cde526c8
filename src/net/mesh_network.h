/*
 * A mesh as networks: whoever builds one sees a network in one direction (net/network.h) for each
 * kind of message, and they all share the routers.
 *
 * A view has inputs and outputs like any network, and knows at which node each of them is; a node
 * may have any number of them. Requests and replies differ where the routing says so (xy_yx).
 * Packets wait without limit where they leave (unless mesh_config.sink_packets says otherwise), so
 * that no kind of message can block another.
 */
#ifndef NET_MESH_NETWORK_H
#define NET_MESH_NETWORK_H

#include "net/mesh.h"
#include "net/network.h"

struct mesh_network;

struct mesh_view {
    struct mesh_network *network;
    bool is_reply;
    bool is_memory; /* its messages are for a memory controller, or from one */
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
    struct mesh_source *next; /* of the same node */
};

/* Where packets leave for one port. */
struct mesh_sink {
    struct port *port;
    struct mesh_view *view;
    struct mesh_list waiting;
    u16 node;
};

struct mesh_network {
    unit_id unit;
    const struct mesh_config *config;
    struct sim *sim;
    struct pool *requests;
    struct mesh mesh;
    struct mesh_view *views;
    struct mesh_source **sources; /* by node */
    struct bitset rung;           /* nodes that something was pushed for since they were empty */
    struct mesh_sink *sinks;
    u32 sink_count, sink_room;
    struct bitset full; /* sinks with packets that wait */
    struct noc_agent *agents;
    u32 agent_count;
};

/* `packets`: that can be inside at once; `outputs`: of all views. */
void mesh_network_init(struct mesh_network *n, const struct build_site *site, domain_id domain,
                       const struct mesh_config *c, struct pool *requests, u32 packets, u32 outputs,
                       struct noc_agent *agents, u32 agent_count);
/* Nodes of inputs and outputs are borrowed; statistics go to a node `name`. */
struct network mesh_network_view(struct mesh_network *n, const struct build_site *site,
                                 const char *name, bool is_reply, bool is_memory, u32 inputs,
                                 const u16 *input_nodes, u32 outputs, const u16 *output_nodes);
void mesh_network_settle(struct mesh_network *n, cycle_t now);

#endif
