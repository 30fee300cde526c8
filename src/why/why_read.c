/* What the runs of `heddle why` measured, from the results database. */
#include "why/why.h"

#include "campaign/kernel_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ESTIMATES 256 /* totals of a sampled run */

static struct why_row *row_named(struct why *why, const char *name, u32 *room)
{
    for (u32 i = 0; i < why->kernel_count; i++) {
        if (strcmp(why->kernels[i].name, name) == 0)
            return &why->kernels[i];
    }
    if (why->kernel_count == *room) {
        struct why_row *old = why->kernels;
        *room = *room ? 2 * *room : 16;
        why->kernels = ARENA_ARRAY(&why->arena, struct why_row, *room);
        if (why->kernel_count)
            memcpy(why->kernels, old, why->kernel_count * sizeof *old);
    }
    struct why_row *row = &why->kernels[why->kernel_count++];
    row->name = arena_strdup(&why->arena, name);
    row->values = ARENA_ARRAY(&why->arena, double, why->column_count + 1);
    for (u32 i = 0; i < MOST_WHATIFS; i++)
        row->cycles[i] = NAN;
    return row;
}

static void add_cycles(struct why_row *row, u32 variant, double cycles)
{
    row->cycles[variant] = isnan(row->cycles[variant]) ? cycles : row->cycles[variant] + cycles;
}

static double column_number(sqlite3_stmt *s, int column)
{
    int type = sqlite3_column_type(s, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(s, column) : NAN;
}

static int column_named(sqlite3_stmt *s, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        if (strcmp(sqlite3_column_name(s, i), name) == 0)
            return i;
    }
    return -1;
}

static void name_columns(struct why *why, sqlite3_stmt *s)
{
    why->column_count = (u32)sqlite3_column_count(s);
    why->columns = ARENA_ARRAY(&why->arena, const char *, why->column_count + 1);
    for (u32 i = 0; i < why->column_count; i++)
        why->columns[i] = arena_strdup(&why->arena, sqlite3_column_name(s, (int)i));
    why->all.values = ARENA_ARRAY(&why->arena, double, why->column_count + 1);
}

/* Time with a kernel on the chip, whether or not some overlap: intervals by their ends, the last
 * first, so that only what begins before all seen so far is new. */
struct busy {
    double from, cycles;
};

static void add_busy(struct busy *b, double started, double ended)
{
    double until = ended < b->from ? ended : b->from;
    if (started < until) {
        b->cycles += until - started;
        b->from = started;
    }
}

static void add_launch(struct why *why, u32 variant, sqlite3_stmt *s, u32 *room)
{
    int name = column_named(s, "name"), cycles = column_named(s, "cycles");
    struct why_row *row = row_named(why, db_text(s, name), room);
    add_cycles(row, variant, column_number(s, cycles));
    if (variant != 0)
        return;
    row->launches++;
    why->all.launches++;
    for (u32 i = 0; i < why->column_count; i++) {
        double v = column_number(s, (int)i);
        row->values[i] += v;
        why->all.values[i] += v;
    }
}

static bool read_kernels(struct why *why, u32 variant, struct db *db, u32 *room, struct err *err)
{
    struct busy busy = {.from = INFINITY};
    sqlite3_stmt *s = db_ask(db, err, "SELECT * FROM kernels WHERE run = ? ORDER BY ordinal DESC",
                             "t", why->variants[variant].point->key);
    if (s && variant == 0)
        name_columns(why, s);
    while (db_next(db, s, err)) {
        add_launch(why, variant, s, room);
        add_busy(&busy, column_number(s, column_named(s, "started")),
                 column_number(s, column_named(s, "ended")));
    }
    why->all.cycles[variant] = busy.cycles;
    return err->kind == ERR_NONE;
}

/* Of a sampled run: its cycles and, of the base, every total that was estimated, under the name
 * that kernel records have for it. */
static bool read_estimates(struct why *why, struct db *db, struct err *err)
{
    const char *key = why->variants[0].point->key;
    why->timed_share = why->half_width = NAN;
    why->columns = ARENA_ARRAY(&why->arena, const char *, MOST_ESTIMATES);
    why->all.values = ARENA_ARRAY(&why->arena, double, MOST_ESTIMATES);
    sqlite3_stmt *s =
        db_ask(db, err, "SELECT name, value FROM stats WHERE run = ? AND name LIKE 'sampling.%'",
               "t", key);
    while (db_next(db, s, err)) {
        const char *name = db_text(s, 0) + strlen("sampling."), *dot = strchr(name, '.');
        double value = column_number(s, 1);
        if (strcmp(name, "timed_share") == 0)
            why->timed_share = value;
        else if (strcmp(name, "cycles.half_width") == 0)
            why->half_width = value;
        else if (dot && strcmp(dot, ".estimate") == 0 && why->column_count < MOST_ESTIMATES) {
            why->all.values[why->column_count] = value;
            why->columns[why->column_count++] =
                arena_printf(&why->arena, "%.*s", (int)(dot - name), name);
        }
    }
    return err->kind == ERR_NONE;
}

static bool read_estimate(struct why *why, u32 variant, struct db *db, struct err *err)
{
    sqlite3_stmt *s = db_ask(db, err, "SELECT cycles FROM runs WHERE key = ?", "t",
                             why->variants[variant].point->key);
    if (db_next(db, s, err)) {
        why->all.cycles[variant] = column_number(s, 0);
        sqlite3_reset(s);
    }
    return err->kind == ERR_NONE && (variant != 0 || read_estimates(why, db, err));
}

static bool read_variant(struct why *why, u32 variant, struct db *db, u32 *room, struct err *err)
{
    struct why_variant *v = &why->variants[variant];
    why->all.cycles[variant] = NAN;
    if (!v->point)
        return true;
    sqlite3_stmt *s =
        db_ask(db, err, "SELECT status, error FROM runs WHERE key = ?", "t", v->point->key);
    if (db_next(db, s, err)) {
        v->is_done = run_status_find(db_text(s, 0)) == RUN_DONE;
        v->error = arena_strdup(&why->arena, db_text(s, 1));
        sqlite3_reset(s);
    }
    if (err->kind != ERR_NONE)
        return false;
    if (variant == 0 && !v->is_done)
        return err_kind(err, ERR_VERIFY, "the run on %s itself has no result: %s", why->chip.name,
                        *v->error ? v->error : "it was not completed");
    return !v->is_done || (why->is_sampled ? read_estimate(why, variant, db, err)
                                           : read_kernels(why, variant, db, room, err));
}

static int by_cycles(const void *a, const void *b)
{
    const struct why_row *x = a, *y = b;
    if (x->cycles[0] != y->cycles[0])
        return x->cycles[0] > y->cycles[0] ? -1 : 1;
    return strcmp(x->name, y->name);
}

bool why_read(struct why *why, const char *db_path, struct err *err)
{
    struct db db;
    u32 room = 0;
    why->all.name = "the whole program";
    if (!db_open_readonly(&db, db_path, err))
        return false;
    bool ok = true;
    for (u32 i = 0; ok && i < why->variant_count; i++)
        ok = read_variant(why, i, &db, &room, err);
    db_close(&db);
    if (ok && why->kernel_count == 0 && !why->is_sampled)
        return err_kind(err, ERR_VERIFY, "the run on %s has no kernels", why->chip.name);
    if (ok && why->kernel_count > 1)
        qsort(why->kernels, why->kernel_count, sizeof *why->kernels, by_cycles);
    return ok;
}

double why_value(const struct why *why, const struct why_row *row, const char *field)
{
    struct kernel_values k = {why->columns, row->values, why->column_count};
    return kernel_value(&k, field);
}

double why_gain(const struct why *why, const struct why_row *row, const char *id)
{
    for (u32 i = 0; i < why->variant_count; i++) {
        if (strcmp(why->variants[i].whatif->id, id) == 0)
            return row->cycles[0] / row->cycles[i];
    }
    return NAN;
}
