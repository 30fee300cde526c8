/*
 * Chosen statistics over time, one sample per interval.
 *
 * Columns are resolved to plain pointers when the series is made; a sample adds
 * up a few integers. Memory is bounded and taken at the start: when the table
 * is full, every other sample is dropped and the interval doubles, so a run of
 * any length ends with between half and all of its rows.
 */
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "stats/tree.h"

struct series_column {
    const char *name;
    const struct stat_def *def;
    const u64 **over, **under; /* addends of the value and of a ratio's denominator */
    u32 count;
};

struct series {
    struct series_column *columns;
    u32 column_count;
    cycle_t interval;
    u64 *rows; /* cycle, then value and denominator of each column */
    u32 row_count, row_room, row_width;
};

/* names: full names of counts, levels or ratios, or of one element of an array: name[label].
 * interval > 0. room: a power of two of at least 2 rows. */
bool series_init(struct series *s, const struct stats *stats, const char *const *names, u32 count,
                 cycle_t interval, u32 room, struct arena *arena, struct err *err);

/* Returns the cycle of the next sample. */
cycle_t series_sample(struct series *s, cycle_t now);

/* Value of a column between two samples (row and the one before it): the growth
 * of a count, the ratio of two growths, or a level as it was. */
struct stat_value series_value(const struct series *s, u32 row, u32 column);
cycle_t series_cycle(const struct series *s, u32 row);

#endif
