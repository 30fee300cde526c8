/* Runs whose results are taken from the runs.csv of an earlier judgement instead of being made
 * again: where a parameter was added that is off, keys change and results do not. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_SET,
    COLUMN_PROGRAM,
    COLUMN_POINT,
    COLUMN_CHIP,
    COLUMN_SIZE,
    COLUMN_KEY,
    COLUMN_COUNT
};
#define NAME_COLUMNS COLUMN_SIZE /* those that say which run of the study it is */
static const char *const column_names[COLUMN_COUNT] = {"set",  "program", "point",
                                                       "chip", "size",    "key"};

static bool find_columns(const struct csv *csv, u32 columns[COLUMN_COUNT], struct err *err)
{
    for (u32 i = 0; i < COLUMN_COUNT; i++) {
        columns[i] = csv_column(csv, column_names[i]);
        if (columns[i] == UINT32_MAX)
            return err_unknown(err, (struct src_pos){csv->path, csv->head.line, 1}, "column",
                               column_names[i], csv->head.fields, csv->head.count, NULL);
    }
    return true;
}

static u32 find_row(const struct csv *csv, const u32 columns[COLUMN_COUNT],
                    const char *const wanted[NAME_COLUMNS], u32 from)
{
    for (u32 row = from; row < csv->count; row++) {
        u32 same = 0;
        while (same < NAME_COLUMNS &&
               strcmp(csv->rows[row].fields[columns[same]], wanted[same]) == 0)
            same++;
        if (same == NAME_COLUMNS)
            return row;
    }
    return UINT32_MAX;
}

static bool is_name_column(const char *name)
{
    u32 n = 0;
    while (n < COLUMN_COUNT && strcmp(name, column_names[n]) != 0)
        n++;
    return n < COLUMN_COUNT || strcmp(name, "commit") == 0 || strcmp(name, "kept") == 0;
}

bool study_row_was_run(const struct csv *csv, u32 row)
{
    for (u32 i = 0; i < csv->rows[row].count; i++) {
        if (!is_name_column(csv->head.fields[i]) && *csv->rows[row].fields[i])
            return true;
    }
    return false;
}

/* A finite number, and nothing after it. */
static bool is_number(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    return strspn(text, "0123456789+-.eE") == strlen(text) && end != text && !*end && isfinite(x);
}

/* What another input made is no result of this run, nor is what no run can have made. */
static bool check_row(const struct csv *csv, u32 row, const u32 columns[COLUMN_COUNT],
                      const struct plan_point *p, struct err *err)
{
    const struct csv_row *r = &csv->rows[row];
    const char *size = r->fields[columns[COLUMN_SIZE]], *key = r->fields[columns[COLUMN_KEY]];
    struct src_pos at = {csv->path, r->line, 1};
    if (strcmp(size, p->workload->size) != 0)
        return err_found(err, at, "size", *size ? size : "empty", "%s, which the study runs",
                         *p->workload->size ? p->workload->size : "none");
    if (strlen(key) != strlen(p->key) || strspn(key, "0123456789abcdef") != strlen(key))
        return err_found(err, at, "key", *key ? key : "empty", "%u hexadecimal digits",
                         (u32)strlen(p->key));
    for (u32 i = 0; i < r->count; i++) {
        if (!is_name_column(csv->head.fields[i]) && *r->fields[i] && !is_number(r->fields[i]))
            return err_found(err, at, csv->head.fields[i], r->fields[i],
                             "a number, or nothing where the run has none");
    }
    return true;
}

static u32 find_key(const struct study_kept *k, const char *key)
{
    u32 i = 0;
    while (i < k->count && strcmp(k->keys[i], key) != 0)
        i++;
    return i;
}

/* Whether a point that is not kept replays this recording. */
static bool is_replayed(const struct study *s, const struct plan_point *recording)
{
    for (u32 i = 0; i < s->plan.count; i++) {
        const struct plan_point *p = s->plan.points[i];
        if (p->recording == recording && find_key(&s->kept, p->key) == s->kept.count)
            return true;
    }
    return false;
}

/* What is kept is not to be run, nor is a recording that only kept runs replay. */
static void leave_out(struct study *s, struct arena *arena)
{
    const struct plan_point **points =
        ARENA_ARRAY(arena, const struct plan_point *, s->plan.count + 1);
    u32 left = 0;
    for (u32 i = 0; i < s->plan.count; i++) {
        const struct plan_point *p = s->plan.points[i];
        if (p->mode == POINT_RECORD ? is_replayed(s, p)
                                    : find_key(&s->kept, p->key) == s->kept.count)
            points[left++] = p;
    }
    s->plan.points = points;
    s->plan.count = left;
}

bool study_keep(struct study *s, const char *path, struct arena *arena, struct err *err)
{
    struct study_kept *k = &s->kept;
    u32 columns[COLUMN_COUNT] = {0}, room = 0;
    if (!csv_read_file(&k->csv, path, arena, err) || !find_columns(&k->csv, columns, err))
        return false;
    for (u32 r = 0; r < s->run_count; r++)
        room += s->program_count * s->runs[r].points;
    k->keys = ARENA_ARRAY(arena, const char *, room + 1);
    k->rows = ARENA_ARRAY(arena, u32, room + 1);
    for (u32 r = 0; r < s->run_count; r++) {
        const struct study_run *run = &s->runs[r];
        for (u32 i = 0; i < s->program_count * run->points; i++) {
            const struct plan_point *p = run->by_program[i];
            if (!p || find_key(k, p->key) < k->count)
                continue;
            const char *label = run->points > 1 ? run->axis.labels[i % run->points] : "";
            const char *const wanted[NAME_COLUMNS] = {run->name, s->programs[i / run->points],
                                                      label, p->chip_name};
            u32 row = find_row(&k->csv, columns, wanted, 0);
            if (row == UINT32_MAX || !study_row_was_run(&k->csv, row))
                continue;
            u32 again = find_row(&k->csv, columns, wanted, row + 1);
            if (again != UINT32_MAX)
                return err_at(err, (struct src_pos){path, k->csv.rows[again].line, 1},
                              "the run of line %u a second time, expected each run once",
                              k->csv.rows[row].line);
            if (!check_row(&k->csv, row, columns, p, err))
                return false;
            k->keys[k->count] = p->key;
            k->rows[k->count++] = row;
        }
    }
    leave_out(s, arena);
    return true;
}

double study_kept_value(const struct study *s, const char *key, const char *name)
{
    const struct study_kept *k = &s->kept;
    u32 i = find_key(k, key), column = k->count ? csv_column(&k->csv, name) : UINT32_MAX;
    if (i == k->count || column == UINT32_MAX)
        return NAN;
    const char *text = k->csv.rows[k->rows[i]].fields[column];
    return *text ? strtod(text, NULL) : NAN;
}

const char *study_kept_key(const struct study *s, const char *key)
{
    const struct study_kept *k = &s->kept;
    u32 i = find_key(k, key);
    return i < k->count ? k->csv.rows[k->rows[i]].fields[csv_column(&k->csv, "key")] : key;
}

const char *study_kept_commit(const struct study *s, const char *key)
{
    const struct study_kept *k = &s->kept;
    u32 i = find_key(k, key), column = k->count ? csv_column(&k->csv, "commit") : UINT32_MAX;
    if (i == k->count)
        return NULL;
    const char *commit = column == UINT32_MAX ? "" : k->csv.rows[k->rows[i]].fields[column];
    return *commit ? commit : UNKNOWN_COMMIT;
}
