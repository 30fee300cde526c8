/* A page of a sweep, from the results database: docs/howto/sweeps.md has the tables. */
#include "report/page.h"

#include "base/arena.h"
#include "report/sweep_data.h"

#include <string.h>

/* The names of the database's sweeps, for messages and where none is asked for. */
static u32 sweep_names(struct db *db, const char **names, u32 room, struct arena *arena,
                       struct err *err)
{
    u32 count = 0;
    sqlite3_stmt *s = db_ask(db, err, "SELECT DISTINCT sweep FROM sweep_points ORDER BY sweep", "");
    while (db_next(db, s, err)) {
        if (count < room)
            names[count] = arena_strdup(arena, db_text(s, 0));
        count++;
    }
    return count < room ? count : room;
}

/* NULL: err. */
static const char *choose(struct db *db, const char *asked, struct arena *arena, struct err *err)
{
    const char *names[64];
    struct src_pos at = {db->path, 0, 0};
    u32 count = sweep_names(db, names, (u32)ARRAY_LEN(names), arena, err);
    if (err->kind != ERR_NONE)
        return NULL;
    for (u32 i = 0; asked && i < count; i++) {
        if (strcmp(names[i], asked) == 0)
            return names[i];
    }
    if (!count)
        err_at(err, at, "the database has no sweep");
    else if (asked)
        err_unknown(err, at, "sweep", asked, names, count, "heddle results sweeps");
    else if (count > 1)
        err_at(err, at, "the database has %u sweeps (%s, %s%s): choose one with --sweep NAME",
               count, names[0], names[1], count > 2 ? ", ..." : "");
    return count == 1 && !asked ? names[0] : NULL;
}

bool page_sweep_make(const char *db_path, const char *sweep, const char *title, struct text *out,
                     u32 *points, struct err *err)
{
    static const char *const scripts[] = {
        "base.js",       "export.js",      "frame.js",     "tables.js",     "multiples.js",
        "sweep_data.js", "sweep_chart.js", "sweep_map.js", "sweep_page.js", NULL};
    struct db db;
    struct arena arena = {0};
    if (!db_open_readonly(&db, db_path, err))
        return false;
    const char *name = choose(&db, sweep, &arena, err);
    json_t *json = name ? sweep_data(&db, name, points, err) : NULL;
    if (json) {
        struct text data = {0};
        page_append_json(json, &data);
        page_frame(
            &(struct page){title ? title : arena_printf(&arena, "Sweep %s", name), &data, scripts},
            out);
        text_fini(&data);
    }
    json_decref(json);
    arena_fini(&arena);
    db_close(&db);
    return json != NULL;
}
