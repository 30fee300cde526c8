#include "report/perfetto.h"

#include "base/arena.h"
#include "base/version.h"
#include "report/perfetto_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a result has ---- */

struct clock {
    double ns_per_cycle;
};

static i64 at_cycle(const struct clock *c, double cycle)
{
    return llround(cycle * c->ns_per_cycle);
}

static void set_ratio(json_t *args, const char *name, double part, double whole)
{
    if (whole > 0 && isfinite(part))
        json_object_set_new(args, name, json_real(part / whole));
}

/* What the viewer shows of a kernel when it is selected. */
static json_t *kernel_args(const json_t *kernel)
{
    static const char *const plain[] = {"number",    "blocks", "threads_per_block",
                                        "registers", "cycles", "warp_instructions"};
    json_t *args = json_object();
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        json_t *v = json_object_get(kernel, plain[i]);
        if (json_is_number(v))
            json_object_set(args, plain[i], v);
    }
    set_ratio(args, "ipc", json_number_at(kernel, "warp_instructions"),
              json_number_at(kernel, "cycles"));
    set_ratio(args, "l1_hit_rate", json_number_at(kernel, "l1_hits"),
              json_number_at(kernel, "l1_loads"));
    set_ratio(args, "l2_hit_rate", json_number_at(kernel, "l2_hits"),
              json_number_at(kernel, "l2_accesses"));
    const char *bound = json_text_at(kernel, "bound_by");
    if (*bound)
        json_object_set_new(args, "bound_by", json_string(bound));
    return args;
}

static int by_start(const void *a, const void *b)
{
    double x = json_number_at(*(json_t *const *)a, "started");
    double y = json_number_at(*(json_t *const *)b, "started");
    return x < y ? -1 : x > y;
}

#define MOST_LANES 128u

/* Kernels that overlap go to different lanes. */
static void add_kernels(struct event_list *list, const struct result *r, const struct clock *clock)
{
    json_t *kernels = result_kernels(r), *kernel;
    size_t count = json_array_size(kernels), i;
    i64 free_at[MOST_LANES] = {0};
    u32 lanes = 0, group = events_group(list, "kernels");
    json_t **sorted = xrealloc(NULL, (count + 1) * sizeof(json_t *));
    json_array_foreach(kernels, i, kernel)
    {
        sorted[i] = kernel;
    }
    qsort(sorted, count, sizeof *sorted, by_start);
    for (i = 0; i < count; i++) {
        double started = json_number_at(sorted[i], "started");
        double ended = json_number_at(sorted[i], "ended");
        if (!isfinite(started) || !isfinite(ended) || ended < started)
            continue;
        i64 from = at_cycle(clock, started), to = at_cycle(clock, ended);
        u32 lane = 0;
        while (lane + 1 < MOST_LANES && lane < lanes && free_at[lane] > from)
            lane++;
        if (lane == lanes)
            events_thread(list, group, ++lanes, "kernels %u", lane);
        free_at[lane] = to;
        events_span(list, group, lane + 1, json_text_at(sorted[i], "name"), from, to,
                    kernel_args(sorted[i]));
    }
    free(sorted);
}

/* The statistic that a column samples: without its element and the number of its unit. */
static const json_t *definition_of(const struct result *r, const char *column)
{
    const json_t *all = json_object_get(r->root, "definitions");
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(column, "["), column);
    const json_t *found = json_object_get(all, name);
    if (found)
        return found;
    size_t length = 0;
    for (const char *s = name; *s; s++) {
        if (*s < '0' || *s > '9')
            name[length++] = *s;
    }
    name[length] = '\0';
    return json_object_get(all, name);
}

/* Growths become rates. A sample stands for the time since the one before it. */
static void add_column(struct event_list *list, const struct result *r, const struct clock *clock,
                       u32 group, const char *name, const json_t *values)
{
    const json_t *series = json_object_get(r->root, "series");
    const json_t *cycles = json_object_get(series, "cycle");
    const char *kind = json_text_at(definition_of(r, name), "kind");
    bool is_growth = strcmp(kind, "count") == 0 || strcmp(kind, "array") == 0;
    char title[300];
    snprintf(title, sizeof title, "%s%s", name, is_growth ? " per cycle" : "");
    double before = json_number_value(json_array_get(cycles, 0)) -
                    fmax(json_number_at(series, "interval_cycles"), 0);
    before = isfinite(before) && before > 0 ? before : 0;
    for (size_t i = 0; i < json_array_size(values); i++) {
        double now = json_number_value(json_array_get(cycles, i));
        const json_t *v = json_array_get(values, i);
        double value = json_number_value(v);
        if (is_growth && now > before)
            value /= now - before;
        if (json_is_number(v))
            events_counter(list, group, title, at_cycle(clock, before), value);
        before = now;
    }
}

static void add_series(struct event_list *list, const struct result *r, const struct clock *clock)
{
    json_t *columns = json_object_get(json_object_get(r->root, "series"), "columns"), *values;
    const char *name;
    if (!json_object_size(columns))
        return;
    u32 group = events_group(list, "series");
    json_object_foreach(columns, name, values)
    {
        add_column(list, r, clock, group, name, values);
    }
}

/* ---- what the run recorded ---- */

static bool refuse(const char *file, struct err *err, const char *why)
{
    return err_at(err, (struct src_pos){file, 0, 0}, "%s, expected " TIMELINE_FILE, why);
}

static bool is_event(const json_t *e)
{
    const char *phase = json_text_at(e, "ph");
    if (!json_is_integer(json_object_get(e, "pid")) || !*json_text_at(e, "name") || !*phase)
        return false;
    if (*phase == 'M')
        return true;
    double ts = json_number_at(e, "ts"), length = json_number_at(e, "dur");
    switch (*phase) {
    case 'X':
        return ts >= 0 && length >= 0;
    case 'C':
        return ts >= 0 && json_is_number(json_object_get(json_object_get(e, "args"), "value"));
    default:
        return ts >= 0;
    }
}

static bool check_timeline(const struct result *r, const char *file, const json_t *timeline,
                           struct err *err)
{
    json_t *events = json_object_get(timeline, "traceEvents"), *e;
    size_t i;
    const char *chip = json_text_at(json_object_get(timeline, "otherData"), "machine");
    double end = result_seconds(r) * 1e6 + 1e-3; /* microseconds; one nanosecond of rounding */
    if (!json_is_array(events))
        return refuse(file, err, "\"traceEvents\" is not a list");
    json_array_foreach(events, i, e)
    {
        if (!is_event(e))
            return refuse(file, err, "an event has not the known form");
        double length = json_number_at(e, "dur");
        if (json_number_at(e, "ts") + (length > 0 ? length : 0) > end)
            return err_at(err, (struct src_pos){file, 0, 0},
                          "the timeline continues after the end of %s: it belongs to another run",
                          r->file);
    }
    if (strcmp(chip, result_about(r, "chip")) != 0)
        return err_at(err, (struct src_pos){file, 0, 0},
                      "the timeline is of chip %s, %s is of %s: they are of different runs", chip,
                      r->file, result_about(r, "chip"));
    return true;
}

/* The group of kernels, whose spans come in the order of the result's. */
static json_int_t kernel_group(const json_t *events)
{
    json_t *e;
    size_t i;
    json_array_foreach(events, i, e)
    {
        if (strcmp(json_text_at(e, "name"), "process_name") == 0 &&
            strcmp(json_text_at(json_object_get(e, "args"), "name"), "kernels") == 0)
            return json_integer_value(json_object_get(e, "pid"));
    }
    return -1;
}

static void add_recorded(struct event_list *list, const struct result *r, const json_t *timeline)
{
    json_t *events = json_object_get(timeline, "traceEvents"), *e;
    json_int_t kernels = kernel_group(events);
    size_t i, next = 0;
    json_array_foreach(events, i, e)
    {
        const char *phase = json_text_at(e, "ph");
        json_int_t group = json_integer_value(json_object_get(e, "pid"));
        json_t *copy = json_deep_copy(e);
        if (*phase == 'X' && group == kernels) {
            const json_t *k = json_array_get(result_kernels(r), next++);
            if (k && strcmp(json_text_at(k, "name"), json_text_at(e, "name")) == 0)
                json_object_set_new(copy, "args", kernel_args(k));
        }
        events_take(list, copy);
    }
}

bool perfetto_make(const struct result *r, const char *timeline_file, const json_t *timeline,
                   struct text *out, u32 *events, struct err *err)
{
    if (timeline && !check_timeline(r, timeline_file, timeline, err))
        return false;
    struct event_list list = {0};
    double cycles = result_cycles(r);
    struct clock clock = {cycles > 0 ? result_seconds(r) * 1e9 / cycles : 0};
    if (timeline)
        add_recorded(&list, r, timeline);
    else if (json_array_size(result_kernels(r)))
        add_kernels(&list, r, &clock);
    add_series(&list, r, &clock);
    bool ok =
        list.count > 0 || err_at(err, (struct src_pos){r->file, 0, 0},
                                 "there is nothing to show: no kernels, no series and no timeline");
    *events = list.count;
    if (ok)
        events_write(&list, result_about(r, "workload"), result_about(r, "chip"), out);
    events_fini(&list);
    return ok;
}
