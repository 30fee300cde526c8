/*
 * A file of packed pieces: what recordings of warps and traces of CPU programs are kept in.
 *
 *   file  magic, u32 version, length and text of heddle's version,
 *         packed pieces one after the other, the last of them the directory,
 *         u64 offset, u32 packed bytes, u32 raw bytes of the directory, "HEDDLEND"
 *
 * Numbers are those of base/bytes.h unless a width is given; "packed" is one zstd frame with a
 * checksum. A file is written beside its place and gets its name at the end.
 */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include "base/bytes.h"
#include "base/file.h"

#define CONTAINER_MAGIC_BYTES 8u
#define CONTAINER_END "HEDDLEND"
#define CONTAINER_RAW_BYTES (1u << 30) /* of a piece */

/* What is kept in it. */
struct container_kind {
    const char *magic; /* of CONTAINER_MAGIC_BYTES */
    const char *noun;  /* "recording" */
    u32 version;
};

struct container_place {
    u64 offset;
    u32 packed_bytes, raw_bytes;
};

/* ---- writing ---- */

struct container_writer {
    const struct container_kind *kind;
    struct out_file out;
    void *packer; /* of zstd */
    struct bytes packed;
    u64 offset;
    struct err err; /* the first thing that went wrong */
};

bool container_create(struct container_writer *w, const struct container_kind *kind,
                      const char *path, struct err *err);
struct container_place container_put(struct container_writer *w, const struct bytes *raw);
/* Writes the directory and the trailer; the file gets its name. */
bool container_finish(struct container_writer *w, const struct bytes *directory);
/* Removes what has not got its name. */
void container_writer_fini(struct container_writer *w);

/* ---- reading ---- */

struct container {
    const struct container_kind *kind;
    struct arena arena;
    const char *path, *heddle_version;
    int file;
    u64 bytes;
    void *unpacker; /* of zstd */
    struct container_place directory;
};

/* Reads header and trailer. Needs container_close whatever it returns. */
bool container_open(struct container *c, const struct container_kind *kind, const char *path,
                    struct err *err);
void container_close(struct container *c);
/* Where its pieces and the directory lie: all but what heddle's version is a part of. */
void container_extent(const struct container *c, u64 *begin, u64 *end);
/* Whether a piece can be where and what a number says. */
bool container_check_place(const struct container *c, const struct container_place *p,
                           const char *what, struct err *err);
/* Checks, reads and unpacks a piece, to be freed; NULL: see err. */
u8 *container_unpack_new(struct container *c, const struct container_place *p, const char *what,
                         struct err *err);
/* The same for one that was checked; `packed` has room for its packed bytes, `raw` for its raw
 * ones. */
bool container_unpack(struct container *c, const struct container_place *p, u8 *packed, u8 *raw,
                      struct err *err);

#endif
