/*
 * Windows that stand for a program: its intervals are compared by the basic blocks that they
 * execute, like ones form a cluster, and the middlemost of each stands for all of it (SimPoint:
 * Sherwood et al., ASPLOS 2002; Hamerly et al., JILP 2005).
 *
 * An interval's basic-block vector counts the instructions executed in each block, divided by
 * those of the interval, and is projected onto 15 random directions. Clusters are found by
 * k-means; their number is the smallest whose Bayesian information criterion reaches 90 % of the
 * range of all tried. A result is the sum of the windows' results, each times its weight.
 */
#ifndef CPU_TRACE_POINTS_H
#define CPU_TRACE_POINTS_H

#include "base/arena.h"
#include "base/map.h"
#include "cpu_trace/stream.h"

#define POINTS_DIMENSIONS 15u
#define POINTS_MOST_CLUSTERS 64u
#define POINTS_MOST_INTERVALS 20000u

/* What is known of every interval, so that windows can be held against the whole. */
enum points_measure {
    POINTS_BLOCKS, /* all of instructions */
    POINTS_TAKEN,
    POINTS_LOADS,
    POINTS_STORES,
    POINTS_DATA_LINES, /* that it touches, each counted once */
    POINTS_MEASURES,
};

extern const char *const points_measure_names[POINTS_MEASURES];

struct points_interval {
    u64 instructions;
    double vector[POINTS_DIMENSIONS];
    u64 measures[POINTS_MEASURES];
    u32 cluster;
};

/* ---- vectors ---- */

struct points_profile {
    u64 length; /* of an interval */
    struct points_interval *intervals;
    u32 count, room;
    struct map seen;   /* blocks: their index */
    struct bbv_block { /* of the interval that runs */
        double direction[POINTS_DIMENSIONS];
        u64 executed; /* instructions */
    } * blocks;
    u32 block_count, block_room;
    u32 *touched; /* blocks that were executed in the interval */
    u32 touched_count, touched_room;
    u64 instructions; /* in the interval */
    u64 measures[POINTS_MEASURES];
    struct map lines; /* of data in the interval */
};

void points_profile_init(struct points_profile *p, u64 interval_instructions);
/* A block was executed; the interval that it fills ends with it. */
void points_profile_add(struct points_profile *p, u64 pc, u32 instructions);
/* All of a stream, with everything that is measured. */
bool points_profile_stream(struct points_profile *p, struct cpu_stream *s, struct err *err);
/* What is left over becomes the last interval if it is at least half as long as one. */
void points_profile_end(struct points_profile *p);
void points_profile_fini(struct points_profile *p);

/* ---- windows ---- */

struct points_window {
    u64 first, count; /* instructions */
    double weight;    /* all add up to 1 */
    u32 interval;     /* which one it is */
    u32 second;       /* another of its cluster, by chance; the same one when there is none */
    u64 second_first, second_count;
    u32 intervals; /* that it stands for */
};

struct points {
    struct points_window windows[POINTS_MOST_CLUSTERS];
    u32 count;
    /* How far intervals are from the one that stands for them, on average, of how far they are
     * from their common middle. */
    double spread;
};

/* Of a profile with at least one interval. The same seed gives the same windows. */
void points_choose(struct points *out, struct points_profile *p, u32 most_clusters, u64 seed);
/* The weighted mean of what was found for each window and its second one, and the 95 % error of it,
 * from how much the two differ: Student's t with the degrees of freedom of so many pairs. */
double points_mean(const struct points *w, const double *found, const double *second,
                   double *error);
/* The weighted mean of a measure, per instruction, and what it is of all intervals. */
double points_estimate(const struct points *w, const struct points_profile *p,
                       enum points_measure m, double *whole);

#endif
