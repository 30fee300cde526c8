/*
 * An AArch64 program as a source of CPU instructions: it is executed as they are read, so any
 * length of vectors is possible (src/aarch64).
 *
 *     aarch64:FILE[,vl=BITS][,threads=N][,ARGUMENT]...     a static executable
 *     vector:NAME[,vl=BITS][,threads=N][,ARGUMENT]...      one of workloads/vector
 *
 * A program may have up to N threads at a time, each a stream of its own; they share memory, so
 * they execute in the order in which their streams are read.
 *
 * What the program writes to its standard output and error goes to those of this process. A
 * program that ends with another status than 0 says that it is wrong: the stream ends with an
 * error.
 */
#ifndef CPU_TRACE_AARCH64_STREAM_H
#define CPU_TRACE_AARCH64_STREAM_H

#include "cpu_trace/stream.h"

bool aarch64_name_is_program(const char *name);
/* The file of a name; the caller frees it. NULL: there is none. */
char *aarch64_name_file(const char *name, struct err *err);
bool aarch64_stream_open(struct cpu_stream *s, const struct cpu_stream_request *request,
                         struct err *err);
/* Execution alone, to its end: how many instructions. */
bool aarch64_execute(const struct cpu_stream_request *request, u64 *instructions, struct err *err);

/* A program that runs on a core and may go to another. */
struct cpu_mover {
    u32 wanted_bits;         /* of the core that it is to go to; 0: it stays. Set by the mover */
    bool is_enforced;        /* pins are; false shows what goes wrong. Set with wanted_bits */
    bool may_go;             /* the stream has ended because it may: what is left of it follows */
    u32 pinned_bits;         /* 0: not pinned */
    u64 lanes, active_lanes; /* of the vector instructions with memory, so far */
};

/* The threads of such a program. A stream ends where its thread waits, and has instructions again
 * when it is woken; so does that of a thread that is made. */
struct cpu_threads {
    void (*woken)(void *context, u32 thread); /* set by the reader of the streams */
    void *context;
};

/* Has the thread instructions now? Else it waits, has ended, or is not there yet. */
bool cpu_thread_runs(const struct cpu_stream *s);

/* It is on a core with vectors of so many bits, and the stream goes on. */
void cpu_mover_move(struct cpu_stream *s, u32 bits);

#endif
