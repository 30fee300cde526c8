/*
 * A kind of cluster that a machine can have, as functions: cores that share a clock, each an agent
 * of the memory system. machine/machine.c builds machines of any of them.
 */
#ifndef MACHINE_CLUSTER_KIND_H
#define MACHINE_CLUSTER_KIND_H

#include "base/text.h"
#include "mem/application.h"
#include "memsys/memory_system.h"
#include "power/energy.h"

#include <jansson.h>

/* Its clock; or, where cores have their own, the first of as many as it has agents. */
struct cluster_clock {
    domain_id domain;
    bool is_each;
};

struct cluster_kind {
    const char
        *model; /* whose tables describe it (machine/model.h): measures, kernels, capacities */
    const char *clock;          /* the name of its clock */
    const char *work_statistic; /* how much was done: instructions */
    const char *cache;          /* what the model calls the shared cache */
    u8 agent;                   /* enum agent_kind */
    bool each_has_clock;        /* where frequencies change: each agent has a clock, or all one */
    u32 (*agents)(const void *config);
    u64 (*clock_hz)(const void *config);
    u64 (*most_requests)(const void *config); /* of its agents, at once */
    /* Building, in this order. `config` stays. */
    void *(*build)(const struct build_site *site, struct cluster_clock clock, const void *config,
                   u32 first_agent, struct memory_system *memory, struct err *err);
    void (*clients)(void *part, struct memory_client *out);
    /* Its clients are: policies, statistics. The meter is the machine's. */
    bool (*connect)(void *part, const struct energy_meter *meter, struct err *err);
    bool (*finish)(void *part, struct err *err); /* all statistics are there */
    /* What it did for each program of a mix: counted from now on; added to the sums. */
    void (*count_applications)(void *part, struct arena *arena);
    void (*add_applications)(const void *part, struct application_counts *sums);
    /* Events that took energy, but for those of the memory system. */
    void (*energy)(const void *part, double counts[ENERGY_EVENTS]);
    void (*settle)(void *part);
    /* Optional: what is measured begins (run/window.h); the run is over, and what is not in the
     * tree of statistics becomes that of the window. Both when it has been settled. */
    void (*begin_window)(void *part);
    void (*end_window)(void *part);
    u64 (*work)(const void *part);
    /* Into the result (docs/reference/statistics.md): its kernels, with the cluster's name unless
     * that is "", and whatever else there is to say of it. */
    void (*kernels)(const void *part, const char *name, json_t *list);
    void (*details)(const void *part, json_t *out);
    void (*summary)(const void *part, struct text *out);
    void (*progress)(const void *part, char *out, size_t size);
    /* Optional: the share of the kernels under way that is done, from 0 to 1; 0: not known. */
    double (*share_done)(const void *part);
};

/* One line per kind. */
extern const struct cluster_kind cluster_kind_gpu;

#endif
