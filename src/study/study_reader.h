/* Between the parts that read a study's folder. */
#ifndef STUDY_STUDY_READER_H
#define STUDY_STUDY_READER_H

#include "config/yaml.h"
#include "study/study.h"

struct study_reader {
    struct study *study;
    struct sweep_file common; /* keys of sweeps at the top: all runs have them */
    const char *size;
    const struct yaml_node *runs, *values, *groups, *expect, *notes, *figures, *tables, *data,
        *shown, *since, *headline, *ordering;
    const struct sweep_text *only; /* names of the runs of the quick variant */
    u32 only_count;
    const struct study_host *host;
    struct arena *arena;
    struct err *err;
};

/* Fails unless the node is a mapping. */
bool study_is_map(struct study_reader *r, const struct yaml_node *n, const char *what);
/* The text under a key; "": there is none. */
const char *study_text_under(const struct yaml_node *n, const char *key);

/* study_file.c: the points of a set by program, and what its axis is called. */
bool study_place_points(const struct study *study, struct study_run *run, struct src_pos at,
                        struct arena *arena, struct err *err);
/* All runs as one plan, a run that two sets ask for once. */
void study_merge_plans(struct study *study, struct arena *arena);

/* study_data.c: files of numbers */
bool study_read_data(struct study_reader *r);

/* An id, or the start of ids with a `*` after it. */
bool study_is_meant(const char *id, const char *name);
/* study_checks.c: values, published.csv, expectations, notes, figures, tables */
bool study_read_checks(struct study_reader *r);

#endif
