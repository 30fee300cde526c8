/*
 * Files of bytes that may be packed by xz or gzip, read and written piece by piece: for traces of
 * others, which are larger than memory when they are unpacked.
 */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include "base/err.h"

struct packed_input;
struct packed_output;

/* How it is packed is seen from its first bytes. NULL: see err. */
struct packed_input *packed_open(const char *path, struct err *err);
/* Up to `most` bytes; fewer only at the end. False: damaged, or not to be read; see err. */
bool packed_read(struct packed_input *in, u8 *to, size_t most, size_t *count, struct err *err);
/* From the first byte again. */
bool packed_rewind(struct packed_input *in, struct err *err);
/* Bytes of the unpacked file, where that is known without reading it; else UINT64_MAX. */
u64 packed_length(const struct packed_input *in);
void packed_close(struct packed_input *in);

/* Packed as the name ends: .xz, .gz, or neither. NULL: see err. */
struct packed_output *packed_create(const char *path, struct err *err);
void packed_write(struct packed_output *out, const u8 *data, size_t count);
/* The file gets its name. Frees; False: there is none, see err. */
bool packed_finish(struct packed_output *out, struct err *err);
/* Leaves nothing. */
void packed_discard(struct packed_output *out);

#endif
