/*
 * Links between the sockets of a machine: each socket has one, of lanes that carry packets either
 * out of it (egress) or into it (ingress), to a switch that limits nothing.
 *
 * A packet takes a lane of its source's egress and one of its destination's ingress, both for
 * its bytes / lane_bytes cycles, and comes out `cycles` after its last byte went in. Packets wait
 * in a queue per source, destination and class, so that none blocks one for another socket or of
 * another class; free ingress lanes take sources in turn, free egress lanes destinations. Where the
 * port behind has no room for all that is on its way, packets wait on the other side of the link.
 *
 * Lanes can be turned (hpc-cores-and-numa-gpu spec 2.8): every sample_cycles the link of each
 * socket moves one lane from the direction that is not saturated to the one that is, and back
 * towards equal when both are. A lane in turn carries nothing: its packet drains, then it rests
 * for switch_cycles. Samples in which nothing moved cost nothing.
 *
 * A class may have several ports into it; they take turns.
 */
#ifndef NET_LINK_H
#define NET_LINK_H

#include "base/bitset.h"
#include "base/ring.h"
#include "base/timed_queue.h"
#include "mem/request.h"
#include "net/network.h"

#define LINK_MOST_LANES 64u /* of both directions */
#define LINK_MOST_SOCKETS 16u

enum link_direction { LINK_EGRESS, LINK_INGRESS, LINK_DIRECTIONS };
/* Is a lane busy that waits for the other side? (spec X24) */
enum link_busy { LINK_TRANSMIT, LINK_OCCUPIED };

struct link_config {
    u32 lanes; /* of each direction, at first */
    u32 lane_bytes, cycles, entries;
    bool dynamic;
    u32 sample_cycles, switch_cycles;
    double saturation; /* share of its lanes' time from which a direction is */
    double pj_per_bit;
    u32 busy; /* enum link_busy */
};

extern const struct param link_params[];
bool link_check(const void *group, const struct config *config, struct err *err);

struct link_counts {
    u64 packets[LINK_DIRECTIONS], bytes[LINK_DIRECTIONS];
    u64 busy[LINK_DIRECTIONS], available[LINK_DIRECTIONS]; /* lane-cycles; to the last sample */
    u64 lanes[LINK_DIRECTIONS];                            /* now, all but the one in turn */
    u64 turns;
    u64 bytes_to[LINK_MOST_SOCKETS];
};

/* Of all packets, each counted once for both links and the switch between them, and once for each
 * link (hpc-cores-and-numa-gpu spec 2.10). */
struct link_energy {
    u64 pj, both_ends_pj, time_fs;
};

struct link_lane {
    u8 direction;   /* that it serves, or will when the turn is over */
    u8 carries;     /* direction of its last packet */
    cycle_t free;   /* when its packet is through */
    cycle_t usable; /* when its turn is over */
};

struct link_socket {
    struct link_lane lanes[LINK_MOST_LANES];
    u32 queued;  /* packets that wait here to leave */
    u32 awaited; /* packets anywhere that wait to come here */
    u32 turn;    /* the destination that its egress serves next; as many as there are: the first */
    u64 busy[LINK_DIRECTIONS], carried[LINK_DIRECTIONS]; /* in this sample; of the next */
    u64 available[LINK_DIRECTIONS];
    u64 told_busy[LINK_DIRECTIONS], told_available[LINK_DIRECTIONS]; /* of those, in counts */
    cycle_t counted[LINK_DIRECTIONS]; /* lanes have been counted as available up to then */
    u64 asked_bytes;  /* that answers to the reads that left will take, headers included */
    u64 header_bytes; /* that came and were no part of an answer to a read, without payload */
    struct link_counts counts;
};

/* The ports of a class of a socket. */
struct link_input {
    struct port **ports;
    u32 count, room, turn;
};

/* What its owner knows of packets. */
struct link_route {
    void *context;
    u32 (*destination)(void *context, const struct request *r); /* the socket */
    /* It is about to be put into a port of the destination: that of its class (NULL), or another
     * that has room for all that may come. */
    struct port *(*arrives)(void *context, u32 socket, struct request *r);
};

struct link {
    unit_id unit;
    const struct link_config *config;
    struct link_route route;
    struct sim *sim;
    struct pool *requests;
    u32 sockets, classes, lanes; /* classes: sources of an input, which cannot block each other */
    struct link_socket *socket;
    struct link_input *inputs;  /* by socket and class */
    struct bitset rung;         /* those that something was pushed into */
    struct port **outputs;      /* by socket and class */
    struct ring *queues;        /* by source, class and destination */
    struct timed_queue *coming; /* by destination and class */
    u32 *turns;                 /* by destination: whose packet is next */
    cycle_t sample;             /* when the next one ends */
    struct network_counts counts;
    struct link_energy energy;
};

/* Inputs are sockets and their sources classes; each class of a socket is an output. */
void link_init(struct link *l, const struct network_parts *parts, const struct link_config *c,
               const struct link_route *route);
/* Input and output of a socket; a source is a class, output socket * classes + class. */
struct network link_network(struct link *l);
/* One more port of a class; the caller connects it. */
void link_add_source(struct link *l, u32 socket, u32 class, struct port *port);
/* A kernel begins: every lane goes back to where it was at first, at no cost but its packet, and a
 * sample begins. */
void link_reset(struct link *l, cycle_t now);
/* All lane-cycles up to now have been counted; before statistics are read. */
void link_settle(struct link *l, cycle_t now);
/* Lanes that serve a direction; all but the one in turn. */
u32 link_lanes(const struct link *l, u32 socket, enum link_direction d, cycle_t now);
/* Lane-cycles of a direction from the start of the run up to now. */
u64 link_available(struct link *l, u32 socket, enum link_direction d, cycle_t now);

#endif
