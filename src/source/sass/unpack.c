#include "source/sass/unpack.h"

#include "base/arena.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* Unpacked in pieces of this size. */
#define PIECE_BYTES ((size_t)256 << 10)

static bool is_damaged(const char *name, const char *format, struct err *err)
{
    return err_at(err, (struct src_pos){name, 0, 0},
                  "the %s data is damaged or breaks off, expected a whole file", format);
}

static bool no_library(const char *format, struct err *err)
{
    return err_kind(err, ERR_INTERNAL, "the %s library could not be started", format);
}

bool unpack_xz(struct text *out, const u8 *data, size_t length, const char *name, struct err *err)
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
        text_append(out, (const char *)piece, PIECE_BYTES - stream.avail_out);
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

bool unpack_gzip(struct text *out, const u8 *data, size_t length, const char *name, struct err *err)
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
        text_append(out, (const char *)piece, PIECE_BYTES - stream.avail_out);
        if (state == Z_STREAM_END && (stream.avail_in || length))
            state = inflateReset(&stream);
    }
    free(piece);
    inflateEnd(&stream);
    return state == Z_STREAM_END || is_damaged(name, "gzip", err);
}

bool unpack_zstd(struct text *out, const u8 *data, size_t length, const char *name, struct err *err)
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
        text_append(out, (const char *)piece, to.pos);
        goes_on = !ZSTD_isError(left) && (in.pos < in.size || (left && to.pos == to.size));
    }
    free(piece);
    ZSTD_freeDCtx(context);
    return left == 0 || is_damaged(name, "zstd", err);
}
