/* A part of a stream as a stream: what the end of a name, "@FIRST+COUNT", asks for. */
#ifndef CPU_TRACE_WINDOW_H
#define CPU_TRACE_WINDOW_H

#include "cpu_trace/stream.h"

struct cpu_window {
    u64 first, count; /* instructions */
};

/* Takes the window off a name, into `rest`, which is to be freed. False: there is none. */
bool cpu_window_parse(const char *name, struct cpu_window *w, char **rest);
/* Takes `inner`, also when it fails. */
bool cpu_window_open(struct cpu_stream *s, struct cpu_stream *inner, struct cpu_window w,
                     struct err *err);

#endif
