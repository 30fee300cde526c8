/*
 * An Accel-Sim kernelslist.g: what the host did, in order.
 *
 * Host copies are recorded as address and size only; a simulator can use them
 * to warm caches. Which stream a kernel ran in is in its own file.
 */
#ifndef SOURCE_SASS_LIST_H
#define SOURCE_SASS_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"

struct trace_command {
    enum { TRACE_COPY, TRACE_KERNEL } kind;
    u64 address, bytes; /* of a copy to the device */
    const char *path;   /* of a kernel's trace, in the folder of the list */
    struct src_pos at;
};

struct trace_list {
    struct trace_command *commands;
    u32 count;
};

/* All of it lives in the arena. */
bool trace_list_read(struct trace_list *list, const char *path, struct arena *arena,
                     struct err *err);
bool trace_list_read_text(struct trace_list *list, const char *path, const char *text,
                          size_t length, struct arena *arena, struct err *err);

#endif
