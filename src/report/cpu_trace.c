#include "report/cpu_trace.h"

#include "base/version.h"
#include "report/page.h"

static const char *const section_names[CPU_SECTIONS] = {"serial", "parallel", "total"};

static json_t *named(const u64 *values, const char *const *names, u32 count)
{
    json_t *o = json_object();
    for (u32 i = 0; i < count; i++)
        json_object_set_new(o, names[i], json_integer((json_int_t)values[i]));
    return o;
}

static json_t *ratio(u64 a, u64 b)
{
    return b ? json_real((double)a / (double)b) : json_null();
}

static void set(json_t *o, const char *key, u64 value)
{
    json_object_set_new(o, key, json_integer((json_int_t)value));
}

static json_t *counts_json(const struct cpu_counts *c)
{
    json_t *o = json_object(), *bias = json_array();
    u64 branches = c->instructions - c->branches[CPU_NO_BRANCH];
    set(o, "instructions", c->instructions);
    json_object_set_new(o, "classes", named(c->classes, cpu_class_names, CPU_EVENT));
    json_object_set_new(o, "branches",
                        named(c->branches + 1, cpu_branch_names + 1, CPU_BRANCH_COUNT - 1));
    for (u32 i = 0; i < CPU_BIAS_BINS; i++)
        json_array_append_new(bias, json_integer((json_int_t)c->bias[i]));
    json_object_set_new(o, "bias", bias);
    set(o, "taken", c->taken);
    set(o, "taken_backward", c->taken_backward);
    set(o, "conditional_taken", c->conditional_taken);
    set(o, "loads", c->loads);
    set(o, "stores", c->stores);
    set(o, "static_bytes", c->static_bytes);
    set(o, "hot_bytes", c->hot_bytes);
    json_object_set_new(o, "branch_share", ratio(branches, c->instructions));
    json_object_set_new(o, "backward_share", ratio(c->taken_backward, c->taken));
    json_object_set_new(o, "block_bytes", ratio(c->bytes, c->blocks));
    json_object_set_new(o, "block_instructions", ratio(c->instructions, c->blocks));
    json_object_set_new(o, "taken_distance_bytes", ratio(c->bytes, c->taken));
    return o;
}

static json_t *section_json(const struct cpu_statistics *s, u32 section)
{
    json_t *o = counts_json(&s->counts[section]);
    json_object_set_new(o, "line_use", json_real(s->line_use[section]));
    return o;
}

static json_t *intervals_json(const struct cpu_statistics *s)
{
    json_t *all = json_array();
    for (u32 i = 0; i < s->interval_count; i++) {
        const struct cpu_interval *v = &s->intervals[i];
        json_t *o = json_object();
        set(o, "instructions", v->instructions);
        set(o, "branches", v->branches);
        set(o, "taken", v->taken);
        set(o, "loads", v->loads);
        set(o, "stores", v->stores);
        set(o, "new_code_lines", v->new_code_lines);
        set(o, "new_data_lines", v->new_data_lines);
        json_array_append_new(all, o);
    }
    return all;
}

static json_t *curve_json(const struct cpu_statistics *s)
{
    json_t *all = json_array();
    for (u32 i = 0; i < s->curve_points; i++)
        json_array_append_new(all,
                              json_pack("[I, f]", (json_int_t)s->curve[i].bytes, s->curve[i].part));
    return all;
}

json_t *cpu_statistics_json(const char *name, const struct cpu_statistics *s)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name));
    set(o, "threads", s->threads);
    for (u32 k = 0; k < CPU_SECTIONS; k++)
        json_object_set_new(o, section_names[k], section_json(s, k));
    json_object_set_new(o, "serial_share", json_real(s->serial_share));
    json_object_set_new(o, "events", named(s->events, cpu_event_names, CPU_EVENT_COUNT));
    set(o, "different_instructions", s->different);
    set(o, "code_lines", s->code_lines);
    set(o, "data_lines", s->data_lines);
    set(o, "data_pages", s->data_pages);
    json_object_set_new(o, "shared_instructions", json_real(s->shared_instructions));
    json_object_set_new(o, "shared_bytes", json_real(s->shared_bytes));
    json_object_set_new(o, "line_use", json_real(s->line_use[CPU_TOTAL]));
    json_object_set_new(o, "curve", curve_json(s));
    set(o, "interval_instructions", s->interval_instructions);
    json_object_set_new(o, "intervals", intervals_json(s));
    return o;
}

json_t *cpu_traces_json(json_t *traces)
{
    return json_pack("{s:s, s:s, s:o}", "format", CPU_TRACE_FORMAT, "heddle_version",
                     HEDDLE_VERSION, "traces", traces);
}

void page_cpu_traces_make(const json_t *data, struct text *out)
{
    static const char *const scripts[] = {"base.js", "export.js",         "frame.js", "tables.js",
                                          "bars.js", "cpu_trace_page.js", NULL};
    struct text json = {0};
    page_append_json(data, &json);
    page_frame(&(struct page){"CPU traces", &json, scripts}, out);
    text_fini(&json);
}
