#include "report/page.h"

#include "base/version.h"
#include "config/param.h"
#include "report/measure.h"

#include <math.h>

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *string(const char *s)
{
    return json_string(s ? s : "");
}

static json_t *about_machine(const struct machine *m)
{
    json_t *o = json_object();
    json_object_set_new(o, "sms", json_integer(m->sms));
    json_object_set_new(o, "schedulers", json_integer(m->schedulers));
    json_object_set_new(o, "l2_banks", json_integer(m->l2_banks));
    json_object_set_new(o, "channels", json_integer(m->channels));
    json_object_set_new(o, "clock_hz", number(m->clock_hz));
    json_object_set_new(o, "peak_issue", number(m->peak_issue));
    json_object_set_new(o, "peak_threads", number(m->peak_threads));
    json_object_set_new(o, "peak_l2", number(m->peak_l2));
    json_object_set_new(o, "peak_dram", number(m->peak_dram));
    return o;
}

static json_t *about_measures(const struct result *r, const struct machine *chip)
{
    json_t *list = json_array();
    for (const struct measure *m = measures; m->id; m++) {
        json_t *o = json_object();
        json_object_set_new(o, "id", json_string(m->id));
        json_object_set_new(o, "label", json_string(m->label));
        json_object_set_new(o, "unit", json_string(m->unit));
        json_object_set_new(o, "group", json_string(measure_group_names[m->group]));
        json_object_set_new(o, "value", number(measure_value(m, r, chip)));
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
    struct machine chip;
    machine_of(r, &chip);
    json_t *o = json_object();
    json_object_set_new(o, "file", json_string(r->file));
    json_object_set(o, "result", r->root);
    json_object_set_new(o, "cycles", number(result_cycles(r)));
    json_object_set_new(o, "seconds", number(result_seconds(r)));
    json_object_set_new(o, "bound_by", json_string(json_text_at(r->root, "bound_by")));
    if (chip.is_gpu)
        json_object_set_new(o, "machine", about_machine(&chip));
    json_object_set_new(o, "measures", about_measures(r, &chip));
    json_object_set_new(o, "parameters", about_parameters(r));
    return o;
}

json_t *page_data(const struct result *runs, u32 count)
{
    json_t *o = json_object(), *list = json_array();
    for (u32 i = 0; i < count; i++)
        json_array_append_new(list, about_result(&runs[i]));
    json_object_set_new(o, "heddle_version", json_string(HEDDLE_VERSION));
    json_object_set_new(o, "runs", list);
    return o;
}
