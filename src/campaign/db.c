#include "campaign/db.h"

#include "base/file.h"
#include "campaign/schema.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS 60000 /* a writer holds the file for milliseconds; this is for a loaded machine */

bool db_fail(struct db *db, struct err *err)
{
    int code = db->handle ? sqlite3_errcode(db->handle) & 0xff : SQLITE_NOMEM;
    bool is_of_system = code == SQLITE_CANTOPEN || code == SQLITE_IOERR;
    int why = is_of_system ? sqlite3_system_errno(db->handle) : 0;
    return err_at(err, (struct src_pos){db->path, 0, 0}, "the results database: %s%s%s",
                  db->handle ? sqlite3_errmsg(db->handle) : "out of memory", why ? ": " : "",
                  why ? strerror(why) : "");
}

static bool execute(struct db *db, const char *sql, struct err *err)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK || db_fail(db, err);
}

static bool read_pragma(struct db *db, const char *pragma, i64 *out, struct err *err)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db->handle, pragma, -1, &s, NULL) != SQLITE_OK)
        return db_fail(db, err);
    bool ok = sqlite3_step(s) == SQLITE_ROW || db_fail(db, err);
    *out = ok ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return ok;
}

static bool check_version(struct db *db, i64 version, struct err *err)
{
    struct src_pos at = {db->path, 0, 0};
    i64 application = 0;
    if (!read_pragma(db, "PRAGMA application_id", &application, err))
        return false;
    if (application != DB_APPLICATION_ID)
        return err_at(err, at, "this is an SQLite file of another program, expected heddle's");
    return version == DB_SCHEMA_VERSION ||
           err_at(err, at, "the database has schema version %lld, expected %d", (long long)version,
                  DB_SCHEMA_VERSION);
}

/* Of two that open a new file at once, one makes the tables. */
static bool make_tables(struct db *db, struct err *err)
{
    i64 version = 0, tables = 0;
    char pragmas[96];
    if (!db_begin(db, err))
        return false;
    bool ok = read_pragma(db, "PRAGMA user_version", &version, err) &&
              read_pragma(db, "SELECT count(*) FROM sqlite_schema", &tables, err);
    snprintf(pragmas, sizeof pragmas, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             DB_SCHEMA_VERSION, DB_APPLICATION_ID);
    if (ok && version == 0 && tables == 0)
        ok = execute(db, schema_sql, err) && execute(db, pragmas, err);
    else
        ok = ok && check_version(db, version, err);
    if (ok)
        return db_commit(db, err);
    db_rollback(db);
    return false;
}

/* Changing to WAL needs the file alone for a moment, and SQLite does not wait for that itself. */
static bool use_wal(struct db *db, struct err *err)
{
    int got = SQLITE_BUSY;
    for (int i = 0; i < 200 && got == SQLITE_BUSY; i++) {
        if (i)
            usleep(20000);
        got = sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    return got == SQLITE_OK || db_fail(db, err);
}

/* Can files be made beside it? errno tells why not. */
static bool folder_is_writable(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct text folder = {0};
    text_printf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    bool is_writable = access(folder.data, W_OK) == 0;
    int why = errno;
    text_fini(&folder);
    errno = why;
    return is_writable;
}

bool db_open(struct db *db, const char *path, struct err *err)
{
    *db = (struct db){.path = path};
    if (!folder_make_for(path, err))
        return false;
    if (!folder_is_writable(path))
        return err_at(err, (struct src_pos){path, 0, 0},
                      "the results database: its folder cannot be written: %s", strerror(errno));
    bool ok = sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              NULL) == SQLITE_OK ||
              db_fail(db, err);
    /* FULL: a result that was reported is there after a power cut too. */
    ok = ok && (sqlite3_busy_timeout(db->handle, BUSY_MS) == SQLITE_OK || db_fail(db, err)) &&
         use_wal(db, err) && execute(db, "PRAGMA synchronous = FULL", err) && make_tables(db, err);
    if (!ok)
        db_close(db);
    return ok;
}

/* A file where nothing can be written beside it: a reader of a WAL file needs that, but of one that
 * was closed in order the file alone is all there is. */
static bool open_immutable(struct db *db, struct err *err)
{
    struct text name = {0};
    struct stat s;
    text_printf(&name, "%s-wal", db->path);
    bool is_whole = stat(name.data, &s) != 0 || s.st_size == 0;
    name.length = 0;
    text_printf(&name, "file:");
    for (const char *c = db->path; *c; c++)
        text_printf(&name, strchr("%?#", *c) ? "%%%02x" : "%c", (unsigned char)*c);
    text_printf(&name, "?immutable=1");
    bool ok = is_whole
                  ? sqlite3_open_v2(name.data, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                    NULL) == SQLITE_OK ||
                        db_fail(db, err)
                  : err_at(err, (struct src_pos){db->path, 0, 0},
                           "the results database was not closed and its folder is read-only; copy "
                           "the database and its -wal file to another folder");
    text_fini(&name);
    return ok;
}

bool db_open_readonly(struct db *db, const char *path, struct err *err)
{
    *db = (struct db){.path = path};
    i64 version = 0;
    struct src_pos at = {path, 0, 0};
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return err_at(err, at, "the results database does not exist; `heddle sweep` creates one");
    if (access(path, R_OK) != 0)
        return err_at(err, at, "the results database cannot be read: %s", strerror(errno));
    /* Not SQLITE_OPEN_READONLY: a reader of a WAL file may have to make its index. */
    bool ok = folder_is_writable(path)
                  ? sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK ||
                        db_fail(db, err)
                  : open_immutable(db, err);
    ok = ok && (sqlite3_busy_timeout(db->handle, BUSY_MS) == SQLITE_OK || db_fail(db, err)) &&
         execute(db, "PRAGMA query_only = 1", err) &&
         read_pragma(db, "PRAGMA user_version", &version, err) && check_version(db, version, err);
    if (!ok)
        db_close(db);
    return ok;
}

void db_close(struct db *db)
{
    for (u32 i = 0; i < db->statement_count; i++)
        sqlite3_finalize(db->statements[i].statement);
    sqlite3_close(db->handle);
    *db = (struct db){0};
}

bool db_begin(struct db *db, struct err *err)
{
    return execute(db, "BEGIN IMMEDIATE", err);
}

bool db_commit(struct db *db, struct err *err)
{
    if (execute(db, "COMMIT", err))
        return true;
    db_rollback(db);
    return false;
}

void db_rollback(struct db *db)
{
    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

static sqlite3_stmt *find_statement(struct db *db, const char *sql, struct err *err)
{
    for (u32 i = 0; i < db->statement_count; i++) {
        if (db->statements[i].sql == sql) {
            sqlite3_reset(db->statements[i].statement);
            return db->statements[i].statement;
        }
    }
    sqlite3_stmt *s;
    assert(db->statement_count < DB_STATEMENTS);
    if (sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) != SQLITE_OK) {
        db_fail(db, err);
        return NULL;
    }
    db->statements[db->statement_count].sql = sql;
    db->statements[db->statement_count++].statement = s;
    return s;
}

static bool bind_all(sqlite3_stmt *s, const char *types, va_list values)
{
    int got = SQLITE_OK;
    for (int i = 1; *types && got == SQLITE_OK; i++, types++) {
        switch (*types) {
        case 't':
            got = sqlite3_bind_text(s, i, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'i':
            got = sqlite3_bind_int64(s, i, va_arg(values, i64));
            break;
        case 'r':
            got = sqlite3_bind_double(s, i, va_arg(values, double));
            break;
        default:
            got = sqlite3_bind_null(s, i);
        }
    }
    return got == SQLITE_OK;
}

sqlite3_stmt *db_ask(struct db *db, struct err *err, const char *sql, const char *types, ...)
{
    sqlite3_stmt *s = find_statement(db, sql, err);
    va_list values;
    va_start(values, types);
    if (s && !bind_all(s, types, values)) {
        db_fail(db, err);
        s = NULL;
    }
    va_end(values);
    return s;
}

bool db_next(struct db *db, sqlite3_stmt *statement, struct err *err)
{
    int got = statement ? sqlite3_step(statement) : SQLITE_DONE;
    if (got == SQLITE_ROW)
        return true;
    if (got != SQLITE_DONE)
        db_fail(db, err);
    if (statement)
        sqlite3_reset(statement);
    return false;
}

bool db_do(struct db *db, struct err *err, const char *sql, const char *types, ...)
{
    sqlite3_stmt *s = find_statement(db, sql, err);
    va_list values;
    va_start(values, types);
    bool ok = s && (bind_all(s, types, values) || db_fail(db, err));
    va_end(values);
    if (!ok)
        return false;
    int got = sqlite3_step(s);
    ok = got == SQLITE_DONE || got == SQLITE_ROW || db_fail(db, err);
    sqlite3_reset(s);
    return ok;
}

const char *db_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *t = sqlite3_column_text(statement, column);
    return t ? (const char *)t : "";
}

const char *db_exact_text(sqlite3_stmt *statement, int column, char number[DB_NUMBER])
{
    if (sqlite3_column_type(statement, column) != SQLITE_FLOAT)
        return db_text(statement, column);
    snprintf(number, DB_NUMBER, "%.17g", sqlite3_column_double(statement, column));
    return number;
}
