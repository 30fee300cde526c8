/* The answer of `heddle why` for machines: schema heddle.why/1, docs/tutorial/bottleneck.md. */
#include "machine/model.h"
#include "report/why.h"

#include <math.h>

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *settings_json(const struct whatif_settings *s)
{
    json_t *o = json_object();
    for (u32 i = 0; i < s->count; i++)
        json_object_set_new(o, s->settings[i].path, json_string(s->settings[i].value));
    return o;
}

static json_t *variants_json(const struct why *why)
{
    static const char *const kinds[] = {"base", "ladder", "change"};
    json_t *list = json_array();
    for (u32 i = 0; i < why->variant_count; i++) {
        const struct why_variant *v = &why->variants[i];
        json_t *o = json_object();
        json_object_set_new(o, "id", json_string(v->whatif->id));
        json_object_set_new(o, "kind", json_string(kinds[v->whatif->kind]));
        json_object_set_new(o, "label", json_string(v->whatif->label));
        json_object_set_new(o, "run", v->point ? json_string(v->point->key) : json_null());
        json_object_set_new(o, "done", json_boolean(v->is_done));
        json_object_set_new(o, "error", json_string(v->error));
        json_object_set_new(o, "limited", json_boolean(v->settings.is_limited));
        json_object_set_new(o, "settings", settings_json(&v->settings));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *facts_json(const struct why *why, const struct why_row *row)
{
    json_t *o = json_object();
    for (const struct measure *f = model_of(why->chip.schema)->facts; f->id; f++)
        json_object_set_new(o, f->id, number(fact_value(f, why, row)));
    return o;
}

static json_t *cited_json(const struct why *why, const struct why_row *row, const struct measure *f)
{
    struct text words = {0}, cites = {0};
    json_t *o = json_object();
    fact_text(f, fact_value(f, why, row), &words);
    fact_cites(f, &cites);
    json_object_set_new(o, "fact", json_string(f->id));
    json_object_set_new(o, "value", number(fact_value(f, why, row)));
    json_object_set_new(o, "statistics", json_string(cites.data));
    json_object_set_new(o, "text", json_string(words.data));
    text_fini(&words);
    text_fini(&cites);
    return o;
}

static json_t *costs_json(const struct why_costs *c)
{
    json_t *o = json_object();
    json_object_set_new(o, "all", number(c->all));
    json_object_set_new(o, "dram", number(c->dram));
    json_object_set_new(o, "path", number(c->path));
    json_object_set_new(o, "latency", number(c->latency));
    return o;
}

static json_t *gains_json(const struct why *why, const struct why_gain_row *rows, u32 count)
{
    json_t *o = json_object();
    for (u32 i = 0; i < count; i++)
        json_object_set_new(o, why->variants[rows[i].variant].whatif->id, number(rows[i].gain));
    return o;
}

static json_t *row_json(const struct why *why, const struct why_row *row)
{
    struct why_verdict v;
    json_t *o = json_object(), *gains = json_object(), *cited = json_array(),
           *remarks = json_array();
    why_judge(why, row, &v);
    for (u32 i = 1; i < why->variant_count; i++)
        json_object_set_new(gains, why->variants[i].whatif->id,
                            number(why_gain(why, row, why->variants[i].whatif->id)));
    for (u32 i = 0; i < v.cited_count; i++)
        json_array_append_new(cited, cited_json(why, row, v.cited[i]));
    for (u32 i = 0; i < v.remark_count; i++) {
        json_t *r = cited_json(why, row, v.remarks[i].fact);
        json_object_set_new(r, "advice", json_string(v.remarks[i].advice));
        json_array_append_new(remarks, r);
    }
    json_object_set_new(o, "name", json_string(row->name));
    json_object_set_new(o, "launches", json_integer(row->launches));
    json_object_set_new(o, "cycles", number(row->cycles[0]));
    json_object_set_new(o, "bound", json_string(v.rule));
    json_object_set_new(o, "bound_text", json_string(v.bound));
    json_object_set_new(o, "measured", gains_json(why, v.measured, v.measured_count));
    json_object_set_new(o, "not_confirmed", json_string(v.doubt.claim ? v.doubt.claim : ""));
    json_object_set_new(o, "because", cited);
    json_object_set_new(o, "memory_costs", costs_json(&v.costs));
    json_object_set_new(o, "gains", gains);
    json_object_set_new(o, "helps_most",
                        v.gain_count ? json_string(why->variants[v.gains[0].variant].whatif->id)
                                     : json_null());
    json_object_set_new(o, "remarks", remarks);
    json_object_set_new(o, "facts", facts_json(why, row));
    return o;
}

json_t *why_to_json(const struct why *why)
{
    const struct plan_workload *w = why->variants[0].point->workload;
    json_t *o = json_object(), *kernels = json_array();
    for (u32 i = 0; i < why->kernel_count; i++)
        json_array_append_new(kernels, row_json(why, &why->kernels[i]));
    json_object_set_new(o, "schema", json_string("heddle.why/1"));
    json_object_set_new(o, "chip", json_string(why->chip.name));
    json_object_set_new(o, "workload", json_string(w->name));
    json_object_set_new(o, "size", json_string(w->size));
    json_object_set_new(o, "seed", json_integer((json_int_t)why->seed));
    json_object_set_new(o, "replayed", json_boolean(why->is_replayed));
    if (why->is_sampled)
        json_object_set_new(
            o, "sampled",
            json_pack("{s: f, s: o}", "timed_share", why->timed_share, "half_width",
                      isnan(why->half_width) ? json_null() : json_real(why->half_width)));
    json_object_set_new(o, "runs", variants_json(why));
    json_object_set_new(o, "program", row_json(why, &why->all));
    json_object_set_new(o, "kernels", kernels);
    return o;
}
