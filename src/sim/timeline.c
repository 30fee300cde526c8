#include "sim/timeline.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/map.h"
#include "base/text.h"

#include <stdlib.h>

struct timeline {
    struct out_file out;
    struct arena arena;
    struct text line;
    struct strmap groups;
    u32 group_count, track_count;
    u32 *track_group;
    u32 track_room;
    bool any;
};

/* Threads count from 1: the viewer keeps 0 for itself. */
static void begin(struct timeline *t, const char *phase, track_id track)
{
    t->line.length = 0;
    text_printf(&t->line, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", t->any ? ",\n" : "", phase,
                track < t->track_count ? t->track_group[track] : 0, track + 1);
    t->any = true;
}

static void add_text(struct timeline *t, const char *key, const char *value)
{
    text_printf(&t->line, ",\"%s\":\"", key);
    text_append_json(&t->line, value);
    text_printf(&t->line, "\"");
}

/* The format counts in microseconds; nine decimals keep the femtosecond. */
static void add_time(struct timeline *t, const char *key, u64 fs)
{
    text_printf(&t->line, ",\"%s\":%llu.%09llu", key, (unsigned long long)(fs / 1000000000u),
                (unsigned long long)(fs % 1000000000u));
}

static void end(struct timeline *t)
{
    text_printf(&t->line, "}");
    out_file_put(&t->out, t->line.data, t->line.length);
}

struct timeline *timeline_open(const char *path, const char *machine, struct err *err)
{
    struct timeline *t = xrealloc(NULL, sizeof *t);
    *t = (struct timeline){0};
    if (!out_file_open(&t->out, path, err)) {
        free(t);
        return NULL;
    }
    text_printf(&t->line, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"machine\":\"");
    text_append_json(&t->line, machine);
    text_printf(&t->line, "\"},\"traceEvents\":[\n");
    out_file_put(&t->out, t->line.data, t->line.length);
    return t;
}

static u32 group_of(struct timeline *t, const char *group)
{
    u32 id;
    if (strmap_get(&t->groups, group, &id))
        return id;
    id = ++t->group_count;
    strmap_put(&t->groups, arena_strdup(&t->arena, group), id);
    t->line.length = 0;
    text_printf(&t->line,
                "%s{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"",
                t->any ? ",\n" : "", id);
    text_append_json(&t->line, group);
    text_printf(&t->line, "\"}}");
    out_file_put(&t->out, t->line.data, t->line.length);
    t->any = true;
    return id;
}

track_id timeline_track(struct timeline *t, const char *group, const char *name)
{
    if (!t)
        return 0;
    u32 g = group_of(t, group);
    if (t->track_count == t->track_room) {
        t->track_room = t->track_room ? t->track_room * 2 : 32;
        t->track_group = xrealloc(t->track_group, t->track_room * sizeof *t->track_group);
    }
    track_id id = t->track_count++;
    t->track_group[id] = g;
    begin(t, "M", id);
    text_printf(&t->line, ",\"name\":\"thread_name\",\"args\":{\"name\":\"");
    text_append_json(&t->line, name);
    text_printf(&t->line, "\"}");
    end(t);
    return id;
}

void timeline_span_with(struct timeline *t, track_id track, const char *name, u64 from_fs,
                        u64 to_fs, const char *detail, const char *text)
{
    if (!t)
        return;
    begin(t, "X", track);
    add_text(t, "name", name);
    add_time(t, "ts", from_fs);
    add_time(t, "dur", to_fs - from_fs);
    if (detail) {
        text_printf(&t->line, ",\"args\":{\"");
        text_append_json(&t->line, detail);
        text_printf(&t->line, "\":\"");
        text_append_json(&t->line, text);
        text_printf(&t->line, "\"}");
    }
    end(t);
}

void timeline_span(struct timeline *t, track_id track, const char *name, u64 from_fs, u64 to_fs)
{
    timeline_span_with(t, track, name, from_fs, to_fs, NULL, NULL);
}

void timeline_mark(struct timeline *t, track_id track, const char *name, u64 at_fs)
{
    if (!t)
        return;
    begin(t, "i", track);
    add_text(t, "name", name);
    add_text(t, "s", "t");
    add_time(t, "ts", at_fs);
    end(t);
}

void timeline_level(struct timeline *t, track_id track, const char *name, u64 at_fs, u64 value)
{
    if (!t)
        return;
    begin(t, "C", track);
    add_text(t, "name", name);
    add_time(t, "ts", at_fs);
    text_printf(&t->line, ",\"args\":{\"value\":%llu}", (unsigned long long)value);
    end(t);
}

void timeline_amount(struct timeline *t, track_id track, const char *name, u64 at_fs, double value)
{
    if (!t)
        return;
    begin(t, "C", track);
    add_text(t, "name", name);
    add_time(t, "ts", at_fs);
    text_printf(&t->line, ",\"args\":{\"value\":%.6g}", value);
    end(t);
}

void timeline_flush(struct timeline *t)
{
    if (t)
        out_file_flush(&t->out);
}

bool timeline_close(struct timeline *t, struct err *err)
{
    if (!t)
        return true;
    out_file_put(&t->out, "\n]}\n", 4);
    bool ok = out_file_close(&t->out, err);
    free(t->track_group);
    text_fini(&t->line);
    strmap_fini(&t->groups);
    arena_fini(&t->arena);
    free(t);
    return ok;
}
