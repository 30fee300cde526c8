/*
 * Energy of a run: so many picojoules for each event, and static power times time.
 *
 *   energy = sum over events (count x pJ) + sum over parts (W x instances x seconds)
 *
 * Everything comes from statistics that the machine counts anyway, after the fact: nothing here
 * runs in the cycle loop (poise spec 7 A17, 8 "Cost/energy"). The pJ of an event come from a table
 * by technology with a source for each published number (energy_table.c,
 * docs/mechanisms/energy.md), or from the chip file.
 */
#ifndef POWER_ENERGY_H
#define POWER_ENERGY_H

#include "gpu/gpu.h"

#define ENERGY_COMPONENT_LIST(X)                                                                   \
    X(CLOCK, clock, "SM clocks")                                                                   \
    X(FRONT, front_end, "front end")                                                               \
    X(REGISTERS, registers, "registers")                                                           \
    X(EXECUTION, execution, "execution")                                                           \
    X(SHARED, shared, "shared memory")                                                             \
    X(L1, l1, "L1")                                                                                \
    X(NETWORK, network, "networks")                                                                \
    X(L2, l2, "L2")                                                                                \
    X(CONTROLLER, controller, "memory controllers")                                                \
    X(DRAM, dram, "DRAM")

#define ENERGY_ENUMERATOR(id, name, words) COMPONENT_##id,
enum energy_component { ENERGY_COMPONENT_LIST(ENERGY_ENUMERATOR) COMPONENTS };
#undef ENERGY_ENUMERATOR
extern const char *const energy_component_names[COMPONENTS]; /* as statistics have them */
extern const char *const energy_component_words[COMPONENTS]; /* as a summary says it */

/* What gpu/energy_config.h says of an event or a part. */
struct energy_label {
    const char *name, *unit, *meaning;
};
extern const struct energy_label energy_event_labels[ENERGY_EVENTS];
extern const struct energy_label energy_static_labels[STATIC_PARTS];

/* A row of the table. Published: by technology or by DRAM preset; 0 where nothing is. */
struct energy_row {
    enum energy_component component; /* of events only */
    bool by_dram;
    double published[DRAM_PRESETS > TECHNOLOGIES ? DRAM_PRESETS : TECHNOLOGIES];
    const char *source;
};
extern const struct energy_row energy_events[ENERGY_EVENTS], energy_statics[STATIC_PARTS];

/* What is published for the technology, or a value between two that are (a power law through
 * them), or the nearest one scaled by node^0.9 (docs/mechanisms/energy.md). */
double energy_row_value(const struct energy_row *row, enum energy_technology technology,
                        enum dram_preset dram);

/* What holds for a chip. */
struct energy_rates {
    double pj[ENERGY_EVENTS];
    double watts[STATIC_PARTS];     /* of one instance */
    double instances[STATIC_PARTS]; /* SMs, MiB of L2, lines, channels, chips */
};
/* `cores`: agents of all memory systems, of which there are so many. */
void energy_resolve(const struct energy_config *e, const struct memory_config *memory, u32 cores,
                    u32 sockets, struct energy_rates *r);

/* Events in what was counted, added to those that are there: of SMs, of a memory system. */
void energy_count_sms(const struct gpu_config *c, const struct gpu_counters *t,
                      double counts[ENERGY_EVENTS]);
void energy_count_memory(const struct memory_config *c, const struct memory_totals *t,
                         double counts[ENERGY_EVENTS]);
/* Of a GPU with its memory, in a run or in one kernel. */
void energy_count(const struct gpu_config *c, const struct gpu_counters *t,
                  double counts[ENERGY_EVENTS]);

struct energy {
    double event_pj[ENERGY_EVENTS];
    double component_pj[COMPONENTS];
    double static_pj[STATIC_PARTS];
    double dynamic_total_pj, static_total_pj, total_pj;
};
/* `l2_off_seconds`: of the time, for which the whole L2 was off, or part of it for longer. */
void energy_sum(const struct energy_rates *r, const double counts[ENERGY_EVENTS], double seconds,
                double l2_off_seconds, struct energy *e);

/* The statistics, in whole picojoules so that they add up exactly. */
struct energy_counts {
    u64 dynamic_pj[COMPONENTS], static_pj[STATIC_PARTS];
    u64 dynamic_total_pj, static_total_pj, total_pj;
    u64 time_fs;
};
/* Of any machine, and of one whose cores are SMs alone. */
extern const struct stat_def energy_stats[], energy_gpu_stats[];
/* All but the time. */
void energy_whole(const struct energy *e, struct energy_counts *out);

struct energy_meter {
    const struct energy_config *config;
    struct energy_rates rates;
    double counts[ENERGY_EVENTS];
    double l2_off_seconds;
    struct energy energy;
    struct energy_counts stats;
};

/* Brings the meter up to its counts, at this time. */
void energy_settle(struct energy_meter *m, u64 now_fs);

#endif
