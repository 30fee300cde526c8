#include "source/recording/recording_file.h"

#include <stdlib.h>

const struct container_kind record_container = {
    .magic = RECORD_MAGIC, .noun = "recording", .version = RECORD_VERSION};

static struct src_pos here(const struct recording *r)
{
    return (struct src_pos){r->file.path, 0, 0};
}

static bool take_event(struct recording *r, struct cursor *in, u8 *done, struct err *err)
{
    u32 kind = take_u8(in);
    struct record_event *e = &r->events[r->event_count++];
    *e = (struct record_event){.kind = (enum record_event_kind)kind, .launch = r->launch_count};
    if (kind == EVENT_LAUNCH) {
        struct container_place *p = &r->kernels[r->launch_count++];
        p->offset = take_varint(in);
        p->packed_bytes = take_u32(in);
        p->raw_bytes = take_u32(in);
        return true;
    }
    u64 value = take_varint(in);
    if (kind == EVENT_DONE && value < r->launch_count && !done[value]) {
        e->launch = (u32)value;
        done[value] = 1;
        return true;
    }
    if (kind == EVENT_COPY_TO && r->event_count > 1 && e[-1].kind == EVENT_COPY) {
        e->bytes = e[-1].bytes;
        e->to = value;
        return true;
    }
    e->bytes = value;
    return kind == EVENT_COPY ||
           err_at(err, here(r),
                  "event %u of the run is of kind %u with %llu, expected a launch, "
                  "the end of one that runs, or a copy",
                  r->event_count - 1, kind, (unsigned long long)value);
}

#define LEAST_EVENT_BYTES 2u

static bool take_events(struct recording *r, struct cursor in, struct err *err)
{
    u64 count = take_varint(&in);
    if (count > cursor_left(&in) / LEAST_EVENT_BYTES)
        return err_at(err, here(r), "the run has %llu events in %zu bytes, expected fewer",
                      (unsigned long long)count, cursor_left(&in));
    r->events = ARENA_ARRAY(&r->file.arena, struct record_event, count + 1);
    r->kernels = ARENA_ARRAY(&r->file.arena, struct container_place, count + 1);
    u8 *done = ARENA_ARRAY(&r->file.arena, u8, count + 1);
    while (r->event_count < count && !in.is_short) {
        if (!take_event(r, &in, done, err))
            return false;
    }
    return (!in.is_short && !cursor_left(&in)) ||
           err_at(err, here(r), "the list of events ends before or continues after event %u",
                  r->event_count);
}

static bool read_directory(struct recording *r, struct err *err)
{
    const struct container_place *place = &r->file.directory;
    u8 *raw = container_unpack_new(&r->file, place, "the list of events", err);
    if (!raw)
        return false;
    bool ok = take_events(r, (struct cursor){raw, raw + place->raw_bytes, false}, err);
    free(raw);
    return ok;
}

struct recording *recording_open(const char *path, struct err *err)
{
    struct recording *r = xrealloc(NULL, sizeof *r);
    *r = (struct recording){0};
    if (container_open(&r->file, &record_container, path, err) && read_directory(r, err))
        return r;
    recording_close(r);
    return NULL;
}

void recording_close(struct recording *r)
{
    if (!r)
        return;
    container_close(&r->file);
    free(r);
}

const char *recording_heddle_version(const struct recording *r)
{
    return r->file.heddle_version;
}

u32 recording_launch_count(const struct recording *r)
{
    return r->launch_count;
}

u32 recording_event_count(const struct recording *r)
{
    return r->event_count;
}

struct record_event recording_event(const struct recording *r, u32 index)
{
    assert(index < r->event_count);
    return r->events[index];
}
