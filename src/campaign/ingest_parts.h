/* What the two halves of ingestion share. */
#ifndef CAMPAIGN_INGEST_PARTS_H
#define CAMPAIGN_INGEST_PARTS_H

#include "campaign/db.h"

#include <jansson.h>

struct ingest {
    struct db *db;
    const char *key;
    struct err *err;
};

/* A JSON value as a parameter of a statement. */
bool ingest_bind(sqlite3_stmt *s, int column, const json_t *v);
/* The result's `kernels` or `applications`, one row of that table each; columns that are missing
 * are added. */
bool ingest_rows(struct ingest *in, const char *table, const json_t *rows);

/* Every statistic of a result under the name that the database has for it; ends when one fails. */
typedef bool ingest_stat(void *context, const char *name, const json_t *value,
                         const json_t *definition);
bool ingest_each_stat(const json_t *result, ingest_stat *visit, void *context);

#endif
