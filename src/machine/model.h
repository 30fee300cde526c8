/*
 * A kind of machine that a chip file can describe with `model: NAME`.
 *
 * A model turns a filled configuration into units, ports and statistics inside
 * a simulation, and afterwards says whether the answer was right. One file per
 * model, one line in registry.c.
 */
#ifndef MACHINE_MODEL_H
#define MACHINE_MODEL_H

#include "base/text.h"
#include "views/measure.h"
#include "machine/policies.h"
#include "config/config.h"
#include "sim/sim.h"
#include "stats/record.h"

#include <jansson.h>

struct cluster_plan; /* machine/machine.h */
struct run;

struct model_workload {
    const char *name, *about;
};

struct model {
    struct config_schema schema;
    const struct model_workload *workloads;   /* ends with a NULL name */
    bool runs_programs;                       /* besides: the workload is a name for messages */
    bool runs_cpu_traces;                     /* those programs are CPU programs, and only they */
    const struct policy_use *const *policies; /* lists of them, ends with NULL; NULL: none */
    const struct record_table *kernel_record; /* what it says of each kernel; NULL: has none */
    /* For people (views/measure.h); each may be NULL. */
    const struct measure *measures;  /* of a run; ends with a NULL id */
    const struct measure *facts;     /* of a kernel: what `heddle why` cites */
    const struct cycle_stack *stack; /* where its cycles went */
    const struct capacity *capacities;
    void (*capacity_values)(const void *config, double *out); /* in their order */
    /* The clusters of a chip, at most MOST_CLUSTERS; NULL: it has none that programs run on. What
     * it builds is a struct machine then. */
    u32 (*clusters)(const void *config, struct cluster_plan *out);
    /* Everything is taken from sim->arena; the result is handed to the others. */
    void *(*build)(struct sim *sim, const void *config, const char *workload, struct err *err);
    /* Optional: moves time itself, for a workload that the machine does not contain; fills err
     * when it cannot be used. */
    enum engine_end (*drive)(struct run *run, struct err *err);
    /* Optional: brings statistics up to the present, before they are read. */
    void (*settle)(void *machine);
    /* Optional: what the result file has beyond statistics, as members of an object. */
    void (*details)(const void *machine, json_t *out);
    /* After a run that stopped by itself: is the result right? */
    bool (*verify)(const void *machine, struct err *err);
    /* A screenful for a person. */
    void (*summary)(const void *machine, struct text *out);
    /* How far it is, in a few words for the progress line. */
    void (*progress)(const void *machine, char *out, size_t size);
    /* Optional: the share of the work under way that is done, from 0 to 1; 0: not known. */
    double (*share_done)(const void *machine);
};

extern const struct model *const models[]; /* ends with NULL */
/* NULL: no model has it. */
const struct model *model_of(const struct config_schema *schema);
const struct model *model_named(const char *name);
/* The cluster of this name, or with "" the first with such agents; false: a chip has none. */
bool model_cluster(const struct model *model, const struct config *chip, const char *name, u8 agent,
                   struct src_pos at, struct cluster_plan *out, struct err *err);
/* Of a filled configuration; `model` may be NULL, or know none. */
void capacities_of(const struct model *model, const void *config, struct capacities *out);
/* The schemas of all models, ends with NULL; for config_load. */
extern const struct config_schema *const model_schemas[];

#endif
