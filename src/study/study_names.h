/*
 * The statistics that runs will have, known before any of them: those of their chips, built and
 * not run.
 */
#ifndef STUDY_STUDY_NAMES_H
#define STUDY_STUDY_NAMES_H

#include "base/map.h"
#include "study/study.h"

struct study_names {
    const struct study *study;
    struct arena *arena;
    struct strmap chips; /* by id of the configuration: those that were built */
    struct strmap known; /* "ID NAME" */
    const char **names;  /* of the last chip that was built */
    u32 count, room;
};

void study_names_fini(struct study_names *n);
/* Fails with the nearest name when no run of the set has the statistic. */
bool study_names_check(struct study_names *n, const struct study_run *run, const char *name,
                       struct src_pos at, struct err *err);

#endif
