/*
 * The runs that a study.yaml defines now, beside those of its kept runs.csv: by the names of set,
 * program, point and chip, as `--keep` finds rows. No chip is loaded and no program looked for, so
 * a parameter that has another value since is not seen.
 */
#ifndef STUDY_STUDY_DEFINED_H
#define STUDY_STUDY_DEFINED_H

#include "base/csv.h"
#include "config/yaml.h"

struct study_defined {
    u32 runs;           /* a run that several sets define is one */
    u32 without_result; /* of those */
    u32 gone;           /* rows with a result, by key, that the study does not define any more */
};

/* root: of the study.yaml at `path`; rows: its runs.csv. */
bool study_count_defined(struct study_defined *out, const struct yaml_node *root, const char *path,
                         const struct csv *rows, struct arena *arena, struct err *err);

#endif
