/* The comparison for machines: schema heddle.diff/1 of docs/howto/reports.md. */
#include "report/diff.h"

#include <math.h>

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *string_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

static void pair(json_t *o, json_t *a, json_t *b)
{
    json_object_set_new(o, "a", a);
    json_object_set_new(o, "b", b);
}

static json_t *side(const struct result *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "file", json_string(r->file));
    json_object_set_new(o, "workload", json_string(result_about(r, "workload")));
    json_object_set_new(o, "chip", json_string(result_about(r, "chip")));
    json_object_set_new(o, "cycles", number(result_cycles(r)));
    json_object_set_new(o, "seconds", number(result_seconds(r)));
    json_object_set_new(o, "bound_by", json_string(json_text_at(r->root, "bound_by")));
    return o;
}

static json_t *settings(const struct diff *d)
{
    json_t *list = json_array();
    for (u32 i = 0; i < d->setting_count; i++) {
        const struct diff_setting *s = &d->settings[i];
        json_t *o = json_object();
        json_object_set_new(o, "path", json_string(s->path));
        pair(o, string_or_null(s->a), string_or_null(s->b));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *classes(const struct diff *d)
{
    json_t *list = json_array();
    for (u32 i = 0; i < d->class_count; i++) {
        const struct diff_class *c = &d->classes[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(c->name));
        pair(o, number(c->a), number(c->b));
        json_object_set_new(o, "part", number(c->share));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *measure_list(const struct diff *d)
{
    json_t *list = json_array();
    for (u32 i = 0; i < d->measure_count; i++) {
        const struct diff_measure *m = &d->measures[i];
        json_t *o = json_object();
        json_object_set_new(o, "id", json_string(m->measure->id));
        json_object_set_new(o, "label", json_string(m->measure->label));
        json_object_set_new(o, "unit", json_string(m->measure->unit));
        json_object_set_new(o, "group", json_string(measure_group_names[m->measure->group]));
        pair(o, number(m->a), number(m->b));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *kernels(const struct diff *d)
{
    json_t *list = json_array();
    for (u32 i = 0; i < d->kernel_count; i++) {
        const struct diff_kernel *k = &d->kernels[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(k->name));
        json_object_set_new(o, "launches_a", json_integer(k->launches_a));
        json_object_set_new(o, "launches_b", json_integer(k->launches_b));
        pair(o, number(k->a), number(k->b));
        json_object_set_new(o, "why", string_or_null(k->why));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *statistics(const struct diff *d)
{
    json_t *list = json_array();
    for (u32 i = 0; i < d->statistic_count; i++) {
        const struct diff_statistic *s = &d->statistics[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(s->name));
        json_object_set_new(o, "unit", json_string(s->unit));
        pair(o, number(s->a), number(s->b));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *diff_to_json(const struct diff *d)
{
    json_t *o = json_object(), *reasons = json_array();
    for (u32 i = 0; i < d->reason_count; i++)
        json_array_append_new(reasons, json_string(d->reasons[i]));
    json_object_set_new(o, "schema", json_string("heddle.diff/1"));
    pair(o, side(d->a), side(d->b));
    json_object_set_new(o, "speedup", number(d->speedup));
    json_object_set_new(o, "headline", json_string(d->headline));
    json_object_set_new(o, "reasons", reasons);
    json_object_set_new(o, "config", settings(d));
    json_object_set_new(o, "classes", classes(d));
    json_object_set_new(o, "measures", measure_list(d));
    json_object_set_new(o, "kernels", kernels(d));
    json_object_set_new(o, "same_kernels", json_boolean(d->same_kernels));
    json_object_set_new(o, "statistics", statistics(d));
    return o;
}
