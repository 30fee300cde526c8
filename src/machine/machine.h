/*
 * A machine: clusters of cores on one memory system, or several sockets of both (memsys/sockets.h).
 *
 * What a cluster is made of only its kind knows (machine/cluster_kind.h). A machine with one
 * cluster gives it no name, and its statistics are the machine's own; of several each has a name,
 * and its units, clock and statistics are NAME.sm0, NAME.core and so on.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "machine/cluster_kind.h"
#include "dvfs/dvfs.h"
#include "memsys/sockets.h"

#define MOST_CLUSTERS 64u

/* As a configuration has it. */
struct cluster_plan {
    const char *name; /* "": the only one */
    u32 socket;       /* whose memory it is on */
    bool is_socket;   /* one of several that programs take for one GPU */
    const struct cluster_kind *kind;
    const void *config;
};

struct cluster {
    struct cluster_plan plan;
    void *part; /* the kind's own */
    struct cluster_clock clock;
    u32 first_agent, agents;
};

struct machine_plan {
    struct cluster_plan clusters[MOST_CLUSTERS];
    u32 cluster_count;
    struct memory_config memory;          /* of each socket */
    struct memory_policies policies;      /* of the memory system; the clusters' are their kinds' */
    const struct energy_config *energy;   /* NULL: nothing is known of it */
    const struct sockets_config *sockets; /* NULL: one */
    const struct dvfs_config *dvfs;       /* NULL: no clock ever changes */
    struct policy_choice frequencies;     /* the policy that changes them */
    struct policy_choice home;            /* of several */
    u64 memory_bytes;                     /* the same */
};

struct machine {
    struct sim *sim;
    struct pool requests;
    struct memory_system *memories; /* by socket */
    u32 socket_count;
    struct sockets *sockets; /* NULL: one */
    struct cluster *clusters;
    u32 cluster_count;
    struct memory_client *clients; /* by agent of the last socket */
    struct dvfs *dvfs;             /* NULL: no clock ever changes */
    struct energy_meter meter;
    struct application_counts *applications; /* of a mix; NULL: it is none */
};

/* NULL: a policy cannot run as configured, with the sentence. */
struct machine *machine_build(struct sim *sim, const struct machine_plan *plan, struct err *err);
/* The clock in which its statistics are sampled: all cores have had their tick of an instant. */
domain_id machine_sampled_clock(const struct machine *m);
/* Brings what each program of a mix did up to the present. */
void machine_settle_applications(struct machine *m);
/* Brings all statistics up to the present. */
void machine_settle(struct machine *m);
/* After a run: the homes of pages, if the chip has several sockets and the homes are requested.
 */
bool machine_write_homes(const struct machine *m, struct err *err);
void machine_details(const struct machine *m, json_t *out);
void machine_summary(const struct machine *m, struct text *out);
void machine_progress(const struct machine *m, char *out, size_t size);
/* Of the cluster that has most left to do; 0: not known. */
double machine_share_done(const struct machine *m);
/* What all clusters have done, for rates. */
u64 machine_work(const struct machine *m);

/* The cluster of a name, or with "" the first with agents of the kind; NULL: there is none. */
const struct cluster *machine_cluster(const struct machine *m, const char *name, u8 agent);

#endif
