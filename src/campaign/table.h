/* Answers of the database as text for people, CSV or JSON. */
#ifndef CAMPAIGN_TABLE_H
#define CAMPAIGN_TABLE_H

#include "base/text.h"
#include "campaign/db.h"

struct plan;

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };

/* Any one statement that only reads; `parameters` are texts for its ?1, ?2 ... */
bool table_query(struct db *db, const char *sql, const char *const *parameters, u32 count,
                 enum table_format format, struct text *out, struct err *err);

/* Every point of a plan in one line: what it is, how it ended, all its statistics. CSV. */
bool table_points(struct db *db, const struct plan *plan, struct text *out, struct err *err);

/* One run in full: its row, parameters, kernels and statistics. `key`: its first digits do. */
bool table_run(struct db *db, const char *key, enum table_format format, struct text *out,
               struct err *err);

/* How many runs there are, by status, chip and workload, and the last ones. */
bool table_overview(struct db *db, struct text *out, struct err *err);

/* Quoted where it must be. */
void csv_append(struct text *out, const char *value);

#endif
