#include "report/sweep_data.h"

#include "base/version.h"
#include "report/page.h"

#include <string.h>

/* Beyond so many numbers a page is too heavy for a browser: the last statistics are left out, and
 * the page says how many. */
#define MOST_VALUES 4000000u

static json_t *cell(sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(s, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(s, column));
    case SQLITE_NULL:
        return json_null();
    default:
        return json_string(db_text(s, column));
    }
}

static json_t *nulls(size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_null());
    return list;
}

/* What `runs` has of each point. Messages are of runs that went wrong: those that are done have
 * nothing to say. */
static json_t *about_points(struct db *db, const char *sweep, struct err *err)
{
    json_t *o = json_object();
    sqlite3_stmt *s = db_ask(
        db, err,
        "SELECT key, status, chip, model, workload, kind, size, args, seed, mode, config, version, "
        "build, started_at, ended_at, attempts, exit_code, error, "
        "CASE status WHEN 'done' THEN NULL ELSE messages END AS messages, "
        "CASE status WHEN 'done' THEN NULL ELSE command END AS command, seconds, \"end\", "
        "verified, simulated_fs, cycles, simulation_seconds, warp_instructions, "
        "warp_instructions_per_second FROM sweep_points JOIN runs ON key = run "
        "WHERE sweep = ? ORDER BY ordinal",
        "t", sweep);
    for (int i = 0; s && i < sqlite3_column_count(s); i++)
        json_object_set_new(o, sqlite3_column_name(s, i), json_array());
    while (db_next(db, s, err)) {
        for (int i = 0; i < sqlite3_column_count(s); i++)
            json_array_append_new(json_object_get(o, sqlite3_column_name(s, i)), cell(s, i));
    }
    return o;
}

/* Rows of (name, place among the points, value, swept) become a list per parameter. */
static json_t *about_settings(struct db *db, const char *sweep, u32 points, struct err *err)
{
    json_t *o = json_object();
    sqlite3_stmt *s =
        db_ask(db, err,
               "SELECT parameter, place, value, is_swept FROM (SELECT run, row_number() OVER "
               "(ORDER BY ordinal) - 1 AS place FROM sweep_points WHERE sweep = ?) "
               "JOIN settings USING (run) ORDER BY place",
               "t", sweep);
    while (db_next(db, s, err)) {
        json_t *row = json_object_get(o, db_text(s, 0));
        if (!row) {
            row = json_object();
            json_object_set_new(row, "swept", json_false());
            json_object_set_new(row, "values", nulls(points));
            json_object_set_new(o, db_text(s, 0), row);
        }
        json_array_set_new(json_object_get(row, "values"), (size_t)sqlite3_column_int64(s, 1),
                           cell(s, 2));
        if (sqlite3_column_int(s, 3))
            json_object_set_new(row, "swept", json_true());
    }
    return o;
}

/* A list whose values are all the same becomes that value. */
static void pack_values(json_t *stat)
{
    json_t *values = json_object_get(stat, "values"), *first = json_array_get(values, 0);
    for (size_t i = 1; i < json_array_size(values); i++) {
        if (!json_equal(json_array_get(values, i), first))
            return;
    }
    json_object_set(stat, "all", first);
    json_object_del(stat, "values");
}

static json_t *new_stat(sqlite3_stmt *s, u32 points)
{
    static const char *const keys[] = {"name", "unit", "kind", "meaning"};
    json_t *o = json_object();
    for (int i = 0; i < (int)ARRAY_LEN(keys); i++)
        json_object_set_new(o, keys[i], json_string(db_text(s, i + 3)));
    json_object_set_new(o, "values", nulls(points));
    return o;
}

static json_t *about_stats(struct db *db, const char *sweep, u32 points, u32 *left_out,
                           struct err *err)
{
    json_t *list = json_array(), *open = NULL;
    i64 last = -1;
    *left_out = 0;
    sqlite3_stmt *s =
        db_ask(db, err,
               "SELECT stat, place, value, name, unit, n.kind, meaning FROM (SELECT run, "
               "row_number() OVER (ORDER BY ordinal) - 1 AS place FROM sweep_points "
               "WHERE sweep = ?) AS p JOIN runs ON runs.key = p.run JOIN stat_values USING (id) "
               "JOIN stat_names AS n USING (stat) ORDER BY stat, place",
               "t", sweep);
    while (db_next(db, s, err)) {
        if (sqlite3_column_int64(s, 0) != last) {
            last = sqlite3_column_int64(s, 0);
            if (open)
                pack_values(open);
            bool fits = (u64)json_array_size(list) * points < MOST_VALUES;
            open = fits ? new_stat(s, points) : NULL;
            *left_out += !fits;
            if (open)
                json_array_append_new(list, open);
        }
        if (open)
            json_array_set_new(json_object_get(open, "values"), (size_t)sqlite3_column_int64(s, 1),
                               cell(s, 2));
    }
    if (open)
        pack_values(open);
    return list;
}

static size_t index_in(json_t *indices, json_t *names, const char *name)
{
    json_t *found = json_object_get(indices, name);
    if (!found) {
        found = json_integer((json_int_t)json_array_size(names));
        json_object_set_new(indices, name, found);
        json_array_append_new(names, json_string(name));
    }
    return (size_t)json_integer_value(found);
}

/* Every parameter of every configuration: as one list of names and a row of values for each. */
static json_t *about_configs(struct db *db, const char *sweep, struct err *err)
{
    json_t *o = json_object(), *names = json_array(), *ids = json_array(), *rows = json_array();
    json_t *name_index = json_object(), *id_index = json_object();
    sqlite3_stmt *s = db_ask(db, err,
                             "SELECT config, parameter, value FROM configs WHERE config IN "
                             "(SELECT config FROM sweep_points JOIN runs ON key = run "
                             "WHERE sweep = ?)",
                             "t", sweep);
    while (db_next(db, s, err)) {
        size_t row = index_in(id_index, ids, db_text(s, 0));
        size_t name = index_in(name_index, names, db_text(s, 1));
        if (row == json_array_size(rows))
            json_array_append_new(rows, json_array());
        json_t *values = json_array_get(rows, row);
        while (json_array_size(values) <= name)
            json_array_append_new(values, json_null());
        json_array_set_new(values, name, cell(s, 2));
    }
    json_object_set_new(o, "names", names);
    json_object_set_new(o, "ids", ids);
    json_object_set_new(o, "rows", rows);
    json_decref(name_index);
    json_decref(id_index);
    return o;
}

static json_t *about_parameters(const json_t *names, const json_t *models)
{
    json_t *o = json_object();
    for (size_t m = 0; m < json_array_size(models); m++) {
        const char *model = json_string_value(json_array_get(models, m));
        if (m && strcmp(model, json_string_value(json_array_get(models, m - 1))) == 0)
            continue;
        for (size_t i = 0; i < json_array_size(names); i++) {
            const char *path = json_string_value(json_array_get(names, i));
            json_t *row = json_object_get(o, path) ? NULL : page_parameter(model, path);
            if (row)
                json_object_set_new(o, path, row);
        }
    }
    return o;
}

json_t *sweep_data(struct db *db, const char *sweep, u32 *points, struct err *err)
{
    u32 left_out = 0;
    json_t *o = json_object(), *list = about_points(db, sweep, err);
    *points = (u32)json_array_size(json_object_get(list, "key"));
    json_t *configs = about_configs(db, sweep, err);
    json_object_set_new(o, "heddle_version", json_string(HEDDLE_VERSION));
    json_object_set_new(o, "sweep", json_string(sweep));
    json_object_set_new(o, "database", json_string(db->path));
    json_object_set_new(o, "settings", about_settings(db, sweep, *points, err));
    json_object_set_new(o, "stats", about_stats(db, sweep, *points, &left_out, err));
    json_object_set_new(o, "stats_left_out", json_integer(left_out));
    json_object_set_new(
        o, "parameters",
        about_parameters(json_object_get(configs, "names"), json_object_get(list, "model")));
    json_object_set_new(o, "points", list);
    json_object_set_new(o, "config", configs);
    if (err->kind == ERR_NONE)
        return o;
    json_decref(o);
    return NULL;
}
