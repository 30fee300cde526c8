#include "silicon/silicon_stalls.h"

#include "base/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "selected" and "not_selected" are not here: those warps could go on. */
const struct stall_reason stall_reasons[] = {
    {"barrier", "at barriers"},
    {"branch_resolving", "for branches"},
    {"dispatch_stall", "for the dispatcher"},
    {"drain", "for stores at their end"},
    {"imc_miss", "for constants"},
    {"lg_throttle", "for the queue of global accesses"},
    {"long_scoreboard", "for data from memory"},
    {"math_pipe_throttle", "for busy arithmetic pipes"},
    {"membar", "at fences"},
    {"mio_throttle", "for the queue of shared memory and special functions"},
    {"misc", "for something else"},
    {"no_instruction", "for instructions"},
    {"short_scoreboard", "for data from shared memory or special functions"},
    {"sleeping", "asleep"},
    {"tex_throttle", "for the queue of textures"},
    {"wait", "for fixed latencies"},
    {NULL, NULL},
};
_Static_assert(ARRAY_LEN(stall_reasons) <= MOST_STALLS, "MOST_STALLS");

static struct silicon_stall_row *row_of(struct silicon_stalls *s, const char *program,
                                        const char *kernel)
{
    for (u32 i = s->count; i-- > 0;) {
        if (strcmp(s->rows[i].kernel, kernel) == 0 && strcmp(s->rows[i].program, program) == 0)
            return &s->rows[i];
    }
    s->rows[s->count] = (struct silicon_stall_row){.program = program, .kernel = kernel};
    return &s->rows[s->count++];
}

static bool find_column(const struct csv *csv, const char *name, u32 *column, struct err *err)
{
    *column = csv_column(csv, name);
    const char *nearest = names_nearest(name, csv->head.fields, csv->head.count);
    return *column != UINT32_MAX ||
           err_at(err, (struct src_pos){csv->path, csv->head.line, 1},
                  "there is no column '%s'%s%s%s", name, nearest ? " (nearest: " : "",
                  nearest ? nearest : "", nearest ? ")" : "");
}

static bool read_number(const struct csv *csv, const struct csv_row *row, u32 column, double *out,
                        struct err *err)
{
    const char *text = row->fields[column];
    char *end;
    *out = strtod(text, &end);
    return (end != text && !*end && isfinite(*out) && *out >= 0) ||
           err_found(err, (struct src_pos){csv->path, row->line, 1}, csv->head.fields[column], text,
                     "a number of at least 0");
}

static bool read_table(struct silicon_stalls *s, const struct csv *csv, struct arena *arena,
                       struct err *err)
{
    u32 program, kernel, issued, reasons[MOST_STALLS], count = 0;
    if (!find_column(csv, "workload", &program, err) || !find_column(csv, "kernel", &kernel, err) ||
        !find_column(csv, "issued", &issued, err))
        return false;
    for (; stall_reasons[count].column; count++) {
        if (!find_column(csv, stall_reasons[count].column, &reasons[count], err))
            return false;
    }
    *s = (struct silicon_stalls){.rows = ARENA_ARRAY(arena, struct silicon_stall_row, csv->count)};
    for (u32 i = 0; i < csv->count; i++) {
        const struct csv_row *row = &csv->rows[i];
        struct silicon_stall_row *to = row_of(s, row->fields[program], row->fields[kernel]);
        double instructions, per_issue;
        if (!read_number(csv, row, issued, &instructions, err))
            return false;
        for (u32 k = 0; k < count; k++) {
            if (!read_number(csv, row, reasons[k], &per_issue, err))
                return false;
            to->cycles[k] += per_issue * instructions;
        }
    }
    return true;
}

bool silicon_stalls_read_text(struct silicon_stalls *s, const char *path, const char *text,
                              size_t length, struct arena *arena, struct err *err)
{
    struct csv csv;
    return csv_read_text(&csv, path, text, length, arena, err) && read_table(s, &csv, arena, err);
}

bool silicon_stalls_read(struct silicon_stalls *s, const char *path, struct arena *arena,
                         struct err *err)
{
    struct csv csv;
    return csv_read_file(&csv, path, arena, err) && read_table(s, &csv, arena, err);
}

const struct silicon_stall_row *silicon_stalls_of(const struct silicon_stalls *s,
                                                  const char *program, const char *kernel)
{
    for (u32 i = 0; i < s->count; i++) {
        if (strcmp(s->rows[i].kernel, kernel) == 0 && strcmp(s->rows[i].program, program) == 0)
            return &s->rows[i];
    }
    return NULL;
}
