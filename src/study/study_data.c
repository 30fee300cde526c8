/* Numbers that no run measured. DATA:COLUMN in a formula: what another command worked out, from a
 * CSV file with a column `program`; programs that it does not have are not measured. `yes` is read
 * as 1 and `no` as 0.
 * RUN:param.PATH: what the chip of a run was set to. */
#include "base/csv.h"
#include "run/mix.h"
#include "study/study_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool study_read_data(struct study_reader *r)
{
    struct study *s = r->study;
    u32 count = r->data ? r->data->child_count : 0;
    if (r->data && !study_is_map(r, r->data, "data"))
        return false;
    s->data = ARENA_ARRAY(r->arena, struct study_data, count + 1);
    for (u32 i = 0; i < count; i++) {
        const struct yaml_node *n = &r->data->children[i];
        struct study_data *d = &s->data[s->data_count++];
        if (n->kind != YAML_SCALAR || !n->text[0])
            return err_found(r->err, n->at, n->key, yaml_kind_name(n->kind), "a CSV file");
        d->name = n->key;
        if (!csv_read_file(&d->csv, plan_path(n->text, s->path, r->arena), r->arena, r->err))
            return false;
        if (csv_column(&d->csv, "program") == UINT32_MAX)
            return err_at(r->err, (struct src_pos){d->csv.path, d->csv.head.line, 1},
                          "there is no column 'program'");
    }
    return true;
}

static bool read_number(const struct study_data *d, const struct csv_row *row, u32 column,
                        double *out, struct err *err)
{
    const char *text = row->fields[column];
    char *end;
    if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0) {
        *out = text[0] == 'y';
        return true;
    }
    *out = *text ? strtod(text, &end) : NAN;
    return !*text || !*end ||
           err_found(err, (struct src_pos){d->csv.path, row->line, 1}, d->csv.head.fields[column],
                     text, "a number, yes, no, or nothing");
}

/* NAN: the file has no such program, or nothing of it. */
static bool read_of(const struct study_data *d, const char *program, u32 column, double *out,
                    struct err *err)
{
    u32 names = csv_column(&d->csv, "program");
    *out = NAN;
    for (u32 k = 0; k < d->csv.count; k++) {
        if (strcmp(d->csv.rows[k].fields[names], program) == 0 &&
            !read_number(d, &d->csv.rows[k], column, out, err))
            return false;
    }
    return true;
}

static bool read_of_mix(const struct study_data *d, const struct mix *mix, u32 column, double *out,
                        struct err *err)
{
    bool has_all = true;
    *out = NAN;
    for (u32 a = 0; has_all && a < mix->count; a++) {
        double x;
        if (!mix->applications[a].kind->is_workload)
            continue;
        if (!read_of(d, mix->applications[a].program, column, &x, err))
            return false;
        has_all = !isnan(x);
        *out = has_all ? fmin(*out, x) : NAN;
    }
    return true;
}

const struct mix *study_mix(const struct study *s, u32 program)
{
    for (u32 r = 0; r < s->run_count; r++) {
        const struct study_run *run = &s->runs[r];
        for (u32 k = 0; run->by_program && k < run->points; k++) {
            const struct plan_point *p = run->by_program[program * run->points + k];
            if (p && p->workload->mix)
                return p->workload->mix;
        }
    }
    return NULL;
}

static bool read_column(const struct study *s, const struct study_data *d, const char *name,
                        bool of_mixes, struct formula_table *out, struct src_pos at,
                        struct arena *arena, struct err *err)
{
    u32 column = csv_column(&d->csv, name);
    if (column == UINT32_MAX)
        return err_unknown(err, at, "column", name, (const char *const *)d->csv.head.fields,
                           d->csv.head.count, d->csv.path);
    *out = (struct formula_table){s->program_count, 1, NULL,
                                  ARENA_ARRAY(arena, double, s->program_count + 1)};
    for (u32 i = 0; i < s->program_count; i++) {
        const struct mix *mix = of_mixes ? study_mix(s, i) : NULL;
        if (!(mix ? read_of_mix(d, mix, column, &out->cells[i], err)
                  : read_of(d, s->programs[i], column, &out->cells[i], err)))
            return false;
    }
    return true;
}

bool study_data_of_mix(const struct study *s, const struct study_data *d, const char *name,
                       struct formula_table *out, struct src_pos at, struct arena *arena,
                       struct err *err)
{
    return read_column(s, d, name, true, out, at, arena, err);
}

bool study_data_column(const struct study *s, const struct study_data *d, const char *name,
                       struct formula_table *out, struct src_pos at, struct arena *arena,
                       struct err *err)
{
    return read_column(s, d, name, false, out, at, arena, err);
}

static const char *param_of(const struct plan_config *c, const char *path)
{
    for (u32 i = 0; i < c->count; i++) {
        if (strcmp(c->paths[i], path) == 0)
            return c->values[i];
    }
    return NULL;
}

bool study_param(const struct study_run *run, const char *path, struct formula_table *out,
                 struct src_pos at, struct err *err)
{
    bool found = run->plan.count == 0;
    for (u32 i = 0; i < out->programs * out->points; i++) {
        const struct plan_point *p = run->by_program[i];
        const char *value = p ? param_of(p->config, path) : NULL;
        found |= value != NULL;
        out->cells[i] = value ? study_number(value) : NAN;
    }
    return found ||
           err_unknown(err, at, "parameter of the runs", path, run->plan.points[0]->config->paths,
                       run->plan.points[0]->config->count, "heddle list params");
}
