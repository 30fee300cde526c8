#include "base/arena.h"
#include "base/file.h"
#include "base/packed.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PIECE_BYTES ((size_t)256 << 10)
#define XZ_PRESET 2 /* traces are large: higher ones take hours for a few percent */
#define GZIP_LEVEL 6

enum packing { PLAIN, XZ, GZIP };

struct packed_output {
    struct out_file file;
    enum packing packing;
    bool is_started, has_failed;
    lzma_stream xz;
    z_stream gzip;
    u8 piece[PIECE_BYTES];
};

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static bool start(struct packed_output *out, struct err *err)
{
    enum { GZIP_HEADER = 15 + 16, MEMORY = 8 };
    bool ok = true;
    if (out->packing == XZ) {
        out->xz = (lzma_stream)LZMA_STREAM_INIT;
        ok = lzma_easy_encoder(&out->xz, XZ_PRESET, LZMA_CHECK_CRC64) == LZMA_OK;
    } else if (out->packing == GZIP) {
        ok = deflateInit2(&out->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_HEADER, MEMORY,
                          Z_DEFAULT_STRATEGY) == Z_OK;
    }
    out->is_started = ok;
    return ok || err_kind(err, ERR_INTERNAL, "a library for packed files could not be started");
}

struct packed_output *packed_create(const char *path, struct err *err)
{
    struct packed_output *out = xrealloc(NULL, sizeof *out);
    memset(out, 0, offsetof(struct packed_output, piece));
    out->packing = ends_with(path, ".xz") ? XZ : ends_with(path, ".gz") ? GZIP : PLAIN;
    if (out_file_open(&out->file, path, err) && start(out, err))
        return out;
    packed_discard(out);
    return NULL;
}

static void write_xz(struct packed_output *out, const u8 *data, size_t count, lzma_action action)
{
    lzma_ret state = LZMA_OK;
    out->xz.next_in = data;
    out->xz.avail_in = count;
    do {
        out->xz.next_out = out->piece;
        out->xz.avail_out = sizeof out->piece;
        state = lzma_code(&out->xz, action);
        out_file_put(&out->file, out->piece, sizeof out->piece - out->xz.avail_out);
    } while (state == LZMA_OK && (action == LZMA_FINISH || out->xz.avail_in));
    out->has_failed |= state != LZMA_OK && state != LZMA_STREAM_END;
}

static void write_gzip(struct packed_output *out, const u8 *data, size_t count, int flush)
{
    int state = Z_OK;
    out->gzip.next_in = (z_const Bytef *)(uintptr_t)data;
    out->gzip.avail_in = (uInt)count;
    do {
        out->gzip.next_out = out->piece;
        out->gzip.avail_out = (uInt)sizeof out->piece;
        state = deflate(&out->gzip, flush);
        out_file_put(&out->file, out->piece, sizeof out->piece - out->gzip.avail_out);
    } while (state == Z_OK && (flush == Z_FINISH || out->gzip.avail_in));
    out->has_failed |= state != Z_OK && state != Z_STREAM_END;
}

void packed_write(struct packed_output *out, const u8 *data, size_t count)
{
    if (out->packing == XZ)
        write_xz(out, data, count, LZMA_RUN);
    else if (out->packing == GZIP)
        write_gzip(out, data, count, Z_NO_FLUSH);
    else
        out_file_put(&out->file, data, count);
}

bool packed_finish(struct packed_output *out, struct err *err)
{
    if (out->packing == XZ)
        write_xz(out, NULL, 0, LZMA_FINISH);
    else if (out->packing == GZIP)
        write_gzip(out, NULL, 0, Z_FINISH);
    bool ok = !out->has_failed || err_kind(err, ERR_INTERNAL, "the trace could not be packed");
    ok = ok && out_file_check(&out->file, err) && out_file_close(&out->file, err);
    packed_discard(out);
    return ok;
}

void packed_discard(struct packed_output *out)
{
    out_file_discard(&out->file);
    if (out->is_started && out->packing == XZ)
        lzma_end(&out->xz);
    if (out->is_started && out->packing == GZIP)
        deflateEnd(&out->gzip);
    free(out);
}
