/* Runs whose results are taken from the runs.csv of an earlier judgement instead of being made
 * again: where a parameter was added that is off, keys change and results do not. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_SET, COLUMN_PROGRAM, COLUMN_POINT, COLUMN_CHIP, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = {"set", "program", "point", "chip"};

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
                    const char *const wanted[COLUMN_COUNT])
{
    for (u32 row = 0; row < csv->count; row++) {
        u32 same = 0;
        while (same < COLUMN_COUNT &&
               strcmp(csv->rows[row].fields[columns[same]], wanted[same]) == 0)
            same++;
        if (same == COLUMN_COUNT)
            return row;
    }
    return UINT32_MAX;
}

/* A run that was not made has a row too: its name, and nothing after it. */
static bool row_was_run(const struct csv *csv, u32 row)
{
    static const char *const names[] = {"set", "program", "point", "chip", "size", "key"};
    for (u32 i = 0; i < csv->rows[row].count; i++) {
        u32 n = 0;
        while (n < ARRAY_LEN(names) && strcmp(csv->head.fields[i], names[n]) != 0)
            n++;
        if (n == ARRAY_LEN(names) && *csv->rows[row].fields[i])
            return true;
    }
    return false;
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
            const char *const wanted[COLUMN_COUNT] = {run->name, s->programs[i / run->points],
                                                      label, p->chip_name};
            u32 row = find_row(&k->csv, columns, wanted);
            if (row == UINT32_MAX || !row_was_run(&k->csv, row))
                continue;
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
