/*
 * The sockets of a machine: memory systems that are parts of one memory, and the links between
 * them.
 *
 * A request for a line of another socket leaves its own by a node of the request network, crosses
 * two links, and is one like any other there; its answer comes back the same way.
 */
#ifndef MEMSYS_SOCKETS_H
#define MEMSYS_SOCKETS_H

#include "memsys/memory_system.h"
#include "net/link.h"

/* How the blocks of a grid are divided (hpc-cores-and-numa-gpu spec 2.7). */
enum block_split { SPLIT_INTERLEAVED, SPLIT_CONTIGUOUS };

struct sockets_config {
    u32 count;
    u32 page_bytes, link_nodes;
    const char *home; /* policy */
    u32 blocks;       /* enum block_split */
    struct link_config link;
};

extern const struct param sockets_params[];
param_check sockets_check;

struct sockets {
    const struct sockets_config *config;
    struct memory_system *memories; /* by socket */
    struct home home;
    struct link link;
    struct engine *engine;
    domain_id clock;
};

/* The memory systems have their clocks; memory_bytes: of all. */
void sockets_init(struct sockets *s, const struct build_site *site, const struct sockets_config *c,
                  struct memory_system *memories, struct policy_choice home, u64 memory_bytes);
/* On the way between a socket and the others. */
u64 sockets_most_requests(const struct sockets_config *c);
/* They are connected to their clients. */
void sockets_connect(struct sockets *s, const struct build_site *site, domain_id clock);
/* Brings all statistics up to the present. */
void sockets_settle(struct sockets *s);
/* A kernel begins. */
void sockets_reset(struct sockets *s);

#endif
