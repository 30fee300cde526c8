#include "run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#define LOG_PIECE_BYTES (8u << 20)
#define PAGE_BYTES 4096u
#define LEAST_PLACE_BYTES 3u
#define LEAST_ALLOCATION_BYTES 2u

static const struct container_kind checkpoint_container = {
    .magic = "HDLCHECK", .noun = "checkpoint", .version = 2};

/* Not the program's own memory, which it writes itself: the log has what kernels did there. */
static bool is_kept(const struct device_memory *m, u32 index)
{
    return !memory_at(m, index)->host && !memory_is_spare(m, index);
}

/* ---- saving ---- */

bool checkpoint_create(struct checkpoint_writer *w, const char *path, struct err *err)
{
    *w = (struct checkpoint_writer){0};
    return container_create(&w->file, &checkpoint_container, path, err);
}

static void put_place(struct bytes *out, const struct container_place *p)
{
    put_varint(out, p->offset);
    put_varint(out, p->packed_bytes);
    put_varint(out, p->raw_bytes);
}

static void flush_log(struct checkpoint_writer *w)
{
    struct container_place place = container_put(&w->file, &w->log);
    put_place(&w->pieces, &place);
    w->piece_count++;
    w->log.length = 0;
}

void checkpoint_put(struct checkpoint_writer *w, enum checkpoint_event_kind kind, u64 id,
                    const void *data, size_t count)
{
    const u8 *from = data;
    do {
        size_t part = (size_t)min_u64(count, CHECKPOINT_MOST_BYTES);
        put_u8(&w->log, kind);
        put_fixed(&w->log, id, 8);
        put_varint(&w->log, part);
        put_raw(&w->log, from, part);
        if (w->log.length >= LOG_PIECE_BYTES)
            flush_log(w);
        from = part ? from + part : from;
        id += kind == CHECKPOINT_CHANGED ? part : 0;
        count -= part;
    } while (count);
}

static bool is_zero(const u8 *data, size_t count)
{
    return !count || (!data[0] && memcmp(data, data + 1, count - 1) == 0);
}

static void put_allocation(struct checkpoint_writer *w, struct bytes *directory,
                           const struct allocation *a)
{
    put_varint(directory, a->start);
    put_varint(directory, a->bytes);
    for (u64 at = 0; at < a->bytes; at += CHECKPOINT_MOST_BYTES) {
        struct bytes raw = {.data = (u8 *)(uintptr_t)(a->start + at),
                            .length = (size_t)min_u64(a->bytes - at, CHECKPOINT_MOST_BYTES)};
        struct container_place place = {0};
        if (!is_zero(raw.data, raw.length))
            place = container_put(&w->file, &raw);
        put_place(directory, &place);
    }
}

static void put_text(struct bytes *out, const char *text)
{
    put_varint(out, strlen(text));
    put_raw(out, text, strlen(text));
}

static void put_machine(struct checkpoint_writer *w, struct bytes *directory,
                        const struct checkpoint_machine *machine)
{
    struct image_places places;
    put_text(directory, machine ? machine->identity : "");
    if (!machine)
        return;
    image_write(&machine->image, &w->file, &places);
    put_varint(directory, places.built_end);
    put_varint(directory, places.end);
    put_varint(directory, places.count);
    for (u32 i = 0; i < places.count; i++)
        put_place(directory, &places.pieces[i]);
    free(places.pieces);
}

bool checkpoint_finish(struct checkpoint_writer *w, const char *workload, u64 launch,
                       const struct device_memory *m, const struct checkpoint_machine *machine,
                       struct err *err)
{
    struct bytes directory = {0}, memory = {0};
    u64 count = 0;
    if (w->log.length)
        flush_log(w);
    put_text(&directory, workload);
    put_varint(&directory, launch);
    put_varint(&directory, w->piece_count);
    put_raw(&directory, w->pieces.data, w->pieces.length);
    for (u32 i = 0; i < memory_count(m); i++) {
        if (!is_kept(m, i))
            continue;
        put_allocation(w, &memory, memory_at(m, i));
        count++;
    }
    put_varint(&directory, count);
    put_raw(&directory, memory.data, memory.length);
    put_machine(w, &directory, machine);
    bool ok = container_finish(&w->file, &directory);
    if (!ok)
        *err = w->file.err;
    free(memory.data);
    free(directory.data);
    return ok;
}

void checkpoint_writer_fini(struct checkpoint_writer *w)
{
    container_writer_fini(&w->file);
    free(w->log.data);
    free(w->pieces.data);
    *w = (struct checkpoint_writer){0};
}

/* ---- resuming ---- */

static struct src_pos here(const struct checkpoint *c)
{
    return (struct src_pos){c->file.path, 0, 0};
}

static struct container_place take_place(struct cursor *in)
{
    struct container_place p;
    p.offset = take_varint(in);
    p.packed_bytes = take_u32(in);
    p.raw_bytes = take_u32(in);
    return p;
}

static bool too_many(const struct checkpoint *c, const char *what, struct err *err)
{
    return err_at(err, here(c), "the checkpoint's list of %s is truncated", what);
}

static bool take_allocation(struct checkpoint *c, struct cursor *in,
                            struct checkpoint_allocation *a, struct err *err)
{
    a->start = take_varint(in);
    a->bytes = take_varint(in);
    u64 pieces = a->bytes / CHECKPOINT_MOST_BYTES + (a->bytes % CHECKPOINT_MOST_BYTES != 0);
    if (pieces > cursor_left(in) / LEAST_PLACE_BYTES)
        return too_many(c, "allocations", err);
    a->pieces = ARENA_ARRAY(&c->file.arena, struct container_place, pieces + 1);
    for (u64 i = 0; i < pieces; i++) {
        struct container_place *p = &a->pieces[i];
        u64 expected = min_u64(a->bytes - i * CHECKPOINT_MOST_BYTES, CHECKPOINT_MOST_BYTES);
        *p = take_place(in);
        if (!p->packed_bytes)
            continue;
        if (p->raw_bytes != expected)
            return err_at(err, here(c), "a piece of memory has %u bytes, expected %llu",
                          p->raw_bytes, (unsigned long long)expected);
        if (!container_check_place(&c->file, p, "a piece of memory", err))
            return false;
    }
    return true;
}

/* NULL: it is truncated. */
static const char *take_text(struct checkpoint *c, struct cursor *in)
{
    u64 length = take_varint(in);
    if (length > cursor_left(in))
        return NULL;
    char *text = arena_alloc(&c->file.arena, (size_t)length + 1);
    memcpy(text, in->at, (size_t)length);
    text[length] = '\0';
    in->at += length;
    return text;
}

static bool take_machine(struct checkpoint *c, struct cursor *in, struct err *err)
{
    struct image_places *p = &c->machine;
    c->identity = take_text(c, in);
    if (!c->identity)
        return too_many(c, "contents", err);
    if (!*c->identity)
        return true;
    p->built_end = take_varint(in);
    p->end = take_varint(in);
    p->count = take_u32(in);
    if (p->count > cursor_left(in) / LEAST_PLACE_BYTES)
        return too_many(c, "pieces of the machine's state", err);
    p->pieces = ARENA_ARRAY(&c->file.arena, struct container_place, p->count + 1);
    for (u32 i = 0; i < p->count; i++) {
        p->pieces[i] = take_place(in);
        if (!container_check_place(&c->file, &p->pieces[i], "a piece of the machine's state", err))
            return false;
    }
    return true;
}

static bool take_directory(struct checkpoint *c, struct cursor in, struct err *err)
{
    c->workload = take_text(c, &in);
    if (!c->workload)
        return too_many(c, "contents", err);
    c->launch = take_varint(&in);
    c->log_count = take_varint(&in);
    if (c->log_count > cursor_left(&in) / LEAST_PLACE_BYTES)
        return too_many(c, "events", err);
    c->log = ARENA_ARRAY(&c->file.arena, struct container_place, c->log_count + 1);
    for (u64 i = 0; i < c->log_count; i++) {
        c->log[i] = take_place(&in);
        if (!container_check_place(&c->file, &c->log[i], "a piece of the log", err))
            return false;
    }
    c->allocation_count = take_varint(&in);
    if (c->allocation_count > cursor_left(&in) / LEAST_ALLOCATION_BYTES)
        return too_many(c, "allocations", err);
    c->allocations =
        ARENA_ARRAY(&c->file.arena, struct checkpoint_allocation, c->allocation_count + 1);
    for (u64 i = 0; i < c->allocation_count; i++) {
        if (!take_allocation(c, &in, &c->allocations[i], err))
            return false;
    }
    if (!take_machine(c, &in, err))
        return false;
    return (!in.is_short && !cursor_left(&in)) || too_many(c, "contents", err);
}

bool checkpoint_open(struct checkpoint *c, const char *path, struct err *err)
{
    *c = (struct checkpoint){0};
    if (!container_open(&c->file, &checkpoint_container, path, err))
        return false;
    const struct container_place *place = &c->file.directory;
    u8 *raw = container_unpack_new(&c->file, place, "the list of contents", err);
    bool ok = raw && take_directory(c, (struct cursor){raw, raw + place->raw_bytes, false}, err);
    free(raw);
    return ok;
}

bool checkpoint_next(struct checkpoint *c, struct checkpoint_event *e, struct err *err)
{
    *e = (struct checkpoint_event){.kind = CHECKPOINT_END};
    if (!cursor_left(&c->at)) {
        if (c->log_next == c->log_count)
            return true;
        const struct container_place *p = &c->log[c->log_next++];
        free(c->piece);
        c->piece = container_unpack_new(&c->file, p, "a piece of the log", err);
        if (!c->piece)
            return false;
        c->at = (struct cursor){c->piece, c->piece + p->raw_bytes, false};
    }
    u32 kind = take_u8(&c->at);
    e->kind = (enum checkpoint_event_kind)kind;
    e->id = take_fixed(&c->at, 8);
    e->count = (size_t)take_varint(&c->at);
    if (kind >= CHECKPOINT_END || c->at.is_short || e->count > cursor_left(&c->at))
        return err_at(err, here(c), "the checkpoint's log is damaged");
    e->data = c->at.at;
    c->at.at += e->count;
    return true;
}

static bool same_allocations(const struct checkpoint *c, const struct device_memory *m,
                             struct err *err)
{
    u64 next = 0;
    for (u32 i = 0; i < memory_count(m); i++) {
        const struct allocation *a = memory_at(m, i);
        if (!is_kept(m, i))
            continue;
        const struct checkpoint_allocation *there = &c->allocations[next++];
        if (next > c->allocation_count || there->start != a->start || there->bytes != a->bytes)
            return err_at(err, here(c),
                          "this run has %llu bytes at 0x%llx (%s) that the checkpoint lacks: the "
                          "program or its input differs",
                          (unsigned long long)a->bytes, (unsigned long long)a->start, a->label);
    }
    return next == c->allocation_count || err_at(err, here(c),
                                                 "the checkpoint has %llu bytes at 0x%llx that "
                                                 "this run lacks: the program or its input differs",
                                                 (unsigned long long)c->allocations[next].bytes,
                                                 (unsigned long long)c->allocations[next].start);
}

/* Pages that are right already are left as they are: those of zeros stay untouched. */
static void restore_piece(u8 *to, const u8 *from, size_t count)
{
    for (size_t at = 0; at < count; at += PAGE_BYTES) {
        size_t part = (size_t)min_u64(PAGE_BYTES, count - at);
        if (!from && !is_zero(to + at, part))
            memset(to + at, 0, part);
        else if (from && memcmp(to + at, from + at, part) != 0)
            memcpy(to + at, from + at, part);
    }
}

bool checkpoint_restore(struct checkpoint *c, struct device_memory *m, struct err *err)
{
    if (!same_allocations(c, m, err))
        return false;
    for (u64 i = 0; i < c->allocation_count; i++) {
        const struct checkpoint_allocation *a = &c->allocations[i];
        for (u64 at = 0; at < a->bytes; at += CHECKPOINT_MOST_BYTES) {
            const struct container_place *p = &a->pieces[at / CHECKPOINT_MOST_BYTES];
            u8 *raw = NULL;
            if (p->packed_bytes &&
                !(raw = container_unpack_new(&c->file, p, "a piece of memory", err)))
                return false;
            restore_piece((u8 *)(uintptr_t)(a->start + at), raw,
                          (size_t)min_u64(a->bytes - at, CHECKPOINT_MOST_BYTES));
            free(raw);
        }
    }
    return true;
}

void checkpoint_close(struct checkpoint *c)
{
    free(c->piece);
    container_close(&c->file);
    *c = (struct checkpoint){.file = {.file = -1}};
}
