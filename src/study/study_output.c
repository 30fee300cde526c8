/* A study's verdict for people and for programs. */
#include "base/file.h"
#include "base/commit.h"
#include "base/version.h"
#include "study/study.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

u32 study_count(const struct study *study, enum verdict verdict)
{
    u32 count = 0;
    for (u32 i = 0; i < study->check_count; i++) {
        const struct study_check *c = &study->checks[i];
        bool is_judged = check_is_judged(c) || verdict != VERDICT_UNMEASURED;
        count += is_judged && c->verdict == verdict;
    }
    return count;
}

/* What the chip of a set was divided by; 1: it is whole, or there is nothing to run. */
static u32 scale_of(const struct study *s, const struct study_run *run)
{
    for (u32 i = 0; i < s->program_count * run->points; i++) {
        const struct plan_config *c = run->by_program[i] ? run->by_program[i]->config : NULL;
        for (u32 k = 0; c && k < c->count; k++) {
            if (strcmp(c->paths[k], "scale") == 0)
                return (u32)strtoul(c->values[k], NULL, 10);
        }
        if (c)
            break;
    }
    return 1;
}

/* ---- JSON ---- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static void put(json_t *to, const char *key, const char *text)
{
    json_object_set_new(to, key, json_string(text));
}

static const struct study_value *find_value(const struct study *s, const char *name)
{
    for (u32 i = 0; i < s->value_count; i++) {
        if (strcmp(s->values[i].name, name) == 0)
            return &s->values[i];
    }
    abort(); /* names were checked when the study was read */
}

static bool is_judged(const struct study *s, u32 program)
{
    return !s->is_judged || s->is_judged[program];
}

/* As people see it. */
static const char *program_label(const struct study *s, u32 program, char out[64])
{
    snprintf(out, 64, "%s%s", s->programs[program], is_judged(s, program) ? "" : " (rejected)");
    return out;
}

static double value_cell(const struct study_value *v, u32 program, u32 point)
{
    const struct formula_table *t = &v->table;
    return t->cells[(t->programs > 1 ? program : 0) * t->points + (t->points > 1 ? point : 0)];
}

static json_t *check_json(const struct study_check *c)
{
    json_t *j = json_object();
    put(j, "id", c->id);
    put(j, "kind", check_kind_names[c->kind]);
    put(j, "what", c->what);
    put(j, "unit", c->unit);
    put(j, "source", c->source);
    put(j, "formula", c->formula.text);
    json_object_set_new(j, "published", number(c->published));
    json_object_set_new(j, "measured", number(c->measured));
    json_object_set_new(j, "low", number(c->low));
    json_object_set_new(j, "high", number(c->high));
    put(j, "verdict", verdict_names[c->verdict]);
    if (c->note && c->verdict == VERDICT_MISS)
        put(j, "note", c->note);
    if (*c->since)
        put(j, "since", c->since);
    if (c->shown)
        put(j, "shown_because", c->shown);
    return j;
}

static bool is_shown(const struct study *s, const struct sweep_text *values, u32 count, u32 program)
{
    for (u32 i = 0; i < count; i++) {
        if (!isnan(value_cell(find_value(s, values[i].text), program, 0)))
            return true;
    }
    return false;
}

/* By its name or that of a group; a figure without a list has all programs. */
static bool is_chosen(const struct study *s, const struct study_figure *f, u32 program)
{
    for (u32 i = 0; i < f->program_count; i++) {
        const char *name = f->programs[i].text;
        if (strcmp(name, s->programs[program]) == 0)
            return true;
        for (u32 g = 0; g < s->group_count; g++) {
            if (s->groups[g].members[program] && strcmp(name, s->groups[g].name) == 0)
                return true;
        }
    }
    return f->program_count == 0;
}

static bool has_bar(const struct study *s, const struct study_figure *f, u32 program)
{
    return is_chosen(s, f, program) && is_shown(s, f->values, f->value_count, program);
}

/* One bar per program that has a number, and the mean of all. */
static void bars_json(const struct study *s, const struct study_figure *f, json_t *out)
{
    json_t *categories = json_array(), *series = json_array();
    char label[64];
    for (u32 i = 0; i < s->program_count; i++) {
        if (has_bar(s, f, i))
            json_array_append_new(categories, json_string(program_label(s, i, label)));
    }
    json_array_append_new(categories, json_string("mean"));
    for (u32 k = 0; k < f->value_count; k++) {
        const struct study_value *v = find_value(s, f->values[k].text);
        json_t *one = json_object(), *measured = json_array(), *published = json_array();
        double x[4096], p[4096], judged[4096];
        u32 n = 0;
        for (u32 i = 0; i < s->program_count && n < ARRAY_LEN(x); i++) {
            if (!has_bar(s, f, i))
                continue;
            x[n] = value_cell(v, i, 0);
            judged[n] = is_judged(s, i) ? x[n] : NAN;
            p[n] = study_published(s, v->name, i);
            json_array_append_new(measured, number(x[n]));
            json_array_append_new(published, number(p[n++]));
        }
        json_array_append_new(measured, number(numbers_mean(judged, n)));
        double mean = n == s->program_count ? study_published_mean(s, v->name) : NAN;
        json_array_append_new(published, number(mean));
        put(one, "name", v->about);
        json_object_set_new(one, "values", measured);
        if (numbers_count(p, n) > 0 || !isnan(mean))
            json_object_set(one, "published", published);
        json_decref(published);
        json_array_append_new(series, one);
    }
    json_object_set_new(out, "categories", categories);
    json_object_set_new(out, "series", series);
}

static json_t *point_json(double x, double y, const char *label)
{
    json_t *p = json_array();
    json_array_append_new(p, number(x));
    json_array_append_new(p, number(y));
    if (label)
        json_array_append_new(p, json_string(label));
    return p;
}

/* The mean over programs at a point of a sweep. */
static double point_mean(const struct study *s, const struct study_figure *f,
                         const struct study_value *v, u32 point)
{
    double x[4096];
    u32 n = 0;
    for (u32 i = 0; i < s->program_count && n < ARRAY_LEN(x); i++) {
        if (is_chosen(s, f, i) && is_judged(s, i))
            x[n++] = value_cell(v, i, point);
    }
    return numbers_mean(x, n);
}

/* Two measured values, one across: a point for each point of their sweep, which is the mean over
 * programs, or for each program. */
static void against_json(const struct study *s, const struct study_figure *f, json_t *out)
{
    json_t *series = json_array();
    for (u32 k = 0; k < f->value_count; k++) {
        const struct study_value *up = find_value(s, f->values[k].text);
        const struct study_value *across =
            find_value(s, f->against[f->against_count > 1 ? k : 0].text);
        json_t *one = json_object(), *points = json_array();
        const struct formula_axis *axis = up->table.axis;
        for (u32 i = 0; axis ? i < up->table.points : i < s->program_count; i++) {
            double x = axis ? point_mean(s, f, across, i) : value_cell(across, i, 0);
            double y = axis ? point_mean(s, f, up, i) : value_cell(up, i, 0);
            if ((axis || is_chosen(s, f, i)) && !isnan(x) && !isnan(y))
                json_array_append_new(points,
                                      point_json(x, y, axis ? axis->labels[i] : s->programs[i]));
        }
        put(one, "name", up->about);
        json_object_set_new(one, "points", points);
        json_array_append_new(series, one);
    }
    json_object_set_new(out, "series", series);
}

/* A curve per program over the points of a sweep; or published against measured. */
static void curves_json(const struct study *s, const struct study_figure *f, json_t *out)
{
    json_t *series = json_array();
    for (u32 k = 0; k < f->value_count; k++) {
        const struct study_value *v = find_value(s, f->values[k].text);
        json_t *scatter = json_array();
        for (u32 i = 0; i < s->program_count; i++) {
            double p = study_published(s, v->name, i), y = value_cell(v, i, 0);
            if (!isnan(p) && !isnan(y))
                json_array_append_new(scatter, point_json(p, y, s->programs[i]));
            if (f->type != FIGURE_LINES || !is_chosen(s, f, i) || !v->table.axis || isnan(y))
                continue;
            json_t *one = json_object(), *points = json_array();
            for (u32 x = 0; x < v->table.points; x++)
                json_array_append_new(points,
                                      point_json(v->table.axis->at[x], value_cell(v, i, x), NULL));
            put(one, "name", s->programs[i]);
            json_object_set_new(one, "points", points);
            json_array_append_new(series, one);
        }
        if (f->type == FIGURE_SCATTER) {
            json_t *one = json_object();
            put(one, "name", v->about);
            json_object_set(one, "points", scatter);
            json_array_append_new(series, one);
        }
        json_decref(scatter);
    }
    json_object_set_new(out, "series", series);
}

static json_t *figure_json(const struct study *s, const struct study_figure *f, u32 index)
{
    json_t *j = json_object();
    char id[32];
    snprintf(id, sizeof id, "figure%u", index + 1);
    put(j, "id", id);
    put(j, "title", f->title);
    put(j, "unit", f->unit);
    put(j, "x_title", f->x_title);
    put(j, "type", figure_type_names[f->type]);
    if (f->type == FIGURE_BARS || f->type == FIGURE_STACK || f->type == FIGURE_SORTED)
        bars_json(s, f, j);
    else if (f->against_count)
        against_json(s, f, j);
    else
        curves_json(s, f, j);
    return j;
}

static json_t *table_json(const struct study *s, const struct study_table *t)
{
    char label[64];
    json_t *j = json_object(), *columns = json_array(), *rows = json_array();
    json_array_append_new(columns, json_string("program"));
    for (u32 k = 0; k < t->value_count; k++) {
        const struct study_value *v = find_value(s, t->values[k].text);
        char name[128];
        snprintf(name, sizeof name, "%s, published", v->name);
        json_array_append_new(columns, json_string(v->name));
        json_array_append_new(columns, json_string(name));
    }
    for (u32 i = 0; i < s->program_count; i++) {
        json_t *row = json_array();
        json_array_append_new(row, json_string(program_label(s, i, label)));
        for (u32 k = 0; k < t->value_count; k++) {
            const struct study_value *v = find_value(s, t->values[k].text);
            json_array_append_new(row, number(value_cell(v, i, 0)));
            json_array_append_new(row, number(study_published(s, v->name, i)));
        }
        json_array_append_new(rows, row);
    }
    put(j, "title", t->title);
    json_object_set_new(j, "columns", columns);
    json_object_set_new(j, "rows", rows);
    return j;
}

/* The sets of runs whose chips are divided. */
static json_t *scales_json(const struct study *s)
{
    json_t *all = json_object();
    for (u32 i = 0; i < s->run_count; i++) {
        u32 scale = scale_of(s, &s->runs[i]);
        if (scale > 1)
            json_object_set_new(all, s->runs[i].name, json_integer(scale));
    }
    return all;
}

static json_t *makers_json(const struct study *s)
{
    json_t *all = json_array();
    for (u32 i = 0; i < s->maker_count; i++)
        json_array_append_new(all,
                              json_pack("{s:s, s:b, s:i}", "commit", s->makers[i].commit, "kept",
                                        (int)s->makers[i].is_kept, "runs", (int)s->makers[i].runs));
    return all;
}

/* Who is accepted, and who is not. */
static json_t *programs_json(const struct study *s)
{
    json_t *j = json_object(), *yes = json_array(), *no = json_array();
    for (u32 i = 0; i < s->program_count; i++)
        json_array_append_new(s->is_judged[i] ? yes : no, json_string(s->programs[i]));
    put(j, "judged_by", s->judged.text);
    json_object_set_new(j, "accepted", yes);
    json_object_set_new(j, "rejected", no);
    return j;
}

static json_t *study_json(const struct study *s)
{
    json_t *j = json_object(), *checks = json_array(), *figures = json_array(),
           *tables = json_array(), *summary = json_object(), *runs = json_object();
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    for (u32 shown = 0; shown < 2; shown++) { /* what is only shown comes last */
        for (u32 i = 0; i < s->check_count; i++) {
            if (check_is_judged(&s->checks[i]) != shown)
                json_array_append_new(checks, check_json(&s->checks[i]));
        }
    }
    for (u32 i = 0; i < s->figure_count; i++)
        json_array_append_new(figures, figure_json(s, &s->figures[i], i));
    for (u32 i = 0; i < s->table_count; i++)
        json_array_append_new(tables, table_json(s, &s->tables[i]));
    for (u32 v = 0; v < VERDICT_COUNT; v++)
        json_object_set_new(summary, verdict_names[v], json_integer(study_count(s, v)));
    json_object_set_new(runs, "asked", json_integer(s->plan.count));
    json_object_set_new(runs, "done", json_integer(s->done));
    json_object_set_new(runs, "kept", json_integer(s->kept.count));
    json_object_set_new(runs, "makers", makers_json(s));
    json_object_set_new(runs, "scales", scales_json(s));
    json_object_set_new(runs, "failed", json_integer(s->failed));
    json_object_set_new(runs, "seconds", json_real(s->seconds));
    put(j, "format", "heddle-study-1");
    put(j, "name", s->name);
    put(j, "about", s->about);
    put(j, "document", s->document);
    put(j, "variant", s->quick ? "quick" : "full");
    put(j, "version", HEDDLE_VERSION);
    put(j, "commit", heddle_commit);
    put(j, "date", date);
    if (s->is_judged)
        json_object_set_new(j, "programs", programs_json(s));
    json_object_set_new(j, "summary", summary);
    json_object_set_new(j, "runs", runs);
    json_object_set_new(j, "checks", checks);
    json_object_set_new(j, "figures", figures);
    json_object_set_new(j, "tables", tables);
    return j;
}

bool study_write_json(const struct study *study, const char *path, struct err *err)
{
    json_t *j = study_json(study);
    char *dump = json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    struct text t = {0};
    text_printf(&t, "%s\n", dump ? dump : "");
    bool ok = file_write(path, &t, err);
    text_fini(&t);
    free(dump);
    json_decref(j);
    return ok;
}

/* ---- text ---- */

static const char *number_text(double x, const char *unit, char out[32])
{
    if (isnan(x))
        return "-";
    snprintf(out, 32, strcmp(unit, "x") == 0 ? "%.2f%s%s" : "%.3g%s%s", x, *unit ? " " : "", unit);
    return out;
}

/* Numbers of one value: all programs, measured and published. */
static void columns_of(const struct study *s, const struct study_value *v, double *measured,
                       double *published)
{
    for (u32 i = 0; i < s->program_count; i++) {
        measured[i] = value_cell(v, i, 0);
        published[i] = study_published(s, v->name, i);
    }
}

/* The published mean of the programs that were measured: what ours can be compared with. */
static double published_mean(const double *measured, const double *published, u32 n)
{
    double sum = 0, count = 0;
    for (u32 i = 0; i < n; i++) {
        bool both = !isnan(measured[i]) && !isnan(published[i]);
        sum += both ? published[i] : 0;
        count += both ? 1 : 0;
    }
    return count > 0 ? sum / count : NAN;
}

static void cell_text(double measured, double published, bool has_published, struct text *out)
{
    char a[32], b[32], c[32] = "";
    text_printf(out, "  %7s", isnan(measured) ? "-" : number_text(measured, "", a));
    if (!has_published)
        return;
    if (!isnan(measured - published))
        snprintf(c, sizeof c, "%+.2g", measured - published);
    text_printf(out, " /%5s %7s", number_text(published, "", b), c);
}

/* A row per program with a number; then means, and how the two orders agree. */
static void table_text(const struct study *s, const struct study_table *t, struct text *out)
{
    char label[64];
    struct arena arena = {0};
    u32 n = s->program_count;
    double *x = ARENA_ARRAY(&arena, double, (size_t)2 * n * t->value_count + 1);
    bool *has = ARENA_ARRAY(&arena, bool, t->value_count);
    text_printf(out, "\n%s (measured / published, residual)\n  %-16s", t->title, "program");
    for (u32 k = 0; k < t->value_count; k++) {
        double *own = x + (size_t)2 * n * k;
        columns_of(s, find_value(s, t->values[k].text), own, own + n);
        has[k] = numbers_count(own + n, n) > 0;
        text_printf(out, "  %*s", has[k] ? 22 : 7, t->values[k].text);
    }
    for (u32 i = 0; i < n; i++) {
        if (!is_shown(s, t->values, t->value_count, i))
            continue;
        text_printf(out, "\n  %-16s", program_label(s, i, label));
        for (u32 k = 0; k < t->value_count; k++)
            cell_text(x[2 * n * k + i], x[2 * n * k + n + i], has[k], out);
    }
    for (u32 k = 0; k < t->value_count; k++) { /* what is below is of those that are judged */
        for (u32 i = 0; i < n; i++)
            x[2 * n * k + i] = is_judged(s, i) ? x[2 * n * k + i] : NAN;
    }
    static const char *const below[] = {"mean", "rank correlation"};
    for (u32 row = 0; row < ARRAY_LEN(below); row++) {
        text_printf(out, "\n  %-16s", below[row]);
        for (u32 k = 0; k < t->value_count; k++) {
            const double *m = x + (size_t)2 * n * k, *p = m + n;
            cell_text(row ? numbers_spearman(m, p, n) : numbers_mean(m, n),
                      row ? NAN : published_mean(m, p, n), has[k], out);
        }
    }
    text_printf(out, "\n");
    arena_fini(&arena);
}

static void check_text(const struct study_check *c, struct text *out)
{
    char published[32], measured[32];
    bool is_shape = c->kind == CHECK_SHAPE;
    text_printf(out, "  %-10s %-11s %12s %12s  %s\n", verdict_names[c->verdict],
                check_kind_names[c->kind], number_text(c->published, c->unit, published),
                is_shape && isnan(c->measured) ? "" : number_text(c->measured, c->unit, measured),
                c->what);
    if (c->shown)
        text_printf(out, "  %24s not judged: %s\n", "", c->shown);
    if (c->verdict == VERDICT_MISS && c->kind == CHECK_BAND)
        text_printf(out, "  %24s accepted: %.4g to %.4g\n", "", c->low, c->high);
    if (c->verdict == VERDICT_MISS && is_shape)
        text_printf(out, "  %24s expected: %s\n", "", c->formula.text);
    if (c->verdict == VERDICT_MISS && c->note)
        text_printf(out, "  %24s %s: %s\n", "", c->id, c->note);
}

void study_write_text(const struct study *s, struct text *out)
{
    text_printf(out, "%s%s: %s\n", s->name, s->quick ? " (quick)" : "", s->about);
    if (*s->document)
        text_printf(out, "%s\n", s->document);
    for (u32 i = 0; i < s->table_count; i++)
        table_text(s, &s->tables[i], out);
    text_printf(out, "\n  %-10s %-11s %12s %12s  %s\n", "verdict", "kind", "published", "measured",
                "what");
    for (u32 i = 0; i < s->check_count; i++) {
        /* rows of single programs are in the tables */
        if (s->checks[i].kind != CHECK_CALIBRATION || !s->table_count)
            check_text(&s->checks[i], out);
    }
    u32 passed = study_count(s, VERDICT_PASS), missed = study_count(s, VERDICT_MISS);
    for (u32 i = 0; i < s->run_count; i++) {
        u32 scale = scale_of(s, &s->runs[i]);
        if (scale > 1)
            text_printf(out, "\nscale: chips of %s are divided by %u", s->runs[i].name, scale);
    }
    if (s->is_judged) {
        u32 accepted = 0;
        for (u32 i = 0; i < s->program_count; i++)
            accepted += s->is_judged[i];
        text_printf(out, "\n%u of %u programs are accepted (%s): means are over them\n", accepted,
                    s->program_count, s->judged.text);
    }
    text_printf(out, "\n%u of %u judged checks pass, %u miss, %u not measured; %u of %u runs done",
                passed, passed + missed, missed, study_count(s, VERDICT_UNMEASURED), s->done,
                s->plan.count);
    if (s->kept.count)
        text_printf(out, ", %u kept from %s", s->kept.count, s->kept.csv.path);
    for (u32 i = 0; i < s->maker_count; i++)
        text_printf(out, "%s%u run%s %s by commit %s", i ? ", " : "\n", s->makers[i].runs,
                    s->makers[i].runs == 1 ? "" : "s", s->makers[i].is_kept ? "kept, made" : "made",
                    s->makers[i].commit);
    text_printf(out, "\n");
}
