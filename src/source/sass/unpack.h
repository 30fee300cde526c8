/*
 * Whole files out of their compressed form, in memory: the only place that knows
 * the libraries for xz and gzip.
 *
 * Text is appended to `out`. Several streams behind each other are one text, as
 * the command-line tools have it.
 */
#ifndef SOURCE_SASS_UNPACK_H
#define SOURCE_SASS_UNPACK_H

#include "base/err.h"
#include "base/text.h"

bool unpack_xz(struct text *out, const u8 *data, size_t length, const char *name, struct err *err);
bool unpack_gzip(struct text *out, const u8 *data, size_t length, const char *name,
                 struct err *err);
bool unpack_zstd(struct text *out, const u8 *data, size_t length, const char *name,
                 struct err *err);

#endif
