/*
 * Synthetic traffic on a mesh, and what it measures: latency against load.
 *
 * Open patterns: every node makes a packet with the same probability in every cycle, and its queue
 * has no limit, so that the load offered does not depend on the network. Packets made within a
 * window of time after a warm-up are followed until the last of them has come (or until it is too
 * late: then the network is saturated).
 *
 *   uniform    to any node, the sender included
 *   transpose  from (x, y) to (y, x)
 *   hot-spot   so many per cent to one node, the rest uniform
 *   memory     cores of two kinds, as a placement draws them, ask banks of a cache with short
 *              packets, which answer with long ones; a core waits for a few answers at the most
 *
 * One unit: the mesh and its nodes.
 */
#ifndef NET_MESH_TRAFFIC_H
#define NET_MESH_TRAFFIC_H

#include "net/mesh/noc.h"
#include "net/mesh/placement.h"
#include "sim/site.h"

struct traffic_config {
    double load;
    u32 short_flits, long_flits, long_percent;
    u32 hotspot_node, hotspot_percent;
    u64 warmup_cycles, window_cycles, drain_cycles;
    const char *placement;
    double cpu_load, gpu_load;
    u32 cpu_waits, gpu_waits, bank_cycles;
};

extern const struct param traffic_params[];

enum traffic_pattern { TRAFFIC_UNIFORM, TRAFFIC_TRANSPOSE, TRAFFIC_HOTSPOT, TRAFFIC_MEMORY };

struct traffic_node {
    u64 random;    /* position in its stream */
    cycle_t next;  /* its next packet is made */
    u64 threshold; /* probability of one per cycle, of 2^64 */
    u8 type;
    u32 waits, most_waits; /* memory: answers it waits for */
    u32 agent;             /* the same; UINT32_MAX: it is no core */
    u64 answers;           /* that it got: what a core does is measured by them */
};

struct traffic_counts {
    u64 made, followed, came;
    u64 latency_cycles, network_cycles, routers;
    u64 flits_in_window, window_cycles, nodes;
    u64 is_saturated;
};

struct traffic {
    unit_id unit;
    const struct traffic_config *config;
    struct sim *sim;
    struct mesh mesh;
    struct noc noc;
    struct noc_agent *agents; /* memory: its cores */
    u32 agent_count;
    u32 pattern;
    struct traffic_node *nodes;
    u16 *senders; /* nodes that make packets */
    u32 sender_count;
    struct bitset due; /* nodes whose next packet has been made and waits for the one before */
    cycle_t earliest;  /* of the packets that have not been made */
    struct placement placement;
    u32 *answers, pending; /* memory: packets that banks work on, by cycle, and how many */
    bool is_done;
    struct traffic_counts counts;
};

bool traffic_init(struct traffic *t, const struct build_site *site, domain_id domain,
                  const struct mesh_config *mesh, const struct traffic_config *c, u32 pattern,
                  struct policy_choice noc, struct err *err);
void traffic_settle(struct traffic *t);
/* Cycles from the making of a packet to the arrival of its last flit, without others. */
u32 traffic_zero_load_cycles(const struct mesh_config *c, u32 routers, u32 flits);
/* Flits per node and cycle that came in the window. */
double traffic_accepted(const struct traffic *t);

#endif
