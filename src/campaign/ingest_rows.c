#include "campaign/ingest_parts.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* A row's fields, groups flattened. */
#define MOST_CELLS 512

struct cells {
    struct text columns; /* all names, each with its NUL */
    const char *column[MOST_CELLS];
    const json_t *value[MOST_CELLS];
    u32 count;
};

bool ingest_bind(sqlite3_stmt *s, int column, const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_INTEGER:
        return sqlite3_bind_int64(s, column, json_integer_value(v)) == SQLITE_OK;
    case JSON_REAL:
        return sqlite3_bind_double(s, column, json_real_value(v)) == SQLITE_OK;
    case JSON_STRING:
        return sqlite3_bind_text(s, column, json_string_value(v), -1, SQLITE_TRANSIENT) ==
               SQLITE_OK;
    case JSON_TRUE:
    case JSON_FALSE:
        return sqlite3_bind_int64(s, column, json_is_true(v)) == SQLITE_OK;
    default:
        return sqlite3_bind_null(s, column) == SQLITE_OK;
    }
}

/* Every character is one that an SQL name may have. */
static void append_name(struct text *t, const char *s)
{
    for (; *s; s++) {
        char c = isalnum((unsigned char)*s) ? *s : '_';
        text_append(t, &c, 1);
    }
}

/* "scheduler_slots" and "issued" make scheduler_slots_issued. */
static void add_cell(struct cells *cells, const char *group, const char *name, const json_t *value)
{
    if (cells->count == MOST_CELLS || json_is_array(value) || json_is_object(value))
        return;
    if (!*group && (strcmp(name, "run") == 0 || strcmp(name, "ordinal") == 0))
        return; /* columns of ours */
    cells->value[cells->count++] = value;
    append_name(&cells->columns, group);
    if (*group)
        text_append(&cells->columns, "_", 1);
    append_name(&cells->columns, name);
    text_append(&cells->columns, "", 1);
}

static void flatten(struct cells *cells, json_t *row)
{
    const char *name, *label;
    json_t *value, *part;
    cells->columns.length = 0;
    cells->count = 0;
    json_object_foreach(row, name, value)
    {
        add_cell(cells, "", name, value);
        json_object_foreach(value, label, part) add_cell(cells, name, label, part);
    }
    const char *at = cells->columns.data;
    for (u32 i = 0; i < cells->count; i++, at += strlen(at) + 1)
        cells->column[i] = at;
}

static bool make_column(struct ingest *in, const char *table, const char *column)
{
    sqlite3_stmt *s = db_ask(in->db, in->err, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?",
                             "tt", table, column);
    if (db_next(in->db, s, in->err)) {
        sqlite3_reset(s);
        return true;
    }
    if (in->err->kind != ERR_NONE)
        return false;
    struct text sql = {0};
    text_printf(&sql, "ALTER TABLE %s ADD COLUMN \"%s\"", table, column);
    bool ok = sqlite3_exec(in->db->handle, sql.data, NULL, NULL, NULL) == SQLITE_OK ||
              db_fail(in->db, in->err);
    text_fini(&sql);
    return ok;
}

static void insert_sql(const char *table, const struct cells *cells, struct text *sql)
{
    text_printf(sql, "INSERT INTO %s (run, ordinal", table);
    for (u32 i = 0; i < cells->count; i++)
        text_printf(sql, ", \"%s\"", cells->column[i]);
    text_printf(sql, ") VALUES (?, ?");
    for (u32 i = 0; i < cells->count; i++)
        text_printf(sql, ", ?");
    text_printf(sql, ")");
}

/* Rows of one run have the same fields: the statement of one serves the next. */
static bool prepare(struct ingest *in, const char *table, const struct cells *cells,
                    struct text *last, sqlite3_stmt **statement)
{
    struct text sql = {0};
    insert_sql(table, cells, &sql);
    bool ok = true, is_same = *statement && strcmp(sql.data, last->data) == 0;
    for (u32 i = 0; ok && !is_same && i < cells->count; i++)
        ok = make_column(in, table, cells->column[i]);
    if (ok && !is_same) {
        sqlite3_finalize(*statement);
        *statement = NULL;
        ok = sqlite3_prepare_v2(in->db->handle, sql.data, -1, statement, NULL) == SQLITE_OK ||
             db_fail(in->db, in->err);
    }
    text_fini(last);
    *last = sql;
    return ok;
}

static bool insert(struct ingest *in, sqlite3_stmt *s, i64 ordinal, const struct cells *cells)
{
    bool ok = sqlite3_bind_text(s, 1, in->key, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
              sqlite3_bind_int64(s, 2, ordinal) == SQLITE_OK;
    for (u32 i = 0; ok && i < cells->count; i++)
        ok = ingest_bind(s, (int)i + 3, cells->value[i]);
    ok = (ok && sqlite3_step(s) == SQLITE_DONE) || db_fail(in->db, in->err);
    sqlite3_reset(s);
    return ok;
}

bool ingest_rows(struct ingest *in, const char *table, const json_t *rows)
{
    struct cells cells = {.count = 0};
    struct text last = {0};
    sqlite3_stmt *statement = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(rows); i++) {
        flatten(&cells, json_array_get(rows, i));
        ok = prepare(in, table, &cells, &last, &statement) && insert(in, statement, (i64)i, &cells);
    }
    sqlite3_finalize(statement);
    text_fini(&last);
    text_fini(&cells.columns);
    return ok;
}
