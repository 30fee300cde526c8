#include "source/recording/recorder.h"

#include "source/recording/kernel_recorder.h"

#include <assert.h>
#include <stdlib.h>

/* Of the directory; a launch learns where its kernel is when that is done. */
struct recorded_event {
    u8 kind; /* enum record_event_kind */
    u64 value;
    struct container_place kernel;
};

struct recorder {
    struct container_writer file;
    struct recorded_event *events;
    u32 event_count, event_room;
    u32 launches;
    struct kernel_recorder **under_way;
    u32 under_way_count, under_way_room;
    struct recorder_counts counts; /* of kernels that are done */
};

struct recorder *recorder_open(const char *path, struct err *err)
{
    struct recorder *r = xrealloc(NULL, sizeof *r);
    *r = (struct recorder){0};
    if (container_create(&r->file, &record_container, path, err))
        return r;
    recorder_discard(r);
    return NULL;
}

void recorder_flush(struct recorder *r)
{
    if (r)
        out_file_flush(&r->file.out);
}

void recorder_discard(struct recorder *r)
{
    if (!r)
        return;
    for (u32 i = 0; i < r->under_way_count; i++)
        kernel_recorder_destroy(r->under_way[i]);
    container_writer_fini(&r->file);
    free(r->under_way);
    free(r->events);
    free(r);
}

static u32 add_event(struct recorder *r, enum record_event_kind kind, u64 value)
{
    if (r->event_count == r->event_room) {
        r->event_room = r->event_room ? 2 * r->event_room : 64;
        r->events = xrealloc(r->events, r->event_room * sizeof *r->events);
    }
    r->events[r->event_count] = (struct recorded_event){.kind = (u8)kind, .value = value};
    return r->event_count++;
}

void recorder_copy(struct recorder *r, u64 to, u64 bytes)
{
    add_event(r, EVENT_COPY, bytes);
    if (to)
        add_event(r, EVENT_COPY_TO, to);
}

void recorder_kernel(struct recorder *r, const struct grid_source *inner,
                     struct grid_source *wrapped)
{
    struct kernel_recorder *k = kernel_recorder_create(&r->file, inner);
    k->launch = r->launches++;
    k->event = add_event(r, EVENT_LAUNCH, k->launch);
    if (r->under_way_count == r->under_way_room) {
        r->under_way_room = r->under_way_room ? 2 * r->under_way_room : 16;
        r->under_way = xrealloc(r->under_way, r->under_way_room * sizeof(struct kernel_recorder *));
    }
    r->under_way[r->under_way_count++] = k;
    *wrapped = kernel_recorder_grid(k);
}

static void write_kernel(struct recorder *r, struct kernel_recorder *k)
{
    if (k->blocks_done != k->inner.blocks) {
        err_at(&r->file.err, (struct src_pos){r->file.out.path, 0, 0},
               "kernel %s ended after %llu of its %llu blocks", k->inner.name,
               (unsigned long long)k->blocks_done, (unsigned long long)k->inner.blocks);
        return;
    }
    k->scratch.length = 0;
    kernel_record_put(&k->scratch, &k->record);
    r->events[k->event].kernel = container_put(&r->file, &k->scratch);
    add_event(r, EVENT_DONE, k->launch);
    r->counts.warp_instructions += k->steps;
    r->counts.raw_bytes += k->raw_bytes;
}

bool recorder_kernel_done(struct recorder *r, const struct grid_source *wrapped, struct err *err)
{
    struct kernel_recorder *k = wrapped->self;
    u32 i = 0;
    while (i < r->under_way_count && r->under_way[i] != k)
        i++;
    assert(i < r->under_way_count);
    r->under_way[i] = r->under_way[--r->under_way_count];
    write_kernel(r, k);
    kernel_recorder_destroy(k);
    if (r->file.err.kind == ERR_NONE)
        return true;
    *err = r->file.err;
    return false;
}

static void put_directory(const struct recorder *r, struct bytes *out)
{
    put_varint(out, r->event_count);
    for (u32 i = 0; i < r->event_count; i++) {
        const struct recorded_event *e = &r->events[i];
        put_u8(out, e->kind);
        if (e->kind == EVENT_LAUNCH) {
            put_varint(out, e->kernel.offset);
            put_varint(out, e->kernel.packed_bytes);
            put_varint(out, e->kernel.raw_bytes);
        } else {
            put_varint(out, e->value);
        }
    }
}

bool recorder_close(struct recorder *r, struct err *err)
{
    struct bytes directory = {0};
    if (r->under_way_count)
        err_at(&r->file.err, (struct src_pos){r->file.out.path, 0, 0},
               "the run ended while kernel %s was running, nothing is recorded",
               r->under_way[0]->inner.name);
    put_directory(r, &directory);
    bool ok = container_finish(&r->file, &directory);
    if (!ok)
        *err = r->file.err;
    free(directory.data);
    recorder_discard(r);
    return ok;
}

struct recorder_counts recorder_counts(const struct recorder *r)
{
    struct recorder_counts c = r->counts;
    c.file_bytes = r->file.offset;
    c.held_bytes = r->file.packed.room;
    for (u32 i = 0; i < r->under_way_count; i++)
        c.held_bytes += kernel_recorder_held_bytes(r->under_way[i]);
    return c;
}
