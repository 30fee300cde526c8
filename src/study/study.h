/*
 * A published study, as its folder describes it: what to run, what to work out
 * from the results, and what was published. docs/howto/studies.md has the format.
 *
 * study_read and study_check check everything that can be known before a run, study_measure
 * turns what the database holds into numbers, study_judge compares them.
 */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "base/csv.h"
#include "config/config.h"
#include "campaign/db.h"
#include "study/formula.h"
#include "campaign/plan.h"

/* A named set of runs: the study's programs on one chip, or over a sweep. */
struct study_run {
    const char *name;
    struct sweep_file file;
    struct plan plan;
    struct formula_axis axis;
    bool is_left_out; /* of the quick variant: what the database has of it is used all the same */
    u32 points;       /* per program */
    const struct plan_point **by_program; /* programs x points; NULL: not of this set */
};

struct study_value {
    const char *name, *about, *unit;
    struct sweep_text formula;
    struct formula_table table; /* once measured */
    u8 state;                   /* being worked out, done */
};

enum check_kind {
    CHECK_EXACT,       /* arithmetic: the printed digits */
    CHECK_BAND,        /* within the study's tolerance, or low to high */
    CHECK_CALIBRATION, /* an input's descriptor: shown with its residual, not judged */
    CHECK_SHAPE,       /* a condition */
    CHECK_KIND_COUNT,
};
extern const char *const check_kind_names[];

enum verdict { VERDICT_PASS, VERDICT_MISS, VERDICT_SHOWN, VERDICT_UNMEASURED, VERDICT_COUNT };
extern const char *const verdict_names[];

struct study_check {
    const char *id, *what, *unit, *source, *note;
    struct src_pos at; /* of its id */
    const char *since; /* the commit that wrote what it is judged by; "": not known */
    const char *shown; /* why it is not judged; NULL: it is */
    bool is_headline;  /* one of the claims that the study is known by */
    enum check_kind kind;
    struct sweep_text formula;
    struct sweep_text show;      /* of a shape: the number that it speaks of; NULL: none */
    const char *published_text;  /* as printed; NULL: none, as for a shape */
    double published, low, high; /* NAN: not given */
    double measured;             /* of a shape: what `show` gives */
    enum verdict verdict;
};

#define MOST_HEADLINES 5u
#define MOST_ORDERINGS 2u /* that a published system stands for */

enum figure_type {
    FIGURE_BARS,
    FIGURE_STACK,
    FIGURE_LINES,
    FIGURE_SCATTER,
    FIGURE_SORTED,
    FIGURE_TYPE_COUNT
};
extern const char *const figure_type_names[];

struct study_figure {
    const char *title, *unit, *x_title;
    enum figure_type type;
    struct sweep_text *values; /* names */
    u32 value_count;
    struct sweep_text *against;  /* of scatter: values that are across, one for each or for all */
    u32 against_count;           /* 0: what was published is */
    struct sweep_text *programs; /* of lines; none: all */
    u32 program_count;
};

struct study_table {
    const char *title;
    struct sweep_text *values;
    u32 value_count;
};

/* Numbers from a file: a row for each program. */
struct study_data {
    const char *name;
    struct csv csv;
};

/* Runs of an earlier judgement, by their key of today. */
struct study_kept {
    struct csv csv;
    const char **keys;
    u32 *rows; /* of the file */
    u32 count;
};

/* Runs that one commit made, and that are kept or not. */
struct study_maker {
    const char *commit;
    bool is_kept;
    u32 runs;
};
#define MOST_MAKERS 64u
/* One more run of that maker, which is added where it is new. */
void study_count_maker(struct study_maker *makers, u32 *count, const char *commit, bool is_kept);

struct study_group {
    const char *name;
    const u8 *members;
};

struct study {
    const char *name, *folder, *path;
    const char *about, *document, *system;
    const char *const *chip_folders;
    const struct study_host *host;
    bool quick;
    const char *const *programs;
    u32 program_count;
    struct study_group *groups;
    u32 group_count;
    struct sweep_text judged; /* the value that accepts programs; NULL: all are */
    u8 *is_judged;            /* one flag per program, once measured; NULL: all are */
    struct study_run *runs;
    u32 run_count;
    struct study_value *values;
    u32 value_count;
    struct study_check *checks;
    u32 check_count;
    struct study_figure *figures;
    u32 figure_count;
    struct study_table *tables;
    u32 table_count;
    struct study_data *data;
    u32 data_count;
    struct study_kept kept;
    struct study_maker makers[MOST_MAKERS]; /* of all runs that have a result, once measured */
    u32 maker_count;
    struct sweep_file merged; /* what all runs have in common */
    struct plan plan;         /* all runs, each once, but for those that are kept */
    const char **used;        /* statistics that formulas asked for, once measured */
    u32 used_count;
    u32 done, failed; /* of them, once measured */
    double seconds;
};

/* folder: with study.yaml and published.csv. All of it lives in the arena. */
bool study_read(struct study *study, const char *folder, bool quick, const struct study_host *host,
                struct arena *arena, struct err *err);

/* Every formula and every name in it, before anything runs. */
bool study_check(struct study *study, struct arena *arena, struct err *err);

/* study_kept.c: runs that a runs.csv of an earlier judgement has, by set, program, point and chip,
 * are not made again, and its numbers are theirs where the database has none. A row of another
 * size, without a key, or with something that is not a number is refused. */
bool study_keep(struct study *study, const char *path, struct arena *arena, struct err *err);
/* A run that was not made has a row too: its name, and nothing after it. */
bool study_row_was_run(const struct csv *csv, u32 row);
/* The key under which a kept run was made; any other run has its own. */
const char *study_kept_key(const struct study *study, const char *key);
/* NAN: the run is not kept, or without this number. */
double study_kept_value(const struct study *study, const char *key, const char *name);
/* The commit that made a kept run, UNKNOWN_COMMIT if the file does not say; NULL: it is not kept.
 */
#define UNKNOWN_COMMIT "unknown"
const char *study_kept_commit(const struct study *study, const char *key);

/* From the runs that are done. study_check comes first. */
bool study_measure(struct study *study, struct db *db, struct arena *arena, struct err *err);

/* Every run with what the formulas took from it, as CSV: study_measure comes first. */
bool study_write_runs(const struct study *study, struct db *db, const char *path, struct err *err);

/* study_area.c: one number for a set of runs; names start with "area." */
bool study_area(const struct study *study, const struct study_run *run, const char *name,
                double *out, struct src_pos at, struct arena *arena, struct err *err);
/* The chip of a set's first run, with its settings; config_fini it. */
bool study_load_chip(struct config *config, const struct study *study, const struct study_run *run,
                     struct src_pos at, struct arena *arena, struct err *err);

/* study_storage.c: the same; names start with "storage." */
bool study_storage(const struct study *study, const struct study_run *run, const char *name,
                   double *out, struct src_pos at, struct arena *arena, struct err *err);

/* study_data.c: a column of a file, a number for each program. */
bool study_data_column(const struct study *study, const struct study_data *data, const char *name,
                       struct formula_table *out, struct src_pos at, struct arena *arena,
                       struct err *err);
/* The same, of a mix the least of its GPU programs; missing if one of them has no number. */
bool study_data_of_mix(const struct study *study, const struct study_data *data, const char *name,
                       struct formula_table *out, struct src_pos at, struct arena *arena,
                       struct err *err);
/* The mix that a program of the study is; NULL: it is none, or nothing runs it. */
const struct mix *study_mix(const struct study *study, u32 program);

/* A value as a number in its base unit; NAN: it is none. */
double study_number(const char *text);
/* study_data.c: RUN:param.PATH, a parameter of the chip of every run. */
bool study_param(const struct study_run *run, const char *path, struct formula_table *out,
                 struct src_pos at, struct err *err);

/* study_judge.c: called by study_measure; the verdict of one check from its measured number, or of
 * a shape from what its condition gave. */
void check_judge(struct study_check *check, double measured);
/* What a measured number has to lie in: low and high of its row, elsewhere by the rule. */
void check_band(const struct study_check *check, double *low, double *high);
/* False: it is shown whatever it measures. */
bool check_is_judged(const struct study_check *check);

/* study_output.c: the machine-readable verdict, format "heddle-study-1"; and for people. */
bool study_write_json(const struct study *study, const char *path, struct err *err);
void study_write_text(const struct study *study, struct text *out);
/* study_checks_csv.c: the verdict as a table, one row per check. */
bool study_write_checks(const struct study *study, const char *path, struct err *err);
/* The same for programs, `program,accepted`: which of them checks are over. */
bool study_write_programs(const struct study *study, const char *path, struct err *err);
u32 study_count(const struct study *study, enum verdict verdict);
/* What published.csv says of a value and a program; NAN: nothing. */
double study_published(const struct study *study, const char *value, u32 program);
/* Of all its programs: the row `mean(VALUE)`, or worked out where every program has one. */
double study_published_mean(const struct study *study, const char *value);

#endif
