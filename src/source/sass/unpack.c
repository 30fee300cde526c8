#include "source/sass/unpack.h"

#include "base/arena.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Unpacked in pieces of this size. */
#define PIECE_BYTES ((size_t)256 << 10)

void unpacked_init(struct unpacked *u)
{
    *u = (struct unpacked){.file = -1};
}

void unpacked_fini(struct unpacked *u)
{
    text_fini(&u->text);
    if (u->file >= 0)
        close(u->file);
}

static int file_without_name(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/heddle-trace-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        return -1;
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    free(path);
    return file;
}

static void write_out(struct unpacked *u)
{
    if (u->file < 0 && !u->failed)
        u->file = file_without_name();
    for (size_t at = 0; at < u->text.length && !u->failed;) {
        ssize_t n = u->file < 0 ? -1 : write(u->file, u->text.data + at, u->text.length - at);
        u->failed = n < 0 && errno != EINTR;
        u->error = errno;
        at += n > 0 ? (size_t)n : 0;
    }
    u->filed += u->text.length;
    u->text.length = 0;
}

void unpacked_add(struct unpacked *u, const char *bytes, size_t length)
{
    text_append(&u->text, bytes, length);
    if (u->text.length > UNPACKED_MOST)
        write_out(u);
}

bool unpacked_done(struct unpacked *u)
{
    if (u->file >= 0)
        write_out(u);
    return !u->failed;
}

static bool is_damaged(const char *name, const char *format, struct err *err)
{
    return err_at(err, (struct src_pos){name, 0, 0},
                  "the %s data is damaged or truncated, expected a whole file", format);
}

static bool no_library(const char *format, struct err *err)
{
    return err_kind(err, ERR_INTERNAL, "the %s library could not be started", format);
}

bool unpack_xz(struct unpacked *out, const u8 *data, size_t length, const char *name,
               struct err *err)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
        return no_library("xz", err);
    u8 *piece = xrealloc(NULL, PIECE_BYTES);
    stream.next_in = data;
    stream.avail_in = length;
    lzma_ret state = LZMA_OK;
    while (state == LZMA_OK) {
        stream.next_out = piece;
        stream.avail_out = PIECE_BYTES;
        state = lzma_code(&stream, LZMA_FINISH);
        unpacked_add(out, (const char *)piece, PIECE_BYTES - stream.avail_out);
    }
    free(piece);
    lzma_end(&stream);
    return state == LZMA_STREAM_END || is_damaged(name, "xz", err);
}

/* The library counts its input in 32 bits. */
static void refill(z_stream *stream, const u8 **data, size_t *length)
{
    if (stream->avail_in)
        return;
    stream->next_in = (z_const Bytef *)(uintptr_t)*data;
    stream->avail_in = (uInt)min_u64(*length, UINT32_MAX);
    *data += stream->avail_in;
    *length -= stream->avail_in;
}

bool unpack_gzip(struct unpacked *out, const u8 *data, size_t length, const char *name,
                 struct err *err)
{
    enum { ANY_WINDOW_GZIP_ONLY = 15 + 16 };
    z_stream stream = {0};
    if (inflateInit2(&stream, ANY_WINDOW_GZIP_ONLY) != Z_OK)
        return no_library("gzip", err);
    u8 *piece = xrealloc(NULL, PIECE_BYTES);
    int state = Z_OK;
    while (state == Z_OK) {
        refill(&stream, &data, &length);
        stream.next_out = piece;
        stream.avail_out = (uInt)PIECE_BYTES;
        state = inflate(&stream, Z_NO_FLUSH);
        unpacked_add(out, (const char *)piece, PIECE_BYTES - stream.avail_out);
        if (state == Z_STREAM_END && (stream.avail_in || length))
            state = inflateReset(&stream);
    }
    free(piece);
    inflateEnd(&stream);
    return state == Z_STREAM_END || is_damaged(name, "gzip", err);
}

bool unpack_zstd(struct unpacked *out, const u8 *data, size_t length, const char *name,
                 struct err *err)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return no_library("zstd", err);
    u8 *piece = xrealloc(NULL, PIECE_BYTES);
    ZSTD_inBuffer in = {data, length, 0};
    size_t left = 1; /* 0 at the end of a frame */
    bool goes_on = true;
    while (goes_on) {
        ZSTD_outBuffer to = {piece, PIECE_BYTES, 0};
        left = ZSTD_decompressStream(context, &to, &in);
        unpacked_add(out, (const char *)piece, to.pos);
        goes_on = !ZSTD_isError(left) && (in.pos < in.size || (left && to.pos == to.size));
    }
    free(piece);
    ZSTD_freeDCtx(context);
    return left == 0 || is_damaged(name, "zstd", err);
}
