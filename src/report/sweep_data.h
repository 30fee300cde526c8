/*
 * All points of a sweep as JSON for its page, column by column.
 *
 * points:    a list for each column of `runs`, in the order of the points
 * settings:  parameter -> {swept, values}, values as the sweep's file gives them
 * stats:     [{name, unit, kind, meaning, values | all}]; `all`: the same at every point
 * config:    {names, model, of: configuration of each point, rows: [[value]]}
 * parameters: what the tables say about each
 */
#ifndef REPORT_SWEEP_DATA_H
#define REPORT_SWEEP_DATA_H

#include "campaign/db.h"

#include <jansson.h>

/* NULL: err. */
json_t *sweep_data(struct db *db, const char *sweep, u32 *points, struct err *err);

#endif
