/*
 * Little-endian throughout:
 *
 *   header text, NUL; u32 dictionary bytes; u32 nominal instructions per chunk; dictionary
 *   per warp: u32 instructions, u32 chunks, and each chunk as u32 bytes and a zstd frame
 *   footer: u32 blocks; per block eleven u32 (block x y z, cluster x y z, block in cluster
 *     x y z, rank, warps), and per warp u32 instructions, u32 chunks, u64 place in the
 *     file, u32 instructions of each chunk
 *   u64 place of the footer
 */
#include "source/sass/tracez.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* A chunk is a few thousand lines; more than this is no honest file. */
#define LARGEST_CHUNK ((u64)1 << 30)

struct tracez {
    const u8 *data;
    u64 length, at;
    const char *name;
    struct unpacked *out;
    ZSTD_DCtx *context;
    ZSTD_DDict *dictionary;
    struct err *err;
};

static bool refuse(struct tracez *z, const char *what)
{
    return err_at(z->err, (struct src_pos){z->name, 0, 0}, "%s at byte %llu, expected a whole file",
                  what, (unsigned long long)z->at);
}

static bool has(struct tracez *z, u64 bytes)
{
    return bytes <= z->length - z->at || refuse(z, "the file is truncated");
}

static void __attribute__((format(printf, 2, 3))) say(struct tracez *z, const char *format, ...)
{
    char line[160];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    unpacked_add(z->out, line, (size_t)length);
}

static bool take(struct tracez *z, u32 bytes, u64 *out)
{
    if (!has(z, bytes))
        return false;
    *out = 0;
    for (u32 i = 0; i < bytes; i++)
        *out |= (u64)z->data[z->at + i] << 8 * i;
    z->at += bytes;
    return true;
}

static bool seek(struct tracez *z, u64 place)
{
    if (place > z->length)
        return refuse(z, "a place outside the file is named");
    z->at = place;
    return true;
}

static bool unpack_chunk(struct tracez *z)
{
    u64 bytes;
    if (!take(z, 4, &bytes) || !has(z, bytes))
        return false;
    const u8 *frame = z->data + z->at;
    u64 room = ZSTD_getFrameContentSize(frame, bytes);
    if (room > LARGEST_CHUNK) /* also when it is not said, or no frame at all */
        return refuse(z, "a chunk has no credible size");
    char *lines = xrealloc(NULL, room);
    size_t got = z->dictionary ? ZSTD_decompress_usingDDict(z->context, lines, room, frame, bytes,
                                                            z->dictionary)
                               : ZSTD_decompressDCtx(z->context, lines, room, frame, bytes);
    bool ok = !ZSTD_isError(got) || refuse(z, "a chunk is damaged");
    if (ok) {
        unpacked_add(z->out, lines, got);
        unpacked_add(z->out, "\n", 1);
    }
    free(lines);
    z->at += bytes;
    return ok;
}

/* A warp's chunks, which are elsewhere in the file. */
static bool unpack_warp(struct tracez *z, u32 warp)
{
    u64 instructions, chunks, place, ignored;
    if (!take(z, 4, &instructions) || !take(z, 4, &chunks) || !take(z, 8, &place))
        return false;
    if (!has(z, chunks * 4))
        return false;
    u64 next = z->at + chunks * 4;
    say(z, "warp = %u\ninsts = %llu\n", warp, (unsigned long long)instructions);
    if (!seek(z, place) || !take(z, 8, &ignored))
        return false;
    for (u64 i = 0; i < chunks; i++) {
        if (!unpack_chunk(z))
            return false;
    }
    return seek(z, next);
}

static bool unpack_block(struct tracez *z)
{
    u64 id[11];
    for (u32 i = 0; i < ARRAY_LEN(id); i++) {
        if (!take(z, 4, &id[i]))
            return false;
    }
    say(z, "#BEGIN_TB\nthread block = %u,%u,%u\n", (u32)id[0], (u32)id[1], (u32)id[2]);
    for (u32 warp = 0; warp < id[10]; warp++) {
        if (!unpack_warp(z, warp))
            return false;
    }
    say(z, "#END_TB\n");
    return true;
}

static bool unpack_head(struct tracez *z)
{
    u64 dictionary_bytes, nominal;
    const u8 *end = memchr(z->data, 0, z->length);
    if (!end)
        return refuse(z, "the header does not end");
    unpacked_add(z->out, (const char *)z->data, (size_t)(end - z->data));
    say(z, "\n#traces\n");
    z->at = (u64)(end - z->data) + 1;
    if (!take(z, 4, &dictionary_bytes) || !take(z, 4, &nominal) || !has(z, dictionary_bytes))
        return false;
    z->context = ZSTD_createDCtx();
    if (dictionary_bytes)
        z->dictionary = ZSTD_createDDict(z->data + z->at, dictionary_bytes);
    if (!z->context || (dictionary_bytes && !z->dictionary))
        return refuse(z, "the dictionary cannot be used");
    return true;
}

static bool unpack_all(struct tracez *z)
{
    u64 footer, blocks;
    if (!unpack_head(z) || !has(z, 8) || !seek(z, z->length - 8) || !take(z, 8, &footer) ||
        !seek(z, footer) || !take(z, 4, &blocks))
        return false;
    for (u64 i = 0; i < blocks; i++) {
        if (!unpack_block(z))
            return false;
    }
    return true;
}

bool tracez_unpack(struct unpacked *out, const u8 *data, size_t length, const char *name,
                   struct err *err)
{
    struct tracez z = {.data = data, .length = length, .name = name, .out = out, .err = err};
    bool ok = unpack_all(&z);
    ZSTD_freeDDict(z.dictionary);
    ZSTD_freeDCtx(z.context);
    return ok;
}
