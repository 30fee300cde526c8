/* Fat binary containers made by hand, for the tests of their reader. */
#ifndef CUDA_FATBIN_IMAGE_H
#define CUDA_FATBIN_IMAGE_H

#include "testing.h"

#include "base/err.h"
#include "cuda/code/fatbin.h"

#include <lz4.h>
#include <lz4frame.h>
#include <zstd.h>

#define CONTAINER_BYTES 16
#define HEADER_BYTES 64

static const char ptx_text[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry add(){ret;}\n.visible .entry addadd(){ret;}\n";

enum pack { PACK_NONE, PACK_LZ4, PACK_LZ4_FRAME, PACK_ZSTD };

/* A container under construction. */
struct image {
    u8 bytes[8192];
    size_t used;
};

/* What an entry is to say; image bytes are its uncompressed payload. */
struct entry {
    u32 kind, arch;
    u64 flags;
    enum pack pack;
    const char *identifier, *options;
    const void *image;
    size_t image_bytes;
};

static const struct entry ptx_90 = {
    .kind = FATBIN_PTX, .arch = 90, .image = ptx_text, .image_bytes = sizeof ptx_text};
_Static_assert(sizeof ptx_text == 104, "the expected sentences count with it");

static inline void put(u8 *p, u64 value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = (u8)(value >> (8 * i));
}

static inline size_t pad8(size_t n)
{
    return (n + 7) / 8 * 8;
}

static inline void image_start(struct image *c)
{
    memset(c, 0, sizeof *c);
    put(c->bytes, 0xba55ed50, 4);
    put(c->bytes + 4, 1, 2);
    put(c->bytes + 6, CONTAINER_BYTES, 2);
    c->used = CONTAINER_BYTES;
}

static inline size_t pack_bytes(enum pack pack, u8 *out, size_t space, const void *image,
                                size_t bytes)
{
    switch (pack) {
    case PACK_LZ4:
        return (size_t)LZ4_compress_default(image, (char *)out, (int)bytes, (int)space);
    case PACK_LZ4_FRAME:
        return LZ4F_compressFrame(out, space, image, bytes, NULL);
    case PACK_ZSTD:
        return ZSTD_compress(out, space, image, bytes, 3);
    case PACK_NONE:
        break;
    }
    memcpy(out, image, bytes);
    return bytes;
}

/* Where its header starts. */
static inline u8 *image_add(struct image *c, const struct entry *e)
{
    static const u64 flags_of[] = {
        [PACK_LZ4] = 0x2000, [PACK_LZ4_FRAME] = 0x2000, [PACK_ZSTD] = 0x8000};
    u8 *h = c->bytes + c->used;
    size_t header = HEADER_BYTES;
    if (e->identifier) {
        put(h + 32, header, 4);
        put(h + 36, strlen(e->identifier), 4);
        memcpy(h + header, e->identifier, strlen(e->identifier));
        header += pad8(strlen(e->identifier) + 1);
    }
    if (e->options) {
        put(h + 20, header, 4);
        put(h + header, header + 8, 4);
        put(h + header + 4, strlen(e->options), 4);
        memcpy(h + header + 8, e->options, strlen(e->options));
        header += 8 + pad8(strlen(e->options) + 1);
    }
    size_t space = sizeof c->bytes - c->used - header;
    size_t stored = pack_bytes(e->pack, h + header, space, e->image, e->image_bytes);
    put(h, e->kind, 2);
    put(h + 2, 0x0101, 2);
    put(h + 4, header, 4);
    put(h + 8, pad8(stored), 8);
    put(h + 26, 9, 2);
    put(h + 28, e->arch, 4);
    put(h + 40, 0x11 | e->flags | flags_of[e->pack], 8);
    if (e->pack != PACK_NONE) {
        put(h + 16, stored, 4);
        put(h + 56, e->image_bytes, 8);
    }
    c->used += header + pad8(stored);
    put(c->bytes + 8, c->used - CONTAINER_BYTES, 8);
    return h;
}

static inline void expect_err(const struct err *err, const char *text)
{
    char line[1600];
    err_text(err, line, sizeof line);
    assert_string_equal(line, text);
    assert_int_equal(err->kind, ERR_INPUT);
}

#endif
