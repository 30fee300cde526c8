/*
 * SMs and the dispatcher that feeds them with blocks: the part of a GPU that is not its memory.
 *
 * A cluster is built at a site, with a clock of its own, and numbers its SMs' agents from a first
 * one on; several can share a memory system. Its builder connects its clients to that.
 */
#ifndef GPU_CLUSTER_H
#define GPU_CLUSTER_H

#include "ccn/ccn.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/observe/reuse.h"
#include "memsys/memory_system.h"

struct cluster_policies {
    struct policy_choice l1, lru; /* replacement: of the L1s, of the other caches of an SM */
    struct policy_choice warp, block;
};

struct gpu_cluster {
    struct build_site site;
    const struct gpu_config *config;
    domain_id core;
    struct sm *sms;
    u8 *logs;          /* by SM: its log is not empty */
    bool has_homeless; /* see gpu/sm/page_homes.c */
    struct dispatcher dispatcher;
    struct reuse reuse; /* if the configuration asks for it */
    struct ccn ccn;     /* the same */
    struct regions regions;
};

/* The core clock has been added; map and pool are the memory system's. */
void cluster_init(struct gpu_cluster *c, const struct build_site *site, domain_id core,
                  const struct gpu_config *config, u32 first_agent, struct memory_system *memory,
                  const struct cluster_policies *p);
/* Its SMs as agents of a memory system: sm.count of them. */
void cluster_clients(struct gpu_cluster *c, struct memory_client *out);
/* gpu/sm/page_homes.c: one socket of several. */
void homes_init(struct gpu_cluster *c, const struct memory_system *memory);
/* All sockets have been built. */
void homes_connect(struct gpu_cluster *c);
void homes_settle(struct gpu_cluster *c);
/* Once the memory system is there. False: the warp or block policy cannot run as configured. */
bool cluster_init_policies(struct gpu_cluster *c, const struct memory_system *memory,
                           struct policy_choice warp, struct err *err);
void cluster_add_statistics(struct gpu_cluster *c);
/* Brings its statistics up to the present; called between two instants, or by its dispatcher. */
void cluster_settle(struct gpu_cluster *c);
/* The SM in which a step failed; NULL: none did. */
const struct sm *cluster_faulted(const struct gpu_cluster *c);

#endif
