/* From the rows of the database to the numbers of a study's checks. */
#include "base/file.h"
#include "campaign/schema.h"
#include "run/mix.h"
#include "study/study_measurer.h"
#include "study/study_names.h"
#include "campaign/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_NEW, VALUE_BUSY, VALUE_DONE };

/* ---- statistics ---- */

/* Columns of the table of runs; everything else is a statistic. Seconds are a core's, not the wall
 * clock's: on a loaded machine these are several times as many. */
static const char *const run_columns[] = {"cycles", "simulated_fs", "warp_instructions", "seconds"};

static bool is_column(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(run_columns); i++) {
        if (strcmp(run_columns[i], name) == 0)
            return true;
    }
    return false;
}

static double column_value(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

/* first.NAME[K]: of the first run of program K of a mix, as docs/howto/mixes.md has them. */
static const char *const first_names[] = {"cycles",
                                          "l2_lines",
                                          "fs",
                                          "ipc",
                                          "instructions",
                                          "warp_instructions",
                                          "thread_instructions",
                                          "kernels",
                                          "l2_accesses",
                                          "l2_hits",
                                          "dram_read_bytes",
                                          "dram_written_bytes",
                                          "complete_runs",
                                          "alone_cycles",
                                          "alone_ipc",
                                          "slowdown"};

/* NULL: it is no such name; `program` is K. */
static const char *first_name(const char *name, u32 *program)
{
    char word[64];
    int end = 0;
    if (sscanf(name, "first.%63[a-z0-9_][%u]%n", word, program, &end) != 2 || !end || name[end])
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(first_names); i++) {
        if (strcmp(first_names[i], word) == 0)
            return first_names[i];
    }
    return NULL;
}

static bool read_first(struct measurer *m, const char *key, const char *column, u32 program,
                       double *out, struct err *err)
{
    sqlite3_stmt *s =
        db_ask(m->db, err,
               "SELECT a.* FROM applications a JOIN runs ON a.run = key WHERE key = ? "
               "AND status = 'done' AND ordinal = ?",
               "ti", key, (i64)program);
    if (!db_next(m->db, s, err))
        return err->kind == ERR_NONE;
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        if (strcmp(sqlite3_column_name(s, i), column) == 0)
            *out = column_value(s, i);
    }
    sqlite3_reset(s);
    return true;
}

/* by_time.NAME: the mean of a number of its kernels, each as heavy as it is long. */
static const char *const by_time_names[] = {"blocks", "cycles"};

static const char *by_time_name(const char *name)
{
    for (size_t i = 0; strncmp(name, "by_time.", 8) == 0 && i < ARRAY_LEN(by_time_names); i++) {
        if (strcmp(by_time_names[i], name + 8) == 0)
            return by_time_names[i];
    }
    return NULL;
}

static bool read_by_time(struct measurer *m, const char *key, const char *column, double *out,
                         struct err *err)
{
    sqlite3_stmt *s =
        db_ask(m->db, err,
               "SELECT sum(1.0 * k.cycles * CASE ? WHEN 'blocks' THEN k.blocks ELSE k.cycles END) "
               "/ sum(k.cycles) FROM kernels k JOIN runs ON k.run = key "
               "WHERE key = ? AND status = 'done'",
               "tt", column, key);
    if (!db_next(m->db, s, err))
        return err->kind == ERR_NONE;
    *out = column_value(s, 0);
    sqlite3_reset(s);
    return true;
}

static bool read_database(struct measurer *m, const char *key, const char *name, double *out,
                          struct err *err)
{
    sqlite3_stmt *s;
    u32 program;
    const char *first = first_name(name, &program);
    if (first)
        return read_first(m, key, first, program, out, err);
    if (by_time_name(name))
        return read_by_time(m, key, by_time_name(name), out, err);
    if (is_column(name)) {
        s = db_ask(m->db, err,
                   "SELECT cycles, simulated_fs, warp_instructions, "
                   "coalesce(nullif(simulation_seconds, 0), seconds) FROM runs "
                   "WHERE key = ? AND status = 'done'",
                   "t", key);
    } else {
        s = db_ask(m->db, err,
                   "SELECT value FROM stat_values WHERE id = (SELECT id FROM runs WHERE key = ? "
                   "AND status = 'done') AND stat = (SELECT stat FROM stat_names WHERE name = ?)",
                   "tt", key, name);
    }
    if (!db_next(m->db, s, err))
        return err->kind == ERR_NONE;
    int column = 0;
    while (is_column(name) && strcmp(run_columns[column], name) != 0)
        column++;
    *out = column_value(s, column);
    sqlite3_reset(s);
    return true;
}

bool measurer_read(struct measurer *m, const char *key, const char *name, double *out,
                   bool *is_kept, struct err *err)
{
    *out = NAN;
    if (!read_database(m, key, name, out, err))
        return false;
    if (isnan(*out) && m->study->kept.count) {
        *out = study_kept_value(m->study, key, name);
        *is_kept |= !isnan(*out);
    }
    return true;
}

static bool read_cell(struct measurer *m, const char *key, const char *name, double *out,
                      struct err *err)
{
    bool is_kept = false;
    return measurer_read(m, key, name, out, &is_kept, err);
}

/* A name that no run will have is a mistake in the study. */
static bool check_statistic(struct measurer *m, const struct study_run *run, const char *name,
                            struct src_pos at, struct err *err)
{
    u32 program;
    if (strncmp(name, "first.", 6) == 0 && !first_name(name, &program))
        return err_unknown(err, at, "number of a program's first run", name, first_names,
                           ARRAY_LEN(first_names), "docs/howto/mixes.md");
    if (strncmp(name, "by_time.", 8) == 0 && !by_time_name(name))
        return err_unknown(err, at, "mean over kernels", name + 8, by_time_names,
                           ARRAY_LEN(by_time_names), "docs/howto/studies.md");
    if (!run->plan.count) /* a set of the quick variant may have no program, so no chip */
        return true;
    return is_column(name) || by_time_name(name) || first_name(name, &program) ||
           study_names_check(m->names, run, name, at, err);
}

#define MOST_USED 1024u

static void remember(struct measurer *m, const char *name)
{
    struct study *s = m->study;
    if (!s->used)
        s->used = ARENA_ARRAY(m->arena, const char *, MOST_USED);
    for (u32 i = 0; i < s->used_count; i++) {
        if (strcmp(s->used[i], name) == 0)
            return;
    }
    if (s->used_count < MOST_USED)
        s->used[s->used_count++] = arena_strdup(m->arena, name);
}

static bool get_statistic(void *context, const char *run, const char *name,
                          struct formula_table *out, struct src_pos at, struct err *err)
{
    struct measurer *m = context;
    const struct study *s = m->study;
    const char **names = ARENA_ARRAY(m->arena, const char *, s->run_count + s->data_count + 1);
    const struct study_run *found = NULL;
    for (u32 i = 0; i < s->data_count; i++) {
        names[s->run_count + i] = s->data[i].name;
        if (strcmp(s->data[i].name, run) == 0)
            return study_data_column(s, &s->data[i], name, out, at, m->arena, err);
    }
    for (u32 i = 0; i < s->run_count; i++) {
        names[i] = s->runs[i].name;
        if (strcmp(s->runs[i].name, run) == 0)
            found = &s->runs[i];
    }
    if (!found)
        return err_unknown(err, at, "set of runs", run, names, s->run_count + s->data_count, NULL);
    bool is_area = strncmp(name, "area.", 5) == 0;
    if (is_area || strncmp(name, "storage.", 8) == 0) {
        *out = (struct formula_table){1, 1, NULL, ARENA_ARRAY(m->arena, double, 1)};
        out->cells[0] = NAN; /* without a program */
        return !found->plan.count || (is_area ? study_area : study_storage)(
                                         s, found, name, out->cells, at, m->arena, err);
    }
    bool is_param = strncmp(name, "param.", 6) == 0;
    if (!is_param)
        remember(m, name);
    u32 cells = s->program_count * found->points;
    *out = (struct formula_table){s->program_count, found->points,
                                  found->points > 1 ? &found->axis : NULL,
                                  ARENA_ARRAY(m->arena, double, cells + 1)};
    if (is_param)
        return study_param(found, name + 6, out, at, err);
    for (u32 i = 0; i < cells; i++) {
        const struct plan_point *p = found->by_program[i];
        out->cells[i] = NAN;
        if (p && m->db && !read_cell(m, p->key, name, &out->cells[i], err))
            return false;
    }
    return m->db || check_statistic(m, found, name, at, err);
}

/* ---- values ---- */

static bool evaluate(struct measurer *m, struct sweep_text formula, struct formula_table *out,
                     struct err *err);

static bool get_value(void *context, const char *name, struct formula_table *out, struct src_pos at,
                      struct err *err)
{
    struct measurer *m = context;
    struct study *s = m->study;
    const char **names = ARENA_ARRAY(m->arena, const char *, s->value_count + 1);
    for (u32 i = 0; i < s->value_count; i++) {
        struct study_value *v = &s->values[i];
        names[i] = v->name;
        if (strcmp(v->name, name) != 0)
            continue;
        if (v->state == VALUE_BUSY)
            return err_at(err, v->formula.at, "value %s depends on itself", name);
        if (v->state == VALUE_NEW) {
            v->state = VALUE_BUSY;
            if (!evaluate(m, v->formula, &v->table, err))
                return false;
            v->state = VALUE_DONE;
        }
        *out = v->table;
        return true;
    }
    return err_unknown(err, at, "value", name, names, s->value_count, NULL);
}

/* Of a study that accepts programs: accepted or not. */
#define EVERYBODY "everybody"

/* Those of a group that are judged. */
static const u8 *judged_of(struct measurer *m, const u8 *members)
{
    const struct study *s = m->study;
    u8 *both = ARENA_ARRAY(m->arena, u8, s->program_count + 1);
    for (u32 i = 0; i < s->program_count; i++)
        both[i] = members[i] && (!s->is_judged || s->is_judged[i]);
    return both;
}

static bool get_group(void *context, const char *name, const u8 **members, struct src_pos at,
                      struct err *err)
{
    struct measurer *m = context;
    const struct study *s = m->study;
    const char **names = ARENA_ARRAY(m->arena, const char *, s->group_count + 2);
    for (u32 i = 0; i < s->group_count; i++) {
        names[i] = s->groups[i].name;
        if (strcmp(s->groups[i].name, name) == 0) {
            *members = judged_of(m, s->groups[i].members);
            return true;
        }
    }
    names[s->group_count] = EVERYBODY;
    if (!s->judged.text || strcmp(name, EVERYBODY) != 0)
        return err_unknown(err, at, "group of programs", name, names,
                           s->group_count + (s->judged.text != NULL), NULL);
    *members = NULL;
    return !m->is_judging ||
           err_at(err, at,
                  "a judged check is over '" EVERYBODY "', with programs that %s rejects: expected "
                  "another group, or an entry under `shown:`",
                  s->judged.text);
}

/* published.csv has one row per program: VALUE[PROGRAM]. NULL: not of this one. */
static const struct study_check *published_row(const struct study *s, const char *value,
                                               u32 program)
{
    char measure[256];
    snprintf(measure, sizeof measure, "%s[%s]", value, s->programs[program]);
    for (u32 i = 0; i < s->check_count; i++) {
        if (strcmp(s->checks[i].formula.text, measure) == 0)
            return &s->checks[i];
    }
    return NULL;
}

double study_published(const struct study *s, const char *value, u32 program)
{
    const struct study_check *row = published_row(s, value, program);
    return row ? row->published : NAN;
}

double study_published_mean(const struct study *s, const char *value)
{
    char measure[256];
    double sum = 0;
    snprintf(measure, sizeof measure, "mean(%s)", value);
    for (u32 i = 0; i < s->check_count; i++) {
        if (strcmp(s->checks[i].formula.text, measure) == 0)
            return s->checks[i].published;
    }
    for (u32 i = 0; i < s->program_count; i++)
        sum += study_published(s, value, i);
    return sum / s->program_count;
}

static double get_published(void *context, const char *value, u32 program)
{
    const struct measurer *m = context;
    return study_published(m->study, value, program);
}

static double get_fits(void *context, const char *value, u32 program, double x)
{
    const struct measurer *m = context;
    const struct study_check *row = published_row(m->study, value, program);
    double low, high;
    if (!row || isnan(x))
        return NAN;
    check_band(row, &low, &high);
    return x >= low && x <= high;
}

/* Is program `i` of the study this one alone, by name or as a mix of nothing else? */
static bool is_alone(const struct study *s, u32 i, const struct application *a)
{
    const struct mix *mix = study_mix(s, i);
    return strcmp(s->programs[i], a->program) == 0 ||
           (mix && mix->count == 1 && mix->applications[0].kind == a->kind &&
            strcmp(mix->applications[0].name, a->name) == 0);
}

/* Programs of a mix that the study also has alone. */
static u32 get_parts(void *context, u32 program, u32 *parts, u32 room)
{
    const struct study *s = ((const struct measurer *)context)->study;
    const struct mix *mix = study_mix(s, program);
    u32 n = 0;
    for (u32 a = 0; mix && a < mix->count; a++) {
        for (u32 i = 0; n < room && i < s->program_count; i++) {
            if (is_alone(s, i, &mix->applications[a]))
                parts[n++] = i;
        }
    }
    return n;
}

static bool get_data_of_mix(void *context, const char *data, const char *column,
                            struct formula_table *out, struct src_pos at, struct err *err)
{
    struct measurer *m = context;
    const struct study *s = m->study;
    for (u32 i = 0; i < s->data_count; i++) {
        if (strcmp(s->data[i].name, data) == 0)
            return study_data_of_mix(s, &s->data[i], column, out, at, m->arena, err);
    }
    return false;
}

static bool evaluate(struct measurer *m, struct sweep_text formula, struct formula_table *out,
                     struct err *err)
{
    struct formula_scope scope = {.context = m,
                                  .programs = m->study->programs,
                                  .program_count = m->study->program_count,
                                  .judged = m->study->is_judged,
                                  .arena = m->arena,
                                  .statistic = get_statistic,
                                  .value = get_value,
                                  .group = get_group,
                                  .published = get_published,
                                  .fits = get_fits,
                                  .parts = get_parts,
                                  .data_of_mix = get_data_of_mix,
                                  .rejected = &m->rejected};
    return formula_evaluate(&scope, formula.text, formula.at, out, err);
}

/* ---- checks ---- */

/* A shape that speaks of every program holds when it does for all that were measured and are
 * judged. */
static double whole(const struct study *s, const struct formula_table *t)
{
    double least = NAN;
    for (u32 i = 0; i < t->programs; i++) {
        bool counts = t->programs == 1 || !s->is_judged || s->is_judged[i];
        double own = counts ? numbers_least(t->cells + (size_t)i * t->points, t->points) : NAN;
        least = fmin(least, own);
    }
    return least;
}

static bool measure_check(struct measurer *m, struct study_check *c, struct err *err)
{
    struct formula_table t;
    m->is_judging = check_is_judged(c);
    m->rejected = NULL;
    if (!evaluate(m, c->formula, &t, err))
        return false;
    if (m->is_judging && m->rejected && m->db) /* it speaks of a program that is not accepted */
        c->shown = arena_printf(m->arena, "%s is not accepted", m->rejected);
    m->is_judging = false;
    if (c->kind != CHECK_SHAPE && (t.programs > 1 || t.points > 1))
        return err_at(err, c->formula.at,
                      "'%s' has a number for each program, expected one: name a program, or take "
                      "a mean",
                      c->formula.text);
    check_judge(c, whole(m->study, &t));
    if (!c->show.text)
        return true;
    if (!evaluate(m, c->show, &t, err))
        return false;
    c->measured = whole(m->study, &t);
    return true;
}

static bool count_runs(struct measurer *m, struct err *err)
{
    struct study *s = m->study;
    for (u32 i = 0; i < s->plan.count; i++) {
        sqlite3_stmt *q =
            db_ask(m->db, err, "SELECT status, simulation_seconds FROM runs WHERE key = ?", "t",
                   s->plan.points[i]->key);
        if (db_next(m->db, q, err)) {
            bool done = strcmp(db_text(q, 0), "done") == 0;
            s->done += done;
            s->failed += !done;
            s->seconds += done ? sqlite3_column_double(q, 1) : 0;
            sqlite3_reset(q);
        }
        if (err->kind != ERR_NONE)
            return false;
    }
    return true;
}

/* By what they are alone, before anything is compared: the value is worked out over all programs,
 * and one that was not measured is not accepted. */
static bool accept_programs(struct measurer *m, struct err *err)
{
    struct study *s = m->study;
    struct formula_table t;
    s->is_judged = NULL;
    if (!s->judged.text)
        return true;
    if (!get_value(m, s->judged.text, &t, s->judged.at, err))
        return false;
    u8 *is_judged = ARENA_ARRAY(m->arena, u8, s->program_count + 1);
    for (u32 i = 0; i < s->program_count; i++) {
        double x = t.cells[(t.programs > 1 ? i : 0) * t.points];
        is_judged[i] = !isnan(x) && x != 0;
    }
    s->is_judged = is_judged;
    return true;
}

static bool measure_all(struct measurer *m, struct err *err)
{
    struct study *s = m->study;
    struct formula_table ignored;
    if (!accept_programs(m, err))
        return false;
    for (u32 i = 0; i < s->value_count; i++) {
        if (!get_value(m, s->values[i].name, &ignored, s->values[i].formula.at, err))
            return false;
    }
    for (u32 i = 0; i < s->check_count; i++) {
        if (!measure_check(m, &s->checks[i], err))
            return false;
    }
    return true;
}

bool study_check(struct study *study, struct arena *arena, struct err *err)
{
    struct study_names names = {.study = study, .arena = arena};
    struct measurer m = {.study = study, .arena = arena, .names = &names};
    bool ok = measure_all(&m, err);
    study_names_fini(&names);
    for (u32 i = 0; i < study->value_count; i++)
        study->values[i].state = VALUE_NEW;
    return ok;
}

bool study_measure(struct study *study, struct db *db, struct arena *arena, struct err *err)
{
    struct measurer m = {.study = study, .db = db, .arena = arena};
    remember(&m, "seconds"); /* so that a reader knows what a run of the study takes */
    return measure_all(&m, err) && count_runs(&m, err) && measurer_count_makers(&m, err);
}
