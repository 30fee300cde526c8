#include "study/study_defined.h"

#include "base/map.h"
#include "base/text.h"
#include "campaign/where.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

struct set {
    const char *name;
    struct sweep_file file;
};

struct counter {
    const struct yaml_node *root;
    struct sweep_file common; /* what all sets have */
    struct set *sets;
    u32 set_count;
    const struct csv *rows;
    struct strmap row_of; /* rows with a result, by their names */
    u8 *is_defined;       /* one flag per row */
    struct strmap run_of; /* runs, by what they are */
    u8 *has_result;       /* one flag per run */
    u32 run_count, room;
    struct arena *arena;
    struct err *err;
};

/* ---- sets of runs, as study_file.c reads them ---- */

static bool read_common(struct counter *c, const char *path)
{
    static const char *const keys[] = {"workloads", "mixes", "timeout", "record", "warm"};
    sweep_file_init(&c->common, path, "study", c->arena);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const struct yaml_node *n = yaml_child(c->root, keys[i]);
        if (n && !sweep_file_read_key(&c->common, n, c->arena, c->err))
            return false;
    }
    return true;
}

static bool is_named(const struct sweep_text *names, u32 count, const char *name)
{
    for (u32 i = 0; i < count; i++) {
        if (strcmp(names[i].text, name) == 0)
            return true;
    }
    return false;
}

static bool keep_group(struct counter *c, struct sweep_file *f, const char *group)
{
    const struct yaml_node *groups = yaml_child(c->root, "groups");
    const struct yaml_node *n = groups ? yaml_child(groups, group) : NULL;
    struct sweep_text *names = NULL;
    u32 count = 0, kept = 0;
    if (n && !sweep_read_texts(n, group, &names, &count, c->arena, c->err))
        return false;
    for (u32 i = 0; i < f->workload_count; i++) {
        if (is_named(names, count, sweep_workload_called(&f->workloads[i])))
            f->workloads[kept++] = f->workloads[i];
    }
    f->workload_count = kept;
    return true;
}

static void share_workloads(const struct counter *c, struct sweep_file *f, const char *set)
{
    for (u32 i = 0; i < c->set_count; i++) {
        if (strcmp(c->sets[i].name, set) == 0) {
            f->workloads = c->sets[i].file.workloads;
            f->workload_count = c->sets[i].file.workload_count;
        }
    }
}

static bool read_set(struct counter *c, const struct yaml_node *n)
{
    struct set *set = &c->sets[c->set_count];
    struct sweep_file *f = &set->file;
    size_t bytes = c->common.workload_count * sizeof *f->workloads;
    *set = (struct set){n->key, c->common};
    f->workloads = ARENA_ARRAY(c->arena, struct sweep_workload, c->common.workload_count + 1);
    if (bytes)
        memcpy(f->workloads, c->common.workloads, bytes);
    for (u32 i = 0; i < n->child_count; i++) {
        const struct yaml_node *k = &n->children[i];
        if (strcmp(k->key, "workloads_of") == 0)
            share_workloads(c, f, k->text);
        else if (!(strcmp(k->key, "programs") == 0 ? keep_group(c, f, k->text)
                                                   : sweep_file_read_key(f, k, c->arena, c->err)))
            return false;
    }
    c->set_count++;
    return true;
}

/* ---- points ---- */

struct point {
    const struct set *set;
    const struct sweep_workload *workload;
    const char *chip;
    struct where_value values[264]; /* what conditions speak of: four, then the settings */
    u32 value_count;
    u32 swept; /* of the settings, the last ones */
};

static u32 combinations(const struct sweep_file *f)
{
    u32 count = 1;
    for (u32 a = 0; a < f->axis_count; a++)
        count *= f->axes[a].value_count;
    return count;
}

static void add_value(struct point *p, const struct sweep_param *param, u32 value)
{
    const char *text = param->values[value].text;
    if (p->value_count < ARRAY_LEN(p->values))
        p->values[p->value_count++] = (struct where_value){.name = param->name.text, .text = text};
}

/* The first axis is the slowest. */
static void place(struct point *p, u32 number)
{
    const struct sweep_file *f = &p->set->file;
    p->values[0] = (struct where_value){.name = "chip", .text = p->chip};
    p->values[1] = (struct where_value){.name = "workload", .text = p->workload->name.text};
    p->values[2] = (struct where_value){.name = "size", .text = p->workload->size};
    p->values[3] = (struct where_value){.name = "seed"};
    p->value_count = 4;
    for (u32 i = 0; i < f->set_count; i++)
        add_value(p, &f->set[i], 0);
    u32 rest = combinations(f), first = p->value_count;
    for (u32 a = 0; a < f->axis_count; a++) {
        rest /= f->axes[a].value_count;
        for (u32 i = 0; i < f->axes[a].param_count; i++)
            add_value(p, &f->axes[a].params[i], number / rest % f->axes[a].value_count);
    }
    p->swept = p->value_count - first;
}

static bool is_wanted(const struct counter *c, const struct point *p, bool *wanted)
{
    const struct sweep_file *f = &p->set->file;
    struct where_value values[ARRAY_LEN(p->values)];
    memcpy(values, p->values, sizeof values);
    for (u32 i = 4; i < p->value_count; i++) {
        double x = study_number(values[i].text);
        bool is_true = strcmp(values[i].text, "true") == 0;
        if (is_true || strcmp(values[i].text, "false") == 0)
            x = is_true;
        if (!isnan(x))
            values[i] = (struct where_value){.name = values[i].name, .number = x};
    }
    *wanted = true;
    for (u32 i = 0; i < f->where_count; i++) {
        bool holds;
        if (!where_holds(f->where[i], values, p->value_count, &holds, c->err))
            return false;
        *wanted &= holds;
    }
    return true;
}

/* A chip's name, or its file's without folder and ending. */
static const char *chip_called(const struct counter *c, const char *chip)
{
    const char *slash = strrchr(chip, '/'), *base = slash ? slash + 1 : chip;
    const char *ending = strstr(base, ".yaml");
    return ending ? arena_printf(c->arena, "%.*s", (int)(ending - base), base) : base;
}

/* As runs.csv names it; `alone`: the only point of its program. */
static const char *names_of(const struct counter *c, const struct point *p, bool alone)
{
    const char *chip = chip_called(c, p->chip);
    struct text t = {0};
    text_printf(&t, "%s\t%s\t", p->set->name, sweep_workload_called(p->workload));
    for (u32 i = p->value_count - p->swept; !alone && i < p->value_count; i++)
        text_printf(&t, "%s ", p->values[i].text);
    if (!alone && (p->set->file.chip_count > 1 || !p->swept))
        text_printf(&t, "%s ", chip);
    text_printf(&t, "\t%s", chip);
    const char *names = arena_strdup(c->arena, t.data);
    text_fini(&t);
    return names;
}

/* Everything that is written of a run but its set: two sets may define the same. */
static const char *run_text(const struct counter *c, const struct point *p)
{
    const struct sweep_workload *w = p->workload;
    struct text t = {0};
    text_printf(&t, "%s\t%s\t%s\t%s", p->chip, sweep_workload_called(w), w->name.text, w->size);
    for (u32 i = 0; i < w->arg_count; i++)
        text_printf(&t, " %s", w->args[i]);
    for (u32 i = 0; i < w->set_count; i++)
        text_printf(&t, "\t%s=%s", w->set[i].name.text, w->set[i].values[0].text);
    for (u32 i = 4; i < p->value_count; i++)
        text_printf(&t, "\t%s=%s", p->values[i].name, p->values[i].text);
    const char *text = arena_strdup(c->arena, t.data);
    text_fini(&t);
    return text;
}

static void count_point(struct counter *c, const struct point *p, bool alone)
{
    const char *text = run_text(c, p);
    u32 run, row;
    if (!strmap_get(&c->run_of, text, &run)) {
        if (c->run_count == c->room) {
            u8 *more = ARENA_ARRAY(c->arena, u8, 2 * (size_t)c->room + 64);
            if (c->run_count)
                memcpy(more, c->has_result, c->run_count);
            c->has_result = more;
            c->room = 2 * c->room + 64;
        }
        run = c->run_count++;
        strmap_put(&c->run_of, text, run);
    }
    if (strmap_get(&c->row_of, names_of(c, p, alone), &row)) {
        c->has_result[run] = 1;
        c->is_defined[row] = 1;
    }
}

/* Of one program; `count`: only how many, in *points. */
static bool walk_points(struct counter *c, const struct set *set, const struct sweep_workload *w,
                        bool count, u32 *points)
{
    const struct sweep_file *f = &set->file;
    u32 n = 0;
    for (u32 chip = 0; chip < f->chip_count; chip++) {
        for (u32 i = 0; i < combinations(f); i++) {
            struct point p = {.set = set, .workload = w, .chip = f->chips[chip].text};
            bool wanted;
            place(&p, i);
            if (!is_wanted(c, &p, &wanted))
                return false;
            n += wanted;
            if (wanted && !count)
                count_point(c, &p, *points == 1);
        }
    }
    *points = n;
    return true;
}

static bool count_set(struct counter *c, const struct set *set)
{
    for (u32 w = 0; w < set->file.workload_count; w++) {
        u32 points;
        if (!walk_points(c, set, &set->file.workloads[w], true, &points) ||
            !walk_points(c, set, &set->file.workloads[w], false, &points))
            return false;
    }
    return true;
}

/* ---- rows ---- */

static const char *cell(const struct csv *rows, u32 row, const char *column)
{
    u32 at = csv_column(rows, column);
    return at == UINT32_MAX ? "" : rows->rows[row].fields[at];
}

static void name_rows(struct counter *c)
{
    for (u32 i = 0; i < c->rows->count; i++) {
        const char *point = cell(c->rows, i, "point");
        if (!study_row_was_run(c->rows, i))
            continue;
        strmap_put(&c->row_of,
                   arena_printf(c->arena, "%s\t%s\t%s%s\t%s", cell(c->rows, i, "set"),
                                cell(c->rows, i, "program"), point, *point ? " " : "",
                                cell(c->rows, i, "chip")),
                   i);
    }
}

static u32 count_gone(const struct counter *c)
{
    struct strmap known = {0};
    u32 gone = 0, at;
    for (u32 i = 0; i < c->rows->count; i++) {
        if (c->is_defined[i])
            strmap_put(&known, cell(c->rows, i, "key"), i);
    }
    for (u32 i = 0; i < c->rows->count; i++) {
        const char *key = cell(c->rows, i, "key");
        if (!study_row_was_run(c->rows, i) || strmap_get(&known, key, &at))
            continue;
        strmap_put(&known, key, i);
        gone++;
    }
    strmap_fini(&known);
    return gone;
}

bool study_count_defined(struct study_defined *out, const struct yaml_node *root, const char *path,
                         const struct csv *rows, struct arena *arena, struct err *err)
{
    const struct yaml_node *runs = yaml_child(root, "runs");
    struct counter c = {.root = root, .rows = rows, .arena = arena, .err = err};
    u32 count = runs ? runs->child_count : 0;
    bool ok = read_common(&c, path);
    c.sets = ARENA_ARRAY(arena, struct set, count + 1);
    c.is_defined = ARENA_ARRAY(arena, u8, rows->count + 1);
    name_rows(&c);
    for (u32 i = 0; ok && i < count; i++)
        ok = read_set(&c, &runs->children[i]) && count_set(&c, &c.sets[i]);
    *out = (struct study_defined){.runs = c.run_count, .without_result = c.run_count};
    for (u32 i = 0; i < c.run_count; i++)
        out->without_result -= c.has_result[i];
    out->gone = count_gone(&c);
    strmap_fini(&c.row_of);
    strmap_fini(&c.run_of);
    return ok;
}
