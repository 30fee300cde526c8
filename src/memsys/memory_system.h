/*
 * What lies below the private caches: two networks, the shared cache in banks, DRAM channels, and
 * the map from addresses to them, for any set of agents.
 *
 *   agents -> request network -> banks -> DRAM channels
 *   agents <-  reply network  <-
 *
 * An ideal memory (limit studies) takes the place of all of it: with `infinite` one unit with the
 * cache's tags and two latencies; with `fixed` there is nothing at all, and each requester waits
 * for the fixed number of cycles by itself.
 */
#ifndef MEMSYS_MEMORY_SYSTEM_H
#define MEMSYS_MEMORY_SYSTEM_H

#include "dram/channel.h"
#include "mem/agent.h"
#include "memsys/config.h"
#include "mem/page_placement.h"
#include "memsys/ideal.h"
#include "memsys/on_mesh.h"

#define MEMORY_CLIENT_PORTS 2u

struct coherence;
struct partition;

/* An agent with its ports: requests go out, answers come in. */
struct memory_client {
    struct agent agent;
    struct port *out[MEMORY_CLIENT_PORTS];
    struct port *in;
    unit_id unit;
    const u64 *retired; /* its instructions so far */
    const u64 *misses;  /* that left its private caches: of loads */
    const u64 *kernel;  /* of an SM: another number when another kernel runs; NULL: nobody says */
    u64 clock_hz;
};

struct memory_policies {
    struct policy_choice cache; /* replacement */
    struct policy_choice dram;
    struct policy_choice llc; /* who takes which ways of the cache */
    struct policy_choice noc; /* who goes first in a mesh, and by which channels */
};

/* Where the networks of a socket meet those of others: so many nodes of each, a power of two, among
 * which lines are divided. Ports by node: what goes out of the request network and out of the reply
 * network, what comes into them. */
#define LINK_PORT_ENTRIES                                                                          \
    4096u /* of a port behind a link: all that is on its way has room there                        \
           */

struct memory_link {
    u32 nodes; /* 0: there are no other sockets */
    struct port *request_out, *reply_out, *request_in, *reply_in;
    /* of banks that keep lines of other sockets; NULL: none do. Their misses, and what comes back;
     * requests of others, from the request network */
    struct port *miss_out, *miss_in, *bank_in;
};

/* The cache keeps lines of other sockets for the agents of this one (l2/remote_lines.c). */
struct memory_side {
    struct coherence *coherence; /* NULL: it does not */
    struct partition *partition; /* that divides the ways of L2 and L1s; NULL: none */
    struct way_partition *fixed; /* of the L2, for ever; NULL: none */
};

struct memory_system {
    struct build_site site;
    struct memory_config config;
    struct dram_timing dram;
    struct address_map map;
    struct pool *requests;               /* its own, or that of all sockets */
    domain_id cache_domain, dram_domain; /* networks and cache; DRAM */
    u32 bank_count, channel_count, agents;
    /* NULL with an ideal memory */
    struct bank *banks;
    struct llc *llc;         /* NULL: the cache is not divided */
    struct llc_agent *cores; /* by agent */
    struct dram_channel *channels;
    union {
        struct crossbar crossbar;
        struct fixed_network fixed;
    } request_part, reply_part;
    struct on_mesh *mesh; /* NULL: its networks are others */
    struct network request, reply;
    struct port *bank_in, *bank_out, *bank_miss, *bank_answer;
    struct memory_link link; /* to other sockets */
    struct memory_side side;
    struct versions *versions; /* NULL: there is no checker */
    struct home *home;         /* of lines; NULL: all are here */
    struct ideal ideal;
};

/* All that can be under way below the agents at once. */
u64 memory_most_requests(const struct memory_config *c, const struct dram_timing *dram);

/* Clocks and map. Requests, the agents' own included, are from the pool. The clock of the agents
 * has been made before, so that it comes first. */
void memory_system_init(struct memory_system *m, const struct build_site *site,
                        const struct memory_config *c, struct pool *requests);
/* It is one of several sockets: `nodes` of its networks lead to others; before it is connected. */
void memory_system_join(struct memory_system *m, struct home *home, u32 nodes);
/* The same, where its cache keeps lines of others. */
void memory_system_keep_remote(struct memory_system *m, const struct memory_side *side);
/* The unit behind the link's ports is known. */
void memory_system_attach_link(struct memory_system *m, unit_id link);
/* Builds all else for these agents, whose units exist; number i is agent i. `agents_domain`: the
 * clock in which an ideal memory answers them. */
void memory_system_connect(struct memory_system *m, const struct memory_client *clients, u32 count,
                           domain_id agents_domain, const struct memory_policies *p);
/* Each bank knows which agents have its lines: so many lines of a bank at the most; cycles of the
 * agents' clock. */
void memory_system_track_sharers(struct memory_system *m, u32 lines, u32 cycles);
/* Once connected, the ways of its cache are divided; false: not as configured. */
bool memory_system_divide(struct memory_system *m, struct policy_choice llc, struct err *err);
/* Once connected, a mesh has its policy; false: not as configured. */
bool memory_system_manage_mesh(struct memory_system *m, struct policy_choice noc, struct err *err);
/* Requests may bypass the shared cache (REQUEST_BYPASS_L2). */
void memory_system_let_bypass(struct memory_system *m);
/* After everything that hangs above it in the statistics. */
void memory_system_add_statistics(struct memory_system *m);
/* A copy or fill has written memory: where the cache keeps copies its lines are there now. */
void memory_system_copied(struct memory_system *m, u64 to, u64 bytes);
/* Code has been loaded: where the cache keeps it its lines are there now. */
void memory_system_loaded(struct memory_system *m, u64 at, u64 bytes);
/* Nothing is in the shared cache any more, at no cost. */
void memory_system_empty(struct memory_system *m);
/* Brings all statistics up to the present. */
void memory_system_settle(struct memory_system *m);

/* What all networks, banks and channels have moved. */
struct memory_totals {
    u64 l2_accesses;
    u64 bypassed_bytes,
        probes;            /* that went past the cache's data; requests that asked whether to */
    double l2_off_seconds; /* of the whole cache: the part of it that was off, times how long */
    u64 request_flits, request_bytes, reply_flits, reply_bytes;
    u64 dram_read_bytes, dram_written_bytes, dram_bus_bytes, dram_activates, dram_refreshes;
};
/* Cycles of ways that were off, as those of the whole cache. */
double memory_off_seconds(const struct memory_config *c, u32 banks, u64 gated_way_cycles);
/* To the last settling. */
void memory_system_totals(const struct memory_system *m, struct memory_totals *out);

#endif
