#include "campaign/table.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define WIDEST 60 /* of a column for people */

/* All rows: a column's width is known at its last one. */
struct grid {
    char **cells; /* row by row, the names first; NULL: null */
    u8 *is_number;
    u32 columns, rows, room;
    struct arena arena;
};

static void add_cell(struct grid *g, const char *text, bool is_number)
{
    u32 at = g->rows;
    if (at == g->room) {
        g->room = g->room ? 2 * g->room : 256;
        g->cells = xrealloc(g->cells, g->room * sizeof *g->cells);
        g->is_number = xrealloc(g->is_number, g->room);
    }
    g->cells[at] = text ? arena_strdup(&g->arena, text) : NULL;
    g->is_number[at] = is_number;
    g->rows++;
}

static bool is_number(sqlite3_stmt *s, int column)
{
    int type = sqlite3_column_type(s, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static bool read_grid(struct db *db, sqlite3_stmt *s, bool is_exact, struct grid *g,
                      struct err *err)
{
    char number[DB_NUMBER];
    g->columns = (u32)sqlite3_column_count(s);
    for (u32 i = 0; i < g->columns; i++)
        add_cell(g, sqlite3_column_name(s, (int)i), false);
    int got;
    while ((got = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; i < (int)g->columns; i++) {
            const char *text = is_exact ? db_exact_text(s, i, number) : db_text(s, i);
            bool is_null = sqlite3_column_type(s, i) == SQLITE_NULL;
            add_cell(g, is_null ? NULL : text, is_number(s, i));
        }
    }
    g->rows = g->columns ? g->rows / g->columns : 0;
    return got == SQLITE_DONE || db_fail(db, err);
}

/* Characters on the screen, not bytes: a byte 10xxxxxx continues one in UTF-8. */
static u32 width_of(const char *s)
{
    u32 n = 0;
    for (; s && *s; s++)
        n += ((u8)*s & 0xc0) != 0x80;
    return n;
}

static void pad(struct text *out, u32 count)
{
    text_printf(out, "%*s", (int)count, "");
}

static void text_cell(struct text *out, const char *cell, bool right, u32 width, bool is_last)
{
    u32 n = width_of(cell);
    cell = cell ? cell : "";
    if (n > WIDEST && !is_last) {
        text_append(out, cell, WIDEST - 3 < strlen(cell) ? WIDEST - 3 : strlen(cell));
        text_printf(out, "...");
        n = WIDEST;
    } else {
        if (right)
            pad(out, width - n);
        for (; *cell; cell++)
            text_append(out, *cell == '\n' ? " " : cell, 1);
    }
    if (!is_last && !right)
        pad(out, width > n ? width - n : 0);
    if (!is_last)
        text_printf(out, "  ");
}

static void write_text(const struct grid *g, struct text *out)
{
    u32 *widths = xrealloc(NULL, (g->columns + 1) * sizeof *widths);
    memset(widths, 0, (g->columns + 1) * sizeof *widths);
    for (u32 i = 0; i < g->rows * g->columns; i++) {
        u32 n = width_of(g->cells[i]), *w = &widths[i % g->columns];
        n = n < WIDEST || i % g->columns + 1 == g->columns ? n : WIDEST;
        *w = n > *w ? n : *w;
    }
    for (u32 i = 0; i < g->rows * g->columns; i++) {
        u32 c = i % g->columns;
        /* a name stands over its numbers */
        bool right =
            g->is_number[i] || (i < g->columns && g->rows > 1 && g->is_number[i + g->columns]);
        text_cell(out, g->cells[i], right, widths[c], c + 1 == g->columns);
        if (c + 1 == g->columns)
            text_printf(out, "\n");
    }
    free(widths);
}

void csv_append(struct text *out, const char *value)
{
    if (!strpbrk(value, ",\"\n\r")) {
        text_append(out, value, strlen(value));
        return;
    }
    text_printf(out, "\"");
    for (; *value; value++)
        text_append(out, *value == '"' ? "\"\"" : value, *value == '"' ? 2 : 1);
    text_printf(out, "\"");
}

static void write_csv(const struct grid *g, struct text *out)
{
    for (u32 i = 0; i < g->rows * g->columns; i++) {
        csv_append(out, g->cells[i] ? g->cells[i] : "");
        text_printf(out, "%s", (i + 1) % g->columns ? "," : "\n");
    }
}

static void write_json(const struct grid *g, struct text *out)
{
    text_printf(out, "[");
    for (u32 row = 1; row < g->rows; row++) {
        text_printf(out, "%s\n {", row > 1 ? "," : "");
        for (u32 c = 0; c < g->columns; c++) {
            const char *cell = g->cells[row * g->columns + c];
            bool bare = !cell || g->is_number[row * g->columns + c];
            text_printf(out, "%s\"", c ? ", " : "");
            text_append_json(out, g->cells[c]);
            text_printf(out, "\": %s", bare ? "" : "\"");
            if (bare)
                text_printf(out, "%s", cell ? cell : "null");
            else
                text_append_json(out, cell);
            text_printf(out, "%s", bare ? "" : "\"");
        }
        text_printf(out, "}");
    }
    text_printf(out, "%s]\n", g->rows > 1 ? "\n" : "");
}

static bool prepare(struct db *db, const char *sql, sqlite3_stmt **s, struct err *err)
{
    struct src_pos at = {"query", 0, 0};
    const char *rest = "";
    if (sqlite3_prepare_v2(db->handle, sql, -1, s, &rest) != SQLITE_OK)
        return err_at(err, at, "%s", sqlite3_errmsg(db->handle));
    if (!*s)
        return err_at(err, at, "the statement is empty, expected one such as SELECT ... FROM runs");
    if (!sqlite3_stmt_readonly(*s))
        return err_at(err, at, "the statement would change the database, expected a query");
    if (rest[strspn(rest, " \t\n;")])
        return err_at(err, at, "a second statement follows, expected one");
    return true;
}

bool table_query(struct db *db, const char *sql, const char *const *parameters, u32 count,
                 enum table_format format, struct text *out, struct err *err)
{
    static void (*const write[])(const struct grid *, struct text *) = {write_text, write_csv,
                                                                        write_json};
    sqlite3_stmt *s = NULL;
    struct grid g = {0};
    bool ok = prepare(db, sql, &s, err);
    for (u32 i = 0; ok && i < count; i++)
        ok = sqlite3_bind_text(s, (int)i + 1, parameters[i], -1, SQLITE_TRANSIENT) == SQLITE_OK ||
             db_fail(db, err);
    ok = ok && read_grid(db, s, format != TABLE_TEXT, &g, err);
    if (ok)
        write[format](&g, out);
    sqlite3_finalize(s);
    free(g.cells);
    free(g.is_number);
    arena_fini(&g.arena);
    return ok;
}
