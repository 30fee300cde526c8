/* A recording's file: what recording.c and replay.c share. */
#ifndef FRONT_RECORD_RECORDING_FILE_H
#define FRONT_RECORD_RECORDING_FILE_H

#include "front/record/bytes.h"
#include "front/record/recording.h"

struct recording {
    struct arena arena;
    const char *path, *heddle_version;
    int file;
    u64 bytes;
    void *unpacker; /* of zstd */
    struct record_event *events;
    struct record_place *kernels; /* by launch */
    u32 event_count, launch_count;
};

/* Whether a piece can be where and what a number says. */
bool recording_check_place(const struct recording *r, const struct record_place *p,
                           const char *what, struct err *err);
/* Checks, reads and unpacks a piece, to be freed; NULL: see err. */
u8 *recording_unpack_new(struct recording *r, const struct record_place *p, const char *what,
                         struct err *err);
/* The same for one that was checked; `packed` has room for its packed bytes, `raw` for its raw
 * ones. */
bool recording_unpack(struct recording *r, const struct record_place *p, u8 *packed, u8 *raw,
                      struct err *err);

#endif
