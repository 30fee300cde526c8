/*
 * Statistics as JSON and CSV. docs/reference/statistics.md describes both; the JSON
 * carries its schema's version and keeps old keys when it grows.
 */
#ifndef STATS_OUTPUT_H
#define STATS_OUTPUT_H

#include "base/text.h"
#include "stats/series.h"
#include "stats/tree.h"

#include <jansson.h>
#include <stdio.h>

/* Adds "definitions", "totals" and "units" to an object. If `units` is given, it gets the text of
 * these instead (json_text.h): there are tens of thousands of a large chip. */
bool stats_to_json(const struct stats *s, json_t *into, struct text *units, struct err *err);
json_t *series_to_json(const struct series *s);

/* name,value,unit,kind,meaning: sums and single units, arrays and bins spread
 * over one line per element. */
bool stats_to_csv(const struct stats *s, FILE *out, struct err *err);
void series_to_csv(const struct series *s, FILE *out);

#endif
