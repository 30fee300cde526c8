#include "front/record/recorder_file.h"

#include "base/version.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define PACK_LEVEL 3

static struct src_pos here(const struct recorder_file *f)
{
    return (struct src_pos){f->path, 0, 0};
}

static void write_bytes(struct recorder_file *f, const void *data, size_t count)
{
    if (f->err.kind == ERR_NONE && fwrite(data, 1, count, f->out) != count)
        err_at(&f->err, here(f), "cannot write the recording: %s", strerror(errno));
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

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(xrealloc(NULL, bytes), text, bytes);
}

bool recorder_file_open(struct recorder_file *f, const char *path, struct err *err)
{
    struct arena scratch = {0};
    *f = (struct recorder_file){.path = copy_text(path), .err = ERR_INIT};
    f->beside = copy_text(arena_printf(&scratch, "%s.tmp%d", path, (int)getpid()));
    arena_fini(&scratch);
    f->packer = ZSTD_createCCtx();
    f->out = fopen(f->beside, "wb");
    if (!f->out)
        return err_at(err, here(f), "cannot write the recording: %s", strerror(errno));
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
    bool closed = fclose(f->out) == 0;
    f->out = NULL;
    if (f->err.kind != ERR_NONE)
        return false;
    if (!closed || rename(f->beside, f->path) != 0)
        return err_at(&f->err, here(f), "cannot write the recording: %s", strerror(errno));
    free(f->beside);
    f->beside = NULL;
    return true;
}

void recorder_file_fini(struct recorder_file *f)
{
    bool was_made = f->out != NULL || f->err.kind != ERR_NONE;
    if (f->out)
        fclose(f->out);
    if (f->beside && was_made)
        unlink(f->beside);
    ZSTD_freeCCtx(f->packer);
    free(f->packed.data);
    free(f->beside);
    free(f->path);
}
