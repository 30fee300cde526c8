/*
 * Recorded results: what a GPU gave for every case, with where and when.
 *
 * A file is a text header (`key: value` lines, an empty line), then one entry per case, all
 * little-endian: u8 status, u8 back, u16 name length, u32 bytes, u64 input hash, name, bytes.
 * A back of n means the bytes are the XOR with those of the n-th entry before: neighbouring forms
 * differ in few bits, which zstd then makes small. The file may be zstd-compressed as a whole;
 * programs built without zstd read and write it plain.
 */
#ifndef CONFORM_RECORD_H
#define CONFORM_RECORD_H

#include "text.h"

enum record_status { RECORD_RESULT, RECORD_UNSUPPORTED, RECORD_FAULT };

struct record_entry {
    const char *name;
    enum record_status status;
    u64 input_hash;
    const u8 *data; /* outputs, or the reason as text (zero-terminated) */
    u32 bytes;
};

struct record {
    struct arena arena;
    char *header; /* the `key: value` lines */
    struct record_entry *entries;
    u32 count, room;
};

/* The name and data are copied. */
void record_add(struct record *r, struct record_entry entry);
const struct record_entry *record_find(const struct record *r, const char *name);
bool record_write(const struct record *r, const char *path, bool compress, char *why,
                  size_t why_bytes);
bool record_read(struct record *r, const char *path, char *why, size_t why_bytes);
void record_fini(struct record *r);

#endif
