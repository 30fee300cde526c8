#include "stats/output.h"

#include "stats/json_text.h"

#include <string.h>

#define UNIT_DEPTH 2 /* of a unit's object in a result */

struct json_context {
    json_t *definitions, *totals, *units;
    json_t *unit;      /* whose rows come just now */
    struct text *text; /* of the units; NULL: they are a tree */
    const char *path;
};

static json_t *scalar_json(const struct stat_value *v)
{
    if (!v->defined)
        return json_null();
    return v->whole ? json_integer((json_int_t)v->integer) : json_real(v->number);
}

static json_t *bins_json(const struct histogram *h)
{
    json_t *bins = json_array(), *starts = json_array();
    for (u32 i = 0; i < h->bin_count; i++) {
        json_array_append_new(bins, json_integer((json_int_t)h->bins[i]));
        json_array_append_new(starts, json_integer((json_int_t)histogram_bin_start(h, i)));
    }
    json_t *o = json_object();
    json_object_set_new(o, "samples", json_integer((json_int_t)h->samples));
    json_object_set_new(o, "sum", json_integer((json_int_t)h->sum));
    json_object_set_new(o, "min", h->samples ? json_integer((json_int_t)h->smallest) : json_null());
    json_object_set_new(o, "max", h->samples ? json_integer((json_int_t)h->largest) : json_null());
    json_object_set_new(o, "bin_starts", starts);
    json_object_set_new(o, "bins", bins);
    return o;
}

static json_t *value_json(const struct stat_def *def, const struct stat_value *v)
{
    if (v->shape == STAT_SCALAR)
        return scalar_json(v);
    if (v->shape == STAT_BINS)
        return bins_json(&v->bins);
    json_t *o = json_object();
    for (u32 i = 0; i < def->label_count; i++)
        json_object_set_new(o, def->labels[i], json_integer((json_int_t)v->list[i]));
    return o;
}

/* Pages draw levels as they are, and counts as rates. */
static const char *shown_kind(const struct stat_def *def)
{
    return def->is_level ? "levels" : stat_kind_name(def->kind);
}

static void full_name(const struct stat_row *row, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", row->path, *row->path ? "." : "", row->def->name);
}

static void visit_unit(struct json_context *c, const struct stat_row *row)
{
    if (row->path != c->path) {
        c->unit = json_object();
        json_object_set_new(c->units, row->path, c->unit);
    }
    c->path = row->path;
    json_object_set_new(c->unit, row->def->name, value_json(row->def, &row->value));
}

static void visit_unit_text(struct json_context *c, const struct stat_row *row)
{
    bool is_first = row->path != c->path;
    if (is_first && c->path)
        json_text_end(c->text, UNIT_DEPTH, false);
    if (is_first)
        json_text_key(c->text, UNIT_DEPTH - 1, !c->path, row->path);
    c->path = row->path;
    json_text_key(c->text, UNIT_DEPTH, is_first, row->def->name);
    const struct stat_value *v = &row->value;
    if (v->shape == STAT_SCALAR && v->defined && v->whole) {
        json_text_integer(c->text, (json_int_t)v->integer);
        return;
    }
    json_t *value = value_json(row->def, v);
    json_text_value(c->text, UNIT_DEPTH + 1, value);
    json_decref(value);
}

static void visit_json(void *context, const struct stat_row *row)
{
    struct json_context *c = context;
    if (row->is_instance) {
        c->text ? visit_unit_text(c, row) : visit_unit(c, row);
        return;
    }
    char name[256];
    full_name(row, name, sizeof name);
    json_object_set_new(c->totals, name, value_json(row->def, &row->value));
    json_t *d = json_object();
    json_object_set_new(d, "kind", json_string(shown_kind(row->def)));
    json_object_set_new(d, "unit", json_string(row->def->unit ? row->def->unit : ""));
    json_object_set_new(d, "meaning", json_string(row->def->meaning));
    if (row->def->expression)
        json_object_set_new(d, "formula", json_string(row->def->expression));
    json_object_set_new(c->definitions, name, d);
}

bool stats_to_json(const struct stats *s, json_t *into, struct text *units, struct err *err)
{
    struct json_context c = {.definitions = json_object(),
                             .totals = json_object(),
                             .units = json_object(),
                             .text = units};
    json_object_set_new(into, "definitions", c.definitions);
    json_object_set_new(into, "totals", c.totals);
    json_object_set_new(into, "units", c.units);
    bool ok = stats_visit(s, true, visit_json, &c, err);
    if (units && c.path)
        json_text_end(units, UNIT_DEPTH, false);
    if (units)
        json_text_end(units, UNIT_DEPTH - 1, !c.path);
    return ok;
}

json_t *series_to_json(const struct series *s)
{
    json_t *o = json_object(), *cycles = json_array(), *columns = json_object();
    json_object_set_new(o, "interval_cycles", json_integer((json_int_t)s->interval));
    json_object_set_new(o, "cycle", cycles);
    json_object_set_new(o, "columns", columns);
    for (u32 row = 1; row < s->row_count; row++)
        json_array_append_new(cycles, json_integer((json_int_t)series_cycle(s, row)));
    for (u32 i = 0; i < s->column_count; i++) {
        json_t *values = json_array();
        for (u32 row = 1; row < s->row_count; row++) {
            struct stat_value v = series_value(s, row, i);
            json_array_append_new(values, scalar_json(&v));
        }
        json_object_set_new(columns, s->columns[i].name, values);
    }
    return o;
}

static void print_scalar(FILE *out, const struct stat_value *v)
{
    if (!v->defined)
        return;
    if (v->whole)
        fprintf(out, "%llu", (unsigned long long)v->integer);
    else
        fprintf(out, "%.17g", v->number);
}

/* Meanings hold commas; quotes inside are doubled. */
static void print_quoted(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void csv_line(FILE *out, const char *name, const char *suffix, const struct stat_value *v,
                     const struct stat_def *def)
{
    fprintf(out, "%s%s,", name, suffix);
    print_scalar(out, v);
    fprintf(out, ",%s,%s,", def->unit ? def->unit : "", shown_kind(def));
    print_quoted(out, def->meaning);
    fputc('\n', out);
}

static struct stat_value whole_value(u64 v)
{
    return (struct stat_value){.defined = true, .whole = true, .integer = v};
}

static void visit_csv(void *context, const struct stat_row *row)
{
    FILE *out = context;
    char name[256], suffix[64];
    full_name(row, name, sizeof name);
    const struct stat_value *v = &row->value;
    u32 parts = v->shape == STAT_LIST   ? row->def->label_count
                : v->shape == STAT_BINS ? v->bins.bin_count
                                        : 0;
    if (v->shape == STAT_SCALAR)
        csv_line(out, name, "", v, row->def);
    for (u32 i = 0; i < parts; i++) {
        struct stat_value part = whole_value(v->shape == STAT_LIST ? v->list[i] : v->bins.bins[i]);
        if (v->shape == STAT_LIST)
            snprintf(suffix, sizeof suffix, "[%s]", row->def->labels[i]);
        else
            snprintf(suffix, sizeof suffix, "[%llu]",
                     (unsigned long long)histogram_bin_start(&v->bins, i));
        csv_line(out, name, suffix, &part, row->def);
    }
}

bool stats_to_csv(const struct stats *s, FILE *out, struct err *err)
{
    fprintf(out, "name,value,unit,kind,meaning\n");
    return stats_visit(s, true, visit_csv, out, err);
}

void series_to_csv(const struct series *s, FILE *out)
{
    fprintf(out, "cycle");
    for (u32 i = 0; i < s->column_count; i++)
        fprintf(out, ",%s", s->columns[i].name);
    fputc('\n', out);
    for (u32 row = 1; row < s->row_count; row++) {
        fprintf(out, "%llu", (unsigned long long)series_cycle(s, row));
        for (u32 i = 0; i < s->column_count; i++) {
            struct stat_value v = series_value(s, row, i);
            fputc(',', out);
            print_scalar(out, &v);
        }
        fputc('\n', out);
    }
}
