/*
 * Whole files out of their compressed form: the only place that knows the libraries for xz, gzip
 * and zstd.
 *
 * Several streams behind each other are one text, as the command-line tools have it. What is more
 * than UNPACKED_MOST goes to a temporary file without a name (in TMPDIR, or /tmp).
 */
#ifndef SOURCE_SASS_UNPACK_H
#define SOURCE_SASS_UNPACK_H

#include "base/err.h"
#include "base/text.h"

#define UNPACKED_MOST ((size_t)64 << 20)

struct unpacked {
    struct text text; /* what is not in the file */
    int file;         /* -1: none yet */
    size_t filed;     /* bytes in the file */
    bool failed;      /* to write it, as errno said */
    int error;
};

void unpacked_init(struct unpacked *u);
void unpacked_fini(struct unpacked *u);
void unpacked_add(struct unpacked *u, const char *bytes, size_t length);
/* All that is left goes to the file, if there is one; false: some of it could not be written. */
bool unpacked_done(struct unpacked *u);

bool unpack_xz(struct unpacked *out, const u8 *data, size_t length, const char *name,
               struct err *err);
bool unpack_gzip(struct unpacked *out, const u8 *data, size_t length, const char *name,
                 struct err *err);
bool unpack_zstd(struct unpacked *out, const u8 *data, size_t length, const char *name,
                 struct err *err);

#endif
