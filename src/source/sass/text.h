/*
 * The text of a trace file, whatever it is packed in.
 *
 * A plain file is mapped and costs no memory; a packed one (.xz, .gz, .zst, or .tracez) is held
 * unpacked up to UNPACKED_MOST, beyond that in a temporary file, mapped as well.
 */
#ifndef SOURCE_SASS_TEXT_H
#define SOURCE_SASS_TEXT_H

#include "base/err.h"
#include "base/types.h"

struct trace_text {
    const char *data; /* not terminated */
    size_t length;
    void *mapped; /* NULL: data is ours to free */
};

bool trace_text_open(struct trace_text *t, const char *path, struct err *err);
void trace_text_close(struct trace_text *t);

#endif
