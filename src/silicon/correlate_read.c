/* From the kernels that the database has of a run to launches beside those of the silicon. */
#include "silicon/correlate.h"
#include "silicon/nsight_csv.h"
#include "campaign/run_queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct correlate *c;
    struct correlate_result *out;
    struct db *db;
    struct err *err;
    const char **columns; /* of the table of kernels */
    u32 column_count;
    double warp_slots, launch_cycles; /* of the chip of this run */
};

/* One simulated launch. */
struct simulated {
    u64 number, blocks, threads;
    const char *name, *bound_by;
    double *values;
};

/* ---- one run ---- */

static double config_value(const struct plan_config *c, const char *path)
{
    for (u32 i = 0; i < c->count; i++) {
        if (strcmp(c->paths[i], path) == 0)
            return strtod(c->values[i], NULL);
    }
    return NAN;
}

static void name_columns(struct reading *r, sqlite3_stmt *s)
{
    r->column_count = (u32)sqlite3_column_count(s);
    r->columns = ARENA_ARRAY(r->c->arena, const char *, r->column_count + 1);
    for (u32 i = 0; i < r->column_count; i++)
        r->columns[i] = arena_strdup(r->c->arena, sqlite3_column_name(s, (int)i));
}

static struct simulated simulated_row(struct reading *r, sqlite3_stmt *s)
{
    struct arena *a = r->c->arena;
    struct simulated k = {
        .name = "", .bound_by = "", .values = ARENA_ARRAY(a, double, r->column_count + 1)};
    for (u32 i = 0; i < r->column_count; i++) {
        int type = sqlite3_column_type(s, (int)i);
        k.values[i] =
            type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(s, (int)i) : NAN;
        if (strcmp(r->columns[i], "name") == 0)
            k.name = arena_strdup(a, db_text(s, (int)i));
        else if (strcmp(r->columns[i], "bound_by") == 0)
            k.bound_by = arena_strdup(a, db_text(s, (int)i));
        else if (strcmp(r->columns[i], "number") == 0)
            k.number = (u64)sqlite3_column_int64(s, (int)i);
        else if (strcmp(r->columns[i], "blocks") == 0)
            k.blocks = (u64)sqlite3_column_int64(s, (int)i);
        else if (strcmp(r->columns[i], "threads_per_block") == 0)
            k.threads = (u64)sqlite3_column_int64(s, (int)i);
    }
    return k;
}

/* All launches of a run, by number; NULL: err. */
static struct simulated *read_kernels(struct reading *r, const char *key, u32 *count)
{
    struct simulated *all = NULL;
    u32 room = 0;
    *count = 0;
    sqlite3_stmt *s =
        db_ask(r->db, r->err, "SELECT * FROM kernels WHERE run = ? ORDER BY number", "t", key);
    if (s)
        name_columns(r, s);
    while (db_next(r->db, s, r->err)) {
        if (*count == room) {
            room = room ? 2 * room : 64;
            struct simulated *more = ARENA_ARRAY(r->c->arena, struct simulated, room);
            if (*count)
                memcpy(more, all, *count * sizeof *all);
            all = more;
        }
        all[(*count)++] = simulated_row(r, s);
    }
    return all;
}

/* ---- side by side ---- */

/* NULL: there is none of that number. In order, so it stands at its number or, where some before
 * it are missing, further to the front. */
static const struct simulated *simulated_number(const struct simulated *all, u32 count, u64 number)
{
    for (u32 i = number < count ? (u32)number + 1 : count; i-- > 0;) {
        if (all[i].number == number)
            return &all[i];
    }
    return NULL;
}

static const char *mismatch(const struct reading *r, const struct silicon_launch *l,
                            const struct simulated *k, u32 count)
{
    const struct silicon_table *t = &r->c->silicon;
    const char *place = arena_printf(r->c->arena, "%s:%u: launch %u of %s", t->path, l->line,
                                     l->number, t->programs[l->program]);
    if (!k)
        return arena_printf(r->c->arena, "%s was recorded, the simulated program has %u launch%s",
                            place, count, count == 1 ? "" : "es");
    if (strcmp(k->name, l->kernel) != 0 &&
        strcmp(nsight_plain_name(k->name, r->c->arena), l->kernel) != 0)
        return arena_printf(r->c->arena, "%s is kernel %s, the simulated one is %s", place,
                            l->kernel, k->name);
    if (k->blocks != l->blocks)
        return arena_printf(r->c->arena, "%s has a grid of %s, the simulated one %llu blocks",
                            place, l->grid, (unsigned long long)k->blocks);
    if (k->threads != l->threads)
        return arena_printf(r->c->arena, "%s has blocks of %s, the simulated one of %llu threads",
                            place, l->block, (unsigned long long)k->threads);
    return NULL;
}

static void compare(const struct reading *r, const struct silicon_launch *l,
                    const struct simulated *k)
{
    struct correlate_launch *to = &r->out->launches[r->out->launch_count++];
    const struct silicon_table *t = &r->c->silicon;
    struct simulated_launch launch = {.kernel = {r->columns, k->values, r->column_count},
                                      .warp_slots = r->warp_slots,
                                      .launch_cycles = r->launch_cycles};
    *to = (struct correlate_launch){.silicon = l,
                                    .bound_by = k->bound_by,
                                    .counts =
                                        silicon_value(t, l, "cycles") > r->c->request.least_cycles};
    for (u32 i = 0; i < counter_count(); i++) {
        const struct counter *c = &correlate_counters[i];
        to->on_silicon[i] = counter_on_silicon(c, t, l);
        to->simulated[i] = counter_simulated(c, &launch);
        to->error[i] = counter_error(c, to->on_silicon[i], to->simulated[i]);
    }
    for (u32 i = 0; i < SLOT_COUNT; i++) {
        char field[64];
        snprintf(field, sizeof field, "scheduler_slots.%s", slot_names[i]);
        to->slots[i] = kernel_value(&launch.kernel, field);
    }
}

static bool compare_program(struct reading *r, struct correlate_program *p, u32 program,
                            const char *key)
{
    const struct silicon_table *t = &r->c->silicon;
    u32 count, first = r->out->launch_count;
    const struct simulated *all = read_kernels(r, key, &count);
    if (r->err->kind != ERR_NONE)
        return false;
    for (u32 i = 0; i < t->count && !p->failure; i++) {
        const struct silicon_launch *l = &t->launches[i];
        if (l->program != program)
            continue;
        const struct simulated *k = simulated_number(all, count, l->number);
        p->failure = mismatch(r, l, k, count);
        p->is_mismatch = p->failure != NULL;
        if (!p->failure)
            compare(r, l, k);
    }
    if (p->failure)
        r->out->launch_count = first; /* what does not fit together is not compared in part */
    return true;
}

/* ---- all of them ---- */

static const struct plan_point *point_of(const struct plan *plan, const char *program)
{
    for (u32 i = 0; i < plan->count; i++) {
        if (strcmp(plan->points[i]->workload->as_written->name.text, program) == 0)
            return plan->points[i];
    }
    return NULL;
}

/* Why a run has no result; NULL: it has one, or err. */
static const char *failure_of(struct reading *r, const char *key)
{
    sqlite3_stmt *s =
        db_ask(r->db, r->err, "SELECT status, error, seconds FROM runs WHERE key = ?", "t", key);
    const char *failure = "not run";
    if (!db_next(r->db, s, r->err))
        return failure;
    if (run_status_find(db_text(s, 0)) == RUN_DONE) {
        r->out->seconds += sqlite3_column_double(s, 2);
        failure = NULL;
    } else {
        failure = arena_printf(r->c->arena, "%s%s%s", db_text(s, 0), *db_text(s, 1) ? ": " : "",
                               db_text(s, 1));
    }
    sqlite3_reset(s);
    return failure;
}

static bool read_program(struct reading *r, const struct plan_point *point, u32 program)
{
    struct correlate_program *p = &r->out->programs[r->out->program_count++];
    const struct silicon_table *t = &r->c->silicon;
    *p = (struct correlate_program){.name = t->programs[program],
                                    .half = correlate_half_of(t->programs[program])};
    for (u32 i = 0; i < t->count; i++)
        p->recorded += t->launches[i].program == program;
    p->failure = failure_of(r, point->key);
    if (r->err->kind != ERR_NONE)
        return false;
    r->out->runs_done += !p->failure;
    r->out->runs_missing += p->failure != NULL;
    r->warp_slots = config_value(point->config, "sm.warps");
    r->launch_cycles = config_value(point->config, "launch.cycles");
    return p->failure || compare_program(r, p, program, point->key);
}

bool correlate_read(const struct correlate *c, const struct plan *plan, struct db *db,
                    struct correlate_result *out, struct err *err)
{
    struct reading r = {.c = c, .out = out, .db = db, .err = err};
    *out = (struct correlate_result){
        .launches = ARENA_ARRAY(c->arena, struct correlate_launch, c->silicon.count),
        .programs = ARENA_ARRAY(c->arena, struct correlate_program, c->program_count + 1)};
    for (u32 i = 0; i < c->program_count; i++) {
        const struct plan_point *point = point_of(plan, correlate_workload(c, c->programs[i]));
        if (point && !read_program(&r, point, c->programs[i]))
            return false;
    }
    correlate_sum(c, out);
    return true;
}
