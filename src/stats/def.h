/*
 * One row per statistic: its name, unit and meaning.
 *
 * A component counts with plain integers in a struct of its own; a table that
 * ends with S_END describes that struct once. Output, sums over units, series
 * and the checks at the end of a run all read the same rows.
 */
#ifndef STATS_DEF_H
#define STATS_DEF_H

#include "base/types.h"
#include "stats/histogram.h"

enum stat_kind {
    STAT_END,
    STAT_COUNT,     /* u64, only ever grows; units add up */
    STAT_LEVEL,     /* u64, a value of this moment; units add up */
    STAT_RATIO,     /* two counts, one over the other; sums are taken first */
    STAT_ARRAY,     /* u64 per label; elements add up over units */
    STAT_HISTOGRAM, /* struct histogram */
    STAT_FORMULA,   /* an expression over other statistics */
    STAT_LAW,       /* an expression that must hold at the end of every run */
};

struct stat_def {
    const char *name;
    enum stat_kind kind;
    u32 offset, offset_over; /* of the value; of a ratio's denominator */
    const char *const *labels;
    u32 label_count;
    bool is_level; /* of an array: values of this moment, as STAT_LEVEL */
    const char *expression;
    const char *unit, *meaning;
};

#define S_AT(owner, field) (u32) offsetof(struct owner, field)

#define S_COUNT(owner, field, u, text)                                                             \
    {                                                                                              \
        .name = #field, .kind = STAT_COUNT, .offset = S_AT(owner, field), .unit = u,               \
        .meaning = text                                                                            \
    }
#define S_LEVEL(owner, field, u, text)                                                             \
    {                                                                                              \
        .name = #field, .kind = STAT_LEVEL, .offset = S_AT(owner, field), .unit = u,               \
        .meaning = text                                                                            \
    }
/* Both counts are rows of their own in the same table. */
#define S_RATIO(owner, id, over, under, text) S_MEAN(owner, id, over, under, "ratio", text)
#define S_MEAN(owner, id, sum, samples, u, text)                                                   \
    {                                                                                              \
        .name = #id, .kind = STAT_RATIO, .offset = S_AT(owner, sum),                               \
        .offset_over = S_AT(owner, samples), .unit = u, .meaning = text                            \
    }
#define S_ARRAY(owner, field, names, count, u, text)                                               \
    {                                                                                              \
        .name = #field, .kind = STAT_ARRAY, .offset = S_AT(owner, field), .labels = (names),       \
        .label_count = (count), .unit = u, .meaning = text                                         \
    }
#define S_LEVELS(owner, field, names, count, u, text)                                              \
    {                                                                                              \
        .name = #field, .kind = STAT_ARRAY, .is_level = true, .offset = S_AT(owner, field),        \
        .labels = (names), .label_count = (count), .unit = u, .meaning = text                      \
    }
#define S_HISTOGRAM(owner, field, u, text)                                                         \
    {                                                                                              \
        .name = #field, .kind = STAT_HISTOGRAM, .offset = S_AT(owner, field), .unit = u,           \
        .meaning = text                                                                            \
    }
#define S_FORMULA(id, expr, u, text)                                                               \
    {                                                                                              \
        .name = #id, .kind = STAT_FORMULA, .expression = expr, .unit = u, .meaning = text          \
    }
#define S_LAW(id, expr, text)                                                                      \
    {                                                                                              \
        .name = #id, .kind = STAT_LAW, .expression = expr, .meaning = text                         \
    }
#define S_END                                                                                      \
    {                                                                                              \
        .kind = STAT_END                                                                           \
    }

const char *stat_kind_name(enum stat_kind kind);

#endif
