/*
 * A source of CPU instructions: one thread of a trace, or of a synthetic kernel.
 *
 * Instructions come in batches, so that what a source costs is paid once in many; the reader looks
 * at one and goes on to the next:
 *
 *     for (const struct cpu_instruction *i; (i = cpu_stream_peek(s)); cpu_stream_skip(s))
 *         ...
 *     if (!cpu_stream_check(s, err)) ...
 *
 * What peek returns stays until the skip past it. A stream that cannot go on ends, and says why
 * when it is asked. Nothing is allocated after open.
 */
#ifndef CPU_TRACE_STREAM_H
#define CPU_TRACE_STREAM_H

#include "base/err.h"
#include "cpu_trace/instruction.h"

struct cpu_mover;
struct cpu_threads;
struct cpu_stream;

#define CPU_LENGTH_UNKNOWN UINT64_MAX

struct cpu_stream_ops {
    /* The next instructions, as many as suit the source: sets at and end. False: there are no
     * more, or s->err is filled. */
    bool (*refill)(struct cpu_stream *s);
    /* The first instruction is next again. False: s->err is filled. */
    bool (*restart)(struct cpu_stream *s);
    /* Optional: instruction `position` is next, which is below the length. */
    bool (*seek)(struct cpu_stream *s, u64 position);
    void (*close)(struct cpu_stream *s);
};

struct cpu_stream {
    const struct cpu_instruction *at, *end; /* of the batch */
    const struct cpu_stream_ops *ops;
    void *self;
    const char *description; /* a line for people, owned by the source */
    u64 length;              /* instructions, events not counted; or CPU_LENGTH_UNKNOWN */
    u32 thread, thread_count;
    /* Of a program that is executed as it is read: where it may move between cores; else NULL. */
    struct cpu_mover *mover;
    struct cpu_threads *threads; /* of such a program with several threads; else NULL */
    const char *machine;         /* x86_64, aarch64; NULL or "": not known; owned by the source */
    bool goes_on;   /* it ends for now: its thread is to move, or waits for another one */
    struct err err; /* why it ended early */
};

/* How a stream is opened; zero is thread 0 without events. */
struct cpu_stream_request {
    /* A synthetic kernel, "cpu:NAME[,KNOB=VALUE]..." (cpu_trace/kernel.h), the file of a trace
     * (cpu_trace/format/reader.h), or one of ChampSim's (cpu_trace/champsim.h): "champsim:FILE",
     * "cloudsuite:FILE", or any file with champsim in its name; or "suite:NAME", a trace of the
     * suite (cpu_trace/suite.h); or an AArch64 program (cpu_trace/aarch64_stream.h).
     * "@FIRST+COUNT" behind it means this window of it. */
    const char *name;
    u32 vector_bits; /* of the core; 0: 128. For programs that are executed as they are read */
    u32 thread;
    u64 seed;                       /* of synthetic kernels */
    bool events;                    /* CPU_EVENT is delivered too */
    const struct cpu_stream *first; /* of an executed program, for a thread above 0: thread 0's */
};

bool cpu_stream_open(struct cpu_stream *s, const struct cpu_stream_request *request,
                     struct err *err);
/* Does a name mean a CPU program? */
bool cpu_name_is_program(const char *name);
/* ... a synthetic kernel? */
bool cpu_name_is_kernel(const char *name);
/* ... that is no file beside others: a synthetic kernel, or one of the suite? */
bool cpu_name_is_no_file(const char *name);
/* Does a file's name say that it is one of ChampSim's? */
bool cpu_name_is_champsim(const char *name);
/* May be called on zeroed memory. */
void cpu_stream_close(struct cpu_stream *s);

static inline const struct cpu_instruction *cpu_stream_peek(struct cpu_stream *s)
{
    return LIKELY(s->at != s->end) || s->ops->refill(s) ? s->at : NULL;
}

static inline void cpu_stream_skip(struct cpu_stream *s)
{
    s->at++;
}

/* False: it ended early, and err says why. */
bool cpu_stream_check(const struct cpu_stream *s, struct err *err);
/* From the beginning; also of one that has ended. */
bool cpu_stream_restart(struct cpu_stream *s, struct err *err);
/* Instruction `position` is next (events before it are passed over); past the end: none is. */
bool cpu_stream_seek(struct cpu_stream *s, u64 position, struct err *err);

#endif
