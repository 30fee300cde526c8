/*
 * The results database: one SQLite file in WAL mode; docs/howto/sweeps.md describes
 * its tables. Several processes may have it open, each with a struct db of its
 * own; write only between db_begin and db_commit.
 */
#ifndef CAMPAIGN_DB_H
#define CAMPAIGN_DB_H

#include "base/err.h"

#include <sqlite3.h>

#define DB_SCHEMA_VERSION 1
#define DB_STATEMENTS 48

struct db {
    sqlite3 *handle;
    const char *path; /* borrowed */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } statements[DB_STATEMENTS];
    u32 statement_count;
};

/* Makes the file and its folder where they are missing. */
bool db_open(struct db *db, const char *path, struct err *err);
/* An existing file, for questions alone. */
bool db_open_readonly(struct db *db, const char *path, struct err *err);
void db_close(struct db *db);

/* A transaction that excludes all other writers from its start; waits for its turn. */
bool db_begin(struct db *db, struct err *err);
bool db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db);

/* A statement with its parameters: types has one letter per value that follows:
 * t text (NULL: null), i i64, r double, n nothing (null). `sql` is a literal: prepared once and
 * kept. NULL: err. */
sqlite3_stmt *db_ask(struct db *db, struct err *err, const char *sql, const char *types, ...);
/* The next row of it; false at the end and on failure, which fills err. */
bool db_next(struct db *db, sqlite3_stmt *statement, struct err *err);
/* A statement without rows. */
bool db_do(struct db *db, struct err *err, const char *sql, const char *types, ...);
/* "" for null. */
const char *db_text(sqlite3_stmt *statement, int column);
#define DB_NUMBER 32
/* The same with all digits of a number that is not whole, which SQLite itself would round. */
const char *db_exact_text(sqlite3_stmt *statement, int column, char number[DB_NUMBER]);

/* Fills err with SQLite's own words. */
bool db_fail(struct db *db, struct err *err);

#endif
