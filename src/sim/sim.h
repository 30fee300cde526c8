/*
 * One simulation: everything a machine is made of hangs from here, so that two
 * can run in one process.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/arena.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/rng.h"
#include "sim/engine.h"
#include "sim/timeline.h"
#include "stats/tree.h"

struct sim {
    struct arena arena; /* lives as long as the machine */
    struct engine engine;
    struct stats stats;
    struct timeline *timeline; /* NULL: not asked for */
    cycle_t timeline_interval; /* between samples of states and levels, cycles of the first clock */
    struct lock sources;       /* of instructions: one block begins or ends at a time */
    const struct log *log;     /* borrowed; may be NULL */
    u64 seed;
    bool clocks_change;   /* frequencies of cores are not those of the chip's file */
    u64 measured_from_fs; /* when what is measured began */
    u32 applications;     /* programs of a mix that are told apart; 0: it is none */
    u32 cpu_applications; /* a bit for each of them that runs on CPU cores */
};

#endif
