/*
 * The routers of a mesh: virtual channels with flits and credits.
 *
 * width x height routers, node = x + width * y, each with a local port and one to each neighbour.
 * A router has `vcs` virtual channels of `vc_flits` at each input (and one more, the escape
 * channel, with a routing other than xy). The head of a packet goes through these stages, one cycle
 * each (hop_cycles 5); those that follow in its packet through the last three:
 *
 *   route, VC allocation, switch allocation, crossbar, link
 *
 * With 4 the route was computed by the router before; with 3 VC and switch are allocated in the
 * same cycle. A flit can start its first stage in the cycle in which it comes. What else has a
 * time:
 *
 *   - A packet behind another in the same virtual channel starts in the cycle after the last flit
 *     in front won the switch. The virtual channel ahead is given back in that same cycle, to be
 *     granted from the next one on: packets lie behind each other in a buffer.
 *   - A credit goes back when a flit wins the switch, and can be used two cycles later.
 *   - A node sends one flit a cycle (injection_flits) into its router's local port, which has it
 *     two cycles later, packet after packet. Packets leave a router by the local port's virtual
 * channels, one flit a cycle; where they go always takes them, unless it has a limit
 * (mesh_limit_sink).
 *
 * So a lone packet of f flits is where it goes 2 + hop_cycles * routers + f - 1 cycles after it
 * was queued. (BookSim 2's input-queued router does the same: docs/mechanisms/mesh.md.)
 *
 * The winner of an allocation: in turn (iSLIP with one iteration), or the packet with the least
 * key, which is its age unless a policy says otherwise (net/mesh/noc_policy.h).
 *
 * This is part of a unit, not a unit: its owner (net/mesh/mesh_network.h, a model of synthetic
 * traffic) queues packets, steps it every cycle while it holds some, and takes what has come out.
 * Flits are counts: a virtual channel knows how many it holds, and the packets that they are of.
 */
#ifndef NET_MESH_MESH_H
#define NET_MESH_MESH_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/text.h"
#include "base/types.h"
#include "config/param.h"
#include "net/mesh/noc_policy.h"
#include "stats/def.h"
#include "stats/tree.h"

enum mesh_port { MESH_LOCAL, MESH_EAST, MESH_WEST, MESH_NORTH, MESH_SOUTH, MESH_PORTS };
enum mesh_routing { MESH_XY, MESH_XY_YX, MESH_ADAPTIVE, MESH_YX };

/* Packets may wait for each other in a circle, and there is a channel to escape by. */
static inline bool mesh_routing_escapes(u32 routing)
{
    return routing == MESH_XY_YX || routing == MESH_ADAPTIVE;
}

enum mesh_arbitration { MESH_TURNS, MESH_OLDEST };

#define MESH_MOST_SIDE 32u
#define MESH_MOST_VCS 12u /* of a port, the escape channel included: a router's fit a word */

struct mesh_config {
    u32 width, height;
    u32 vcs, vc_flits, flit_bytes;
    u32 hop_cycles;
    u32 routing;     /* enum mesh_routing */
    u32 arbitration; /* enum mesh_arbitration */
    u32 sa_input_limit;
    u32 injection_packets;
    u32 injection_flits;
    bool whole_packets; /* one enters a router when there is room for all of it */
    u32 escape_cycles;
    u32 sink_packets;
};

extern const struct param mesh_params[];
param_check mesh_check;

struct mesh_packet {
    u64 key;  /* the least wins, where arbitration goes by age: when it entered, or a policy's */
    u64 rank; /* the least leaves the injection queue first, where a policy reorders it */
    cycle_t queued, entered;
    u64 entered_fs; /* mesh.now_fs then */
    u32 user;       /* what it carries, for the sender */
    u32 sink;       /* at its destination: see mesh_limit_sink */
    u32 next;
    u16 from, to;
    u8 escapes;             /* it has taken to the escape channel, and stays there */
    struct noc_packet what; /* type, flits; is_reply: with xy_yx it goes along y first */
};

/* An input's virtual channel. The front packet is the one whose flits leave. */
struct mesh_vc {
    u64 key;
    u32 packet;
    u32 since; /* low bits of the cycle from which it asks for a VC */
    u32 ahead; /* the VC that its front packet has in the router ahead */
    u16 left;  /* flits of the front packet that have not left */
    u16 node;
    u8 in;                     /* its number in its router: port * vcs + vc */
    u8 flits;                  /* in the buffer, of all packets */
    u8 state;                  /* enum in mesh_internal.h */
    u8 out;                    /* the output port of its front packet, */
    u8 out_vc;                 /* and the number of its VC there: port * vcs + vc */
    u8 first, packets;         /* in its part of mesh.queues */
    u8 type : 4, is_whole : 4; /* of its front packet; none of its flits has left */
};

/* How many there are, and for how long: flits in buffers, packets in a queue. A change may be known
 * a few cycles before it takes place. */
struct mesh_level {
    u64 sum; /* of the cycles of changes down, less those of changes up */
    u64 count;
};

static inline void level_change(struct mesh_level *l, i32 by, cycle_t at)
{
    l->count += (u64)by;
    l->sum -= (u64)by * at;
}

static inline u64 level_cycles(const struct mesh_level *l, cycle_t now)
{
    return l->sum + l->count * now;
}

struct mesh_router_counts {
    u64 flits[MESH_PORTS];        /* that left by a port */
    u64 held_cycles[NOC_TYPES];   /* flits in its buffers, times cycles */
    u64 queued_cycles[NOC_TYPES]; /* packets in its injection queue, times cycles */
    u64 escapes;
};

struct mesh_router {
    /* bit per input VC (port * vcs + vc): heads that ask for a VC of an output; those that have
     * one, a flit and a credit */
    u64 wants_vc[MESH_PORTS], wants_switch[MESH_PORTS];
    u64 is_type[NOC_TYPES]; /* of the heads that ask for a VC */
    u64 held_back;          /* heads for a sink that has no room */
    u64 free_vcs, freed;    /* bit per output VC: free; free from the next cycle on */
    u16 vcs_of[NOC_TYPES];  /* that packets of a type may take, as the plan in force here says */
    u8 passing; /* bit per type whose packets can pass, as placement and routing have it */
    u8 vc_outs, switch_outs;                                       /* outputs with such bits */
    u8 grant[MESH_PORTS], accept[MESH_PORTS], vc_turn[MESH_PORTS]; /* of the switch */
    cycle_t seen[NOC_TYPES]; /* the cycle after a packet of the type came last; 0: none has */
    struct mesh_level held[NOC_TYPES], queued[NOC_TYPES];
    struct mesh_router_counts counts;
};

/* Packets of one node and type, in order. */
struct mesh_list {
    u32 first, last, count;
};

/* A node's queue of packets that wait to enter its router: a list for each type in a pool of
 * injection_packets, whatever the policy; and those that a source without a queue of its own handed
 * over when it had no room. */
struct mesh_injector {
    struct mesh_list lists[NOC_TYPES], outside[NOC_TYPES];
    u32 sending, left; /* the packet whose flits go into the router now */
    u8 vc, vc_turn, type_turn;
    u8 injection; /* enum noc_injection, as the plan in force here says */
};

struct mesh_type_counts {
    u64 queued, packets, flits, hops;
    u64 queue_cycles, trip_cycles;
};

struct mesh_counts {
    u64 cycles;
    struct mesh_type_counts types[NOC_TYPES];
    u64 escapes;
};

struct mesh_slot {           /* what comes in one cycle */
    u32 *arrivals, *credits; /* input VCs that get a flit; that have room for one more */
    u32 *ejected;
    u32 arrival_count, credit_count, ejected_count;
};

struct mesh {
    const struct mesh_config *config;
    u32 nodes, vcs; /* vcs: with the escape channel */
    u32 queue_shift, queue_mask;
    u32 escape_vc; /* vcs: there is none */
    u32 escape_after;
    u32 injection_flits;       /* at most, of a node in a cycle */
    u64 port_vcs;              /* as many bits as a port has VCs */
    u8 port_of[64], vc_of[64]; /* by number of an input VC in its router */
    struct mesh_router *routers;
    struct mesh_vc *inputs; /* by (node * MESH_PORTS + port) * vcs + vc */
    u32 *queues;            /* of each: queue_mask + 1 packets */
    u8 *credits;            /* of each: credits of the sender */
    u32 *owner;             /* of each: the VC of the router before that sends there */
    u8 *vc_grant;           /* turns of VC allocation, by output VC: the same index */
    u8 *vc_accept;          /* by input VC */
    u32 *ahead; /* by node * MESH_PORTS + port: the first VC of the port at the other end */
    u8 *x, *y;
    struct mesh_injector *injectors;
    struct mesh_slot slots[4];
    u32 *routes, *later; /* VCs whose packet is routed now, and from the next cycle on */
    u32 route_count, later_count;
    struct bitset active, injecting; /* routers with something to allocate; nodes with packets */
    struct mesh_packet *packets;     /* number 0 is none */
    u32 packet_room, free_packet, live;
    i32 *sinks; /* room of each; NULL: all take everything */
    struct noc_plan plan;
    struct noc_policy *policy; /* NULL: none */
    u64 now_fs;                /* set by the owner before a step, where it matters */
    struct mesh_counts counts;
};

/* `packets`: that can be in queues, routers and the owner's hands at once. The configuration is
 * borrowed. */
void mesh_init(struct mesh *m, struct arena *arena, const struct mesh_config *c, u32 packets);
/* So many sinks, with room for so many packets each that have not been let go: a head for a full
 * one stays where it is, and those behind it. */
void mesh_limit_sinks(struct mesh *m, struct arena *arena, u32 sinks, u32 packets);
void mesh_sink_freed(struct mesh *m, u32 node, u32 sink);

/* A new packet, to be filled in (from, to, flits, type, user ...) and queued at its node. */
u32 mesh_packet_new(struct mesh *m);
/* `queued` may lie in the past: a source that had no room for it. */
void mesh_queue(struct mesh *m, u32 packet, cycle_t queued);
/* Has the queue of a node room for a packet of the type? What is queued without room waits outside,
 * in order: for sources that have no queue of their own (net/mesh/traffic.h). */
bool mesh_has_room(const struct mesh *m, u32 node, u32 type);
/* Does it have a list for each type? Then what feeds it should be looked through by type too. */
bool mesh_has_lists(const struct mesh *m, u32 node);
bool mesh_queue_is_empty(const struct mesh *m, u32 node);
/* Once taken from the ejected ones. */
void mesh_packet_free(struct mesh *m, u32 packet);

/* One cycle; to be called in every one while mesh_is_busy. Packets whose last flit came to their
 * node in this cycle are then in `ejected`, in a fixed order. */
void mesh_step(struct mesh *m, cycle_t now, const u32 **ejected, u32 *count);

static inline bool mesh_is_busy(const struct mesh *m)
{
    return m->live > 0;
}

/* Packets of the type are going to be sent on this way: tells routers who can pass them. */
void mesh_add_way(struct mesh *m, u32 from, u32 to, bool is_reply, u32 type);
/* What the plan says holds from now on at this node, for decisions to come. */
void mesh_apply_plan(struct mesh *m, u32 node, const struct noc_plan *plan);
/* Brings what it counts up to the present. */
void mesh_settle(struct mesh *m, cycle_t now);
/* Statistics of each router below a node of the statistics. */
void mesh_add_statistics(struct mesh *m, struct stats *s, stat_node node);
extern const struct stat_def mesh_stats[];

/* A circle of virtual channels that wait for each other, in words; false: there is none. */
bool mesh_find_circle(const struct mesh *m, struct text *out);
/* Credits, flits and those on their way add up to the depth of every buffer, and no injection queue
 * has more packets than it holds; for tests. */
bool mesh_is_consistent(const struct mesh *m);
/* The latter alone: free places, CPU and GPU packets are injection_packets. */
bool mesh_pools_are_bounded(const struct mesh *m);

static inline u32 mesh_flits(const struct mesh_config *c, u32 bytes)
{
    return (bytes + c->flit_bytes - 1) / c->flit_bytes;
}

static inline struct mesh_packet *mesh_packet_at(const struct mesh *m, u32 packet)
{
    return &m->packets[packet];
}

#endif
