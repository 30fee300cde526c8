#include "front/record/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* What a zstd frame of some bytes can hold: blocks of 128 KiB in 4 bytes or more each. Checked
 * before memory is taken. */
#define MOST_RATIO 32768u

static struct src_pos here(const struct recording *r)
{
    return (struct src_pos){r->path, 0, 0};
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool read_at(struct recording *r, u64 offset, u8 *to, size_t count, struct err *err)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = pread(r->file, to + done, count - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_at(err, here(r), "cannot read the recording: %s", strerror(errno));
        if (n == 0)
            return err_at(err, here(r), "the file ends at %llu, expected %zu more bytes",
                          (unsigned long long)offset + done, count - done);
        done += (size_t)n;
    }
    return true;
}

bool recording_unpack(struct recording *r, const struct record_place *p, u8 *packed, u8 *raw,
                      struct err *err)
{
    if (!read_at(r, p->offset, packed, p->packed_bytes, err))
        return false;
    size_t n = ZSTD_decompressDCtx(r->unpacker, raw, p->raw_bytes, packed, p->packed_bytes);
    if (ZSTD_isError(n))
        return err_at(err, here(r), "the %u bytes at %llu do not unpack to %u bytes: %s",
                      p->packed_bytes, (unsigned long long)p->offset, p->raw_bytes,
                      ZSTD_getErrorName(n));
    return n == p->raw_bytes ||
           err_at(err, here(r), "the %u bytes at %llu unpack to %zu bytes, expected %u",
                  p->packed_bytes, (unsigned long long)p->offset, n, p->raw_bytes);
}

bool recording_check_place(const struct recording *r, const struct record_place *p,
                           const char *what, struct err *err)
{
    if (p->packed_bytes > r->bytes || p->offset > r->bytes - p->packed_bytes)
        return err_at(err, here(r), "%s is at %llu with %u bytes, expected it within %llu", what,
                      (unsigned long long)p->offset, p->packed_bytes, (unsigned long long)r->bytes);
    if (p->raw_bytes > RECORD_RAW_BYTES || p->raw_bytes / MOST_RATIO > p->packed_bytes)
        return err_at(err, here(r), "%s has %u bytes in %u packed ones, expected fewer", what,
                      p->raw_bytes, p->packed_bytes);
    return true;
}

u8 *recording_unpack_new(struct recording *r, const struct record_place *p, const char *what,
                         struct err *err)
{
    if (!recording_check_place(r, p, what, err))
        return NULL;
    u8 *packed = xrealloc(NULL, (size_t)p->packed_bytes + 1);
    u8 *raw = xrealloc(NULL, (size_t)p->raw_bytes + 1);
    bool ok = recording_unpack(r, p, packed, raw, err);
    free(packed);
    if (!ok)
        free(raw);
    return ok ? raw : NULL;
}

/* ---- header and directory -------------------------------------------------------------------- */

#define HEADER_BYTES (RECORD_MAGIC_BYTES + 4 + 1)
#define MOST_VERSION_BYTES 64u

static bool read_header(struct recording *r, struct err *err)
{
    u8 data[HEADER_BYTES + MOST_VERSION_BYTES];
    size_t there = (size_t)min_u64(sizeof data, r->bytes);
    if (there < HEADER_BYTES)
        return err_at(err, here(r), "the file has %llu bytes, expected a recording",
                      (unsigned long long)r->bytes);
    if (!read_at(r, 0, data, there, err))
        return false;
    struct cursor in = {data + RECORD_MAGIC_BYTES, data + there, false};
    if (memcmp(data, RECORD_MAGIC, RECORD_MAGIC_BYTES) != 0)
        return err_at(err, here(r), "the file does not start with %s, expected a recording",
                      RECORD_MAGIC);
    u32 version = (u32)take_fixed(&in, 4);
    if (version != RECORD_VERSION)
        return err_at(err, here(r), "the recording is of version %u, expected %u", version,
                      RECORD_VERSION);
    u64 length = take_varint(&in);
    if (in.is_short || length > cursor_left(&in))
        return err_at(err, here(r), "the recording breaks off in its header");
    char *text = arena_alloc(&r->arena, (size_t)length + 1);
    memcpy(text, in.at, (size_t)length);
    r->heddle_version = text;
    return true;
}

static bool read_trailer(struct recording *r, struct record_place *directory, struct err *err)
{
    u8 data[RECORD_TRAILER_BYTES];
    if (r->bytes < HEADER_BYTES + sizeof data)
        return err_at(err, here(r), "the recording breaks off after %llu bytes",
                      (unsigned long long)r->bytes);
    if (!read_at(r, r->bytes - sizeof data, data, sizeof data, err))
        return false;
    struct cursor in = {data, data + sizeof data, false};
    directory->offset = take_fixed(&in, 8);
    directory->packed_bytes = (u32)take_fixed(&in, 4);
    directory->raw_bytes = (u32)take_fixed(&in, 4);
    return memcmp(in.at, RECORD_END, RECORD_MAGIC_BYTES) == 0 ||
           err_at(err, here(r), "the recording breaks off: it does not end with %s", RECORD_END);
}

static bool take_event(struct recording *r, struct cursor *in, u8 *done, struct err *err)
{
    u32 kind = take_u8(in);
    struct record_event *e = &r->events[r->event_count++];
    *e = (struct record_event){.kind = (enum record_event_kind)kind, .launch = r->launch_count};
    if (kind == EVENT_LAUNCH) {
        struct record_place *p = &r->kernels[r->launch_count++];
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
    r->events = ARENA_ARRAY(&r->arena, struct record_event, count + 1);
    r->kernels = ARENA_ARRAY(&r->arena, struct record_place, count + 1);
    u8 *done = ARENA_ARRAY(&r->arena, u8, count + 1);
    while (r->event_count < count && !in.is_short) {
        if (!take_event(r, &in, done, err))
            return false;
    }
    return (!in.is_short && !cursor_left(&in)) ||
           err_at(err, here(r), "the list of events breaks off or goes on after event %u",
                  r->event_count);
}

static bool read_directory(struct recording *r, struct err *err)
{
    struct record_place place = {0};
    if (!read_trailer(r, &place, err))
        return false;
    u8 *raw = recording_unpack_new(r, &place, "the list of events", err);
    if (!raw)
        return false;
    bool ok = take_events(r, (struct cursor){raw, raw + place.raw_bytes, false}, err);
    free(raw);
    return ok;
}

static bool open_file(struct recording *r, struct err *err)
{
    struct stat s;
    r->file = open(r->path, O_RDONLY | O_CLOEXEC);
    if (r->file < 0 || fstat(r->file, &s) != 0)
        return err_at(err, here(r), "cannot read the recording: %s", strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_at(err, here(r), "a recording must be a file");
    r->bytes = (u64)s.st_size;
    r->unpacker = ZSTD_createDCtx();
    return r->unpacker || err_kind(err, ERR_INTERNAL, "the zstd library could not be started");
}

struct recording *recording_open(const char *path, struct err *err)
{
    struct recording *r = xrealloc(NULL, sizeof *r);
    *r = (struct recording){.file = -1};
    r->path = arena_strdup(&r->arena, path);
    if (open_file(r, err) && read_header(r, err) && read_directory(r, err))
        return r;
    recording_close(r);
    return NULL;
}

void recording_close(struct recording *r)
{
    if (!r)
        return;
    if (r->file >= 0)
        close(r->file);
    ZSTD_freeDCtx(r->unpacker);
    arena_fini(&r->arena);
    free(r);
}

const char *recording_heddle_version(const struct recording *r)
{
    return r->heddle_version;
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
