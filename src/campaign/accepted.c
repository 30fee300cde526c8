#include "campaign/accepted.h"

#include "base/csv.h"
#include "run/mix.h"
#include "campaign/plan.h"

#include <string.h>

enum column { PROGRAM, SIZE, ARGUMENTS, ACCEPTED, SOURCES, COLUMNS };

static const char *const column_names[COLUMNS] = {"program", "size", "arguments", "accepted",
                                                  "sha256"};

struct table {
    struct csv csv;
    u32 columns[COLUMNS];
};

static bool read_table(struct table *t, const char *path, const char *const *names,
                       struct arena *arena, struct err *err)
{
    if (!csv_read_file(&t->csv, path, arena, err))
        return false;
    for (u32 i = 0; i < COLUMNS; i++) {
        t->columns[i] = names[i] ? csv_column(&t->csv, names[i]) : 0;
        if (t->columns[i] == UINT32_MAX)
            return err_at(err, (struct src_pos){path, 1, 0}, "there is no column %s", names[i]);
    }
    return true;
}

static const char *field(const struct table *t, u32 row, enum column c)
{
    return t->csv.rows[row].fields[t->columns[c]];
}

/* The row of a program with this input; size NULL: with any. UINT32_MAX: none. */
static u32 find_row(const struct table *t, const char *program, const char *size, const char *args)
{
    for (u32 i = 0; i < t->csv.count; i++) {
        if (strcmp(field(t, i, PROGRAM), program) == 0 &&
            (!size ||
             (strcmp(field(t, i, SIZE), size) == 0 && strcmp(field(t, i, ARGUMENTS), args) == 0)))
            return i;
    }
    return UINT32_MAX;
}

static const char *joined_arguments(const struct application *a, struct arena *arena)
{
    const char *all = "";
    for (u32 i = 0; i < a->arg_count; i++)
        all = arena_printf(arena, "%s%s%s", all, i ? " " : "", a->args[i]);
    return all;
}

/* "bfs (size small, --scale 18)" */
static const char *with_input(const char *program, const char *size, const char *args,
                              struct arena *arena)
{
    return arena_printf(arena, "%s (size %s%s%s)", program, size, *args ? ", " : "", args);
}

static bool refuse_input(const struct table *t, const struct application *a, const char *what,
                         struct arena *arena, struct err *err)
{
    u32 other = find_row(t, a->program, NULL, NULL);
    if (other == UINT32_MAX)
        return err_at(err, a->program_at, "%s is not in %s, expected a measured program", what,
                      t->csv.path);
    return err_at(err, a->program_at, "%s was not measured in %s, expected %s", what, t->csv.path,
                  with_input(a->program, field(t, other, SIZE), field(t, other, ARGUMENTS), arena));
}

static bool check_application(const struct table *t, const struct table *sources,
                              const struct application *a, struct arena *arena, struct err *err)
{
    const char *size = a->size ? a->size : "small", *args = joined_arguments(a, arena);
    const char *what = with_input(a->program, size, args, arena);
    u32 row = find_row(t, a->program, size, args);
    if (row == UINT32_MAX)
        return refuse_input(t, a, what, arena, err);
    if (strcmp(field(t, row, ACCEPTED), "no") == 0)
        return err_at(
            err, a->program_at,
            "%s is not accepted: it does not behave as any of the published programs (%s)", what,
            t->csv.path);
    u32 source = find_row(sources, a->program, NULL, NULL);
    if (source != UINT32_MAX &&
        strcmp(field(sources, source, SOURCES), field(t, row, SOURCES)) == 0)
        return true;
    return err_at(err, a->program_at,
                  "the sources of %s have changed since %s was measured; measure it again",
                  a->program, t->csv.path);
}

bool accepted_check_mix(const struct study_host *host, const struct mix *mix, struct arena *arena,
                        struct err *err)
{
    static const char *const source_names[COLUMNS] = {[PROGRAM] = "program", [SOURCES] = "sha256"};
    struct table table, sources;
    if (!host->accepted)
        return true;
    if (!read_table(&table, host->accepted, column_names, arena, err) ||
        !read_table(&sources, host->sources, source_names, arena, err))
        return false;
    for (u32 i = 0; i < mix->count; i++) {
        const struct application *a = &mix->applications[i];
        if (a->kind->is_workload && !check_application(&table, &sources, a, arena, err))
            return false;
    }
    return true;
}
