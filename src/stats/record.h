/*
 * A record: the numbers of a part of a run as one JSON object, and what they mean.
 *
 * A record is put together from tables: structs of u64 that a table of statistics describes,
 * and snapshots. A name "group.label" is a member of an object `group`.
 */
#ifndef STATS_RECORD_H
#define STATS_RECORD_H

#include "stats/snapshot.h"

#include <jansson.h>

/* Either counts, levels and arrays of one struct, or the rows of a snapshot. */
struct record_table {
    const struct stat_def *stats;
    const struct snapshot_def *numbers;
};

/* Adds the members that a struct has by its table. */
void record_put_stats(json_t *record, const struct stat_def *table, const void *data);
/* Adds those of a snapshot, or of a difference of two. */
void record_put_numbers(json_t *record, const struct snapshot_plan *plan, const u64 *numbers);

/* One member of a record. */
struct record_field {
    const char *name;
    const struct stat_def *def;
    const char
        *part; /* "sm.l1": where the statistic is that it is a difference of; NULL: nowhere */
};
typedef void record_visitor(void *context, const struct record_field *field);
/* Tables end with an empty one. */
void record_visit(const struct record_table *tables, record_visitor *visit, void *context);
/* By name: {unit, meaning}, and the statistic that it is a difference of. */
json_t *record_definitions(const struct record_table *tables);

#endif
