/* The ready-made questions: an overview, one run in full, all points of a sweep. */
#include "base/arena.h"
#include "campaign/plan.h"
#include "campaign/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- the overview ---- */

bool table_overview(struct db *db, struct text *out, struct err *err)
{
    static const struct {
        const char *title, *sql;
    } parts[] = {
        {"runs", "SELECT status, count(*) AS runs, round(sum(seconds), 1) AS seconds FROM runs "
                 "GROUP BY status ORDER BY runs DESC"},
        {"by chip and workload",
         "SELECT chip, workload, size, count(*) AS runs, sum(status = 'done') AS done, "
         "round(avg(seconds), 3) AS mean_seconds, "
         "round(avg(warp_instructions_per_second) / 1e6, 2) AS M_warp_instructions_per_s "
         "FROM runs GROUP BY chip, workload, size ORDER BY chip, workload, size LIMIT 40"},
        {"the last ones",
         "SELECT substr(key, 1, 8) AS run, status, workload, chip, coalesce((SELECT "
         "group_concat(parameter || '=' || value, ' ') FROM settings WHERE settings.run = runs.key "
         "AND is_swept), '') AS settings, cycles, round(seconds, 3) AS seconds, error "
         "FROM runs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 10"},
    };
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        text_printf(out, "%s%s\n", i ? "\n" : "", parts[i].title);
        if (!table_query(db, parts[i].sql, NULL, 0, TABLE_TEXT, out, err))
            return false;
    }
    return true;
}

/* ---- one run ---- */

/* The whole key that begins so. */
static bool find_key(struct db *db, const char *start, char *key, struct err *err)
{
    struct src_pos at = {"--run", 0, 0};
    size_t n = strlen(start);
    if (n < 4 || n > KEY_LENGTH || start[strspn(start, "0123456789abcdef")])
        return err_found(err, at, "the key", start, "4 to %d hexadecimal digits", KEY_LENGTH);
    sqlite3_stmt *s = db_ask(db, err,
                             "SELECT key, (SELECT count(*) FROM runs WHERE key >= ?1 AND key < ?1 "
                             "|| 'g') FROM runs WHERE key >= ?1 AND key < ?1 || 'g' LIMIT 1",
                             "t", start);
    if (!db_next(db, s, err))
        return err_at(err, at, "no run has a key that begins with %s", start);
    i64 count = sqlite3_column_int64(s, 1);
    strcpy(key, db_text(s, 0));
    sqlite3_reset(s);
    return count == 1 ||
           err_at(err, at, "%lld runs have keys that begin with %s", (long long)count, start);
}

/* The row on its side: one line per column that says something. */
static bool run_row(struct db *db, const char *key, struct text *out, struct err *err)
{
    sqlite3_stmt *s = db_ask(db, err, "SELECT * FROM runs WHERE key = ?", "t", key);
    if (!db_next(db, s, err))
        return false;
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const char *value = db_text(s, i);
        if (*value)
            text_printf(out, "%-28s %s\n", sqlite3_column_name(s, i), value);
    }
    sqlite3_reset(s);
    return true;
}

static const struct {
    const char *title, *sql;
} run_parts[] = {
    {"settings", "SELECT parameter, value FROM settings WHERE run = ?1"},
    {"kernels", "SELECT * FROM kernels WHERE run = ?1 ORDER BY ordinal"},
    {"stats", "SELECT name, value, unit, meaning FROM stat_values JOIN stat_names USING (stat) "
              "WHERE id = (SELECT id FROM runs WHERE key = ?1) ORDER BY stat"},
    {"config", "SELECT parameter, value FROM configs WHERE config = (SELECT config FROM runs "
               "WHERE key = ?1)"},
};

/* All columns of a kernel are wider than any screen. */
static const char short_kernels[] =
    "SELECT ordinal, name, blocks, threads_per_block AS threads, cycles, warp_instructions, "
    "l1_loads, l1_hits, l2_accesses, l2_hits, dram_read_bytes, dram_written_bytes "
    "FROM kernels WHERE run = ?1 ORDER BY ordinal";

bool table_run(struct db *db, const char *key, enum table_format format, struct text *out,
               struct err *err)
{
    char whole[KEY_LENGTH + 1];
    const char *parameters[] = {whole};
    if (!find_key(db, key, whole, err))
        return false;
    if (format == TABLE_CSV)
        return table_query(db, run_parts[2].sql, parameters, 1, format, out, err);
    bool ok = true;
    if (format == TABLE_JSON) {
        text_printf(out, "{\"run\": ");
        ok = table_query(db, "SELECT * FROM runs WHERE key = ?1", parameters, 1, format, out, err);
    } else {
        ok = run_row(db, whole, out, err);
    }
    for (size_t i = 0; ok && i < ARRAY_LEN(run_parts); i++) {
        text_printf(out, format == TABLE_JSON ? ",\"%s\": " : "\n%s\n", run_parts[i].title);
        bool is_short = format == TABLE_TEXT && strcmp(run_parts[i].title, "kernels") == 0;
        ok = table_query(db, is_short ? short_kernels : run_parts[i].sql, parameters, 1, format,
                         out, err);
    }
    text_printf(out, "%s", format == TABLE_JSON ? "}\n" : "");
    return ok;
}

/* ---- all points of a sweep ---- */

struct stat_column {
    i64 id;
    char *name;
};

static u32 stat_columns(struct db *db, const char *sweep, struct stat_column **columns,
                        struct arena *arena, struct err *err)
{
    u32 count = 0;
    sqlite3_stmt *s = db_ask(db, err,
                             "SELECT stat, name FROM stat_names WHERE stat IN (SELECT stat FROM "
                             "sweep_points JOIN runs ON key = run JOIN stat_values USING (id) "
                             "WHERE sweep = ?) ORDER BY stat",
                             "t", sweep);
    *columns = NULL;
    while (db_next(db, s, err)) {
        *columns = xrealloc(*columns, (count + 1) * sizeof **columns);
        (*columns)[count++] =
            (struct stat_column){sqlite3_column_int64(s, 0), arena_strdup(arena, db_text(s, 1))};
    }
    return count;
}

static const char row_sql[] =
    "SELECT key, status, chip, workload, size, args, seed, mode, exit_code, error, cycles, "
    "simulated_fs, warp_instructions, seconds, warp_instructions_per_second "
    "FROM runs WHERE key = ?";

/* The point with the most settings; recordings have those of `set` alone, which come first. */
static const struct plan_point *widest_point(const struct plan *plan)
{
    const struct plan_point *widest = plan->points[0];
    for (u32 i = 1; i < plan->count; i++)
        widest = plan->points[i]->setting_count > widest->setting_count ? plan->points[i] : widest;
    return widest;
}

static bool point_row(struct db *db, const struct plan_point *p, u32 setting_count,
                      const struct stat_column *columns, u32 count, struct text *out,
                      struct err *err)
{
    char number[DB_NUMBER];
    sqlite3_stmt *s = db_ask(db, err, row_sql, "t", p->key);
    if (!db_next(db, s, err))
        return err->kind == ERR_NONE;
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        text_printf(out, "%s", i ? "," : "");
        csv_append(out, db_exact_text(s, i, number));
    }
    sqlite3_reset(s);
    for (u32 i = 0; i < setting_count; i++) {
        text_printf(out, ",");
        csv_append(out, i < p->setting_count ? p->settings[i].value : "");
    }
    u32 at = 0;
    s = db_ask(db, err,
               "SELECT stat, value FROM stat_values WHERE id = (SELECT id FROM runs "
               "WHERE key = ?) ORDER BY stat",
               "t", p->key);
    while (db_next(db, s, err)) {
        for (; at < count && columns[at].id < sqlite3_column_int64(s, 0); at++)
            text_printf(out, ",");
        if (at++ < count) {
            text_printf(out, ",");
            csv_append(out, db_exact_text(s, 1, number));
        }
    }
    for (; at < count; at++)
        text_printf(out, ",");
    text_printf(out, "\n");
    return err->kind == ERR_NONE;
}

bool table_points(struct db *db, const struct plan *plan, struct text *out, struct err *err)
{
    struct arena arena = {0};
    struct stat_column *columns;
    const struct plan_point *widest = widest_point(plan);
    u32 count = stat_columns(db, plan->file->name, &columns, &arena, err);
    sqlite3_stmt *s = db_ask(db, err, row_sql, "t", "");
    for (int i = 0; s && i < sqlite3_column_count(s); i++)
        text_printf(out, "%s%s", i ? "," : "", sqlite3_column_name(s, i));
    for (u32 i = 0; i < widest->setting_count; i++)
        text_printf(out, ",%s", widest->settings[i].name);
    for (u32 i = 0; i < count; i++) {
        text_printf(out, ",");
        csv_append(out, columns[i].name);
    }
    text_printf(out, "\n");
    bool ok = err->kind == ERR_NONE;
    for (u32 i = 0; ok && i < plan->count; i++)
        ok = point_row(db, plan->points[i], widest->setting_count, columns, count, out, err);
    free(columns);
    arena_fini(&arena);
    return ok;
}
