/*
 * Why one run is faster than another: what differs in the configuration, where
 * the difference in cycles comes from, and which rates moved with it.
 *
 * Scheduler-cycles of a class become cycles of the run: divided by schedulers and
 * SMs, the classes add up to all cycles, so their differences add up too.
 */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "base/arena.h"
#include "base/text.h"
#include "report/measure.h"

struct diff_setting {
    const char *path, *a, *b; /* NULL: the run has no such parameter */
};

struct diff_class {
    const char *name;
    double a, b;  /* cycles */
    double share; /* of the difference between the runs; NAN when there is none */
};

struct diff_measure {
    const struct measure *measure;
    double a, b;
};

#define DIFF_MOST_CLASSES 16

/* All launches of one kernel. */
struct diff_kernel {
    const char *name;
    u32 launches_a, launches_b;
    double a, b;     /* cycles */
    const char *why; /* the class that changed most, or NULL */
    double why_a, why_b;
};

struct diff_statistic {
    const char *name, *unit;
    double a, b;
};

struct diff {
    struct arena arena;
    const struct result *a, *b;
    struct capacities chip_a, chip_b;
    const struct model *model; /* of both; NULL: they differ, or it is not known */
    double speedup;            /* of simulated time: above 1, B is faster */
    struct diff_setting *settings;
    u32 setting_count;
    struct diff_class classes[DIFF_MOST_CLASSES]; /* largest part in the difference first */
    u32 class_count;
    struct diff_measure *measures; /* those that both have, in the order of their table */
    u32 measure_count;
    struct diff_kernel *kernels;
    u32 kernel_count;
    bool same_kernels;                 /* by name and number of launches */
    struct diff_statistic *statistics; /* scalar totals that differ, most changed first */
    u32 statistic_count;
    const char *headline;
    const char **reasons; /* in plain words, most important first */
    u32 reason_count;
};

/* The results are borrowed and must outlive the comparison. */
void diff_make(struct diff *d, const struct result *a, const struct result *b);
void diff_fini(struct diff *d);

/* `all`: with every parameter and statistic that differs. */
void diff_to_text(const struct diff *d, bool all, struct text *out);
json_t *diff_to_json(const struct diff *d);

/* diff_words.c: the headline and the reasons, once all else is there. */
void diff_explain(struct diff *d);
/* diff_kernels.c */
void diff_match_kernels(struct diff *d);

#endif
