#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *member(const struct result *r, const char *key)
{
    return json_object_get(r->root, key);
}

static void add_setting(struct diff *d, const char *path)
{
    const char *a = result_config(d->a, path), *b = result_config(d->b, path);
    if (!a || !b || strcmp(a, b) != 0)
        d->settings[d->setting_count++] = (struct diff_setting){path, a, b};
}

/* In A's order, then what only B has. */
static void compare_settings(struct diff *d)
{
    json_t *a = member(d->a, "config"), *b = member(d->b, "config"), *value;
    const char *path;
    d->settings =
        ARENA_ARRAY(&d->arena, struct diff_setting, json_object_size(a) + json_object_size(b) + 1);
    json_object_foreach(a, path, value)
    {
        add_setting(d, path);
    }
    json_object_foreach(b, path, value)
    {
        if (!json_object_get(a, path))
            add_setting(d, path);
    }
}

static struct diff_class *class_named(struct diff *d, const char *name)
{
    for (u32 i = 0; i < d->class_count; i++) {
        if (strcmp(d->classes[i].name, name) == 0)
            return &d->classes[i];
    }
    if (d->class_count == DIFF_MOST_CLASSES)
        return NULL;
    struct diff_class *c = &d->classes[d->class_count++];
    *c = (struct diff_class){.name = name};
    return c;
}

static void add_classes(struct diff *d, const struct result *r, const struct capacities *chip,
                        bool is_b)
{
    const struct cycle_stack *stack = d->model ? d->model->stack : NULL;
    if (!stack)
        return;
    json_t *slots = json_object_get(member(r, "totals"), stack->statistic), *value;
    double lanes = capacity_value(chip, stack->lanes);
    const char *name;
    json_object_foreach(slots, name, value)
    {
        struct diff_class *c = lanes > 0 ? class_named(d, name) : NULL;
        if (c)
            *(is_b ? &c->b : &c->a) = json_number_value(value) / lanes;
    }
}

static int by_share(const void *x, const void *y)
{
    const struct diff_class *p = x, *q = y;
    double a = isnan(p->share) ? fabs(p->b - p->a) : p->share;
    double b = isnan(q->share) ? fabs(q->b - q->a) : q->share;
    return a < b ? 1 : a > b ? -1 : strcmp(p->name, q->name);
}

/* Less than this of A's cycles is no difference to divide into parts. */
#define NO_DIFFERENCE 1e-6

static void compare_classes(struct diff *d)
{
    add_classes(d, d->a, &d->chip_a, false);
    add_classes(d, d->b, &d->chip_b, true);
    double all = 0, whole = 0;
    for (u32 i = 0; i < d->class_count; i++) {
        all += d->classes[i].b - d->classes[i].a;
        whole += d->classes[i].a;
    }
    bool divisible = fabs(all) > NO_DIFFERENCE * whole;
    for (u32 i = 0; i < d->class_count; i++) {
        struct diff_class *c = &d->classes[i];
        c->share = !divisible ? NAN : c->a == c->b ? 0 : (c->b - c->a) / all;
    }
    if (d->class_count)
        qsort(d->classes, d->class_count, sizeof d->classes[0], by_share);
}

static void compare_measures(struct diff *d)
{
    const struct measure *measures = d->model ? d->model->measures : NULL;
    u32 count = 0;
    while (measures && measures[count].id)
        count++;
    d->measures = ARENA_ARRAY(&d->arena, struct diff_measure, count + 1);
    for (u32 i = 0; i < count; i++) {
        struct diff_measure m = {&measures[i], result_measure(d->a, &measures[i], &d->chip_a),
                                 result_measure(d->b, &measures[i], &d->chip_b)};
        if (!isnan(m.a) && !isnan(m.b))
            d->measures[d->measure_count++] = m;
    }
}

static double relative(const struct diff_statistic *s)
{
    return fabs(s->b - s->a) / fmax(fabs(s->a), fabs(s->b));
}

static int by_change(const void *x, const void *y)
{
    const struct diff_statistic *p = x, *q = y;
    double a = relative(p), b = relative(q);
    return a < b ? 1 : a > b ? -1 : strcmp(p->name, q->name);
}

static void compare_statistics(struct diff *d)
{
    json_t *a = member(d->a, "totals"), *b = member(d->b, "totals"), *value;
    json_t *definitions = member(d->a, "definitions");
    const char *name;
    d->statistics = ARENA_ARRAY(&d->arena, struct diff_statistic, json_object_size(a) + 1);
    json_object_foreach(a, name, value)
    {
        double x = json_number_at(a, name), y = json_number_at(b, name);
        const char *unit =
            json_string_value(json_object_get(json_object_get(definitions, name), "unit"));
        if (!isnan(x) && !isnan(y) && x != y)
            d->statistics[d->statistic_count++] =
                (struct diff_statistic){name, unit ? unit : "", x, y};
    }
    qsort(d->statistics, d->statistic_count, sizeof d->statistics[0], by_change);
}

void diff_make(struct diff *d, const struct result *a, const struct result *b)
{
    *d = (struct diff){.a = a, .b = b};
    machine_of(a, &d->chip_a);
    machine_of(b, &d->chip_b);
    d->model = machine_model(a) == machine_model(b) ? machine_model(a) : NULL;
    double before = result_seconds(a), after = result_seconds(b);
    d->speedup = before > 0 && after > 0 ? before / after : NAN;
    compare_settings(d);
    compare_classes(d);
    compare_measures(d);
    compare_statistics(d);
    diff_match_kernels(d);
    diff_explain(d);
}

void diff_fini(struct diff *d)
{
    arena_fini(&d->arena);
    *d = (struct diff){0};
}
