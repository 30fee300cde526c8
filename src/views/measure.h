/*
 * The measures that a person looks at first, as each model declares them: measures of a run and of
 * a kernel (hit rates, latencies, bandwidths), what the machine can do at most, where its cycles
 * went.
 *
 * Readers (pages, comparisons, `heddle why`) take names, units and words from here and know no
 * statistic by themselves, except those that a rule of theirs is about.
 */
#ifndef VIEWS_MEASURE_H
#define VIEWS_MEASURE_H

#include "base/types.h"

/* What a machine has or can do at most, by its configuration. */
struct capacity {
    const char *name, *unit, *meaning;
};

#define MOST_CAPACITIES 32u

struct capacities {
    const struct capacity *rows; /* ends with a NULL name; NULL: not known */
    double values[MOST_CAPACITIES];
};

/* NAN: there is none of that name. */
double capacity_value(const struct capacities *c, const char *name);

enum measure_group {
    MEASURE_HITS,
    MEASURE_LATENCY,
    MEASURE_QUEUES,
    MEASURE_BANDWIDTH,
    MEASURE_WORK,
    MEASURE_GROUPS,
};
extern const char *const measure_group_names[MEASURE_GROUPS];

#define MEASURE_TERMS 3

/*
 * The sum of `over` by the sum of `under`. A measure of a run names statistics of its totals
 * ("l2.stall:port" is one element of an array, "l2.stall:*" the sum of all), "@cycles" (of the
 * cores), "@seconds" or "@cycles.CLOCK"; one of a kernel names members of its record
 * ("l2_stall.port", "l2_stall.*"). What stands behind a '-' is subtracted.
 */
struct measure {
    const char *id, *label;
    const char *unit; /* "ratio": shown as a percentage */
    enum measure_group group;
    const char *over[MEASURE_TERMS + 1];
    const char *under[MEASURE_TERMS + 1]; /* empty: the sum itself */
    const char *over_times, *under_times; /* a capacity that the sum is multiplied by; NULL: none */
    const char *peak;                     /* a capacity; NULL: none */
};

/* Where the numbers come from. */
struct measure_source {
    double (*number)(const void *context, const char *name); /* NAN: not there */
    const void *context;
    const struct capacities *chip;
};

const struct measure *measure_find(const struct measure *list, const char *id);
/* NAN: a number is not there, or there is nothing to divide by. */
double measure_value(const struct measure *m, const struct measure_source *source);

/* Where cycles went: an array in which each lane's every cycle is charged to one cause. */
struct cycle_stack {
    const char *statistic, *field; /* of the run's totals, of a kernel's record */
    const char *lanes;             /* a capacity */
    const char *words;             /* what the cycles of all lanes are called */
    const char *const *causes, *const *meanings;
    u32 count;
    /* Of a chip whose parameter `when` is `is` the words and meanings of `then`, whose statistic is
     * the same; NULL: one for all chips. */
    const char *when, *is;
    const struct cycle_stack *then;
};
/* "": the stack has no such cause. */
const char *cycle_stack_meaning(const struct cycle_stack *s, const char *cause);

#endif
