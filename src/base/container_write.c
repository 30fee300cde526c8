#include "base/container.h"

#include "base/version.h"

#include <stdlib.h>
#include <zstd.h>

#define PACK_LEVEL 3

static struct src_pos here(const struct container_writer *w)
{
    return (struct src_pos){w->out.path, 0, 0};
}

static void write_bytes(struct container_writer *w, const void *data, size_t count)
{
    out_file_put(&w->out, data, count);
    out_file_check(&w->out, &w->err);
    w->offset += count;
}

static void write_header(struct container_writer *w)
{
    struct bytes b = {0};
    put_raw(&b, w->kind->magic, CONTAINER_MAGIC_BYTES);
    put_fixed(&b, w->kind->version, 4);
    put_varint(&b, strlen(HEDDLE_VERSION));
    put_raw(&b, HEDDLE_VERSION, strlen(HEDDLE_VERSION));
    write_bytes(w, b.data, b.length);
    free(b.data);
}

bool container_create(struct container_writer *w, const struct container_kind *kind,
                      const char *path, struct err *err)
{
    *w = (struct container_writer){.kind = kind, .err = ERR_INIT};
    w->packer = ZSTD_createCCtx();
    if (!out_file_open(&w->out, path, err))
        return false;
    if (!w->packer)
        return err_kind(err, ERR_INTERNAL, "the zstd library could not be started");
    ZSTD_CCtx_setParameter(w->packer, ZSTD_c_compressionLevel, PACK_LEVEL);
    ZSTD_CCtx_setParameter(w->packer, ZSTD_c_checksumFlag, 1);
    write_header(w);
    return true;
}

struct container_place container_put(struct container_writer *w, const struct bytes *raw)
{
    struct container_place place = {.offset = w->offset};
    if (raw->length > CONTAINER_RAW_BYTES) {
        err_at(&w->err, here(w), "a piece of the %s takes %zu bytes, expected at most %u",
               w->kind->noun, raw->length, CONTAINER_RAW_BYTES);
        return place;
    }
    w->packed.length = 0;
    bytes_reserve(&w->packed, ZSTD_compressBound(raw->length));
    size_t n = ZSTD_compress2(w->packer, w->packed.data, w->packed.room, raw->data, raw->length);
    if (ZSTD_isError(n)) {
        err_kind(&w->err, ERR_INTERNAL, "zstd could not compress: %s", ZSTD_getErrorName(n));
        return place;
    }
    write_bytes(w, w->packed.data, n);
    place.packed_bytes = (u32)n;
    place.raw_bytes = (u32)raw->length;
    return place;
}

bool container_finish(struct container_writer *w, const struct bytes *directory)
{
    struct container_place place = container_put(w, directory);
    struct bytes b = {0};
    put_fixed(&b, place.offset, 8);
    put_fixed(&b, place.packed_bytes, 4);
    put_fixed(&b, place.raw_bytes, 4);
    put_raw(&b, CONTAINER_END, CONTAINER_MAGIC_BYTES);
    write_bytes(w, b.data, b.length);
    free(b.data);
    if (w->err.kind != ERR_NONE)
        return false;
    return out_file_close(&w->out, &w->err);
}

void container_writer_fini(struct container_writer *w)
{
    out_file_discard(&w->out);
    ZSTD_freeCCtx(w->packer);
    free(w->packed.data);
}
