/*
 * A memory system on a mesh: agents, banks and memory controllers at the nodes where a placement
 * draws them. Requests, replies, and what goes between banks and controllers share the routers.
 */
#ifndef MEMSYS_ON_MESH_H
#define MEMSYS_ON_MESH_H

#include "mem/agent.h"
#include "memsys/config.h"
#include "net/mesh/mesh_network.h"
#include "net/mesh/placement.h"

struct memory_system;
struct memory_client;

/* Requests of agents that may be in the mesh at once; beyond it they wait in their ports. */
#define MESH_MOST_REQUESTS 8192u

struct on_mesh {
    struct placement placement;
    u16 *agent_nodes, *bank_nodes,
        *memory_nodes; /* memory_nodes: by bank, of its channel's controller */
    struct mesh_network network;
    struct network miss, answer;           /* between banks and channels */
    struct port *channel_in, *channel_out; /* by bank */
    struct noc_agent *agents;
};

/* Builds the mesh and its four networks; the ports of banks exist. */
void on_mesh_init(struct on_mesh *o, struct memory_system *m, const struct memory_client *clients,
                  u32 count);
/* The bank's way to its channel, both of which exist. */
void on_mesh_connect(struct on_mesh *o, struct memory_system *m, u32 bank, unit_id channel);

#endif
