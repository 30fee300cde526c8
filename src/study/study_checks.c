/* What a study works out and compares: values, published.csv, expectations, figures, tables. */
#include "base/csv.h"
#include "study/study_reader.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const check_kind_names[] = {"exact", "band", "calibration", "shape", NULL};
const char *const verdict_names[] = {"pass", "miss", "shown", "unmeasured", NULL};
const char *const figure_type_names[] = {"bars", "stack", "lines", "scatter", "sorted", NULL};

static bool read_values(struct study_reader *r)
{
    struct study *s = r->study;
    if (!r->values)
        return true;
    if (!study_is_map(r, r->values, "values"))
        return false;
    s->values = ARENA_ARRAY(r->arena, struct study_value, r->values->child_count);
    for (u32 i = 0; i < r->values->child_count; i++) {
        const struct yaml_node *n = &r->values->children[i], *of = n;
        struct study_value *v = &s->values[s->value_count++];
        *v = (struct study_value){.name = n->key, .about = n->key, .unit = ""};
        if (n->kind == YAML_MAP) {
            const struct yaml_node *about = yaml_child(n, "about"), *unit = yaml_child(n, "unit");
            of = yaml_child(n, "of");
            v->about = about ? about->text : n->key;
            v->unit = unit ? unit->text : "";
        }
        if (!of || of->kind != YAML_SCALAR || !of->text[0])
            return err_at(r->err, n->at, "value %s has no formula, expected `of: FORMULA`", n->key);
        v->formula = (struct sweep_text){of->text, of->at};
    }
    return true;
}

static struct study_check *add_check(struct study_reader *r, u32 *room)
{
    struct study *s = r->study;
    if (s->check_count == *room) {
        *room = *room ? 2 * *room : 64;
        struct study_check *more = ARENA_ARRAY(r->arena, struct study_check, *room);
        if (s->check_count)
            memcpy(more, s->checks, s->check_count * sizeof *more);
        s->checks = more;
    }
    struct study_check *c = &s->checks[s->check_count++];
    *c = (struct study_check){.unit = "",
                              .source = "",
                              .since = "",
                              .published = NAN,
                              .low = NAN,
                              .high = NAN,
                              .measured = NAN,
                              .verdict = VERDICT_UNMEASURED};
    return c;
}

static bool read_expect(struct study_reader *r, u32 *room)
{
    static const char *const keys[] = {"id", "what", "holds", "source", "show"};
    if (!r->expect)
        return true;
    if (r->expect->kind != YAML_LIST)
        return err_found(r->err, r->expect->at, "expect", yaml_kind_name(r->expect->kind),
                         "a list of {id, what, holds, show, source}");
    for (u32 i = 0; i < r->expect->child_count; i++) {
        const struct yaml_node *n = &r->expect->children[i];
        struct study_check *c = add_check(r, room);
        const char *text[ARRAY_LEN(keys)] = {NULL};
        struct src_pos at = n->at;
        c->at = n->at;
        for (u32 k = 0; n->kind == YAML_MAP && k < n->child_count; k++) {
            const struct yaml_node *f = &n->children[k];
            size_t key = 0;
            while (key < ARRAY_LEN(keys) && strcmp(keys[key], f->key) != 0)
                key++;
            if (key == ARRAY_LEN(keys))
                return err_unknown(r->err, f->key_at, "key of an expectation", f->key, keys,
                                   ARRAY_LEN(keys), NULL);
            text[key] = f->text;
            c->at = key == 0 ? f->at : c->at;
            at = key == 2 ? f->at : at;
        }
        if (!text[0] || !text[1] || !text[2])
            return err_at(r->err, n->at, "an expectation needs id:, what: and holds:");
        c->id = text[0];
        c->what = text[1];
        c->kind = CHECK_SHAPE;
        c->formula = (struct sweep_text){text[2], at};
        c->source = text[3] ? text[3] : "";
        c->show = (struct sweep_text){text[4], at};
    }
    return true;
}

static bool read_list(struct study_reader *r, const struct yaml_node *n, const char *key,
                      struct sweep_text **out, u32 *count)
{
    const struct yaml_node *list = yaml_child(n, key);
    return !list || sweep_read_texts(list, key, out, count, r->arena, r->err);
}

/* Names of values, all of which must be there. */
static bool check_values(struct study_reader *r, const struct yaml_node *at,
                         const struct sweep_text *values, u32 count)
{
    const struct study *s = r->study;
    const char **names = ARENA_ARRAY(r->arena, const char *, s->value_count + 1);
    for (u32 i = 0; i < s->value_count; i++)
        names[i] = s->values[i].name;
    if (!count)
        return err_at(r->err, at->at, "it shows nothing, expected `values:` with names of values");
    for (u32 i = 0; i < count; i++) {
        u32 k = 0;
        while (k < s->value_count && strcmp(names[k], values[i].text) != 0)
            k++;
        if (k == s->value_count)
            return err_unknown(r->err, values[i].at, "value", values[i].text, names, s->value_count,
                               NULL);
    }
    return true;
}

/* What is across in a figure of points. */
static bool read_against(struct study_reader *r, const struct yaml_node *n, struct study_figure *f)
{
    if (!read_list(r, n, "against", &f->against, &f->against_count))
        return false;
    if (!f->against_count)
        return true;
    if (f->type != FIGURE_SCATTER)
        return err_at(r->err, f->against[0].at,
                      "against is for figures of type scatter, this is %s",
                      figure_type_names[f->type]);
    if (f->against_count != 1 && f->against_count != f->value_count)
        return err_at(r->err, f->against[0].at,
                      "against has %u values, expected one, or as many as values: %u",
                      f->against_count, f->value_count);
    return check_values(r, n, f->against, f->against_count);
}

static bool read_figures(struct study_reader *r)
{
    struct study *s = r->study;
    u32 count = r->figures ? r->figures->child_count : 0;
    s->figures = ARENA_ARRAY(r->arena, struct study_figure, count + 1);
    for (u32 i = 0; i < count; i++) {
        const struct yaml_node *n = &r->figures->children[i], *type = NULL;
        struct study_figure *f = &s->figures[s->figure_count++];
        if (!study_is_map(r, n, "a figure"))
            return false;
        type = yaml_child(n, "type");
        f->title = study_text_under(n, "title");
        f->unit = study_text_under(n, "unit");
        f->x_title = study_text_under(n, "x_title");
        while (type && f->type < FIGURE_TYPE_COUNT &&
               strcmp(figure_type_names[f->type], type->text) != 0)
            f->type++;
        if (!type || f->type == FIGURE_TYPE_COUNT)
            return err_unknown(r->err, type ? type->at : n->at, "type of a figure",
                               type ? type->text : "", figure_type_names, FIGURE_TYPE_COUNT, NULL);
        if (!read_list(r, n, "values", &f->values, &f->value_count) ||
            !read_list(r, n, "programs", &f->programs, &f->program_count) ||
            !check_values(r, n, f->values, f->value_count) || !read_against(r, n, f))
            return false;
    }
    return true;
}

static bool read_tables(struct study_reader *r)
{
    struct study *s = r->study;
    u32 count = r->tables ? r->tables->child_count : 0;
    s->tables = ARENA_ARRAY(r->arena, struct study_table, count + 1);
    for (u32 i = 0; i < count; i++) {
        const struct yaml_node *n = &r->tables->children[i];
        struct study_table *t = &s->tables[s->table_count++];
        if (!study_is_map(r, n, "a table"))
            return false;
        t->title = study_text_under(n, "title");
        if (!read_list(r, n, "values", &t->values, &t->value_count) ||
            !check_values(r, n, t->values, t->value_count))
            return false;
    }
    return true;
}

/* ---- published.csv ---- */

static bool read_number(struct study_reader *r, const char *text, struct src_pos at,
                        const char *what, double *out)
{
    char *end;
    *out = NAN;
    if (!*text)
        return true;
    *out = strtod(text, &end);
    return (!*end && isfinite(*out)) || err_found(r->err, at, what, text, "a number, or nothing");
}

enum {
    COLUMN_ID,
    COLUMN_WHAT,
    COLUMN_MEASURE,
    COLUMN_PUBLISHED,
    COLUMN_UNIT,
    COLUMN_KIND,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_SOURCE,
    COLUMN_COUNT
};
static const char *const columns[] = {"id",   "what", "measure", "published", "unit",
                                      "kind", "low",  "high",    "source"};

static bool read_published_row(struct study_reader *r, const char *const *f, struct src_pos at,
                               struct study_check *c)
{
    c->id = f[COLUMN_ID];
    c->at = at;
    c->what = f[COLUMN_WHAT];
    c->unit = f[COLUMN_UNIT];
    c->source = f[COLUMN_SOURCE];
    c->published_text = f[COLUMN_PUBLISHED];
    c->formula = (struct sweep_text){f[COLUMN_MEASURE], at};
    c->kind = CHECK_EXACT;
    while (c->kind < CHECK_SHAPE && strcmp(check_kind_names[c->kind], f[COLUMN_KIND]) != 0)
        c->kind++;
    if (c->kind == CHECK_SHAPE)
        return err_unknown(r->err, at, "kind", f[COLUMN_KIND], check_kind_names, CHECK_SHAPE, NULL);
    return read_number(r, f[COLUMN_PUBLISHED], at, "published", &c->published) &&
           read_number(r, f[COLUMN_LOW], at, "low", &c->low) &&
           read_number(r, f[COLUMN_HIGH], at, "high", &c->high);
}

static bool read_published(struct study_reader *r, u32 *room)
{
    struct csv csv;
    const char *path = arena_printf(r->arena, "%s/published.csv", r->study->folder);
    u32 of[COLUMN_COUNT];
    if (!csv_read_file(&csv, path, r->arena, r->err))
        return false;
    for (u32 i = 0; i < COLUMN_COUNT; i++) {
        of[i] = csv_column(&csv, columns[i]);
        if (of[i] == UINT32_MAX)
            return err_at(r->err, (struct src_pos){csv.path, csv.head.line, 1},
                          "there is no column '%s'", columns[i]);
    }
    for (u32 i = 0; i < csv.count; i++) {
        const char *fields[COLUMN_COUNT];
        for (u32 k = 0; k < COLUMN_COUNT; k++)
            fields[k] = csv.rows[i].fields[of[k]];
        if (!read_published_row(r, fields, (struct src_pos){csv.path, csv.rows[i].line, 1},
                                add_check(r, room)))
            return false;
    }
    return true;
}

/* Notes, results and readers name a check by its id. */
static bool check_ids(struct study_reader *r)
{
    const struct study *s = r->study;
    for (u32 i = 1; i < s->check_count; i++) {
        const struct study_check *c = &s->checks[i];
        for (u32 k = 0; k < i; k++) {
            const struct src_pos *first = &s->checks[k].at;
            if (strcmp(c->id, s->checks[k].id) == 0)
                return err_at(
                    r->err, c->at,
                    "check '%s' is already defined at %s:%u:%u, expected an id of its own", c->id,
                    first->file, first->line, first->column);
        }
    }
    return true;
}

/* "T14.*" means all whose id begins with "T14.", "*" all. */
bool study_is_meant(const char *id, const char *name)
{
    size_t n = strlen(name);
    return n && name[n - 1] == '*' ? strncmp(id, name, n - 1) == 0 : strcmp(id, name) == 0;
}

/* notes, shown, since: a text for checks, by their ids; what is written later comes first. */
static bool read_texts(struct study_reader *r, const struct yaml_node *map, size_t field)
{
    struct study *s = r->study;
    for (u32 i = 0; map && i < map->child_count; i++) {
        const struct yaml_node *n = &map->children[i];
        bool known = false;
        for (u32 k = 0; k < s->check_count; k++) {
            struct study_check *c = &s->checks[k];
            assert(c->id); /* every check was read with one */
            if (study_is_meant(c->id, n->key)) {
                memcpy((char *)c + field, &n->text, sizeof n->text);
                known = true;
            }
        }
        if (!known)
            return err_at(r->err, n->key_at, "no check has the id '%s'", n->key);
        if (n->kind != YAML_SCALAR || !n->text[0])
            return err_found(r->err, n->at, n->key, yaml_kind_name(n->kind), "a text");
    }
    return true;
}

/* A list of ids of checks, `headline:` or `ordering:`; NULL for chosen: only that they exist. */
static bool read_ids(struct study_reader *r, const struct yaml_node *list, u32 most,
                     void (*chosen)(struct study_check *))
{
    struct study *s = r->study;
    const char **ids = ARENA_ARRAY(r->arena, const char *, s->check_count + 1);
    struct sweep_text *names = NULL;
    u32 count = 0;
    for (u32 i = 0; i < s->check_count; i++)
        ids[i] = s->checks[i].id;
    if (list && !sweep_read_texts(list, list->key, &names, &count, r->arena, r->err))
        return false;
    if (count > most)
        return err_at(r->err, list->at, "%s has %u checks, expected at most %u", list->key, count,
                      most);
    for (u32 i = 0; i < count; i++) {
        u32 k = 0;
        while (k < s->check_count && strcmp(ids[k], names[i].text) != 0)
            k++;
        if (k == s->check_count)
            return err_unknown(r->err, names[i].at,
                               arena_printf(r->arena, "check of %s", list->key), names[i].text, ids,
                               s->check_count, NULL);
        if (chosen)
            chosen(&s->checks[k]);
    }
    return true;
}

static void choose_headline(struct study_check *c)
{
    c->is_headline = true;
}

bool study_read_checks(struct study_reader *r)
{
    u32 room = 0;
    return read_values(r) && read_published(r, &room) && read_expect(r, &room) && check_ids(r) &&
           read_texts(r, r->notes, offsetof(struct study_check, note)) &&
           read_texts(r, r->shown, offsetof(struct study_check, shown)) &&
           read_texts(r, r->since, offsetof(struct study_check, since)) &&
           read_ids(r, r->headline, MOST_HEADLINES, choose_headline) &&
           read_ids(r, r->ordering, MOST_ORDERINGS, NULL) && read_figures(r) && read_tables(r);
}
