#include "study/why.h"

#include "chip/model.h"
#include "gpu/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

static bool open_chip(struct why *why, const struct config_request *request, struct err *err)
{
    if (!config_load(&why->chip, request, err))
        return false;
    return why->chip.schema->params == gpu_params ||
           err_at(err, (struct src_pos){0}, "chip %s is of model %s, expected one of model gpu",
                  why->chip.name, why->chip.schema->model);
}

static void choose_variants(struct why *why, const struct config_request *request, bool is_quick)
{
    for (const struct whatif *w = whatifs; w->id; w++) {
        struct why_variant *v = &why->variants[why->variant_count];
        if (is_quick && w->kind == WHATIF_CHANGE)
            continue;
        why->variant_count++;
        v->whatif = w;
        v->error = "";
        whatif_settings(w, &why->chip, request, &why->arena, &v->settings);
    }
}

/* Runs are the base, which a recording is, and what changes anything. */
static bool is_point(const struct why *why, u32 variant)
{
    const struct why_variant *v = &why->variants[variant];
    return v->whatif->kind == WHATIF_BASE ? !why->is_replayed : v->settings.count > 0;
}

static const struct whatif_setting *setting_of(const struct why_variant *v, const char *path)
{
    for (u32 i = 0; i < v->settings.count; i++) {
        if (strcmp(v->settings.settings[i].path, path) == 0)
            return &v->settings.settings[i];
    }
    return NULL;
}

/* A parameter that some variant changes: its value in each of them. */
static void add_param(struct why *why, struct sweep_axis *axis, const struct whatif_setting *s)
{
    for (u32 i = 0; i < axis->param_count; i++) {
        if (strcmp(axis->params[i].name.text, s->path) == 0)
            return;
    }
    struct sweep_param *p = &axis->params[axis->param_count++];
    *p = (struct sweep_param){.name.text = s->path,
                              .values = ARENA_ARRAY(&why->arena, struct sweep_text, MOST_WHATIFS)};
    for (u32 i = 0; i < why->variant_count; i++) {
        const struct whatif_setting *own = setting_of(&why->variants[i], s->path);
        if (is_point(why, i))
            p->values[p->value_count++].text = own ? own->value : s->before;
    }
}

static struct sweep_axis *make_axis(struct why *why)
{
    struct sweep_axis *axis = ARENA_NEW(&why->arena, struct sweep_axis);
    axis->params = ARENA_ARRAY(&why->arena, struct sweep_param, MOST_WHATIFS * MOST_WHATIF_CHANGES);
    for (u32 i = 0; i < why->variant_count; i++) {
        axis->value_count += is_point(why, i);
        for (u32 k = 0; k < why->variants[i].settings.count; k++)
            add_param(why, axis, &why->variants[i].settings.settings[k]);
    }
    return axis;
}

static bool make_sets(struct why *why, const struct why_request *r, struct err *err)
{
    struct sweep_file *f = &why->file;
    f->set = ARENA_ARRAY(&why->arena, struct sweep_param, r->set_count + 1);
    for (u32 i = 0; i < r->set_count; i++) {
        const char *equals = strchr(r->sets[i], '=');
        if (!equals)
            return err_found(err, (struct src_pos){0}, "--set", r->sets[i], "PARAM=VALUE");
        struct sweep_param *p = &f->set[f->set_count++];
        p->values = ARENA_NEW(&why->arena, struct sweep_text);
        p->value_count = 1;
        p->name.text = arena_printf(&why->arena, "%.*s", (int)(equals - r->sets[i]), r->sets[i]);
        p->values->text = arena_strdup(&why->arena, equals + 1);
        p->name.at.file = p->values->at.file = "--set";
    }
    return true;
}

/* The same as a sweep file would say. */
static bool make_file(struct why *why, const struct why_request *r, struct err *err)
{
    struct sweep_text *chip = ARENA_NEW(&why->arena, struct sweep_text);
    struct sweep_workload *workload = ARENA_NEW(&why->arena, struct sweep_workload);
    *chip = (struct sweep_text){.text = r->chip};
    *workload = r->workload;
    why->file = (struct sweep_file){
        .path = "",
        .name = arena_printf(&why->arena, "why %s on %s", r->workload.name.text, why->chip.name),
        .chips = chip,
        .chip_count = 1,
        .workloads = workload,
        .workload_count = 1,
        .axes = make_axis(why),
        .axis_count = 1,
        .seeds = &why->seed,
        .seed_count = 1,
        .record = why->is_replayed,
        .max_cycles = UINT64_MAX,
        .watchdog = UINT64_MAX,
    };
    return make_sets(why, r, err);
}

/* Points come in the order of the variants, behind the recording. */
static bool match_points(struct why *why, struct err *err)
{
    u32 next = 0;
    for (u32 i = 0; i < why->variant_count; i++) {
        bool is_base = why->variants[i].whatif->kind == WHATIF_BASE;
        if ((is_base || is_point(why, i)) && next < why->plan.count)
            why->variants[i].point = why->plan.points[next++];
    }
    return next == why->plan.count ||
           err_kind(err, ERR_INTERNAL, "two what-ifs of %s are one run", why->chip.name);
}

/* A recording is of what a program does; other workloads are read at every point. */
static bool can_record(const struct why_request *r, const struct study_host *host)
{
    bool is_program = r->workload.is_program;
    for (u32 i = 0; i < host->bundled_count; i++)
        is_program |= strcmp(host->bundled[i], r->workload.name.text) == 0;
    return is_program && !r->execute;
}

bool why_plan(struct why *why, const struct why_request *r, const struct study_host *host,
              struct err *err)
{
    *why = (struct why){.seed = r->seed, .is_replayed = can_record(r, host)};
    struct config_request request = {.chip = r->chip,
                                     .folders = host->chip_folders,
                                     .sets = r->sets,
                                     .set_count = r->set_count,
                                     .schemas = model_schemas};
    if (!open_chip(why, &request, err))
        return false;
    choose_variants(why, &request, r->is_quick);
    return make_file(why, r, err) &&
           plan_expand(&why->plan, &why->file, host, false, &why->arena, err) &&
           match_points(why, err);
}

void why_fini(struct why *why)
{
    if (why->chip.schema)
        config_fini(&why->chip);
    arena_fini(&why->arena);
    *why = (struct why){0};
}

/* ---- results ---- */

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
                        *v->error ? v->error : "it was not run to its end");
    return !v->is_done || read_kernels(why, variant, db, room, err);
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
    if (ok && why->kernel_count == 0)
        return err_kind(err, ERR_VERIFY, "the run on %s has no kernels", why->chip.name);
    if (ok)
        qsort(why->kernels, why->kernel_count, sizeof *why->kernels, by_cycles);
    return ok;
}

/* ---- questions ---- */

double why_value(const struct why *why, const struct why_row *row, const char *column)
{
    for (u32 i = 0; i < why->column_count; i++) {
        if (strcmp(why->columns[i], column) == 0)
            return row->values[i];
    }
    return NAN;
}

double why_gain(const struct why *why, const struct why_row *row, const char *id)
{
    for (u32 i = 0; i < why->variant_count; i++) {
        if (strcmp(why->variants[i].whatif->id, id) == 0)
            return row->cycles[0] / row->cycles[i];
    }
    return NAN;
}

const struct gpu_config *why_chip(const struct why *why)
{
    return why->chip.data;
}
