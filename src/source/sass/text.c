#include "source/sass/text.h"

#include "source/sass/tracez.h"
#include "source/sass/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef bool unpack_function(struct unpacked *out, const u8 *data, size_t length, const char *name,
                             struct err *err);

static const struct {
    const char *ending;
    unpack_function *unpack;
} packings[] = {
    {".xz", unpack_xz},
    {".gz", unpack_gzip},
    {".zst", unpack_zstd},
    {".tracez", tracez_unpack},
};

static unpack_function *packing_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < ARRAY_LEN(packings); i++) {
        size_t n = strlen(packings[i].ending);
        if (length > n && strcmp(path + length - n, packings[i].ending) == 0)
            return packings[i].unpack;
    }
    return NULL;
}

static bool map_file(struct trace_text *t, int file, const char *path, struct err *err)
{
    struct src_pos at = {path, 0, 0};
    struct stat about;
    if (fstat(file, &about) != 0)
        return err_at(err, at, "cannot read the file: %s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return err_at(err, at, "this is not a file, expected a trace");
    if (about.st_size == 0)
        return err_at(err, at, "the file is empty, expected a trace");
    void *mapped = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED)
        return err_at(err, at, "cannot map the file: %s", strerror(errno));
    *t = (struct trace_text){mapped, (size_t)about.st_size, mapped};
    return true;
}

bool trace_text_open(struct trace_text *t, const char *path, struct err *err)
{
    *t = (struct trace_text){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return err_at(err, (struct src_pos){path, 0, 0}, "cannot open the file: %s",
                      strerror(errno));
    bool ok = map_file(t, file, path, err);
    close(file);
    unpack_function *unpack = packing_of(path);
    if (!ok || !unpack)
        return ok;
    struct unpacked out;
    unpacked_init(&out);
    ok = unpack(&out, t->mapped, t->length, path, err);
    trace_text_close(t);
    if (ok && !unpacked_done(&out))
        ok = err_at(err, (struct src_pos){path, 0, 0},
                    "unpacked it is larger than fits where TMPDIR says: %s", strerror(out.error));
    if (ok && out.file >= 0) {
        ok = map_file(t, out.file, path, err);
    } else if (ok) {
        *t = (struct trace_text){.data = out.text.data, .length = out.text.length};
        out.text = (struct text){0};
    }
    unpacked_fini(&out);
    return ok;
}

void trace_text_close(struct trace_text *t)
{
    if (t->mapped)
        munmap(t->mapped, t->length);
    else
        free((char *)(uintptr_t)t->data);
    *t = (struct trace_text){0};
}
