#include "report/page.h"

#include "base/version.h"
#include "config/param.h"
#include "report/measure.h"
#include "report/view.h"

#include <math.h>

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *string(const char *s)
{
    return json_string(s ? s : "");
}

static json_t *about_machine(const struct capacities *chip)
{
    json_t *o = json_object();
    for (u32 i = 0; chip->rows[i].name; i++)
        json_object_set_new(o, chip->rows[i].name, number(chip->values[i]));
    return o;
}

static json_t *about_stack(const struct cycle_stack *s, const struct capacities *chip)
{
    json_t *o = json_object(), *causes = json_object();
    for (u32 i = 0; i < s->count; i++) {
        if (*s->meanings[i])
            json_object_set_new(causes, s->causes[i], json_string(s->meanings[i]));
    }
    json_object_set_new(o, "statistic", json_string(s->statistic));
    json_object_set_new(o, "field", json_string(s->field));
    json_object_set_new(o, "lanes", number(capacity_value(chip, s->lanes)));
    json_object_set_new(o, "words", json_string(s->words));
    json_object_set_new(o, "causes", causes);
    return o;
}

static json_t *about_measures(const struct result *r, const struct capacities *chip)
{
    const struct model *model = machine_model(r);
    json_t *list = json_array();
    for (const struct measure *m = model ? model->measures : NULL; m && m->id; m++) {
        json_t *o = json_object();
        json_object_set_new(o, "id", json_string(m->id));
        json_object_set_new(o, "label", json_string(m->label));
        json_object_set_new(o, "unit", json_string(m->unit));
        json_object_set_new(o, "group", json_string(measure_group_names[m->group]));
        json_object_set_new(o, "value", number(result_measure(r, m, chip)));
        json_object_set_new(o, "peak", number(measure_peak(m, chip)));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *page_parameter(const char *model, const char *path)
{
    const struct param *p = machine_param(model, path);
    if (!p)
        return NULL;
    json_t *row = json_object();
    json_object_set_new(row, "unit", string(p->unit));
    json_object_set_new(row, "meaning", string(p->meaning));
    json_object_set_new(row, "source", string(p->source));
    return row;
}

static json_t *about_parameters(const struct result *r)
{
    json_t *o = json_object(), *config = json_object_get(r->root, "config"), *value;
    const char *path;
    json_object_foreach(config, path, value)
    {
        json_t *row = page_parameter(result_about(r, "model"), path);
        if (row)
            json_object_set_new(o, path, row);
    }
    return o;
}

static json_t *about_result(const struct result *r)
{
    struct capacities chip;
    machine_of(r, &chip);
    json_t *o = json_object();
    json_object_set_new(o, "file", json_string(r->file));
    json_object_set(o, "result", r->root);
    json_object_set_new(o, "cycles", number(result_cycles(r)));
    json_object_set_new(o, "seconds", number(result_seconds(r)));
    json_object_set_new(o, "bound_by", json_string(json_text_at(r->root, "bound_by")));
    if (chip.rows)
        json_object_set_new(o, "machine", about_machine(&chip));
    const struct cycle_stack *stack = machine_stack(r);
    if (stack)
        json_object_set_new(o, "stack", about_stack(stack, &chip));
    json_object_set_new(o, "measures", about_measures(r, &chip));
    json_object_set_new(o, "parameters", about_parameters(r));
    return o;
}

/* Each cluster of a machine is shown by itself. */
static void add_result(json_t *list, const struct result *r)
{
    u32 views = result_view_count(r);
    for (u32 i = 0; i < views; i++) {
        struct result view;
        result_view(&view, r, i);
        json_array_append_new(list, about_result(&view));
        result_fini(&view);
    }
    if (!views)
        json_array_append_new(list, about_result(r));
}

json_t *page_data(const struct result *runs, u32 count)
{
    json_t *o = json_object(), *list = json_array();
    for (u32 i = 0; i < count; i++)
        add_result(list, &runs[i]);
    json_object_set_new(o, "heddle_version", json_string(HEDDLE_VERSION));
    json_object_set_new(o, "runs", list);
    return o;
}
