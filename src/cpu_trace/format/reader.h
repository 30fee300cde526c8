/*
 * Reads a trace of a CPU program: what it says of itself, and its threads as streams.
 *
 * A file may be opened several times, for several threads of it. Opening reads the directory;
 * blocks are read and unpacked one at a time.
 */
#ifndef CPU_TRACE_FORMAT_READER_H
#define CPU_TRACE_FORMAT_READER_H

#include "base/container.h"
#include "cpu_trace/stream.h"
#include "cpu_trace/format/table.h"
#include "cpu_trace/format/writer.h"

struct cpu_trace_block {
    struct container_place place;
    u32 thread, instructions, items;
    u64 first; /* instruction of its thread */
};

struct cpu_trace {
    struct container file;
    struct cpu_trace_about about;
    u64 *instructions; /* of each thread */
    u32 thread_count;
    struct cpu_trace_table table;
    struct cpu_trace_block *blocks;
    u32 block_count;
};

/* Needs cpu_trace_close whatever it returns. */
bool cpu_trace_open(struct cpu_trace *t, const char *path, struct err *err);
void cpu_trace_close(struct cpu_trace *t);
/* A thread as a stream, which closes the trace when it is closed; thread below thread_count. */
bool cpu_trace_stream(struct cpu_stream *s, const char *path, u32 thread, bool events,
                      struct err *err);

#endif
