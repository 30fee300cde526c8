/* Numbers that no run measured. DATA:COLUMN in a formula: what another command worked out, from a
 * CSV file with a column `program`; programs that it does not have are not measured.
 * RUN:param.PATH: what the chip of a run was set to. */
#include "base/csv.h"
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
    *out = *text ? strtod(text, &end) : NAN;
    return !*text || !*end ||
           err_found(err, (struct src_pos){d->csv.path, row->line, 1}, d->csv.head.fields[column],
                     text, "a number, or nothing");
}

bool study_data_column(const struct study *s, const struct study_data *d, const char *name,
                       struct formula_table *out, struct src_pos at, struct arena *arena,
                       struct err *err)
{
    u32 column = csv_column(&d->csv, name), program = csv_column(&d->csv, "program");
    if (column == UINT32_MAX)
        return err_unknown(err, at, "column", name, (const char *const *)d->csv.head.fields,
                           d->csv.head.count, d->csv.path);
    *out = (struct formula_table){s->program_count, 1, NULL,
                                  ARENA_ARRAY(arena, double, s->program_count + 1)};
    for (u32 i = 0; i < s->program_count; i++) {
        out->cells[i] = NAN;
        for (u32 k = 0; k < d->csv.count; k++) {
            if (strcmp(d->csv.rows[k].fields[program], s->programs[i]) == 0 &&
                !read_number(d, &d->csv.rows[k], column, &out->cells[i], err))
                return false;
        }
    }
    return true;
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
