#include "base/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* What a zstd frame of some bytes can hold: blocks of 128 KiB in 4 bytes or more each. Checked
 * before memory is taken. */
#define MOST_RATIO 32768u

static struct src_pos here(const struct container *c)
{
    return (struct src_pos){c->path, 0, 0};
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool read_at(struct container *c, u64 offset, u8 *to, size_t count, struct err *err)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = pread(c->file, to + done, count - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_at(err, here(c), "cannot read the %s: %s", c->kind->noun, strerror(errno));
        if (n == 0)
            return err_at(err, here(c), "the file ends at %llu, expected %zu more bytes",
                          (unsigned long long)offset + done, count - done);
        done += (size_t)n;
    }
    return true;
}

bool container_unpack(struct container *c, const struct container_place *p, u8 *packed, u8 *raw,
                      struct err *err)
{
    if (!read_at(c, p->offset, packed, p->packed_bytes, err))
        return false;
    size_t n = ZSTD_decompressDCtx(c->unpacker, raw, p->raw_bytes, packed, p->packed_bytes);
    if (ZSTD_isError(n))
        return err_at(err, here(c), "the %u bytes at %llu do not unpack to %u bytes: %s",
                      p->packed_bytes, (unsigned long long)p->offset, p->raw_bytes,
                      ZSTD_getErrorName(n));
    return n == p->raw_bytes ||
           err_at(err, here(c), "the %u bytes at %llu unpack to %zu bytes, expected %u",
                  p->packed_bytes, (unsigned long long)p->offset, n, p->raw_bytes);
}

bool container_check_place(const struct container *c, const struct container_place *p,
                           const char *what, struct err *err)
{
    if (p->packed_bytes > c->bytes || p->offset > c->bytes - p->packed_bytes)
        return err_at(err, here(c), "%s is at %llu with %u bytes, expected it within %llu", what,
                      (unsigned long long)p->offset, p->packed_bytes, (unsigned long long)c->bytes);
    if (p->raw_bytes > CONTAINER_RAW_BYTES || p->raw_bytes / MOST_RATIO > p->packed_bytes)
        return err_at(err, here(c), "%s has %u bytes in %u packed ones, expected fewer", what,
                      p->raw_bytes, p->packed_bytes);
    return true;
}

u8 *container_unpack_new(struct container *c, const struct container_place *p, const char *what,
                         struct err *err)
{
    if (!container_check_place(c, p, what, err))
        return NULL;
    u8 *packed = xrealloc(NULL, (size_t)p->packed_bytes + 1);
    u8 *raw = xrealloc(NULL, (size_t)p->raw_bytes + 1);
    bool ok = container_unpack(c, p, packed, raw, err);
    free(packed);
    if (!ok)
        free(raw);
    return ok ? raw : NULL;
}

/* ---- header and directory -------------------------------------------------------------------- */

#define TRAILER_BYTES (8u + 4 + 4 + CONTAINER_MAGIC_BYTES)
#define HEADER_BYTES (CONTAINER_MAGIC_BYTES + 4 + 1)
#define MOST_VERSION_BYTES 64u

static bool read_header(struct container *c, struct err *err)
{
    u8 data[HEADER_BYTES + MOST_VERSION_BYTES];
    size_t there = (size_t)min_u64(sizeof data, c->bytes);
    if (there < HEADER_BYTES)
        return err_at(err, here(c), "the file has %llu bytes, expected a %s",
                      (unsigned long long)c->bytes, c->kind->noun);
    if (!read_at(c, 0, data, there, err))
        return false;
    struct cursor in = {data + CONTAINER_MAGIC_BYTES, data + there, false};
    if (memcmp(data, c->kind->magic, CONTAINER_MAGIC_BYTES) != 0)
        return err_at(err, here(c), "the file does not start with %s, expected a %s",
                      c->kind->magic, c->kind->noun);
    u32 version = (u32)take_fixed(&in, 4);
    if (version != c->kind->version)
        return err_at(err, here(c), "the %s is of version %u, expected %u", c->kind->noun, version,
                      c->kind->version);
    u64 length = take_varint(&in);
    if (in.is_short || length > cursor_left(&in))
        return err_at(err, here(c), "the %s ends in its header", c->kind->noun);
    char *text = arena_alloc(&c->arena, (size_t)length + 1);
    memcpy(text, in.at, (size_t)length);
    c->heddle_version = text;
    return true;
}

static bool read_trailer(struct container *c, struct err *err)
{
    struct container_place *directory = &c->directory;
    u8 data[TRAILER_BYTES];
    if (c->bytes < HEADER_BYTES + sizeof data)
        return err_at(err, here(c), "the %s is truncated after %llu bytes", c->kind->noun,
                      (unsigned long long)c->bytes);
    if (!read_at(c, c->bytes - sizeof data, data, sizeof data, err))
        return false;
    struct cursor in = {data, data + sizeof data, false};
    directory->offset = take_fixed(&in, 8);
    directory->packed_bytes = (u32)take_fixed(&in, 4);
    directory->raw_bytes = (u32)take_fixed(&in, 4);
    if (memcmp(in.at, CONTAINER_END, CONTAINER_MAGIC_BYTES) != 0)
        return err_at(err, here(c), "the %s is truncated: it does not end with %s", c->kind->noun,
                      CONTAINER_END);
    u64 end = directory->offset + directory->packed_bytes + sizeof data;
    return directory->offset > c->bytes || end >= c->bytes ||
           err_at(err, here(c), "the %s ends after %llu bytes, and the file has %llu: two in one?",
                  c->kind->noun, (unsigned long long)end, (unsigned long long)c->bytes);
}

static bool open_file(struct container *c, struct err *err)
{
    struct stat s;
    c->file = open(c->path, O_RDONLY | O_CLOEXEC);
    if (c->file < 0 || fstat(c->file, &s) != 0)
        return err_at(err, here(c), "cannot read the %s: %s", c->kind->noun, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_at(err, here(c), "a %s must be a file", c->kind->noun);
    c->bytes = (u64)s.st_size;
    c->unpacker = ZSTD_createDCtx();
    return c->unpacker || err_kind(err, ERR_INTERNAL, "the zstd library could not be started");
}

bool container_open(struct container *c, const struct container_kind *kind, const char *path,
                    struct err *err)
{
    *c = (struct container){.kind = kind, .file = -1};
    c->path = arena_strdup(&c->arena, path);
    return open_file(c, err) && read_header(c, err) && read_trailer(c, err);
}

void container_extent(const struct container *c, u64 *begin, u64 *end)
{
    size_t text = strlen(c->heddle_version), length = 1;
    for (size_t n = text; n >= 128; n /= 128)
        length++;
    *begin = CONTAINER_MAGIC_BYTES + 4 + length + text;
    *end = c->bytes - TRAILER_BYTES;
}

void container_close(struct container *c)
{
    if (c->file >= 0)
        close(c->file);
    ZSTD_freeDCtx(c->unpacker);
    arena_fini(&c->arena);
}
