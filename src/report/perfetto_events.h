/*
 * Trace events on their way to a file: groups (processes of the format), threads in
 * them, spans and counters. Times are nanoseconds.
 */
#ifndef REPORT_PERFETTO_EVENTS_H
#define REPORT_PERFETTO_EVENTS_H

#include "base/text.h"

#include <jansson.h>

struct event {
    i64 from, to; /* -1: names, which come first */
    u32 order;
    json_t *json;
};

struct event_list {
    struct event *events;
    u32 count, room;
    u32 groups; /* the highest number so far */
};

void events_fini(struct event_list *list);

/* Makes a group; returns its number. */
u32 events_group(struct event_list *list, const char *name);
void events_thread(struct event_list *list, u32 group, u32 thread, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Takes args over. */
void events_span(struct event_list *list, u32 group, u32 thread, const char *name, i64 from, i64 to,
                 json_t *args);
void events_counter(struct event_list *list, u32 group, const char *name, i64 at, double value);
/* An event of a recorded timeline, whose times are in microseconds; takes it over. */
void events_take(struct event_list *list, json_t *event);

/* Sorts, then writes everything. */
void events_write(struct event_list *list, const char *workload, const char *chip,
                  struct text *out);

#endif
