/*
 * What one measurement of a study shares: study_measure.c works out its numbers, study_runs.c says
 * which runs they rest on.
 */
#ifndef STUDY_MEASURER_H
#define STUDY_MEASURER_H

#include "study/study.h"

struct study_names;

struct measurer {
    struct study *study;
    struct db *db; /* NULL: formulas are only checked, nothing is measured */
    struct arena *arena;
    struct study_names *names; /* for checks */
    bool is_judging;           /* a check that is judged is worked out */
    const char *rejected;      /* a program that it names and that is not accepted; NULL: none */
};

/* NAN: the run is not done, or has no such statistic. *is_kept: set where it is from a kept run. */
bool measurer_read(struct measurer *m, const char *key, const char *name, double *out,
                   bool *is_kept, struct err *err);

/* The commits that made the runs, and how many each. */
bool measurer_count_makers(struct measurer *m, struct err *err);

#endif
