/*
 * The sockets of a machine: memory systems that are parts of one memory, and the links between
 * them.
 *
 * A request for a line of another socket leaves its own by a node of the request network, crosses
 * two links, and is one like any other there; its answer comes back the same way. Or the L2 of its
 * own socket keeps such lines, and only misses cross the links (cache.organisation).
 */
#ifndef MEMSYS_SOCKETS_H
#define MEMSYS_SOCKETS_H

#include "memsys/coherence.h"
#include "memsys/partition.h"
#include "net/link.h"

/* How the blocks of a grid are divided (hpc-cores-and-numa-gpu spec 2.7). */
enum block_split { SPLIT_INTERLEAVED, SPLIT_CONTIGUOUS, SPLIT_ADAPTIVE };

/* What the L2 of a socket holds (spec 2.9): lines of its own memory, for any requester; the same in
 * some ways, and in the others lines of other sockets for its own SMs; all lines its own SMs
 * request, all competing, or in ways that are moved between the two, in L1s too. */
enum l2_organisation { L2_MEMORY_SIDE, L2_STATIC, L2_SHARED, L2_PARTITIONED };
/* What a flush costs: its time, or nothing, and then it does nothing. */
enum flush_cost { FLUSH_SOFTWARE, FLUSH_IDEAL };

struct socket_cache_config {
    u32 organisation; /* enum l2_organisation */
    u32 remote_ways;
    u32 flush; /* enum flush_cost */
    struct partition_config partition;
};

struct sockets_config {
    u32 count;
    u32 page_bytes, link_nodes;
    const char *home; /* policy */
    u32 fault_cycles;
    const char *write_homes; /* path; "": they are not written */
    u32 blocks;              /* enum block_split */
    double adaptation;
    struct link_config link;
    struct socket_cache_config cache;
    bool check;
};

extern const struct param sockets_params[];
param_check sockets_check;
/* Of several sockets with the memory of each: what no single group can say. */
bool sockets_check_memory(const struct sockets_config *c, const struct memory_config *m,
                          u32 l1_ways, const struct config *config, struct err *err);

struct sockets {
    const struct sockets_config *config;
    struct memory_system *memories; /* by socket */
    struct home home;
    struct link link;
    struct coherence coherence;   /* where L2s hold lines of other sockets */
    struct versions versions;     /* with config->check */
    struct partition *partitions; /* by socket; NULL: ways do not move */
    struct engine *engine;
    domain_id clock;
};

/* The memory systems have their clocks; memory_bytes: of all. */
void sockets_init(struct sockets *s, const struct build_site *site, const struct sockets_config *c,
                  struct memory_system *memories, struct policy_choice home, u64 memory_bytes);
/* After the run: the homes of its pages, where somebody asks for them. */
bool sockets_write_homes(const struct sockets *s, struct err *err);
/* On the way between a socket and the others. */
u64 sockets_most_requests(const struct sockets_config *c, u32 banks, const struct l2_config *l2);
/* They are connected to their clients. */
bool sockets_connect(struct sockets *s, const struct build_site *site, domain_id clock,
                     struct err *err);
/* Brings all statistics up to the present. */
void sockets_settle(struct sockets *s);
/* A kernel begins; alone: no other runs. */
void sockets_reset(struct sockets *s, bool alone);

/* A kernel has ended: what its sockets hold is flushed, and the engine stops when that is done.
 * False: there is nothing to wait for. */
bool sockets_flush(struct sockets *s, u64 *numbers);
/* The flushes of these numbers are done, by socket; the kernel waits no more. */
bool sockets_flushed(struct sockets *s, const u64 *numbers);

#endif
