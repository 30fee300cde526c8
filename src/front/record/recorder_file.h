/* The file of a recorder: packed pieces one after the other, written beside, renamed at the end. */
#ifndef FRONT_RECORD_RECORDER_FILE_H
#define FRONT_RECORD_RECORDER_FILE_H

#include "base/file.h"
#include "front/record/bytes.h"
#include "front/record/format.h"

struct recorder_file {
    struct out_file out;
    void *packer; /* of zstd */
    struct bytes packed;
    u64 offset;
    struct err err; /* the first thing that went wrong */
};

bool recorder_file_open(struct recorder_file *f, const char *path, struct err *err);
struct record_place recorder_file_pack(struct recorder_file *f, const struct bytes *raw);
/* Writes the directory and the trailer; the file gets its name. */
bool recorder_file_finish(struct recorder_file *f, const struct bytes *directory);
/* Removes what has not got its name. */
void recorder_file_fini(struct recorder_file *f);

#endif
