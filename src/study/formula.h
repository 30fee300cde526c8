/*
 * Formulas over measured numbers, as a study's file has them:
 *
 *     base:cycles / wide:cycles              a number for each program
 *     mean(gain), mean(gain, reuse)          over all programs, over a group of them
 *     gain[mm], at(curve, 250), curve[mm, 250]
 *     mean(a) < mean(b) and gain[mm] > 1     1, 0, or missing
 *
 * RUN:STATISTIC is what a named set of runs measured. Every operand is a table of
 * programs times points (the runs of a set that sweep a parameter); one of either
 * stands for all. What was not measured is not a number and makes whatever is
 * worked out from it missing, except in means over programs, which leave it out.
 */
#ifndef STUDY_FORMULA_H
#define STUDY_FORMULA_H

#include "base/arena.h"
#include "base/err.h"

/* What the points of a set of runs are. */
struct formula_axis {
    const char *name; /* of the parameter, or of several with blanks between */
    const char *const *labels;
    const double *at; /* NAN: not a number */
    u32 count;
};

struct formula_table {
    u32 programs, points;            /* 1, or as many as there are */
    const struct formula_axis *axis; /* NULL: one point */
    double *cells;                   /* program by program */
};

struct formula_scope {
    void *context;
    const char *const *programs;
    u32 program_count;
    const u8 *judged; /* one flag per program: those that means are over; NULL: all */
    struct arena *arena;
    /* Each fails with err filled; a name that is not known fails with the nearest. */
    bool (*statistic)(void *context, const char *run, const char *name, struct formula_table *out,
                      struct src_pos at, struct err *err);
    bool (*value)(void *context, const char *name, struct formula_table *out, struct src_pos at,
                  struct err *err);
    /* One flag per program: those of the group that are judged. */
    bool (*group)(void *context, const char *name, const u8 **members, struct src_pos at,
                  struct err *err);
    /* NAN: nothing was published. */
    double (*published)(void *context, const char *value, u32 program);
    /* Does x lie in the band of the published number? NAN: nothing was published. */
    double (*fits)(void *context, const char *value, u32 program, double x);
    /* The programs of mix `program` as indices, at most `room`; 0: it is no mix. */
    u32 (*parts)(void *context, u32 program, u32 *parts, u32 room);
    /* of_mix(DATA:COLUMN): what a file says of each program, of a mix the least of its programs.
     * False without an err: `data` is no file. */
    bool (*data_of_mix)(void *context, const char *data, const char *column,
                        struct formula_table *out, struct src_pos at, struct err *err);
    const char **rejected; /* out: a program that was named and is not judged; NULL: not asked */
};

bool formula_evaluate(const struct formula_scope *scope, const char *text, struct src_pos at,
                      struct formula_table *out, struct err *err);

/* formula_math.c: over n numbers, some missing. */
double numbers_mean(const double *x, u32 n);
double numbers_geometric_mean(const double *x, u32 n);
double numbers_harmonic_mean(const double *x, u32 n);
double numbers_median(const double *x, u32 n);
double numbers_least(const double *x, u32 n);
double numbers_most(const double *x, u32 n);
double numbers_sum(const double *x, u32 n);
double numbers_count(const double *x, u32 n);
/* Pairs of which one is missing are left out; missing when fewer than three are left. */
double numbers_pearson(const double *x, const double *y, u32 n);
double numbers_spearman(const double *x, const double *y, u32 n);
/* Where a curve first meets `level`, by straight lines between its points. */
double curve_cross(const double *x, const double *y, u32 n, double level);
/* The last x up to which y stays at or above `share` of its first value. */
double curve_plateau(const double *x, const double *y, u32 n, double share);

#endif
