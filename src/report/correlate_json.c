/* A comparison with silicon for programs: "heddle-correlate-1" and CSV; docs/internals/fidelity.md.
 */
#include "base/version.h"
#include "report/correlate.h"
#include "campaign/table.h"

#include <math.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static void put(json_t *to, const char *key, const char *text)
{
    json_object_set_new(to, key, json_string(text));
}

static void put_number(json_t *to, const char *key, double x)
{
    json_object_set_new(to, key, number(x));
}

/* An object with one number per counter. */
static json_t *by_counter(const double *values)
{
    json_t *o = json_object();
    for (u32 i = 0; i < counter_count(); i++)
        put_number(o, correlate_counters[i].id, values[i]);
    return o;
}

static json_t *counters_json(void)
{
    json_t *list = json_array();
    for (u32 i = 0; i < counter_count(); i++) {
        const struct counter *c = &correlate_counters[i];
        json_t *o = json_object();
        put(o, "id", c->id);
        put(o, "words", c->words);
        put(o, "unit", c->kind == COUNTER_PERCENT ? "points" : "%");
        put_number(o, "floor", c->floor);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *score_json(const struct correlate_score *s)
{
    json_t *o = json_object();
    json_object_set_new(o, "launches", json_integer(s->launches));
    json_object_set_new(o, "kernels", json_integer(s->kernels));
    json_object_set_new(o, "programs", json_integer(s->programs));
    put_number(o, "absolute", s->absolute);
    put_number(o, "signed", s->error);
    put_number(o, "absolute_by_launch", s->by_launch);
    put_number(o, "pearson", s->pearson);
    put_number(o, "pearson_of_logarithms", s->pearson_log);
    put_number(o, "rank", s->rank);
    return o;
}

static json_t *scores_json(const struct correlate_result *r)
{
    json_t *halves = json_object();
    for (u32 half = 0; half < HALF_COUNT; half++) {
        json_t *o = json_object();
        for (u32 i = 0; i < counter_count(); i++)
            json_object_set_new(o, correlate_counters[i].id, score_json(&r->scores[half][i]));
        json_object_set_new(halves, half_names[half], o);
    }
    return halves;
}

static json_t *goals_json(const struct correlate_result *r)
{
    static const char *const verdicts[] = {"met", "missed", "open"};
    json_t *list = json_array();
    for (u32 i = 0; i < GOAL_COUNT; i++) {
        const struct correlate_goal *g = &r->goals[i];
        json_t *o = json_object();
        put(o, "what", g->what);
        put(o, "verdict", verdicts[goal_judge(g)]);
        put(o, "unit", g->unit);
        put_number(o, g->at_least ? "at_least" : "at_most", g->limit);
        put_number(o, "measured", g->measured);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *programs_json(const struct correlate_result *r)
{
    json_t *list = json_array();
    for (u32 i = 0; i < r->program_count; i++) {
        const struct correlate_program *p = &r->programs[i];
        json_t *o = json_object();
        put(o, "name", p->name);
        put(o, "half", half_names[p->half]);
        json_object_set_new(o, "recorded", json_integer(p->recorded));
        json_object_set_new(o, "launches", json_integer(p->launches));
        json_object_set_new(o, "kernels", json_integer(p->kernels));
        json_object_set_new(o, "absolute", by_counter(p->absolute));
        json_object_set_new(o, "signed", by_counter(p->error));
        if (p->failure)
            put(o, "failure", p->failure);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *kernel_json(const struct correlate_kernel *k)
{
    struct text words = {0};
    json_t *o = json_object(), *slots = json_object();
    for (u32 i = 0; i < SLOT_COUNT; i++)
        put_number(slots, slot_names[i], k->slots[i]);
    correlate_diagnose(k, &words);
    put(o, "program", k->program);
    put(o, "kernel", k->name);
    put(o, "half", half_names[k->half]);
    json_object_set_new(o, "launches", json_integer(k->launches));
    json_object_set_new(o, "silicon", by_counter(k->on_silicon));
    json_object_set_new(o, "simulated", by_counter(k->simulated));
    json_object_set_new(o, "absolute", by_counter(k->absolute));
    json_object_set_new(o, "signed", by_counter(k->error));
    json_object_set_new(o, "scheduler_slots", slots);
    put(o, "bound_by", k->bound_by);
    put(o, "diagnosis", words.data);
    text_fini(&words);
    return o;
}

static json_t *kernels_json(const struct correlate *c, const struct correlate_result *r)
{
    const u32 *order = correlate_order(c, r);
    json_t *list = json_array();
    for (u32 i = 0; i < r->kernel_count; i++)
        json_array_append_new(list, kernel_json(&r->kernels[order[i]]));
    return list;
}

static json_t *launches_json(const struct correlate *c, const struct correlate_result *r)
{
    json_t *list = json_array();
    for (u32 i = 0; i < r->launch_count; i++) {
        const struct correlate_launch *l = &r->launches[i];
        json_t *o = json_object();
        put(o, "program", c->silicon.programs[l->silicon->program]);
        json_object_set_new(o, "launch", json_integer(l->silicon->number));
        put(o, "kernel", l->silicon->kernel);
        put(o, "grid", l->silicon->grid);
        put(o, "block", l->silicon->block);
        json_object_set_new(o, "counts", json_boolean(l->counts));
        json_object_set_new(o, "silicon", by_counter(l->on_silicon));
        json_object_set_new(o, "simulated", by_counter(l->simulated));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *fit_json(const struct correlate_fitted *fit)
{
    json_t *list = json_array();
    for (u32 i = 0; i < fit->count; i++) {
        const struct fit_trial *t = &fit->trials[i];
        json_t *o = json_object(), *settings = json_array();
        for (u32 k = 0; k < fit->settings; k++)
            json_array_append_new(settings, json_string(t->settings[k]));
        json_object_set_new(o, "settings", settings);
        put_number(o, "absolute", t->absolute);
        json_object_set_new(o, "kernels", json_integer(t->kernels));
        json_object_set_new(o, "chosen", json_boolean(i == fit->chosen));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *correlate_json(const struct correlate *c, const struct correlate_result *r,
                       const struct correlate_fitted *fit)
{
    json_t *o = json_object();
    put(o, "format", CORRELATE_FORMAT);
    put(o, "heddle_version", HEDDLE_VERSION);
    put(o, "silicon", c->silicon.path);
    put(o, "name", c->request.name);
    put(o, "chip", c->request.chip);
    put(o, "size", c->request.size);
    put_number(o, "least_cycles", c->request.least_cycles);
    put_number(o, "seconds", r->seconds);
    json_object_set_new(o, "fit", fit_json(fit));
    json_object_set_new(o, "goals", goals_json(r));
    json_object_set_new(o, "counters", counters_json());
    json_object_set_new(o, "scores", scores_json(r));
    json_object_set_new(o, "programs", programs_json(r));
    json_object_set_new(o, "kernels", kernels_json(c, r));
    json_object_set_new(o, "launches", launches_json(c, r));
    return o;
}

static void cell(struct text *out, double x)
{
    if (isnan(x))
        text_printf(out, ",");
    else
        text_printf(out, ",%.10g", x);
}

void correlate_csv(const struct correlate *c, const struct correlate_result *r, struct text *out)
{
    text_printf(out, "program,half,launch,kernel,grid,block,counts,counter,simulated,silicon,error,"
                     "unit\n");
    for (u32 i = 0; i < r->launch_count; i++) {
        const struct correlate_launch *l = &r->launches[i];
        const char *program = c->silicon.programs[l->silicon->program];
        for (u32 k = 0; k < counter_count(); k++) {
            const struct counter *counter = &correlate_counters[k];
            text_printf(out, "%s,%s,%u,", program, half_names[correlate_half_of(program)],
                        l->silicon->number);
            csv_append(out, l->silicon->kernel);
            text_printf(out, ",%s,%s,%s,%s", l->silicon->grid, l->silicon->block,
                        l->counts ? "yes" : "no", counter->id);
            cell(out, l->simulated[k]);
            cell(out, l->on_silicon[k]);
            cell(out, l->error[k]);
            text_printf(out, ",%s\n", counter->kind == COUNTER_PERCENT ? "points" : "%");
        }
    }
}
