#include "report/perfetto_events.h"

#include "base/arena.h"
#include "base/version.h"
#include "report/json_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void events_fini(struct event_list *list)
{
    for (u32 i = 0; i < list->count; i++)
        json_decref(list->events[i].json);
    free(list->events);
    *list = (struct event_list){0};
}

static void add(struct event_list *list, json_t *json, i64 from, i64 to)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->events = xrealloc(list->events, list->room * sizeof *list->events);
    }
    list->events[list->count] =
        (struct event){.from = from, .to = to, .order = list->count, .json = json};
    list->count++;
}

static json_t *new_event(const char *phase, u32 group, const char *name)
{
    json_t *e = json_object();
    json_object_set_new(e, "ph", json_string(phase));
    json_object_set_new(e, "pid", json_integer(group));
    json_object_set_new(e, "name", json_string(name));
    return e;
}

static json_t *name_event(const char *kind, u32 group, const char *name)
{
    json_t *e = new_event("M", group, kind), *args = json_object();
    json_object_set_new(args, "name", json_string(name));
    json_object_set_new(e, "args", args);
    return e;
}

u32 events_group(struct event_list *list, const char *name)
{
    u32 group = ++list->groups;
    add(list, name_event("process_name", group, name), -1, -1);
    return group;
}

void events_thread(struct event_list *list, u32 group, u32 thread, const char *format, ...)
{
    char name[128];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    json_t *e = name_event("thread_name", group, name);
    json_object_set_new(e, "tid", json_integer(thread));
    add(list, e, -1, -1);
}

void events_span(struct event_list *list, u32 group, u32 thread, const char *name, i64 from, i64 to,
                 json_t *args)
{
    json_t *e = new_event("X", group, name);
    json_object_set_new(e, "tid", json_integer(thread));
    json_object_set_new(e, "args", args);
    add(list, e, from, to);
}

void events_counter(struct event_list *list, u32 group, const char *name, i64 at, double value)
{
    json_t *e = new_event("C", group, name), *args = json_object();
    json_object_set_new(args, "value", json_real(value));
    json_object_set_new(e, "args", args);
    add(list, e, at, at);
}

void events_take(struct event_list *list, json_t *event)
{
    double from = json_number_at(event, "ts"), length = json_number_at(event, "dur");
    json_int_t group = json_integer_value(json_object_get(event, "pid"));
    list->groups = group > list->groups ? (u32)group : list->groups;
    json_object_del(event, "ts");
    json_object_del(event, "dur");
    if (isnan(from))
        add(list, event, -1, -1);
    else
        add(list, event, llround(from * 1e3), llround((from + (isnan(length) ? 0 : length)) * 1e3));
}

/* By time; at one instant the longer span first, which is around the others. */
static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Microseconds with three decimals. */
static void append_time(struct text *out, const char *key, i64 ns)
{
    text_printf(out, ",\"%s\":%lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

static void append_event(const struct event *e, struct text *out)
{
    char *json = json_dumps(e->json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    text_printf(out, "%.*s", (int)(strlen(json) - 1), json);
    free(json);
    if (e->from >= 0) {
        append_time(out, "ts", e->from);
        if (*json_text_at(e->json, "ph") == 'X')
            append_time(out, "dur", e->to - e->from);
    }
    text_printf(out, "}");
}

void events_write(struct event_list *list, const char *workload, const char *chip, struct text *out)
{
    qsort(list->events, list->count, sizeof *list->events, compare);
    text_printf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"heddle_version\":\"%s\",",
                HEDDLE_VERSION);
    text_printf(out, "\"workload\":\"");
    text_append_json(out, workload);
    text_printf(out, "\",\"machine\":\"");
    text_append_json(out, chip);
    text_printf(out, "\"},\"traceEvents\":[\n");
    for (u32 i = 0; i < list->count; i++) {
        text_printf(out, "%s", i ? ",\n" : "");
        append_event(&list->events[i], out);
    }
    text_printf(out, "\n]}\n");
}
