#include "front/record/recorder_file.h"

#include "base/version.h"

#include <stdlib.h>
#include <zstd.h>

#define PACK_LEVEL 3

static struct src_pos here(const struct recorder_file *f)
{
    return (struct src_pos){f->out.path, 0, 0};
}

static void write_bytes(struct recorder_file *f, const void *data, size_t count)
{
    out_file_put(&f->out, data, count);
    out_file_check(&f->out, &f->err);
    f->offset += count;
}

static void write_header(struct recorder_file *f)
{
    struct bytes b = {0};
    put_raw(&b, RECORD_MAGIC, RECORD_MAGIC_BYTES);
    put_fixed(&b, RECORD_VERSION, 4);
    put_varint(&b, strlen(HEDDLE_VERSION));
    put_raw(&b, HEDDLE_VERSION, strlen(HEDDLE_VERSION));
    write_bytes(f, b.data, b.length);
    free(b.data);
}

bool recorder_file_open(struct recorder_file *f, const char *path, struct err *err)
{
    *f = (struct recorder_file){.err = ERR_INIT};
    f->packer = ZSTD_createCCtx();
    if (!out_file_open(&f->out, path, err))
        return false;
    if (!f->packer)
        return err_kind(err, ERR_INTERNAL, "the zstd library could not be started");
    ZSTD_CCtx_setParameter(f->packer, ZSTD_c_compressionLevel, PACK_LEVEL);
    ZSTD_CCtx_setParameter(f->packer, ZSTD_c_checksumFlag, 1);
    write_header(f);
    return true;
}

struct record_place recorder_file_pack(struct recorder_file *f, const struct bytes *raw)
{
    struct record_place place = {.offset = f->offset};
    if (raw->length > RECORD_RAW_BYTES) {
        err_at(&f->err, here(f), "a block, kernel or run takes %zu bytes, expected at most %u",
               raw->length, RECORD_RAW_BYTES);
        return place;
    }
    f->packed.length = 0;
    bytes_reserve(&f->packed, ZSTD_compressBound(raw->length));
    size_t n = ZSTD_compress2(f->packer, f->packed.data, f->packed.room, raw->data, raw->length);
    if (ZSTD_isError(n)) {
        err_kind(&f->err, ERR_INTERNAL, "zstd could not compress: %s", ZSTD_getErrorName(n));
        return place;
    }
    write_bytes(f, f->packed.data, n);
    place.packed_bytes = (u32)n;
    place.raw_bytes = (u32)raw->length;
    return place;
}

bool recorder_file_finish(struct recorder_file *f, const struct bytes *directory)
{
    struct record_place place = recorder_file_pack(f, directory);
    struct bytes b = {0};
    put_fixed(&b, place.offset, 8);
    put_fixed(&b, place.packed_bytes, 4);
    put_fixed(&b, place.raw_bytes, 4);
    put_raw(&b, RECORD_END, RECORD_MAGIC_BYTES);
    write_bytes(f, b.data, b.length);
    free(b.data);
    if (f->err.kind != ERR_NONE)
        return false;
    return out_file_close(&f->out, &f->err);
}

void recorder_file_fini(struct recorder_file *f)
{
    out_file_discard(&f->out);
    ZSTD_freeCCtx(f->packer);
    free(f->packed.data);
}
