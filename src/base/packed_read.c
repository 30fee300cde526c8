#include "base/packed.h"

#include "base/arena.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define PIECE_BYTES ((size_t)256 << 10)

enum packing { PLAIN, XZ, GZIP };

struct packed_input {
    char *path;
    FILE *file;
    u64 bytes; /* of the file; 0: no regular one */
    enum packing packing;
    lzma_stream xz;
    z_stream gzip;
    bool is_started, is_over;
    size_t left; /* in piece */
    const u8 *at;
    u8 piece[PIECE_BYTES];
};

static struct src_pos here(const struct packed_input *in)
{
    return (struct src_pos){in->path, 0, 0};
}

static bool cannot_read(const struct packed_input *in, struct err *err)
{
    return err_at(err, here(in), "cannot read the trace: %s", strerror(errno));
}

static bool is_damaged(const struct packed_input *in, struct err *err)
{
    return err_at(err, here(in), "the %s data is damaged or truncated, expected a whole file",
                  in->packing == XZ ? "xz" : "gzip");
}

/* ---- start and end ---- */

static bool start(struct packed_input *in, struct err *err)
{
    enum { ANY_WINDOW_GZIP_ONLY = 15 + 16 };
    bool ok = true;
    if (in->packing == XZ) {
        in->xz = (lzma_stream)LZMA_STREAM_INIT;
        ok = lzma_stream_decoder(&in->xz, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK;
    } else if (in->packing == GZIP) {
        in->gzip = (z_stream){0};
        ok = inflateInit2(&in->gzip, ANY_WINDOW_GZIP_ONLY) == Z_OK;
    }
    in->is_started = ok;
    in->is_over = false;
    in->left = 0;
    return ok || err_kind(err, ERR_INTERNAL, "a library for packed files could not be started");
}

static void stop(struct packed_input *in)
{
    if (in->is_started && in->packing == XZ)
        lzma_end(&in->xz);
    if (in->is_started && in->packing == GZIP)
        inflateEnd(&in->gzip);
    in->is_started = false;
}

static bool find_packing(struct packed_input *in, struct err *err)
{
    static const struct {
        const char *bytes;
        size_t count;
        enum packing packing;
    } rows[] = {{"\xfd"
                 "7zXZ",
                 6, XZ},
                {"\x1f\x8b", 2, GZIP}};
    char first[8] = {0};
    size_t n = fread(first, 1, sizeof first, in->file);
    if (ferror(in->file))
        return cannot_read(in, err);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (n >= rows[i].count && memcmp(first, rows[i].bytes, rows[i].count) == 0)
            in->packing = rows[i].packing;
    }
    if (memcmp(first, "BZh", 3) == 0 || memcmp(first, "\x28\xb5\x2f\xfd", 4) == 0)
        return err_at(err, here(in),
                      "the file is packed by %s, expected a plain one, or one of xz or gzip",
                      first[0] == 'B' ? "bzip2" : "zstd");
    rewind(in->file);
    return true;
}

struct packed_input *packed_open(const char *path, struct err *err)
{
    struct packed_input *in = xrealloc(NULL, sizeof *in);
    struct stat s;
    memset(in, 0, offsetof(struct packed_input, piece));
    in->path = strcpy(xrealloc(NULL, strlen(path) + 1), path);
    in->file = fopen(path, "rbe");
    bool ok = in->file && fstat(fileno(in->file), &s) == 0 ? true : cannot_read(in, err);
    if (ok && S_ISDIR(s.st_mode))
        ok = err_at(err, here(in), "this is a folder, expected a trace");
    else if (ok && (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode)))
        ok = err_at(err, here(in), "this is a device, expected a trace");
    if (ok) {
        in->bytes = S_ISREG(s.st_mode) ? (u64)s.st_size : 0;
        ok = find_packing(in, err) && start(in, err);
    }
    if (ok)
        return in;
    packed_close(in);
    return NULL;
}

bool packed_rewind(struct packed_input *in, struct err *err)
{
    stop(in);
    if (fseek(in->file, 0, SEEK_SET) != 0)
        return cannot_read(in, err);
    return start(in, err);
}

void packed_close(struct packed_input *in)
{
    if (!in)
        return;
    stop(in);
    if (in->file)
        fclose(in->file);
    free(in->path);
    free(in);
}

u64 packed_length(const struct packed_input *in)
{
    return in->packing == PLAIN && in->bytes ? in->bytes : UINT64_MAX;
}

/* ---- reading ---- */

static bool refill(struct packed_input *in, struct err *err)
{
    if (in->left)
        return true;
    in->left = fread(in->piece, 1, sizeof in->piece, in->file);
    in->at = in->piece;
    return !ferror(in->file) || cannot_read(in, err);
}

static void used(struct packed_input *in, size_t left)
{
    in->at += in->left - left;
    in->left = left;
}

static bool read_plain(struct packed_input *in, u8 *to, size_t most, size_t *count)
{
    size_t n = (size_t)min_u64(most, in->left);
    memcpy(to, in->at, n);
    used(in, in->left - n);
    *count = n;
    in->is_over = n == 0;
    return true;
}

static bool read_xz(struct packed_input *in, u8 *to, size_t most, size_t *count)
{
    bool at_end = in->left == 0;
    in->xz.next_in = in->at;
    in->xz.avail_in = in->left;
    in->xz.next_out = to;
    in->xz.avail_out = most;
    lzma_ret state = lzma_code(&in->xz, at_end ? LZMA_FINISH : LZMA_RUN);
    used(in, in->xz.avail_in);
    *count = most - in->xz.avail_out;
    in->is_over = state == LZMA_STREAM_END;
    return state == LZMA_STREAM_END || (state == LZMA_OK && (*count || !at_end));
}

static bool read_gzip(struct packed_input *in, u8 *to, size_t most, size_t *count)
{
    bool at_end = in->left == 0;
    in->gzip.next_in = (z_const Bytef *)(uintptr_t)in->at;
    in->gzip.avail_in = (uInt)in->left;
    in->gzip.next_out = to;
    in->gzip.avail_out = (uInt)min_u64(most, UINT32_MAX);
    uInt asked = in->gzip.avail_out;
    int state = inflate(&in->gzip, Z_NO_FLUSH);
    used(in, in->gzip.avail_in);
    *count = asked - in->gzip.avail_out;
    if (state == Z_STREAM_END) {
        /* another may follow, as when files were joined */
        struct err ignored = ERR_INIT;
        if (!refill(in, &ignored))
            return false;
        in->is_over = in->left == 0;
        return in->is_over || inflateReset(&in->gzip) == Z_OK;
    }
    return (state == Z_OK || state == Z_BUF_ERROR) && (*count || !at_end);
}

bool packed_read(struct packed_input *in, u8 *to, size_t most, size_t *count, struct err *err)
{
    *count = 0;
    while (*count < most && !in->is_over) {
        size_t n = 0;
        if (!refill(in, err))
            return false;
        bool ok = in->packing == XZ     ? read_xz(in, to + *count, most - *count, &n)
                  : in->packing == GZIP ? read_gzip(in, to + *count, most - *count, &n)
                                        : read_plain(in, to + *count, most - *count, &n);
        if (!ok)
            return is_damaged(in, err);
        *count += n;
    }
    return true;
}
