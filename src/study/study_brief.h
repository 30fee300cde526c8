/*
 * A study in brief, as its folder and the results kept there describe it: its headline claims, how
 * its checks came out by kind, how its runs were made, and which programs were not accepted. No
 * chip is loaded and no program looked for, so it needs no traces and takes no time.
 */
#ifndef STUDY_STUDY_BRIEF_H
#define STUDY_STUDY_BRIEF_H

#include "study/study.h"

struct study_claim {
    const char *id, *what, *unit, *source;
    const char *published; /* as printed; "": none, as for an ordering */
    const char *measured;  /* as in checks.csv; "": none */
    const char *why;       /* the cause of a miss, or why it is not judged; "": nothing is known */
    enum verdict verdict;
    bool is_ordering;
};

/* A condition, or a number within a band. */
enum check_sort { SORT_ORDERING, SORT_MAGNITUDE, SORT_COUNT };

struct study_brief {
    const char *name, *about, *document;
    const char *system; /* that is published; "": the study is of none */
    bool has_readme;
    struct study_claim claims[MOST_HEADLINES];    /* in the order of `headline:` */
    struct study_claim orderings[MOST_ORDERINGS]; /* what the system is published for */
    u32 claim_count, ordering_count;
    bool has_checks; /* results were kept; without them nothing is measured */
    u32 checks[SORT_COUNT][VERDICT_COUNT];
    bool has_runs;
    u32 runs_made, runs_kept;               /* by key: a run of two sets is one */
    u32 runs_without_result;                /* of those that study.yaml defines now */
    u32 runs_gone;                          /* that have a result and are not defined any more */
    double hours;                           /* of one processor, for all runs whose time is known */
    struct study_maker makers[MOST_MAKERS]; /* of all runs that have a result */
    u32 maker_count;
    const char **rejected; /* programs that are not accepted */
    u32 rejected_count, program_count;
    const char *accepted_by; /* the value that accepts programs; NULL: all are */
    const char *mixes_from;  /* the table that its mixes take programs from; NULL: any may be */
};

/* folder: with study.yaml and published.csv; results: a folder with checks.csv and runs.csv, which
 * need not be there. */
bool study_brief_read(struct study_brief *brief, const char *folder, const char *results,
                      struct arena *arena, struct err *err);
/* Of its headline claims, how many have a verdict. */
u32 study_brief_count(const struct study_brief *brief, enum verdict verdict);

/* Does the order hold that a claim is about: a condition; for a number, that it is on the side of
 * no change (1 of a ratio, else 0) where the published one is. If that is no change itself, the
 * band decides. Not to be asked of what is not measured. */
bool study_claim_is_ordered(const struct study_claim *claim);

/* What a study.yaml says it is about; NULL: err. */
const char *study_about(const char *path, struct arena *arena, struct err *err);

#endif
