/*
 * A program of which some launches are timed: which, and what follows for all.
 *
 * Launches of one kernel whose blocks have the same shape, and whose numbers of blocks are within a
 * factor of 1.4 of each other, are a group: they are drawn together (sampling/design.h). What they
 * execute is known only afterwards; it divides a group into classes (sampling/classes.h), each with
 * an estimate of its own (stats/estimate.h). A class that was met and not timed makes the next
 * launches of its group more likely to be timed; one that never was is predicted from the line
 * through all timed launches of its kernel, cycles by instructions.
 */
#ifndef SAMPLING_SAMPLE_H
#define SAMPLING_SAMPLE_H

#include "base/map.h"
#include "base/err.h"
#include "sampling/classes.h"
#include "sampling/design.h"
#include "stats/estimate.h"

struct sample_options {
    double share;     /* of a regular kernel's launches that are timed in the long run */
    u64 first;        /* warp instructions that are timed before anything is left out */
    double precision; /* runs grow while the interval of a launch's mean is within this */
    u64 seed;
};

#define SAMPLE_SHARE 0.02
#define SAMPLE_FIRST 1000000u
#define SAMPLE_PRECISION 0.03

/* "2%" or "0.02"; "auto": the default; with ",first=N" behind it. */
bool sample_read(struct sample_options *o, const char *text, struct err *err);

struct launch_shape {
    const char *kernel;
    u32 grid[3], block[3];
    u32 shared_bytes;
};

/* A launch that was timed. */
struct sampled_launch {
    u32 group, class;
    u64 number;                 /* of the launch */
    double weight, size;        /* see estimate.h */
    double *values, *variances; /* the second NULL: nothing was predicted of it */
    double timed;               /* warp instructions */
};

struct sample_group {
    const char *kernel; /* owned */
    u64 identity;
    struct design design;
    struct launch_classes classes;
    u32 open; /* the sample of the run that is under way, + 1; 0: none */
    u64 launches;
    double size;                    /* warp instructions of its launches */
    double timed_size, timed_value; /* of those that were timed; the first value */
    double weights, weight_squares; /* of its timed launches */
};

struct sample {
    struct sample_options options;
    u32 value_count; /* of each launch; the first decides how often others are timed */
    struct sample_group *groups;
    u32 group_count, group_room;
    struct map by_identity;
    struct sampled_launch *launches;
    u32 launch_count, launch_room;
    /* By value: standard deviation of what is not timed of a kernel beside its sampling error, as a
     * share, and the degrees of freedom with which that is known. NULL: none. */
    const double *floors;
    double floor_degrees;
    u64 seen; /* launches */
    double instructions, timed_instructions;
    double predicted; /* the first value, roughly */
    struct rng follow;
    u32 group;     /* of the launch that is under way */
    bool is_drawn; /* it was, rather than added */
};

void sample_init(struct sample *s, const struct sample_options *o, u32 value_count);
void sample_fini(struct sample *s);
/* The next launch: is it to be timed? Until it has ended no other is asked about. */
bool sample_wants(struct sample *s, const struct launch_shape *shape);
/* What was measured of a launch; arrays of value_count numbers. */
struct sample_measure {
    const double *values;
    const double *variances; /* where a part of it was predicted (run/block_sampling.h); else NULL.
                                         INFINITY: not known */
    double timed_instructions;
};

/* It has ended; NULL: it was not timed. */
void sample_ended(struct sample *s, const struct signature *signature,
                  const struct sample_measure *measured);

/* ---- what follows: at the end, any number of times ---- */

struct sample_total {
    double estimate, half_width;
    bool is_unknown; /* the half width */
};

/* Of some launches, for all values. */
struct sample_totals {
    const char *kernel; /* NULL: the program */
    u64 launches, timed;
    double instructions, timed_instructions; /* of warps */
    double unseen;                           /* instructions of classes that were never timed */
    struct sample_total *values;             /* value_count */
};

struct sample_estimates {
    struct sample_totals program, *kernels; /* by name, in order of appearance */
    u32 kernel_count, class_count;
};

/* Released with sample_estimates_fini. */
void sample_estimate(struct sample *s, struct sample_estimates *out);
void sample_estimates_fini(struct sample_estimates *e);

#endif
